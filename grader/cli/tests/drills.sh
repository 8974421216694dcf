#!/usr/bin/env bash
# Drills through the doors that students use: the course command, ctest, and a terminal. A mini course with the two drills and
# nothing to compile.
#
#   drills.sh COURSE CTEST SOURCE_FOLDER
set -u
export LC_ALL=C
unset COURSE_TREE COURSE_DEVICE COURSE_DRILL_SEED
course=$1 ctest=$2 source=$3
root=$(mktemp -d "${TMPDIR:-/tmp}/mini drills XXXXXX") || exit 1
trap 'rm -rf "$root"' EXIT
# shellcheck source=../../tests/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../tests/expect.sh"
exec </dev/null # the course must see that nobody sits at a terminal

chapter=chapter0_measuring
mkdir -p "$root/build/bin"
cp "$course" "$root/build/bin/course"
rows=''
: >"$root/build/course_tests.cmake"
for drill in sectors/predict_sectors occupancy/occupancy_questions; do
  name=${drill#*/}
  mkdir -p "$root/exercises/$chapter/$name"
  rows="$rows${rows:+,}{\"chapter\":\"$chapter\",\"label\":\"chapter0\",\"name\":\"$name\",\"drill\":\"${drill%/*}\"}"
  cat >>"$root/build/course_tests.cmake" <<EOT
add_test(chapter0.$name.answers "./bin/course" mark-drill --chapter $chapter --exercise $name)
set_tests_properties(chapter0.$name.answers PROPERTIES LABELS chapter0 SKIP_REGULAR_EXPRESSION "answers: missing")
EOT
done
echo 'include("./course_tests.cmake")' >"$root/build/CTestTestfile.cmake"
mkdir "$root/build/grading" # what `course grade` runs (cmake/CourseTests.cmake)
sed 's|"\./bin/|"../bin/|' "$root/build/course_tests.cmake" >"$root/build/grading/CTestTestfile.cmake"
echo 'set(CTEST_CUSTOM_POST_TEST "./bin/course summary")' >"$root/build/CTestCustom.cmake"
cat >"$root/build/course.json" <<EOT
{"schema":"course.config/1","version":"0","source_dir":"..","nvcc":"none","nvcc_version":"0","cuda_version":"0","ctest":"$ctest",
 "flags":[],"architectures":[],"exercises":[$rows]}
EOT
run="$root/build/bin/course"
sectors="$root/exercises/$chapter/predict_sectors/answers.txt"
occupancy="$root/exercises/$chapter/occupancy_questions/answers.txt"
solved="$source/solutions/$chapter/predict_sectors/answers.txt"

# Nothing is handed in: missing, skipped, and no pass.
expect_code 1 "$run" grade chapter0
expect_words 'missing' '0 of 2 pass' './course drill sectors'
expect_code 0 "$ctest" --test-dir "$root/build" -L chapter0
expect_words '***Skipped' 'missing'

# The questions of a number are always the same, and a fresh number brings others.
expect_code 0 "$run" drill sectors --print --seed 7
first=$output
expect_words 'question 10'
expect_no_words 'question 11'
expect_code 0 "$run" drill predict_sectors --print --seed 7
[ "$first" = "$output" ] || complain 'number 7 gives two different sheets'
expect_code 0 "$run" drill sectors --print --seed 7 --questions 20
expect_words 'question 20'
expect_code 0 "$run" drill sectors --print
[ "$first" != "$output" ] || complain 'no number gives number 7'

# An empty sheet is written once, and is no attempt.
expect_code 0 "$run" drill sectors --template --seed 7
grep -q '^number: 7$' "$sectors" || complain 'the sheet does not name its number'
expect_code 2 "$run" drill sectors --template --seed 8
expect_words 'exists already'
expect_code 1 "$run" grade predict_sectors
expect_words 'not_attempted'

# The solution passes, at the limit; list, report and a foreign tree show the same.
cp "$solved" "$sectors"
expect_code 0 "$run" grade predict_sectors --json "$root/grade.json"
expect_words 'pass at the limit' '1 of 1 pass'
grep -q '"pass": 1' "$root/grade.json" || complain 'grade.json does not count the pass'
expect_code 0 "$run" list
expect_words 'pass' 'missing'
expect_no_words 'speed not graded'
expect_code 0 "$run" report predict_sectors
expect_words 'right_answers' 'right_in_a_row' 'question 20' 'seed 7'
expect_no_words 'simulated GPU'
mkdir -p "$root/hand in/$chapter/predict_sectors"
sed 's/^4: .*/4: 999/' "$solved" >"$root/hand in/$chapter/predict_sectors/answers.txt"
expect_code 1 "$run" grade chapter0 --tree "$root/hand in"
expect_words 'pass' 'missing' '1 of 2 pass'
expect_no_words 'at the limit'

# An examination takes only the answers to its number.
expect_code 0 env COURSE_DRILL_SEED=7 "$run" grade predict_sectors
expect_code 1 env COURSE_DRILL_SEED=8 "$run" grade predict_sectors
expect_words 'another_draw' 'answers to number 7, and number 8 is asked'
expect_code 0 env COURSE_DRILL_SEED=7 "$run" drill sectors --print
[ "$first" = "$output" ] || complain 'the number of the examination is not asked'
expect_code 2 "$run" drill sectors --answers "$sectors" --seed 8
expect_code 2 env COURSE_DRILL_SEED=8 "$run" drill sectors --print --seed 7
expect_words 'asks for number 8'
expect_code 2 env COURSE_DRILL_SEED=eight "$run" drill sectors --print
expect_words 'COURSE_DRILL_SEED is eight'

# Wrong and malformed answers: the verdict, the line, and what it looks like.
cp "$source/solutions/$chapter/predict_sectors/wrong/one_sector_a_lane.txt" "$sectors"
expect_code 1 "$run" grade predict_sectors
expect_words 'wrong_result' 'right_answers' 'answers.txt:' 'one sector for each lane'
expect_code 1 "$run" drill sectors --answers "$sectors"
expect_words 'question 2: That is one sector for each lane'
sed 's/^2: .*/2: many/' "$solved" >"$sectors"
expect_code 1 "$run" grade predict_sectors
line=$(grep -n '^2:' "$sectors" | cut -d: -f1)
must_match answers.txt "$line"
expect_words 'malformed_answers' "answers.txt:$line" '`many` is no answer to question 2'
expect_code 2 "$run" drill sectors --answers "$sectors"
expect_code 2 "$run" drill sectors --answers "$root/nowhere.txt"
expect_code 8 "$ctest" --test-dir "$root/build" -L chapter0
expect_words '***Failed' 'malformed_answers'

# Words that name nothing, and nobody to ask.
expect_code 2 "$run" drill sektors
expect_words 'did you mean sectors?'
expect_code 2 "$run" drill sectors --seed 1e9
expect_code 2 "$run" drill sectors --print --practice
expect_code 2 "$run" drill sectors
expect_words 'no terminal'

# On a terminal: nine of ten pass and are handed in; a pass is not overwritten by a lesser one; the score is remembered.
on_terminal() {
  output=$(script -qefc "'$run' drill $1" /dev/null 2>&1)
  code=$?
}
answers_of() {
  sed -n 's/^[0-9][0-9]*: //p' "$source/solutions/$chapter/occupancy_questions/answers.txt"
}
if command -v script >/dev/null 2>&1; then
  rm -f "$sectors"
  on_terminal 'occupancy --seed 7' < <(answers_of | sed '3s/[0-9][0-9]*/999/g' | head -n 10)
  [ "$code" = 0 ] || complain "nine of ten end with $code:"$'\n'"$output"
  expect_words '9 of 10 right: passed' 'Handed in'
  [ -f "$occupancy" ] || complain 'nothing was handed in'
  expect_code 0 "$run" grade occupancy_questions
  on_terminal 'occupancy --seed 7' < <(answers_of)
  expect_words 'passed, at the limit'
  expect_code 0 "$run" grade occupancy_questions
  expect_words 'pass at the limit'
  on_terminal 'occupancy --seed 7' < <(answers_of | sed '3s/[0-9][0-9]*/999/g' | head -n 10)
  expect_words 'stays as it is'
  expect_code 0 "$run" drill
  expect_words 'at the limit'
  on_terminal 'sectors --seed 7' < <(sed -n 's/^[0-9][0-9]*: //p' "$source/solutions/$chapter/predict_sectors/wrong/counts_lines.txt")
  [ "$code" = 1 ] || complain "a failed drill ends with $code"
  expect_words 'not passed, 9 are needed' 'Most often'
  [ ! -e "$sectors" ] || complain 'a failed drill was handed in'
fi

[ $failures = 0 ] && echo 'the drills behave'
exit $((failures > 0))
