#!/usr/bin/env bash
# CONTRIBUTING's recipe, followed: from an empty folder, by `course new-exercise`, to an exercise whose harness tests all pass. The course
# around it is a small one in a temporary folder, with the programs of a build folder that is there.
#
#   recipe.sh BUILD SOURCE CMAKE CTEST
set -u
export LC_ALL=C
unset COURSE_TREE COURSE_DEVICE
built=$(cd "$1" && pwd -P) source=$2 cmake=$3 ctest=$4
root=$(mktemp -d "${TMPDIR:-/tmp}/recipe XXXXXX") || exit 1
trap 'rm -rf "$root"' EXIT
chapter=chapter7_recipe name=warp_scan
course="$root/build/bin/course"

fail() {
  printf 'FAILED: %s\n' "$@"
  exit 1
}
step=0
step() {
  step=$((step + 1))
  printf '%d  %s\n' "$step" "$1"
}

# A course without exercises: its programs, and what they read of the source folder.
mkdir -p "$root/build/bin/judges" "$root/src/exercises" "$root/src/docs/pages" "$root/src/grader/cli"
for program in "$built"/bin/*; do
  [ "${program##*/}" = judges ] || cp -r "$program" "$root/build/bin/"
done
cp -r "$source/grader/cli/new_exercise" "$root/src/grader/cli/"
cp "$source/docs/pages/verdicts.md" "$root/src/docs/pages/"
cp -r "$source/cmake" "$root/src/"
cat >"$root/course_json.cmake" <<EOT
file(READ "$built/course.json" json)
string(JSON json SET "\${json}" exercises "[\${rows}]")
string(JSON json SET "\${json}" fixtures "[]")
string(JSON json SET "\${json}" source_dir "\"../src\"")
file(WRITE "$root/build/course.json" "\${json}")
EOT
"$cmake" -P "$root/course_json.cmake" || fail "course.json cannot be written"

step 'course new-exercise writes both folders'
"$course" new-exercise $chapter $name >/dev/null || fail "new-exercise"
"$course" new-exercise $chapter $name >"$root/again" 2>&1 && fail "a second new-exercise overwrites the first"
grep -q 'is there already' "$root/again" || fail "no sentence about the folder that is there" "$(cat "$root/again")"
task="$root/src/exercises/$chapter/$name" solution="$root/src/solutions/$chapter/$name"

# What configuring and building do: registration by the course's own modules, the judge by the commands of a neighbour's.
cat >"$root/src/CMakeLists.txt" <<EOT
cmake_minimum_required(VERSION 3.25)
project(recipe NONE)
list(APPEND CMAKE_MODULE_PATH "\${CMAKE_SOURCE_DIR}/cmake")
function(add_executable name)
  add_custom_target(\${name})
endfunction()
foreach(command IN ITEMS target_include_directories target_link_libraries set_target_properties course_optimise course_use_precompiled)
  cmake_language(EVAL CODE "function(\${command})\nendfunction()")
endforeach()
add_custom_target(course)
set(COURSE_BUILD_TESTS ON)
include(CourseTests)
include(CourseExercise)
function(_course_ide_target)
endfunction()
enable_testing()
course_add_all_exercises()
get_property(rows GLOBAL PROPERTY COURSE_EXERCISE_ROWS)
list(JOIN rows "," rows)
include("$root/course_json.cmake")
course_write_tests()
EOT
configure() {
  "$cmake" -S "$root/src" -B "$root/build" -G Ninja >"$root/log" 2>&1 || fail "configuring" "$(cat "$root/log")"
}
build() {
  local neighbour=chapter3_coalescing/aos_to_soa
  local judge=${neighbour/\//.}
  # The neighbour's own commands: compile its test, link it.
  ninja -C "$built" -t commands "$judge" | grep -F "${neighbour##*/}" | sed \
    -e "s#$source/exercises/$neighbour/#@task@/#g; s#$source/exercises/$neighbour#@task@#g" \
    -e "s#exercises/$neighbour/CMakeFiles/$judge.dir/[a-z_]*_test.cpp.o#@object@#g" \
    -e "s#bin/judges/$judge#@judge@#g; s#${neighbour##*/}#$name#g" \
    -e "s#@task@/#'$task'/#g; s#@task@#'$task'#g; s#@object@#'$root'/object#g; s#@judge@#'$root/build'/bin/judges/$chapter.$name#g" >"$root/commands"
  (cd "$built" && bash -e "$root/commands") >"$root/log" 2>&1 || fail "building the judge" "$(cat "$root/log")"
}
configure
build
[ -x "$root/build/bin/judges/$chapter.$name" ] || fail "no judge was built" "$(cat "$root/commands")"

# Honest about what is missing: the starter attempts nothing, and every open place is named.
"$course" check-files --chapter $chapter --exercise $name >"$root/missing" && fail "an unwritten exercise is complete"
for words in 'README.md:3: still to be written' 'plain.cu' 'hints.md:5: still' 'EXPLANATION.md' 'holds 0 wrong variants, and three are wanted'; do
  grep -qF "$words" "$root/missing" || fail "no '$words' in" "$(cat "$root/missing")"
done
open=$(grep -rho 'TODO(author)' "$task" "$solution" | wc -l)
[ "$(grep -c 'still to be written' "$root/missing")" = "$open" ] || fail "not each of $open open places is named" "$(cat "$root/missing")"

step 'contract, starter, test, plain.cu and reference: words in place of TODO(author)'
step 'page, hints and EXPLANATION: the same'
find "$task" "$solution" -type f -exec sed -i 's/TODO(author): *//' {} +

step 'three wrong variants, as patches of plain.cu'
wrong() { # NAME VERDICT SED...
  local patch="$solution/wrong/$1.patch" verdict=$2
  mkdir -p "$solution/wrong"
  printf '// expect: %s\n' "$verdict" >"$patch"
  sed "${@:3}" "$solution/plain.cu" | diff -U1 --label plain.cu --label "$1.cu" "$solution/plain.cu" - >>"$patch"
}
wrong unguarded out_of_bounds -e 's/  if (i < n) out/  out/'
wrong grid_capped wrong_result -e 's/<<<blocks,/<<<blocks < 512 ? blocks : 512,/'
wrong slow_one_block too_slow -e 's/<<<blocks,/<<<1,/' -e 's/^  if (i < n) /  for (std::size_t k = i; k < n; k += blockDim.x) /' -e 's/out\[i\] = in\[i\];/out[k] = in[k];/'

step 'the lesson names it'
mkdir -p "$root/src/chapters/$chapter"
printf '# Recipes\n\n[%s](../../exercises/%s/%s/README.md)\n' $name $chapter $name >"$root/src/chapters/$chapter/lesson.md"
cp "$source/chapters/chapter2_shared_memory/quiz.json" "$root/src/chapters/$chapter/"

cp "$root/src/chapters/$chapter/lesson.md" "$root/lesson.md"
printf '\n## Exercises, in order\n\n1. warp_scam\n\n## Recap\n\nwarp_scan\n' >>"$root/src/chapters/$chapter/lesson.md"
"$course" check-course >"$root/log" && fail "a list that lacks an exercise of its chapter is in order"
grep -qF 'under "Exercises, in order", should name warp_scan' "$root/log" || fail "$(cat "$root/log")"
printf '\n## Exercises, in order\n\n1. warp_scan\n' | cat "$root/lesson.md" - >"$root/src/chapters/$chapter/lesson.md"

step 'course pages --write fills tables and the starter'\''s answer'
configure
build
"$course" pages --write $name || fail "pages"
grep -q '^correctness  not_attempted' "$task/README.md" || fail "the page does not show the starter's answer" "$(cat "$task/README.md")"

step 'its tests'
(cd "$root/build" && "$ctest" -R "harness\.chapter7\.|harness\.course\." --output-on-failure) >"$root/log" 2>&1 || fail "$(cat "$root/log")"
grep -E 'Passed|tests passed' "$root/log"
for test in files skeleton pages starter solution plain wrong.unguarded wrong.grid_capped wrong.slow_one_block; do
  grep -q "harness.chapter7.warp-scan.$test .*Passed" "$root/log" || fail "there is no test $test" "$(cat "$root/log")"
done
# With a GPU: gates from a record. Made up here, and only here: what counts is the arithmetic.
"$course" suggest-gates $name >"$root/log" 2>&1 && fail "gates are proposed without a record"
grep -q 'No run of warp_scan is recorded' "$root/log" || fail "$(cat "$root/log")"
row() { # VARIANT RATIO FILE
  printf '{"variant": "%s", "verdict": "too_slow", "source_sha256": "%s", "measurements": [{"ratio": %s, "student_per_second": 1e12, "unit": "B"}]}' \
    "$1" "$(sha256sum "$3" | cut -d ' ' -f 1)" "$2"
}
mkdir -p "$root/src/results/card"
printf '{"exercise": "%s", "machine": {"device_name": "a card", "date": "today", "device": "gpu"}, "variants": [%s, %s, %s, %s]}' $name \
  "$(row plain 0.8 "$solution/plain.cu")" "$(row reference 1.0 "$solution/$name.cu")" "$(row starter 0.4 "$task/$name.cu")" \
  "$(row slow_one_block 0.9 "$solution/plain.cu")" >"$root/src/results/card/$name.json"
"$course" suggest-gates $name >"$root/log" 2>&1 || fail "suggest-gates" "$(cat "$root/log")"
for words in 'at_least(0.57)   plain clears it by 40 %, starter misses it by 30 %' 'at_least(0.88)   plain lacks 9 %' '1 recorded figures are of programs that have changed'; do
  grep -qF "$words" "$root/log" || fail "no '$words' in" "$(cat "$root/log")"
done
"$course" pages $name >"$root/log" && fail "a new record leaves the ladder fresh"
grep -q 'EXPLANATION.md:[0-9]*: this block is stale: run ./course pages --write' "$root/log" || fail "$(cat "$root/log")"
printf '%d steps, %d lines of an author\n' "$step" "$(cat "$task"/* "$solution"/*.* "$solution"/wrong/* | wc -l)"
