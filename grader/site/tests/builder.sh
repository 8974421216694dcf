#!/usr/bin/env bash
# The site's builder on a course of one chapter: what a page becomes, and one sentence for each link that leads nowhere.
#
#   builder.sh COURSE_SITE ASSETS
set -u
export LC_ALL=C
builder=$(realpath "$1") assets=$(realpath "$2")
root=$(mktemp -d "${TMPDIR:-/tmp}/mini site XXXXXX") || exit 1
trap 'rm -rf "$root"' EXIT
# shellcheck source=../../tests/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../tests/expect.sh"

# build CODE: builds the mini course's site, keeps what was said in $output
build() {
  local got
  rm -rf "$root/out"
  output=$("$builder" "$root/course" "$assets" "$root/out" 2>&1)
  got=$?
  [ "$got" = "$1" ] || complain "exit code $got instead of $1: $output"
}
says() {
  case $output in *"$1"*) ;; *) complain "no '$1' in: $output" ;; esac
}
# page FILE WORDS...: the page holds each of them, in this order
page() {
  local file=$root/out/$1 text word
  [ -f "$file" ] || { complain "there is no page $1"; return; }
  text=$(tr '\n' ' ' <"$file")
  shift
  for word; do
    case $text in
      *"$word"*) text=${text#*"$word"} ;;
      *) complain "no '$word' (or not in its place) in ${file#"$root/out/"}" ;;
    esac
  done
}

exercise=exercises/chapter2_shared_memory/scan solution=solutions/chapter2_shared_memory/scan lesson=chapters/chapter2_shared_memory
mkdir -p "$root/course/$exercise" "$root/course/$solution" "$root/course/$lesson/figures" "$root/course/docs/pages"
cd "$root/course" || exit 1
printf '# A course\n\nRead [the lesson](%s/lesson.md), then [the task](%s).\n' $lesson $exercise >README.md
cat >$lesson/lesson.md <<'END'
# Lesson 2: shared memory

See [scan](../../exercises/chapter2_shared_memory/scan/README.md#predict-first) and [its code](../../exercises/chapter2_shared_memory/scan/scan.cu).

## Banks & padding

![Two banks](figures/banks.svg)

<details><summary>Look</summary>

The answer.

</details>

<!-- listing listings/scan.cu kernel -->

```cpp
int x = 1;  // a < b
```

<!-- end listing -->

| a | b |
|---|---|
| 1 | 2 |

| mistake | verdict | what it said |
|---|---|---|
| no barrier | `race` | "thread 1 reads what thread 0 wrote & nobody waits" |

| exercise | wrong program | verdict |
|---|---|---|
| scan | `a_name_that_is_long_and_yet_no_sentence` | `wasteful` or `wrong_result` |

| card | SMs | GB/s | a sentence of more than two dozen letters |
|---|---:|---:|---|
| one | 2 | 3 | these numbers are compared down the column |

Say `./course grade scan --card t4` here, or look at `exercises/chapter2_shared_memory/scan.cu` and `scan/scan.cu`.

<!-- figure banks stride=33 -->

A picture of banks.

<!-- end figure -->

## Quiz

Ten questions.

## Further reading
END
mkdir $lesson/listings && echo '// a listing' >$lesson/listings/scan.cu
printf '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 220 50"><text font-size="10">bank</text></svg>' >$lesson/figures/banks.svg
cat >$lesson/quiz.json <<'END'
{"schema": "course.quiz/1", "chapter": "chapter2", "questions": [
  {"id": "one", "section": "banks--padding", "question": "Is `1 < 2`?", "choices": ["yes", "no"], "answer": 0, "why": "It is."}]}
END
cat >$exercise/README.md <<'END'
# scan: sums of sums

## Predict first

1. How many sectors?

## How it is graded

By numbers.
END
printf '# Hints\n\n## 1 nudge\n\nLook up.\n\n## 2 method\n\nLook down.\n\n## if race\n\nWait.\n' >$exercise/hints.md
printf '{"questions": [{"id": "sectors", "text": "How many sectors?", "unit": "sectors", "explanation": "4. That is all."}]}' >$exercise/predict.json
echo 'int given;' >$exercise/scan.cu
printf '# Why it is fast\n\nIt asks for less.\n' >$solution/EXPLANATION.md
echo 'int plain;' >$solution/plain.cu
echo '# Verdicts' >docs/pages/verdicts.md

build 0
[ -z "$output" ] || complain "a sound course is built without a word: $output"
# The order is a student's: lesson, task, explanation, then what one looks up.
page index.html 'Chapter 2: shared memory' 'lesson.html">Lesson' 'README.html">scan' 'class="after"' 'EXPLANATION.html">scan, explained' 'verdicts.html' \
  "href=\"$exercise/README.html\">the task"
page $lesson/lesson.html '<h1 id="lesson-2-shared-memory">' 'scan/README.html#predict-first' 'scan/scan.cu.html' 'id="banks--padding"' 'min-width:242px' \
  'class="guess"' 'listings/scan.cu.html' '<span class="k">int</span>' 'a &lt; b' '<div class="wide" data-what="table">' 'data-figure="banks" data-stride="33"' \
  'A picture of banks' 'id="quiz"' 'Ten questions' 'class="quiz"' '<code>1 &lt; 2</code>' '<details class="why"><summary>Answer' 'id="further-reading"'
# Sentences become cards on a phone, numbers stay a table, and no option ends a line after its dashes.
page $lesson/lesson.html '<div class="wide stacks" data-what="table">' '<table role="table">' '<th role="columnheader">mistake' '<td role="cell" data-label="verdict"><code>race</code>' \
  '<td role="cell" data-label="what it said">&quot;thread 1' '<div class="wide" data-what="table">' '<td align="right">2</td>' 'grade scan <span class="whole">--card</span> t4</code>' '<code>exercises/<wbr>chapter2_shared_memory/<wbr>scan.cu</code>' '<code>scan/scan.cu</code>'
[ "$(grep -c 'class="wide stacks"' "$root/out/$lesson/lesson.html")" = 1 ] || complain 'other tables than those of sentences stack'
# The search knows headings with their places, and words; what is no word is left out.
page site/search_index.js '"at":"'$lesson'/lesson.html"' '["Banks & padding","banks--padding"]' '"title":"Lesson 2: shared memory"' '"title":"scan, explained"'
grep -q '"words":"[^"]*\bnobody\b' "$root/out/site/search_index.js" || complain 'the search does not know the words of a table'
page $lesson/lesson.html '<script defer src="../../site/boxes.js">' '<script defer src="../../site/figures.js">'
page $exercise/README.html 'Predict first' 'class="predict"' 'How many sectors?' '<p>4. That is all.</p>' 'How it is graded' '<summary>Hint 1: nudge' 'Look up' 'Hint 2: method' '<summary>After the verdict race' 'When it passes' \
  "solutions/chapter2_shared_memory/scan/EXPLANATION.html"
[ "$(grep -c 'How many sectors?' "$root/out/$exercise/README.html")" = 1 ] || complain 'the list of predictions stands beside the boxes'
page $solution/EXPLANATION.html 'Why it is fast' '<details class="spoiler">' 'It asks for less' '<summary>plain.cu' '</details>'
page $exercise/scan.cu.html 'given'
grep -q 'src="http' "$root/out/index.html" "$root/out/$lesson/lesson.html" && complain 'a script comes from elsewhere'
[ -f "$root/out/$lesson/figures/banks.svg" ] || complain 'the picture was not copied'

# What leads nowhere.
cp README.md good.md
printf '\n[gone](gone.md) [no section](%s/lesson.md#gone) [outside](../other.md) ![no picture](gone.svg)\n' $lesson >>README.md
build 1
says 'README.md: the link to gone.md leads nowhere'
says "README.md: there is no section #gone on $lesson/lesson.md"
says 'README.md: the link to ../other.md leads nowhere'
says 'README.md: the link to gone.svg leads nowhere'
mv good.md README.md

# What cannot be read.
echo '{"questions": [{"id": "one", "question": "?", "choices": ["a"], "answer": 1, "why": ""}]}' >$lesson/quiz.json
build 2
says 'quiz.json: the answer of one is none of its choices'
echo '[]' >$lesson/quiz.json
build 2
says 'quiz.json is no list of questions'
output=$("$builder" 2>&1) && complain 'no words are well'
says 'Say where the course lies'

[ $failures = 0 ] && echo 'all is well'
exit $((failures > 0))
