#!/usr/bin/env bash
# `course release`: a copy for students holds no line, comment or variant of a solution, in no file, compiled ones included; it configures,
# has every file that its programs are built from, and grades as the full course does. The search here is another than the command's own.
#
#   release.sh SOURCE_FOLDER BUILD_FOLDER
#
# The programs that grade are those of BUILD_FOLDER, to spare minutes of compiling; COURSE_RELEASE_BUILD=1 builds the copy's own.
set -u
export LC_ALL=C COURSE_NO_INSTALL=1
unset COURSE_TREE COURSE_DEVICE COURSE_SKIP_BUILD COURSE_PRESET
source=$1 build=$2
root=$(mktemp -d "${TMPDIR:-/tmp}/release XXXXXX") || exit 1
trap 'rm -rf "$root"' EXIT
# shellcheck source=../../tests/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../tests/expect.sh"

# expect CODE WORDS COMMAND...: exit code, and words among what it says; keeps that in $output
expect() {
  local want=$1 words=$2 got
  shift 2
  output=$("$@" 2>&1)
  got=$?
  [ "$got" = "$want" ] || complain "exit code $got instead of $want: $*"$'\n'"$output"
  case $output in *"$words"*) ;; *) complain "no '$words' in the answer of $*"$'\n'"$output" ;; esac
}

# --- A mini course: what is refused ---
mini=$root/mini
mkdir -p "$mini/build/bin" "$mini/exercises/chapter1_mini/alpha" "$mini/solutions/chapter1_mini/alpha/wrong" "$mini/docs"
cat >"$mini/nvcc" <<'EOT2'
#!/bin/sh
case $1 in --version) echo "Cuda compilation tools, release 13.0, V13.0.88"; exit ;; esac
for word; do
  case $word in
    -cudart=* | -gencode=* | --no-compress | -Xptxas=* | -Xcompiler=*) ;;
    -Xlinker=*) set -- "$@" "-Wl,${word#-Xlinker=}" ;;
    *) set -- "$@" "$word" ;;
  esac
  shift
done
exec g++ -x c++ -fPIC "$@"
EOT2
chmod +x "$mini/nvcc"
alpha() { # CODE: a file of the exercise with that code
  printf '#include "alpha.cuh"\nextern "C" void alpha_run() {\n// >>> your code\n%s\n// <<< your code\n}\n' "$1"
}
printf '#pragma once\nextern "C" void alpha_run();\n' >"$mini/exercises/chapter1_mini/alpha/alpha.cuh"
alpha '  // what is to be done' >"$mini/exercises/chapter1_mini/alpha/alpha.cu"
alpha '  // The trick is to add pairs of neighbours first.' >"$mini/solutions/chapter1_mini/alpha/alpha.cu"
alpha '  // A wrong way that forgets the tail of the array.' >"$mini/solutions/chapter1_mini/alpha/wrong/tail.cu"
cp "$build/bin/course" "$mini/build/bin/"
cat >"$mini/build/course.json" <<EOT2
{"schema":"course.config/1","version":"0","source_dir":"..","nvcc":"$mini/nvcc","nvcc_version":"13.0.88","cuda_version":"13.0","ctest":"ctest",
 "flags":["-shared"],"architectures":["90"],"exercises":[{"chapter":"chapter1_mini","label":"chapter1","name":"alpha"}]}
EOT2
run=$mini/build/bin/course
echo 'answers' >"$mini/exercises/chapter1_mini/alpha/answers.txt"
cp "$mini/solutions/chapter1_mini/alpha/alpha.cu" "$mini/exercises/chapter1_mini/alpha/mine.cu"
expect 0 'Files with lines of solutions: 0 (' "$run" release "$mini/build/one"
[ -f "$mini/build/one/grader/references/chapter1_mini/alpha/reference.so" ] || complain 'the mini release has no reference'
[ -e "$mini/build/one/exercises/chapter1_mini/alpha/mine.cu" ] && complain "somebody's own file is in the release"
[ -e "$mini/build/one/exercises/chapter1_mini/alpha/answers.txt" ] && complain "somebody's answers are in the release"
expect 2 'is there already' "$run" release "$mini/build/one"
expect 2 'lies in the course itself' "$run" release "$mini/docs/copy"
expect 2 'did you mean alpha?' "$run" release "$root/two" alhpa
expect 2 'is no compute capability' "$run" release "$root/two" --architecture 8.0
# A solution that was copied over its starter, and one whose lines get into the compiled reference.
cp "$mini/exercises/chapter1_mini/alpha/alpha.cu" "$root/starter.cu"
cp "$mini/solutions/chapter1_mini/alpha/alpha.cu" "$mini/exercises/chapter1_mini/alpha/alpha.cu"
expect 2 'holds the code of solutions/chapter1_mini/alpha/alpha.cu: put the starter back with ./course reset alpha' \
  "$run" release "$root/two"
cp "$root/starter.cu" "$mini/exercises/chapter1_mini/alpha/alpha.cu"
printf 'extern "C" const char alpha_text[] = R"(\nThis very line of the solution is seen in the program.\n)";\n' \
  >>"$mini/solutions/chapter1_mini/alpha/alpha.cu"
expect 1 'reference.so holds 1 line of solutions, e.g. This very line of the solution' "$run" release "$root/two"
case $output in *'Do not hand this copy out.'*) ;; *) complain 'nobody is told to keep the copy' ;; esac
rm -r "$mini/solutions"
expect 2 'no solutions/' "$run" release "$root/three"

# --- The course itself ---
copy=$root/copy
expect 0 'Files with lines of solutions: 0 (' "$build/bin/course" release "$copy"
find "$copy" | sed "s#^$copy##" >"$root/names"
for word in solutions hand_ins wrong fixture_exercises EXPLANATION.md plain.cu kill_table.md; do
  grep -E "/$word(/|\$)" "$root/names" && complain "the release holds $word"
done
sed 's#.*/##' "$root/names" >"$root/base_names"
(cd "$source/solutions" && find . -path '*/wrong/*' -type f | sed 's#.*/##') | sort -u | while read -r name; do
  grep -Fx -e "$name" "$root/base_names"
done | grep . && complain 'the release holds a wrong variant'

# Lines of at least 20 characters in solutions and hand-ins that stand, as a part of a line, in nothing that students have anyway.
lines_of() { find "$@" -type f -exec cat {} + | sed 's/^[[:space:]]*//; s/[[:space:]]*$//' | grep -aE '.{20}' | sort -u; }
lines_of "$source/solutions" "$source/grader/tests/hand_ins" "$source/grader/tests/fixture_exercises"/*/solution >"$root/lines"
(
  cd "$source" || exit
  find chapters docs cmake exercises grader -type f \
    \( -path '*/tests/*' -o -path 'grader/calibrate/*' -o -path 'exercises/*.txt' -o -name '*.kept.cu' \) -prune -o -type f -exec cat {} +
  cat CMakeLists.txt CMakePresets.json CONTRIBUTING.md README.md course
) >"$root/public"
while grep -aoFf "$root/lines" "$root/public" | sort -u >"$root/known" && [ -s "$root/known" ]; do
  grep -avxFf "$root/known" "$root/lines" >"$root/left"
  mv "$root/left" "$root/lines"
done
count=$(wc -l <"$root/lines")
[ "$count" -gt 500 ] || complain "only $count lines of solutions to look for"
search() { grep -raoFf "$root/lines" "$1"; } # prints FILE:LINE
found=$(search "$copy")
[ -z "$found" ] || complain "lines of solutions in the release:"$'\n'"$found"
# The search sees what it is meant to see.
mkdir "$root/planted"
line=$(sed -n "$((count / 2))p" "$root/lines")
printf '%s\n' "# $line ..." >"$root/planted/page.md"
reference=$(find "$copy/grader/references" -name reference.so | head -n 1)
{ cat "$reference" && printf '\0%s\0' "$line"; } >"$root/planted/reference.so"
[ "$(search "$root/planted" | wc -l)" = 2 ] || complain 'the search does not find a line that was planted'

# Compiled references name no file, folder or line of ours.
find "$copy/grader/references" -name '*.so' | while read -r one; do
  grep -aqF "$source" "$one" && echo "$one names the folder $source"
  grep -aqE '[a-z_]+\.cu\b|^\.loc|\.debug_line' "$one" && echo "$one names a source file or its lines"
done | grep . && complain 'a reference says where it comes from'

# One of some chapters greets with what is in it.
expect 0 'Files with lines of solutions: 0 (' "$build/bin/course" release "$root/part" chapter1
grep -nE 'chapter[02-9]|first_kernel|preset solutions|course test' "$root/part/README.md" && complain 'the page of a part names what is not in it'
sed '/^Grading /,/^```/d' "$root/part/README.md" | grep -nE 'block_reduction|stencil_1d' && complain 'a command names an exercise that is not in it'
for words in './course grade vector_add ' '(exercises/chapter1_registers/vector_add/README.md)' 'ctest -L chapter1 '; do
  grep -qF "$words" "$root/part/README.md" || complain "no '$words' on the page of a part"
done
[ "$(grep -c '^| [0-9]' "$root/part/README.md")" = 1 ] || complain 'the table of a part does not show its chapter alone'
grep -qF 'first_kernel/README.md' "$copy/README.md" || complain 'the page of the whole copy does not begin with the first exercise'

# --- It configures, and has all that its programs are made of ---
made=$copy/build/default
# Configured as the full course's build, so that the objects have the same names.
options=()
for option in CMAKE_BUILD_TYPE CMAKE_CXX_COMPILER_LAUNCHER COURSE_UNITY COURSE_PRECOMPILE; do
  value=$(sed -n "s/^$option:[^=]*=//p" "$build/CMakeCache.txt")
  [ -z "$value" ] || options+=(-D "$option=$value")
done
expect 0 'Build files have been written' cmake -S "$copy" -B "$made" -G Ninja "${options[@]}"
expect 0 '' cmake --build "$made" --target grading.block_reduction -- -n
if [ -f "$build/build.ninja" ]; then
  ninja -C "$made" -t inputs grading.block_reduction 2>/dev/null | grep '\.o$' | sort >"$root/objects"
  [ "$(wc -l <"$root/objects")" -gt 30 ] || complain 'the release has too few objects'
  # What the full course's build read for the same objects, of the course's own files.
  ninja -C "$build" -t deps 2>/dev/null | awk -v objects="$root/objects" -v absolute="$source/" -v relative="$(realpath --relative-to="$build" "$source")/" '
    BEGIN { while ((getline line < objects) > 0) wanted[line] = 1 }
    /^[^ ]/ { name = $1; sub(/:$/, "", name); take = name in wanted; next }
    take && index($1, absolute) == 1 { print substr($1, length(absolute) + 1) }
    take && index($1, relative) == 1 { print substr($1, length(relative) + 1) }' | grep -v '^build/' | sort -u >"$root/read"
  [ "$(wc -l <"$root/read")" -gt 200 ] || complain 'nothing is known of what was read to build the course'
  while read -r file; do
    cmp -s "$source/$file" "$copy/$file" || complain "$file is read to build the course, and is not in the release as it was"
  done <"$root/read"
fi
# Its pages lead to nothing that is not there.
if [ -x "$build/bin/course-site" ]; then
  expect 0 '' "$build/bin/course-site" "$copy" "$copy/docs/site" "$root/site"
fi
if [ -n "${COURSE_RELEASE_BUILD:-}" ]; then
  expect 0 '' cmake --build "$made" --target grading.block_reduction
else
  mkdir -p "$made/bin/judges"
  cp -P "$build"/bin/{course,worker-gpu,worker-sim,libsimcudart.so*,libcudart.so*} "$made/bin/"
  mkdir -p "$made/bin/simgpu-dropin"
  cp "$build/bin/simgpu-dropin/simgpu-device" "$made/bin/simgpu-dropin/"
  cp "$build/bin/judges/chapter2_shared_memory.block_reduction" "$made/bin/judges/"
fi

# --- It grades as the full course does ---
# one_line FILE: what a grading says of an exercise
one_line() { grep -E '"(verdict|cause|ratio|line)"' "$1" | tr -d '\n'; }
expect 0 'block_reduction' "$copy/course" list
for variant in solutions/chapter2_shared_memory/block_reduction/plain.cu exercises/chapter2_shared_memory/block_reduction/block_reduction.cu \
  solutions/chapter2_shared_memory/block_reduction/wrong/slow_three_passes.cu; do
  tree=$root/hand_in/chapter2_shared_memory/block_reduction
  rm -rf "$root/hand_in" && mkdir -p "$tree" && cp "$source/$variant" "$tree/block_reduction.cu" || complain "there is no $variant"
  for one in "$made" "$build"; do
    COURSE_SEED=1234 "$one/bin/course" grade block_reduction --tree "$root/hand_in" --device sim --json "$root/$(basename "$one").json" \
      >"$root/said" 2>&1
  done
  theirs=$(one_line "$root/default.json") ours=$(one_line "$root/$(basename "$build").json")
  { [ -n "$ours" ] && [ "$theirs" = "$ours" ]; } || complain "$variant: '$theirs' in the release, '$ours' in the full course"
  case $ours in *harness_error*) complain "$variant: $(cat "$root/said")" ;; esac
  printf '%s\n' "$variant: $theirs"
done
expect 1 'not_attempted' env COURSE_SKIP_BUILD=1 "$copy/course" grade block_reduction --device sim

[ $failures = 0 ] && printf 'Solution lines found: 0, of %s that were looked for in %s files\n' "$count" "$(find "$copy" -type f ! -path '*/build/*' | wc -l)"
exit $((failures > 0))
