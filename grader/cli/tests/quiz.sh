#!/usr/bin/env bash
# The quiz through the doors that students use: piped answers, a terminal, nobody at all, and files that are damaged.
#
#   quiz.sh COURSE
set -u
export LC_ALL=C
course=$1
root=$(mktemp -d "${TMPDIR:-/tmp}/mini quiz XXXXXX") || exit 1
trap 'rm -rf "$root"' EXIT
# shellcheck source=../../tests/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../tests/expect.sh"

# quiz CODE ANSWERS WORD...: takes the quiz with these letters as the input; keeps what it says in $output
quiz() {
  local want=$1 answers=$2 got
  shift 2
  output=$(printf "$answers" | "$run" quiz "$@" 2>&1)
  got=$?
  [ "$got" = "$want" ] || complain "exit code $got instead of $want: quiz $* with '$answers'"$'\n'"$output"
}
# letter_of CHOICE: the letter under which $output shows it
letter_of() { printf '%s\n' "$output" | sed -n "s/^  \([a-z]\)  $1\$/\1/p" | head -n 1; }

mkdir -p "$root/build/bin" "$root/exercises" "$root/chapters/chapter1_one" "$root/chapters/chapter2_two"
cp "$course" "$root/build/bin/course"
cat >"$root/build/course.json" <<'EOT'
{"schema":"course.config/1","version":"0","source_dir":"..","nvcc":"none","nvcc_version":"0","cuda_version":"0","flags":[],"architectures":[],"exercises":[]}
EOT
file=$root/chapters/chapter1_one/quiz.json
cat >"$file" <<'EOT'
{"schema": "course.quiz/1", "chapter": "chapter1", "questions": [
  {"id": "first", "question": "What is one?", "choices": ["uno", "due", "tre", "quattro"], "answer": 0, "why": "It comes first."},
  {"id": "second", "question": "What is two?", "choices": ["eins", "zwei", "drei", "vier"], "answer": 1, "why": "It follows one."}]}
EOT
cp "$file" "$root/chapters/chapter2_two/quiz.json"
run=$root/build/bin/course

# The choices are shuffled, by a number, and letters answer.
quiz 1 'q\n' chapter1 --seed 5
shown=$output
right=$(letter_of uno)
[ -n "$right" ] || complain "the choices are not shown:"$'\n'"$output"
quiz 1 'q\n' chapter1 --seed 5
[ "$shown" = "$output" ] || complain 'number 5 shows two orders'
for seed in 1 2 3 4 6 7 8 9; do
  quiz 1 'q\n' chapter1 --seed $seed
  [ "$(letter_of uno)" = "$right" ] || break
done
[ "$seed" != 9 ] || complain 'the choices are never shuffled'
expect_no_words $'\033' 'It comes first'

# What was missed is asked first, and what was right no more.
wrong=$([ "$right" = a ] && echo b || echo a)
quiz 1 "9\n\nzz\n$wrong\nq\n" chapter1 --seed 5
expect_words 'Type a letter from a to d' "No, $right is right. It comes first." 'Stopped: 1 of 2 asked' '1 missed'
quiz 1 "$right\nq\n" chapter1 --seed 5
expect_words 'first what you missed last time' 'Right. It comes first.'
quiz 1 "q\n" "$root/chapters/chapter1_one/quiz.json"
expect_words 'Question 1 of 1' 'What is two?'
expect_no_words 'What is one?'
for answer in a b c d; do
  printf '%s\n' $answer | "$run" quiz chapter1 --seed 5 >/dev/null 2>&1 && break
done
output=$("$run" quiz)
expect_words 'chapter1' '2 of 2 right' 'chapter2' 'not tried yet'
quiz 0 '' chapter1
expect_words 'You had all 2 questions'
quiz 1 'q\n' chapter1 --all
expect_words 'Question 1 of 2'
quiz 1 'q\n' chapter1 --again
expect_words 'Question 1 of 2'
expect_no_words 'missed last time'
output=$("$run" quiz)
expect_no_words '2 of 2 right'

# Nobody to ask, and words that name nothing.
quiz 2 '' chapter1
expect_words 'There is nobody to ask'
quiz 2 '' chaptr1
expect_words 'did you mean chapter1?'

# A terminal: keys are not shown twice, and the end of the input is an end.
if command -v script >/dev/null 2>&1; then
  output=$(printf 'a\n' | script -qefc "'$run' quiz chapter2 --seed 5" /dev/null 2>&1)
  expect_words 'Question 1 of 2' 'right in this round'
fi

# A damaged file gets one sentence that names the place, and does not hide the other quizzes.
damaged() { # SED WORDS...
  sed "$1" "$root/chapters/chapter2_two/quiz.json" >"$file"
  shift
  quiz 2 'a\n' chapter1
  expect_words "$@"
  [ "$(printf '%s\n' "$output" | wc -l)" = 1 ] || complain "more than a sentence:"$'\n'"$output"
}
damaged 's/"answer": 1/"answer": 4/' 'chapters/chapter1_one/quiz.json: question 2 needs an "answer" from 0 to 3'
damaged 's/"answer": 1/"answer": -1/' 'question 2 needs an "answer"'
damaged 's/"why": "It follows one."/"why": 7/' 'question 2 has no text "why"'
damaged 's/"id": "second"/"id": "first"/' 'question 2 has the "id" of an earlier one'
damaged 's/\["eins".*"vier"\]/["eins"]/' 'question 2 needs 2 to 26 texts as "choices"'
damaged 's/course.quiz/course.quzi/' 'does not say'
damaged 's/"questions"/"answers"/' 'has no "questions"'
damaged '1,$d' 'is no JSON'
quiz 2 '' 
expect_words 'is no JSON' 'chapter2'

[ $failures = 0 ] && echo 'the quiz behaves'
exit $((failures > 0))
