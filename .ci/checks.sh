# Checks of .ci/run that can be run by hand as well:  . .ci/checks.sh; check_layout
# shellcheck shell=bash

# clang_format: the program, if it is of the release whose layout the sources have. Releases differ in a few lines.
clang_format() {
  local candidate
  for candidate in clang-format-14 clang-format; do
    case $("$candidate" --version 2>/dev/null) in *'version 14.'*) command -v "$candidate" && return 0 ;; esac
  done
  return 1
}

# is_clone: says so where there is no git to name the sources
is_clone() {
  git rev-parse --git-dir >/dev/null 2>&1 && return 0
  echo 'skipped: this is no git clone, and git names the sources to check'
  return 1
}

# Every tracked source must lie as .clang-format says.
check_layout() {
  local program
  program=$(clang_format) || {
    echo 'skipped: there is no clang-format 14 here (apt-get install clang-format-14)'
    return 0
  }
  is_clone || return 0
  git ls-files -z '*.cpp' '*.hpp' '*.cu' '*.cuh' '*.h' | xargs -0 -r -n 40 -P "$(nproc)" "$program" --dry-run -Werror
}

# Headers name JSON's types by nlohmann/json_fwd.hpp and hold values in a protocol/json_box.hpp: the whole library costs each file that reads
# the header a second. Those that say otherwise are read by two or three files of their own folder.
check_headers() {
  local heavy
  is_clone || return 0
  heavy=$(git ls-files -z '*.hpp' '*.h' '*.cuh' ':!grader/reports/fields.hpp' ':!grader/simgpu/report/json_parts.hpp' ':!*/tests/*' |
    xargs -0 -r grep -lE '^ *# *include *[<"]nlohmann/json\.hpp')
  [ -z "$heavy" ] && return 0
  printf '%s: includes nlohmann/json.hpp; include nlohmann/json_fwd.hpp, and the whole library in the .cpp\n' $heavy
  return 1
}

# Preset ci reads several files at a time, and would not see one that leans on its neighbours' includes. All of them one by one would
# take twenty minutes (preset dev does it): here it is those that the last twenty commits changed, at most thirty.
check_alone() {
  local build="build/${COURSE_PRESET:-default}" file unit command
  is_clone || return 0
  git log -n 20 --name-only --format= -- 'grader/*.cpp' | awk 'NF && !seen[$0]++' | while read -r file; do
    [ -f "$file" ] || continue
    unit=$(grep -rlF "\"$PWD/$file\"" "$build/grader" --include='unity_*.cxx' | head -n 1)
    [ -n "$unit" ] || continue # it is compiled by itself
    command=$(grep -F -B1 "\"file\": \"$PWD/$unit\"" "$build/compile_commands.json" |
      sed -nE '/^ *"command": /{s/^ *"command": "(.*) -o .*/\1/; s/\\(.)/\1/g; p}')
    printf '%s\0' "${command:-false} -fsyntax-only $file"
  done | head -z -n 30 | xargs -0 -r -n 1 -P "$(nproc)" sh -c 'eval "$0" || { echo "does not compile by itself: ${0##* }"; exit 1; }'
}

# clang-tidy over the grader's own files, by the checks of .clang-tidy, several at a time as the preset compiles them
# (cmake/CourseCompileTime.cmake): most of the time goes to headers. The simulated GPU is left out: twice as many files, most of them
# tables and lane loops, would take five times as long. So are tests, for GoogleTest's macros, and the analyzer's checks, which take longer than
# all others together: run those by hand on what you changed (see .clang-tidy).
check_static_analysis() {
  local build="build/${COURSE_PRESET:-default}" files
  if ! command -v clang-tidy >/dev/null 2>&1; then
    echo 'skipped: there is no clang-tidy here (apt-get install clang-tidy)'
    return 0
  fi
  files=$(sed -nE 's/^ *"file": "(.*)"$/\1/p' "$build/compile_commands.json" |
    grep -E '/grader/[^ ]*\.(cpp|cxx)$' | grep -vE '/(simgpu|tests)/|_test\.dir/' | sort -u)
  [ -n "$files" ] || { echo "$build/compile_commands.json names no file of the grader" && return 1; }
  printf '%s\n' "$files" | xargs -r -n 1 -P "$(nproc)" sh -c 'clang-tidy -p "$0" --quiet --extra-arg=-Wno-unknown-warning-option \
    --checks="-clang-analyzer-*,-bugprone-suspicious-include" --header-filter="grader/.*[.][ch]pp\$" --warnings-as-errors="*" "$1" 2>/dev/null' "$build"
}

# A newcomer's first grading, from nothing, as the default preset builds it (the tests are built by preset ci). Its processor time must stay
# below 115 times that of one known file: 234 to 249 s against 3.0 to 3.3 s on the machine where it took two minutes on two quiet cores,
# which is 71 to 84 times. Seconds alone would judge the machine: another one, or the same one with neighbours, takes half as long again for both.
check_first_grading() {
  local out before between after
  rm -rf build/default
  before=$(children_seconds)
  out=$(COURSE_PRESET=default ./course grade block_reduction 2>&1) # exit code 1: nothing is written in the starter
  between=$(children_seconds)
  case $out in *not_attempted*) ;; *)
    printf '%s\n' "$out" 'The starter of block_reduction did not get its verdict.'
    return 1
    ;;
  esac
  compile_known_file && compile_known_file || return
  after=$(children_seconds)
  awk -v a="$before" -v b="$between" -v c="$after" 'BEGIN {
    spent = b - a; known = (c - b) / 4; most = 115
    printf "first grading: %.0f s of processor time, %.0f times a known file\n", spent, spent / known
    if (spent > most * known) { printf "That is more than %d times.\n", most; exit 1 }
  }'
}

# Compiles fmt's one file as build/default does, twice at once, as a build keeps two cores busy.
compile_known_file() {
  local command
  command=$(ninja -C build/default -t commands course_fmt | sed -n 's| -M.* -c | -o /dev/null -c |p' | grep fmt_compiled | head -n 1)
  [ -n "$command" ] || { echo 'build/default does not compile cmake/fmt_compiled.cpp: choose another known file' && return 1; }
  (cd build/default && { sh -c "$command" & sh -c "$command" && wait $!; })
}

# Processor seconds that this shell's ended children have used, user and system, by the kernel's account.
children_seconds() {
  awk -v ticks="$(getconf CLK_TCK)" '{ print ($16 + $17) / ticks }' "/proc/$$/stat"
}
