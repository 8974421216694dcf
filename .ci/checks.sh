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

# clang-tidy over the grader's own files, by the checks of .clang-tidy. The simulated GPU is left out: twice as many files, most of them
# tables and lane loops, would take five times as long. So are tests, for GoogleTest's macros, and the analyzer's checks, which take longer than
# all others together: run those by hand on what you changed (see .clang-tidy).
check_static_analysis() {
  if ! command -v clang-tidy >/dev/null 2>&1; then
    echo 'skipped: there is no clang-tidy here (apt-get install clang-tidy)'
    return 0
  fi
  is_clone || return 0
  git ls-files -z 'grader/*.cpp' ':!grader/simgpu' ':!grader/tests' ':!grader/*/tests/*' |
    xargs -0 -r -n 1 -P "$(nproc)" clang-tidy --quiet -p "build/${COURSE_PRESET:-default}" --extra-arg=-Wno-unknown-warning-option --checks='-clang-analyzer-*' --warnings-as-errors='*' 2>/dev/null
}

# A newcomer's first grading, from nothing, as the default preset builds it (the tests are built by preset ci): it must come to its verdict
# within 300 s of processor time, which are 2.5 minutes on two cores.
check_first_grading() {
  local out before after spent
  rm -rf build/default
  before=$(children_seconds)
  out=$(COURSE_PRESET=default ./course grade block_reduction 2>&1) # exit code 1: nothing is written in the starter
  after=$(children_seconds)
  spent=$(awk -v a="$after" -v b="$before" 'BEGIN { printf "%.0f", a - b }')
  printf 'first grading: %s s of processor time\n' "$spent"
  case $out in *not_attempted*) ;; *)
    printf '%s\n' "$out" 'The starter of block_reduction did not get its verdict.'
    return 1
    ;;
  esac
  [ "$spent" -le 300 ] || { echo 'That is more than 300 s.' && return 1; }
}

# Processor seconds that this shell's ended children have used, user and system, by the kernel's account.
children_seconds() {
  awk -v ticks="$(getconf CLK_TCK)" '{ print ($16 + $17) / ticks }' "/proc/$$/stat"
}
