#!/usr/bin/env bash
# `course grade --all` on a mini course (mini_judge.cpp): a class whose hand-ins are right, wrong, damaged and badly named. Checks that each
# verdict is what grading the file alone gives, that nobody stops the others, and what the table and the CSV file hold.
#
#   class.sh COURSE MINI_JUDGE CTEST
set -u
export LC_ALL=C
unset COURSE_TREE COURSE_DEVICE COURSE_DRILL_SEED
course=$1 judge=$2 ctest=$3
root=$(mktemp -d "${TMPDIR:-/tmp}/mini class XXXXXX") || exit 1
trap 'rm -rf "$root"' EXIT
# shellcheck source=../../tests/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../tests/expect.sh"

# --- A course of two exercises, and a compiler that is quick and takes nvcc's words ---
cat >"$root/nvcc" <<'EOT2'
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
EOT2
chmod +x "$root/nvcc"
source_text() { # EXERCISE FIRST_LINE
  printf '%s\n#include "%s.cuh"\nextern "C" void %s_run() {}\n' "$2" "$1" "$1"
}
mkdir -p "$root/build/bin/judges"
cp "$course" "$root/build/bin/course"
rows=''
for name in alpha beta; do
  for tree in exercises solutions; do
    mkdir -p "$root/$tree/chapter1_mini/$name"
    source_text $name '// correctness=pass bandwidth=pass' >"$root/$tree/chapter1_mini/$name/$name.cu"
  done
  printf '#pragma once\nextern "C" void %s_run();\n' $name >"$root/exercises/chapter1_mini/$name/$name.cuh"
  cp "$judge" "$root/build/bin/judges/chapter1_mini.$name"
  rows="$rows${rows:+,}{\"chapter\":\"chapter1_mini\",\"label\":\"chapter1\",\"name\":\"$name\"}"
  cat >>"$root/build/course_tests.cmake" <<EOT2
add_test(chapter1.$name.build "./bin/course" build-plugin --chapter chapter1_mini --exercise $name)
set_tests_properties(chapter1.$name.build PROPERTIES LABELS chapter1 FIXTURES_SETUP $name.plugin)
add_test(chapter1.$name.correctness "./bin/judges/chapter1_mini.$name" --gtest_filter=*.correctness)
set_tests_properties(chapter1.$name.correctness PROPERTIES LABELS chapter1 FIXTURES_REQUIRED $name.plugin FIXTURES_SETUP $name.correct SKIP_REGULAR_EXPRESSION "\\\\[  SKIPPED \\\\]")
add_test(chapter1.$name.bandwidth "./bin/judges/chapter1_mini.$name" --gtest_filter=*.bandwidth)
set_tests_properties(chapter1.$name.bandwidth PROPERTIES LABELS chapter1 FIXTURES_REQUIRED "$name.plugin;$name.correct" SKIP_REGULAR_EXPRESSION "\\\\[  SKIPPED \\\\]")
EOT2
done
echo 'include("./course_tests.cmake")' >"$root/build/CTestTestfile.cmake"
mkdir "$root/build/grading" # what `course grade` runs (cmake/CourseTests.cmake)
sed 's|"\./bin/|"../bin/|' "$root/build/course_tests.cmake" >"$root/build/grading/CTestTestfile.cmake"
cat >"$root/build/course.json" <<EOT2
{"schema":"course.config/1","version":"0","source_dir":"..","nvcc":"$root/nvcc","nvcc_version":"13.0.88","cuda_version":"13.0","ctest":"$ctest",
 "flags":["-shared"],"architectures":["90"],"exercises":[$rows]}
EOT2
cat >"$root/exercises/points.json" <<'EOT2'
{
  "schema": "course.points/1",
  "verdicts": {"pass": 10, "wasteful": 7.5, "too_slow": 7, "wrong_result": 2, "out_of_bounds": 2, "race": 3, "crashed": 1, "timeout": 1,
    "compile_error": 0, "not_attempted": 0, "missing": 0},
  // beta is the hard one
  "exercises": {"beta": {"pass": 20}}
}
EOT2
run="$root/build/bin/course"

# --- A class ---
class="$root/hand ins"
flat() { # STUDENT EXERCISE FIRST_LINE
  mkdir -p "$class/$1"
  source_text "$2" "$3" >"$class/$1/$2.cu"
}
laid_out() { # STUDENT EXERCISE FIRST_LINE [PREFIX]
  mkdir -p "$class/$1/${4:-}chapter1_mini/$2"
  source_text "$2" "$3" >"$class/$1/${4:-}chapter1_mini/$2/$2.cu"
}
pass='// correctness=pass bandwidth=pass'
flat anna alpha "$pass"
flat anna beta "$pass"
laid_out 'bo chen' alpha '// correctness=pass bandwidth=wasteful'
laid_out 'bo chen' beta '// correctness=race' exercises/
laid_out "=cmd|'calc'!A0" alpha "$pass"
flat $'new\nline' alpha '// correctness=race'
flat $'caf\xe9' alpha '// correctness=pass bandwidth=too_slow'
flat 'quo"te, comma' alpha 'int x = undeclared;'
flat -rf alpha "$pass"
flat $'\e[31mred' alpha "$pass"
mkdir -p "$class/damaged_1" "$class/damaged_2" "$class/damaged_3" "$class/nothing"
: >"$class/damaged_1/alpha.cu"
head -c 4096 /dev/zero >"$class/damaged_1/beta.cu"
head -c 2097152 /dev/zero | tr '\0' x >"$class/damaged_2/alpha.cu"
ln -s /etc/passwd "$class/damaged_2/beta.cu"
mkfifo "$class/damaged_3/alpha.cu"
mkdir "$class/damaged_3/beta.cu"
ln -s "$class/anna" "$class/linked"
flat crashing alpha '// correctness=none'
flat crashing beta "$pass"
flat twice alpha "$pass"
laid_out twice alpha '// correctness=race'
echo 'x' >"$class/nothing/reduction.cu"
echo 'no student' >"$class/notes.txt"

expect_code 2 "$run" grade --all "$class" --device sim --csv "$root/class.csv" --json "$root/class.json" --jobs 3
expect_words 'not handed in' 'anna' 'caf\xe9' 'new\nline' 'quo"te, comma' '\x1b[31mred' '0/30' '30/30' '10.5/30' \
  'twice, alpha: chapter1_mini/alpha/alpha.cu was graded; alpha.cu does not count.' '15 students, 2 exercises: 6 of 30 pass'
expect_words "belong to nobody, e.g. notes.txt: unpack" "nothing: nothing has the name of an exercise's file; there is reduction.cu."
expect_no_words $'\e' $'caf\xe9'
[ "$(grep -c '^\[[0-9]*/21\]' <<<"$output")" = 21 ] || complain "not 21 lines of progress:"$'\n'"$output"

# The CSV file: a line for each, no formula, nothing that breaks a line.
line_of() { grep -aF "$1,$2," "$root/class.csv"; }
expect_line() { # START EXERCISE REST
  case $(line_of "$1" "$2") in "$1,$2,$3"*) ;; *) complain "the CSV line of $1, $2 is '$(line_of "$1" "$2")', not $3" ;; esac
}
[ "$(wc -l <"$root/class.csv")" = 31 ] || complain "the CSV file has not 31 lines"
grep -aq '^[=+@-]' "$root/class.csv" && complain 'a line of the CSV file begins as a formula does'
iconv -f UTF-8 -t UTF-8 "$root/class.csv" >/dev/null 2>&1 || complain 'the CSV file is no UTF-8'
expect_line anna alpha 'pass,,10,0.500,,sim,modelled,2026-01-01T00:00:01Z'
expect_line anna beta 'pass,,20,'
expect_line 'bo chen' alpha 'wasteful,,7.5,'
expect_line 'bo chen' beta 'race,,3,,3,sim,,2026'
expect_line "'=cmd|'calc'!A0" alpha 'pass,,10,'
expect_line "'=cmd|'calc'!A0" beta 'missing,,0,,,,,'
expect_line 'new\nline' alpha 'race,,3,'
expect_line 'caf\xe9' alpha 'too_slow,,7,'
expect_line '"quo""te, comma"' alpha 'compile_error,,0,'
expect_line "'-rf" alpha 'pass,,10,'
expect_line damaged_1 alpha 'compile_error,'
expect_line crashing alpha 'harness_error,no_result,,'
expect_line crashing beta 'pass,,20,'
expect_line linked alpha 'compile_error,'
expect_line twice alpha 'race,,3,'
grep -q '"student": "anna"' "$root/class.json" || complain 'class.json does not name anna'
kept=$(sed -n "s/^Each student's verdicts: //p" <<<"$output")
grep -q '"speed_share": 0.5' "$kept/anna.json" || complain "there is no speed in $kept/anna.json"

# Each verdict is the one that the same content gets as a tree of its own.
for student in "$class"/*/; do
  student=${student%/}
  [ -L "$student" ] && continue
  for name in alpha beta; do
    hand_in=''
    for place in "chapter1_mini/$name/" "exercises/chapter1_mini/$name/" '' "$name/"; do
      if [ -e "$student/$place$name.cu" ]; then hand_in=$student/$place$name.cu && break; fi
    done
    [ -n "$hand_in" ] || continue
    rm -rf "$root/alone"
    mkdir -p "$root/alone/chapter1_mini/$name"
    cp -a "$hand_in" "$root/alone/chapter1_mini/$name/"
    "$run" grade $name --tree "$root/alone" --device sim --json "$root/alone.json" >/dev/null 2>&1
    alone=$(sed -n 's/^   "verdict": "\(.*\)".*/\1/p' "$root/alone.json")
    slug=$(basename "$student" | tr -cd 'a-zA-Z0-9_.-')
    file=$(find "$kept" -maxdepth 1 \( -name "$slug.json" -o -name "$slug-????????.json" \))
    together=$(grep -A 20 "\"exercise\": \"$name\"" "$file" | sed -n 's/.*"verdict": "\(.*\)".*/\1/p' | head -n 1)
    { [ -n "$alone" ] && [ "$alone" = "$together" ]; } || complain "$student, $name: '$alone' alone, '$together' in the class"
  done
done

# What was graded is not graded again, until its content changes or somebody asks. What was our fault is tried again.
expect_code 2 "$run" grade --all "$class" --device sim
expect_words '1 graded now, 20 before' '6 of 30 pass'
flat crashing alpha "$pass"
flat anna beta '// correctness=race'
expect_code 1 "$run" grade --all "$class" --device sim --csv "$root/class.csv"
expect_words '2 graded now, 19 before'
expect_line anna beta 'race,,3,'
expect_code 1 "$run" grade --all "$class" beta --device sim
expect_words '15 students, 1 exercise' '0 graded now, 7 before'
expect_code 1 "$run" grade --all "$class" --again --device sim
expect_words '21 graded now, 0 before'

# A speed that is only modelled decides nothing where it must be measured.
expect_code 1 "$run" grade --all "$class" --device sim --require-measured --csv "$root/class.csv"
expect_words 'not decided: their speed was modelled' ' 0 of 30 pass'
expect_line anna alpha 'inconclusive,modelled_speed,,0.500,'
expect_line 'bo chen' alpha 'wasteful,,7.5,'
expect_line 'bo chen' beta 'race,,3,'
expect_code 1 "$run" grade alpha --tree "$class/twice" --device sim --require-measured
expect_words race
expect_code 1 "$run" grade alpha --device sim --require-measured --json "$root/alone.json"
expect_words 'inconclusive (modelled_speed)' 'grade it on a machine with a GPU' '0 of 1 pass'
grep -q '"cause": "modelled_speed"' "$root/alone.json" || complain 'the summary does not say modelled_speed'
expect_code 0 "$run" grade alpha --device sim

# A class that passes ends well.
rm -rf "$root/good" && mkdir "$root/good" && cp -a "$class/anna" "$root/good/" && cp "$class/crashing/beta.cu" "$root/good/anna/"
expect_code 0 "$run" grade --all "$root/good" --device sim
expect_words '1 student, 2 exercises: 2 of 2 pass'

# Letters of any language stay as they are; what turns a line round does not.
mkdir -p "$root/names/Zoë" "$root/names/陈" "$root/names/"$'\xe2\x80\xaeabc' "$root/names/"$'\xed\xa0\x80'
expect_code 1 "$run" grade --all "$root/names" alpha --device sim --csv "$root/names.csv"
expect_words 'Zoë' '陈' '\xe2\x80\xaeabc' '\xed\xa0\x80' '4 students, 1 exercise: 0 of 4 pass, 4 not handed in'
grep -qF '陈,alpha,missing,,0,' "$root/names.csv" || complain 'a Chinese name is not in the CSV file'

# Points are data, and a mistake in them is found before anything is graded.
points() { # SED_EXPRESSION
  sed "$1" "$root/exercises/points.json" >"$root/points.json"
}
expect_points() { # SED_EXPRESSION WORDS
  points "$1"
  expect_code 2 "$run" grade --all "$root/good" --points "$root/points.json"
  expect_words "$2"
  expect_no_words 'Grading the hand-ins'
}
points 's/"pass": 10/"pass": 12, "pass_at_the_limit": 15/'
expect_code 0 "$run" grade --all "$root/good" --points "$root/points.json"
expect_words '32/35'
expect_points 's/"race": 3,//' '"verdicts" gives no points to race: add "race": 0, or more.'
expect_points 's/"race"/"rce"/' 'rce, which is no verdict; did you mean race?'
expect_points 's/"race": 3/"race": -3/' 'gives -3 to race: write a number from 0'
expect_points 's/"race": 3/"race": "3"/' 'gives "3" to race'
expect_points 's/"beta"/"betta"/' 'there is no exercise betta; did you mean beta?'
expect_points 's/"race": 3/"inconclusive": 3/' 'which nobody could decide'
expect_points 's/"race": 3,/"race": 3/' 'line 3 is no JSON'
expect_points 's/"exercises"/"exercise"/' 'exercise means nothing here'
expect_points 's/course.points.1/x/' '"schema": "course.points/1"'
expect_points d 'line 1 is no JSON'
expect_code 2 "$run" grade --all "$root/good" --points "$root/none.json"
expect_words 'none.json: it cannot be read'

# Folders that hold no class.
expect_code 2 "$run" grade --all "$root/nowhere"
expect_words 'There is no folder'
expect_code 2 "$run" grade --all "$root/good/anna"
expect_words 'holds no sub-folder'
expect_code 2 "$run" grade --all "$root/exercises"
expect_words "holds chapter1_mini, so it is one person's tree"
expect_code 2 "$run" grade --all "$root/good" alhpa
expect_words 'did you mean alpha?'
expect_code 2 "$run" grade --all "$root/good" --tree solutions
expect_words 'excludes'
expect_code 2 "$run" grade --csv "$root/class.csv"
expect_words '--all'

[ $failures = 0 ] && echo 'the class is graded'
exit $((failures > 0))
