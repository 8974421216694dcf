#!/usr/bin/env bash
# The course command and plain ctest on a mini course: three exercises whose judges (mini_judge.cpp) answer what the graded file asks
# for. Checks what users see: verdicts, exit codes, the summary after ctest, and that a build folder can be moved.
#
#   mini_course.sh COURSE MINI_JUDGE CTEST
set -u
export LC_ALL=C
unset COURSE_TREE COURSE_DEVICE
course=$1 judge=$2 ctest=$3
root=$(mktemp -d "${TMPDIR:-/tmp}/mini course XXXXXX") || exit 1
trap 'rm -rf "$root"' EXIT
# shellcheck source=../../tests/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../tests/expect.sh"

# A compiler that is quick and takes nvcc's words.
cat >"$root/nvcc" <<'EOT'
#!/bin/sh
case $1 in --version) echo "Cuda compilation tools, release 13.0, V13.0.88"; exit ;; esac
for word; do
  case $word in
    -cudart=* | -gencode=* | --no-compress | -Xptxas=* | -Xcompiler=*) ;;
    *) set -- "$@" "$word" ;;
  esac
  shift
done
exec g++ -x c++ -fPIC "$@"
EOT
chmod +x "$root/nvcc"

# hand_in TREE EXERCISE FIRST_LINE
hand_in() {
  mkdir -p "$root/$1/chapter1_mini/$2"
  printf '%s\n#include "%s.cuh"\nextern "C" void %s_run() {}\n' "$3" "$2" "$2" >"$root/$1/chapter1_mini/$2/$2.cu"
}

mkdir -p "$root/build/bin/judges"
cp "$course" "$root/build/bin/course"
rows=''
: >"$root/build/course_tests.cmake"
for name in alpha beta gamma; do
  hand_in exercises $name '// correctness=not_attempted'
  hand_in solutions $name '// correctness=pass bandwidth=pass'
  printf '#pragma once\nextern "C" void %s_run();\n' $name >"$root/exercises/chapter1_mini/$name/$name.cuh"
  cp "$judge" "$root/build/bin/judges/chapter1_mini.$name"
  rows="$rows${rows:+,}{\"chapter\":\"chapter1_mini\",\"label\":\"chapter1\",\"name\":\"$name\"}"
  cat >>"$root/build/course_tests.cmake" <<EOT
add_test(chapter1.$name.build "./bin/course" build-plugin --chapter chapter1_mini --exercise $name)
set_tests_properties(chapter1.$name.build PROPERTIES LABELS chapter1 FIXTURES_SETUP $name.plugin)
add_test(chapter1.$name.correctness "./bin/judges/chapter1_mini.$name" --gtest_filter=*.correctness)
set_tests_properties(chapter1.$name.correctness PROPERTIES LABELS chapter1 FIXTURES_REQUIRED $name.plugin FIXTURES_SETUP $name.correct SKIP_REGULAR_EXPRESSION "\\\\[  SKIPPED \\\\]")
add_test(chapter1.$name.bandwidth "./bin/judges/chapter1_mini.$name" --gtest_filter=*.bandwidth)
set_tests_properties(chapter1.$name.bandwidth PROPERTIES LABELS chapter1 FIXTURES_REQUIRED "$name.plugin;$name.correct" SKIP_REGULAR_EXPRESSION "\\\\[  SKIPPED \\\\]")
EOT
done
echo 'include("./course_tests.cmake")' >"$root/build/CTestTestfile.cmake"
# What `course grade` runs lies in a folder of its own (cmake/CourseTests.cmake).
mkdir "$root/build/grading"
sed 's|"\./bin/|"../bin/|' "$root/build/course_tests.cmake" >"$root/build/grading/CTestTestfile.cmake"
echo 'set(CTEST_CUSTOM_POST_TEST "./bin/course summary")' >"$root/build/CTestCustom.cmake"
cat >"$root/build/course.json" <<EOT
{"schema":"course.config/1","version":"0","source_dir":"..","nvcc":"$root/nvcc","nvcc_version":"13.0.88","cuda_version":"13.0","ctest":"$ctest",
 "flags":["-shared"],"architectures":["90"],"exercises":[$rows]}
EOT
run="$root/build/bin/course"

# The solutions pass.
expect_code 0 "$run" grade chapter1 --tree solutions --device sim
expect_words 'tree    solutions' 'simulated GPU' '3 of 3 pass' 'alpha' 'gamma'
expect_no_words $'\033' not_attempted

# A fresh clone does not; the summary file says so too.
expect_code 1 "$run" grade --json "$root/grade.json"
expect_words 'tree    exercises' '0 of 3 pass' './course hint alpha' 'alpha.cu:3'
grep -q '"not_attempted": 3' "$root/grade.json" || complain 'grade.json does not count three'
grep -q '"reason": "speed is graded once the answer is right' "$root/grade.json" || complain 'grade.json does not say why there is no bandwidth'

# One solved, one wrong, one that does not compile: each has its own verdict.
hand_in exercises alpha '// correctness=pass bandwidth=wasteful'
hand_in exercises beta '// correctness=race'
hand_in exercises gamma 'int x = undeclared;'
expect_code 1 "$run" grade chapter1
expect_words 'wasteful' 'race' 'compile_error' '0 of 3 pass'
must_match alpha.cu 3
must_match beta.cu 3
must_match gamma.cu 3
[ "$(printf '%s\n' "$output" | grep -cP "$matcher")" = 3 ] || complain "the problem matcher finds more than three places in"$'\n'"$output"
expect_code 0 "$run" list
expect_words wasteful race compile_error
expect_code 0 "$run" report gamma
expect_words compile_error 'gamma.cu:1' undeclared

# Plain ctest builds what it grades and ends with this run's verdicts only, also for a foreign, partial tree.
hand_in 'hand in' beta '// correctness=pass bandwidth=too_slow'
expect_code 8 "$ctest" --test-dir "$root/build" -R chapter1.beta
expect_words 'Verdicts for the tree exercises' 'race' 'beta.cu:3'
expect_no_words wasteful compile_error
expect_code 1 "$run" grade all --tree "$root/hand in"
expect_words 'too_slow' 'missing' '0 of 3 pass'
output=$(cd "$root" && COURSE_TREE="hand in" "$ctest" --test-dir "$root/build" -R chapter1.beta 2>&1)
expect_words 'Verdicts for the tree hand in-' 'too_slow'

# A folder's name steers nobody's terminal.
hand_in $'odd\nname' beta '// correctness=race'
expect_code 1 "$run" grade beta --tree "$root"/$'odd\nname'
expect_words 'odd\nname)'

# A judge that falls over is the harness's fault, and only its own exercise's; what it said last is quoted.
hand_in exercises beta '// correctness=none'
expect_code 2 "$run" grade
expect_words 'harness_error' 'wasteful' 'beta' 'chapter1.beta.correctness fell over without a word: grade again'
hand_in exercises beta '// correctness=unwritten'
expect_code 2 "$run" grade beta
expect_words 'No result was left by the test chapter1.beta.correctness, whose last words were: Cannot write' 'free some space'
hand_in exercises beta '// correctness=half_written'
expect_code 2 "$run" grade beta
expect_words 'harness_error (no_result)' 'whose last words were: Cannot write' 'free some space'

# A ctest that cannot begin: its first complaint, and what to do.
cp "$root/build/grading/CTestTestfile.cmake" "$root/sound.cmake"
printf 'include("./course_tests.cmake"\n' >"$root/build/grading/CTestTestfile.cmake"
expect_code 2 "$run" grade alpha
expect_words 'ctest cannot read its tests (CMake Error at CTestTestfile.cmake:1: Parse error' 'run `cmake --preset build` and try again'
expect_no_words 'left no result' 'gate and place'
: >"$root/build/grading/CTestTestfile.cmake"
expect_code 2 "$run" grade alpha
expect_words 'has no tests of these exercises: run `cmake --preset build`'
cp "$root/sound.cmake" "$root/build/grading/CTestTestfile.cmake"
rm -rf "$root/build/grading/Testing"
: >"$root/build/grading/Testing"
expect_code 2 "$run" grade alpha
expect_words 'ctest'  'try again'
rm "$root/build/grading/Testing"

# A device that does not exist is named, by whoever reads the word.
COURSE_DEVICE=banana expect_code 2 "$run" grade alpha
expect_words 'The variable COURSE_DEVICE is "banana": set it to auto, gpu or sim.'
COURSE_DEVICE=banana expect_code 2 "$run" device
expect_words 'COURSE_DEVICE is "banana"'

# What is printed and lost is no success; nor does it land in a file that is opened meanwhile.
output=$("$run" list 2>&1 >/dev/full)
[ $? = 2 ] || complain 'list says that all is well, and its answer is lost on a full disk'
expect_words 'Standard output cannot be written (No space left on device)'
output=$("$run" list 2>&1 >&-)
[ $? = 2 ] || complain 'list says that all is well with a closed standard output'
expect_words 'Standard output cannot be written'

# A pass says what it lacks, where it is explained and what is next. Paths are names, and one into another tree names that tree.
hand_in exercises alpha '// correctness=pass bandwidth=pass'
hand_in exercises beta '// correctness=race'
expect_code 0 "$run" grade "$root/exercises/chapter1_mini/alpha/alpha.cu"
expect_words '1 of 1 pass' 'to the limit mark it lacks speed: 0.5 of the reference' 'solutions/chapter1_mini/alpha/EXPLANATION.md' 'Next: beta'
output=$(cd "$root/exercises/chapter1_mini/alpha" && "$run" grade . 2>&1)
expect_words '1 of 1 pass'
expect_code 0 "$run" list
expect_words 'chapter1  mini: 1 of 3 pass' "limit: speed: 0.5 of the reference's" '1 of 3 pass. Next: beta.' 'exercises/chapter1_mini/beta/README.md'
expect_code 0 "$run" next
expect_words 'Next: beta' 'so far'
expect_code 0 "$run" next chapter1
expect_words 'Next: beta' 'so far'
expect_code 0 "$run" next alpha
expect_words 'Every exercise of alpha in the tree exercises passes.'
expect_code 2 "$run" next alphabet
expect_words 'did you mean alpha?'
expect_code 1 "$run" grade beta --tree "$root/hand in"
expect_words "./course report beta --tree \"$root/hand in\""
expect_code 0 "$run" report beta --tree "$root/hand in"
expect_words too_slow
expect_code 1 "$run" grade "$root/hand in/chapter1_mini/beta/beta.cu"
expect_words 'Grading beta: 1 exercise' 'tree    hand in-' too_slow
expect_code 0 "$run" report "$root/hand in/chapter1_mini/beta/beta.cu"
expect_words too_slow
expect_code 2 "$run" grade "$root/hand in/chapter1_mini/beta/beta.cu" "$root/solutions/chapter1_mini/alpha/alpha.cu"
expect_words 'two trees'

# By path the file that was named is graded, or none.
mine=$root/exercises/chapter1_mini/alpha
cp "$mine/alpha.cu" "$mine/alpha_v2.cu"
expect_code 2 "$run" grade "$mine/alpha_v2.cu"
expect_words 'The hand-in of alpha must be called alpha.cu: rename ' 'alpha_v2.cu, or copy it over that file'
rm "$mine/alpha_v2.cu"
expect_code 2 "$run" grade "$mine/typo.cu"
expect_words 'There is no file ' 'typo.cu: the hand-in of alpha is called alpha.cu.'
output=$(cd "$mine" && "$run" grade typo.cu 2>&1)
[ $? = 2 ] || complain 'a file that is not there is graded'
expect_words 'There is no file typo.cu: the hand-in of alpha is called alpha.cu.'
mv "$mine/alpha.cu" "$root/kept"
expect_code 2 "$run" grade "$mine/alpha.cu"
expect_words 'alpha.cu is gone: ./course reset alpha brings the starter back.'
expect_code 2 "$run" grade "$root/hand in/chapter1_mini/alpha/alpha.cu"
expect_words 'There is no file ' 'alpha.cu: the hand-in of alpha is called alpha.cu.'
ln -s "$root/kept" "$mine/alpha.cu"
expect_code 2 "$run" grade "$mine/alpha.cu"
expect_words 'alpha.cu is reached through a link: hand in the file itself, in real folders.'
rm "$mine/alpha.cu"
mv "$root/kept" "$mine/alpha.cu"
# One that lies flat is graded as it lies, and is not confused with the tree's.
mkdir -p "$root/flat folder"
printf '// correctness=race\n#include "beta.cuh"\nextern "C" void beta_run() {}\n' >"$root/flat folder/beta.cu"
hand_in exercises beta '// correctness=pass bandwidth=pass'
expect_code 1 "$run" grade "$root/flat folder/beta.cu"
expect_words 'Grading beta: 1 exercise' 'tree    hand_in-' race
expect_code 0 "$run" report "$root/flat folder/beta.cu"
expect_words race
expect_code 2 "$run" watch "$root/flat folder/beta.cu"
expect_words 'A watch needs a tree: put the file at FOLDER/chapter1_mini/beta/beta.cu'
ln -s "$root/flat folder/beta.cu" "$root/beta.cu"
expect_code 2 "$run" grade "$root/beta.cu"
expect_words 'beta.cu is reached through a link'
hand_in exercises beta '// correctness=race'

# A chapter without tests says so.
expect_code 2 "$run" test alpha
expect_words 'No test was run' 'for alpha'
expect_code 2 "$run" test --match nothing_like_it
expect_words 'No test was run' nothing_like_it

# The watch grades on each save, survives a file that does not compile, and answers keys.
wait_for() { # TEXT COUNT: until the watch has said it so often
  local i
  for ((i = 0; i < 300; ++i)); do
    [ "$(grep -c "$1" "$root/watched")" -ge "$2" ] && return 0
    sleep 0.2
  done
  complain "the watch did not say '$1' $2 times:"$'\n'"$(cat "$root/watched")"
}
mkfifo "$root/keys"
: >"$root/watched"
"$run" watch beta <"$root/keys" >"$root/watched" 2>&1 &
watching=$!
exec 8>"$root/keys"
wait_for '^Watching' 1
hand_in exercises beta 'int x = undeclared;'
wait_for '^Watching' 2
grep -q 'beta  *compile_error' "$root/watched" || complain 'the watch did not see that beta does not compile'
hand_in exercises beta '// correctness=pass bandwidth=pass'
wait_for '^Watching' 3
grep -q '1 of 1 pass' "$root/watched" || complain 'the watch did not see that beta passes'
rm "$root/exercises/chapter1_mini/beta/beta.cu"
wait_for 'beta.cu is gone: the watch waits until it is back; ./course reset beta' 1
hand_in exercises beta '// correctness=pass bandwidth=pass'
wait_for '^Watching' 4
printf r >&8
wait_for '^beta: pass' 1
printf n >&8
wait_for 'Grading gamma' 1
printf q >&8
exec 8>&-
wait $watching || complain 'the watch did not end well'

# On a terminal: keys act at once, predictions are asked in lines, and the terminal is left as it was, also by Ctrl-C.
if command -v script >/dev/null 2>&1; then
  printf '## 1 nudge\n\nlook here\n' >"$root/exercises/chapter1_mini/beta/hints.md"
  printf '{"questions": [{"id": "one", "text": "How fast?", "unit": "share", "explanation": "A half."}]}' >"$root/exercises/chapter1_mini/beta/predict.json"
  for end in q '\003'; do
    hand_in exercises beta 'int x = undeclared;'
    rm -rf "$root/build/hints" "$root/build/results/exercises/chapter1_mini/beta".*
    : >"$root/watched"
    env -u CI script -qefc "sh -c '\"$run\" watch beta; stty -a'" /dev/null <"$root/keys" >"$root/watched" 2>&1 &
    watching=$!
    exec 8>"$root/keys"
    wait_for 'before you look' 1
    printf '\n' >&8
    wait_for 'Watching' 1
    grep -q compile_error "$root/watched" || complain 'the watch on a terminal did not grade'
    printf h >&8
    wait_for 'Mend what the compiler says' 1
    printf p >&8
    wait_for 'How fast?' 1
    hand_in exercises beta '// correctness=pass bandwidth=pass' # also while something else is going on
    sleep 0.3
    printf '0.75\n' >&8
    wait_for '1 of 1 in all' 1
    wait_for '1 of 1 pass' 1
    printf r >&8
    wait_for 'you predicted' 1
    printf $end >&8
    exec 8>&-
    wait $watching || complain "the watch on a terminal did not end well by $end"
    grep -q '[^-]icanon' "$root/watched" && grep -q '[^-]echo ' "$root/watched" || complain "the watch left the terminal changed, by $end:"$'\n'"$(tail -n 12 "$root/watched")"
  done
  rm "$root/exercises/chapter1_mini/beta/predict.json" "$root/build/results/exercises/chapter1_mini/beta.predictions.json"
else
  echo 'skipped: the watch on a terminal, for want of script'
fi

# A reset keeps what was there. A student's own commits do not count.
if command -v git >/dev/null 2>&1; then
  repository() { git -C "$root" -c user.name=x -c user.email=x@example.org "$@" >/dev/null 2>&1; }
  hand_in exercises beta '// correctness=not_attempted'
  repository init && repository add exercises && repository commit -m 'the course'
  hand_in exercises beta '// correctness=race mine'
  repository commit -a -m 'a student'
  expect_code 0 "$run" reset beta
  expect_words 'Your file is kept as'
  grep -q not_attempted "$root/exercises/chapter1_mini/beta/beta.cu" || complain 'beta is not the starter'
  grep -q mine "$root/exercises/chapter1_mini/beta/beta."*.kept.cu || complain 'what was in beta is gone'
  expect_code 0 "$run" reset beta
  expect_words 'the starter already'
  # Also where the file is gone, which its grading says, and nobody else's.
  rm "$root/exercises/chapter1_mini/beta/beta.cu"
  expect_code 1 "$run" grade beta
  expect_words 'beta' 'missing'
  grep -q 'beta.cu is gone: ./course reset beta brings the starter back' "$root"/build/plugins/records/exercises/chapter1_mini/beta.json ||
    complain "the record of beta does not say how it comes back"
  expect_code 0 "$run" reset beta
  expect_words 'beta.cu is the starter again.'
  expect_no_words 'kept as'
else
  echo 'skipped: course reset, for want of git'
fi

# Words that name nothing.
expect_code 2 "$run" grade alhpa
expect_words 'did you mean alpha?'
expect_code 2 "$run" grde
expect_words 'did you mean grade?'
expect_code 2 "$run" grade --tree "$root/nowhere"
expect_words 'no folder'

# Variants: the expected verdict and another one.
expect_code 0 "$run" check-variant --chapter chapter1_mini --exercise alpha --source "solutions/chapter1_mini/alpha/alpha.cu" --expect pass
expect_code 1 "$run" check-variant --chapter chapter1_mini --exercise alpha --source "solutions/chapter1_mini/alpha/alpha.cu" --expect 'race|too_slow'
printf '// expect: race\n// correctness=race\n#include "alpha.cuh"\nextern "C" void alpha_run() {}\n' >"$root/racy.cu"
expect_code 0 "$run" check-variant --chapter chapter1_mini --exercise alpha --source "$root/racy.cu" --expect-from-file
expect_code 0 "$run" list
expect_words compile_error
expect_no_words race

# A judge that was not asked for before is not built.
mv "$root/build/bin/judges/chapter1_mini.gamma" "$root/gamma.judge"
expect_code 2 "$run" grade gamma
expect_words 'not built yet' './course grade gamma'
# By ctest it is made before it is asked, once, by whichever test comes first.
mkdir -p "$root/made"
cat >"$root/made/cmake" <<EOT
#!/bin/sh
echo "\$*" >>"$root/made/asked"
sleep 0.5
cp "$root/gamma.judge" "$root/build/bin/judges/chapter1_mini.gamma"
EOT
chmod +x "$root/made/cmake"
hand_in exercises gamma '// correctness=pass bandwidth=pass'
expect_code 0 env PATH="$root/made:$PATH" "$ctest" --test-dir "$root/build" -R chapter1.gamma
expect_words '100% tests passed'
expect_no_words 'Could not find executable' 'Not Run'
rm "$root/build/bin/judges/chapter1_mini.gamma"
: >"$root/made/asked"
PATH="$root/made:$PATH" "$run" build-plugin --chapter chapter1_mini --exercise gamma >/dev/null &
expect_code 0 env PATH="$root/made:$PATH" "$run" build-plugin --chapter chapter1_mini --exercise gamma
wait $!
[ "$(cat "$root/made/asked")" = "--build $root/build --target grading.gamma" ] || complain "the judge of gamma was not made once: $(cat "$root/made/asked")"
rm "$root/build/bin/judges/chapter1_mini.gamma"
printf '#!/bin/sh\necho no compiler; exit 1\n' >"$root/made/cmake"
expect_code 2 env PATH="$root/made:$PATH" "$run" build-plugin --chapter chapter1_mini --exercise gamma
expect_words 'no compiler' 'That failed: run ./course grade gamma.'
mv "$root/gamma.judge" "$root/build/bin/judges/chapter1_mini.gamma"

# Hints come one at a time.
printf '# Hints\n\n## 1 nudge\n\nlook\n\n## 2 method\n\nthink\n' >"$root/exercises/chapter1_mini/alpha/hints.md"
expect_code 0 "$run" hint alpha
expect_words look
expect_no_words think
expect_code 0 "$run" hint alpha
expect_words think 'last one'

# None is spent on what the compiler says.
hand_in exercises alpha 'int x = undeclared;'
expect_code 1 "$run" grade alpha
for again in '' --again; do
  # shellcheck disable=SC2086
  expect_code 0 "$run" hint alpha $again
  expect_words 'alpha, after compile_error' 'something is compile_error here' 'Mend what the compiler says first'
  expect_no_words look think
done
expect_code 0 "$run" hint alpha --all
expect_words look think
hand_in exercises alpha '// correctness=not_attempted'
expect_code 1 "$run" grade alpha

# What fits the last verdict comes first, once, and again after another verdict; the tree's verdict counts.
printf '\n## if race, deadlock\n\nwho waits?\n\n## if too_slow\n\ncount sectors\n' >>"$root/exercises/chapter1_mini/alpha/hints.md"
hand_in exercises alpha '// correctness=race'
expect_code 1 "$run" grade alpha
expect_code 0 "$run" hint alpha --again
expect_words 'alpha, after race' 'who waits?' 'shows hint 1 of 2'
expect_no_words look sectors
expect_code 0 "$run" hint alpha
expect_words look
expect_no_words waits
hand_in exercises alpha '// correctness=pass bandwidth=too_slow'
expect_code 1 "$run" grade alpha
expect_code 0 "$run" hint alpha
expect_words 'count sectors'
expect_code 0 "$run" hint alpha --all
expect_words 'count sectors' look think
expect_no_words waits
expect_code 0 "$run" hint alpha --tree solutions
expect_words think
printf '## 1 nudge\n\nlook\n' >"$root/exercises/chapter1_mini/alpha/hints.md"

# Predictions: asked before a grading, kept for a tree, changed, and shown beside what was counted only after it.
cat >"$root/exercises/chapter1_mini/beta/predict.json" <<'EOT'
{"questions": [
  {"id": "one", "text": "How fast?", "unit": "share", "metric": "mark", "explanation": "It is a half."},
  {"id": "two", "text": "How many?", "unit": "sectors", "explanation": "There are four."}]}
EOT
hand_in fresh beta '// correctness=pass bandwidth=pass'
predict() { # ANSWERS
  output=$(printf "$1" | "$run" predict beta --tree "$root/fresh" 2>&1)
}
predict '3/4\nmany\nq\n'
expect_words 'How fast?' 'Type a number' '1 answered now, 1 of 2 in all' './course grade beta'
expect_no_words 'a half'
predict '\n24\n'
expect_words 'so far 0.75, Enter keeps it' '2 of 2 in all'
expect_no_words 'a half' 'four'
expect_code 1 "$run" report beta --tree "$root/fresh"
expect_no_words 'a half'
expect_code 0 "$run" grade beta --tree "$root/fresh"
expect_code 0 "$run" report beta --tree "$root/fresh"
expect_words 'you predicted' 0.75 'It is a half.' 'How many?'
predict '0.5\n'
expect_words './course report beta'
expect_code 0 "$run" report beta --tree "$root/fresh"
expect_words '0.5 (after a grading)'
expect_code 0 "$run" predict
expect_words 'beta' '0 of 2 predicted'
output=$("$run" predict beta </dev/null 2>&1)
expect_words 'There is nobody to ask'
expect_code 2 "$run" predict alpha
expect_words 'asks for no predictions'

# On a terminal, grade asks once, before the first grading: Enter grades.
if command -v script >/dev/null 2>&1; then
  rm -rf "$root/build/results/exercises/chapter1_mini/beta".*
  hand_in exercises beta '// correctness=pass bandwidth=pass'
  on_terminal() { output=$(printf "$1" | env -u CI script -qefc "'$run' grade $2" /dev/null 2>&1); }
  CI=1 expect_code 0 "$run" grade beta
  expect_no_words 'before you look'
  rm -rf "$root/build/results/exercises/chapter1_mini/beta".*
  on_terminal 'y\n0.25\n\n' beta
  expect_words '2 questions that you can answer before you look' '1 of 2 in all' '1 of 1 pass'
  on_terminal '\n' beta
  expect_no_words 'before you look'
  rm -rf "$root/build/results/exercises/chapter1_mini/beta".*
  on_terminal '\n' beta
  expect_words 'before you look' '1 of 1 pass'
  expect_no_words 'How fast?'
  rm -f "$root/build/results/exercises/chapter1_mini/beta".*.json.* "$root/build/results/exercises/chapter1_mini/beta.correctness.json" "$root/build/results/exercises/chapter1_mini/beta.bandwidth.json"
  on_terminal '\n' beta
  expect_no_words 'before you look'
fi
sed -i 's/"unit": "share"/"unit": 7/' "$root/exercises/chapter1_mini/beta/predict.json"
expect_code 2 "$run" predict beta --tree "$root/fresh"
expect_words 'exercises/chapter1_mini/beta/predict.json: question 1 has no text "unit".'
rm "$root/exercises/chapter1_mini/beta/predict.json"

# A moved project grades on, and needs no compiler for what it has compiled before.
mkdir "$root/elsewhere"
mv "$root/build" "$root/exercises" "$root/solutions" "$root/elsewhere/"
mv "$root/nvcc" "$root/nvcc.gone"
expect_code 0 env CUDA_PATH= "$root/elsewhere/build/bin/course" grade --tree solutions
expect_words '3 of 3 pass'

[ $failures = 0 ] && echo 'the mini course behaves'
exit $((failures > 0))
