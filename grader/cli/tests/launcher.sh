#!/usr/bin/env bash
# The launcher in a clone in which nothing was built, on a machine without compiler, CMake or CUDA: whatever it answers here, it answers
# from files.
#
#   launcher.sh SOURCE_FOLDER
set -u
export LC_ALL=C COURSE_NO_INSTALL=1
unset COURSE_SKIP_BUILD COURSE_PRESET COURSE_TREE CUDACXX CUDA_PATH CUDA_HOME
source=$1
root=$(mktemp -d "${TMPDIR:-/tmp}/launcher XXXXXX") || exit 1
trap 'rm -rf "$root"' EXIT
# shellcheck source=../../tests/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../tests/expect.sh"

# expect CODE WORDS COMMAND...: the launcher's exit code, and words among what it says
expect() {
  local want=$1 words=$2 output got
  shift 2
  output=$(cd "$root/clone" && PATH=$root/bin "$root/bin/bash" ./course "$@" 2>&1)
  got=$?
  [ "$got" = "$want" ] || complain "exit code $got instead of $want: ./course $*"$'\n'"$output"
  case $output in *"$words"*) ;; *) complain "no '$words' in the answer of ./course $*"$'\n'"$output" ;; esac
  case $output in *$'\033'*) complain "colours without a terminal: ./course $*" ;; esac
}

mkdir -p "$root/bin" "$root/clone/grader/cli"
for tool in bash cat sed awk grep sort cut head wc tr dirname basename mkdir mktemp uname id; do
  ln -s "$(command -v "$tool")" "$root/bin/$tool"
done
cp "$source/course" "$source/CMakeLists.txt" "$root/clone/"
cp -r "$source/grader/cli/help" "$source/grader/cli/completion" "$root/clone/grader/cli/"
for folder in exercises chapters; do cp -r "$source/$folder" "$root/clone/"; done

expect 0 'A self-grading course' --help
expect 2 'A self-grading course'
expect 0 'Usage: ./course grade' grade --help
expect 0 'Usage: ./course watch' watch block_reduction --help
expect 0 'Usage: ./course pages' pages --help
expect 0 'course 0.' --version
expect 0 'Usage: ./course calc' calc --help
expect 0 'Build the site' docs --help
expect 2 './course docs takes no further words' docs now
expect 2 'There is no command lst; did you mean list?' lst
expect 2 'There is no command xyzzy. ' xyzzy
expect 2 'did you mean block_reduction?' grade blok_reduction
expect 2 'did you mean chapter2?' test chpter2
expect 2 'There is no file blok_reduction.cu; did you mean block_reduction?' grade blok_reduction.cu
expect 2 'did you mean stencil_1d?' watch exercises/chapter2_shared_memory/stencil_id
expect 0 'not graded yet' list
expect 0 'chapter2  stencil_1d' list chapter2
expect 2 'did you mean chapter2?' list chpter2
# In the order in which the lesson names them, each by its whole name: `tile` does not stand in `tiled_tile`. Then who is not named.
for name in tile tiled_tile again unnamed; do
  mkdir -p "$root/clone/exercises/chapter9_order/$name" "$root/clone/chapters/chapter9_order"
  : >"$root/clone/exercises/chapter9_order/$name/CMakeLists.txt"
done
printf 'At first there is\n(tiled_tile), and again_ is none.\nA tile, tiled_tile and again.\n' >"$root/clone/chapters/chapter9_order/lesson.md"
listed=$(cd "$root/clone" && PATH=$root/bin "$root/bin/bash" ./course list chapter9 | awk 'NR > 1 { printf "%s ", $2 }')
[ "$listed" = 'tiled_tile tile again unnamed ' ] || complain "listed as '$listed', not as in the lesson"
rm -r "$root/clone/exercises/chapter9_order" "$root/clone/chapters/chapter9_order"
expect 2 'The exercise is missing: ./course watch EXERCISE' watch --device sim
expect 2 'The exercise is missing: ./course reset EXERCISE' reset
expect 2 './course grade has no option --devise; did you mean --device?' grade block_reduction --devise sim
expect 2 'did you mean stencil_1d?' reset stencil_id
expect 0 'block_reduction, hint 1 of 3' hint block_reduction
expect 0 'block_reduction, hint 2 of 3' hint exercises/chapter2_shared_memory/block_reduction/block_reduction.cu
expect 0 'block_reduction, hint 1 of 3' hint block_reduction --again
expect 0 'block_reduction, hint 3 of 3' hint block_reduction --all
expect 0 'stencil_race, hint 3 of 3: almost there' hint stencil_race --all
expect 2 'did you mean block_reduction?' hint block_reducton
expect 1 'Nothing was graded yet' report block_reduction
expect 0 './course grade' next
expect 0 './course grade coalesced_scale' next chapter3
expect 2 'did you mean chapter3?' next chpter3
expect 2 'Building the course command' quiz chapter2
# offers WORD WORDS...: the completion of the last of these words offers this one
offers() {
  local wanted=$1
  shift
  (cd "$root/clone" && bash -c 'source grader/cli/completion/course.bash; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _course 2>/dev/null; printf "%s\n" "${COMPREPLY[@]}"' _ "$@") |
    grep -qxF -- "$wanted" || complain "completion does not offer $wanted for: $*"
}
offers predict ./course pred
offers quiz ./course q
offers chapter2 ./course quiz ''
offers aos_to_soa ./course predict aos
offers --again ./course quiz --a
offers sim ./course grade --device ''
expect 0 'complete -F _course' completion bash
expect 0 'compdef _course' completion zsh
expect 2 'completion bash, or zsh' completion tcsh
# A starter that is gone comes back without a build, if the command is there; before that, the command alone is built.
expect 2 'Building the course command' reset vector_add
mkdir -p "$root/clone/build/default/bin"
printf '#!/bin/sh\necho "asked: $*"\n' >"$root/clone/build/default/bin/course"
chmod +x "$root/clone/build/default/bin/course"
ln -s "$(command -v sh)" "$root/bin/sh"
rm "$root/clone/exercises/chapter1_registers/vector_add/vector_add.cu"
expect 0 'asked: reset vector_add' reset vector_add
# On a terminal a grading says which judge it builds for the first time.
if command -v script >/dev/null 2>&1; then
  on_terminal() {
    (cd "$root/clone" && SHELL=$root/bin/bash PATH=$root/bin "$(type -P script)" -qec "./course grade $1" /dev/null </dev/null 2>&1)
  }
  output=$(on_terminal stencil_1d)
  expect_words 'building the judge of stencil_1d, once'
  mkdir "$root/clone/build/default/bin/judges"
  : >"$root/clone/build/default/bin/judges/chapter2_shared_memory.stencil_1d"
  output=$(on_terminal stencil_1d)
  expect_no_words 'building the judge'
  mv "$root/clone/build/default/bin" "$root/made"
  output=$(on_terminal stencil_1d)
  expect_words 'some minutes'
  mv "$root/made" "$root/clone/build/default/bin"
fi
rm -r "$root/clone/build/default/bin"
# What has to build says what is missing, with names that are right.
expect 2 'Missing:' grade block_reduction
expect 2 'Missing:' grade ./exercises/chapter2_shared_memory/block_reduction
: >"$root/clone/block_reduction.cu"
expect 2 'Missing:' grade block_reduction.cu
rm "$root/clone/block_reduction.cu"
[ -e "$root/clone/build/default/build.ninja" ] && complain 'something was configured'

# bash completes commands, exercises and options.
completed() { # LINE...: the completions of its last word
  (
    cd "$root/clone" || exit
    # shellcheck disable=SC1091
    . grader/cli/completion/course.bash
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _course
    echo " ${COMPREPLY[*]} "
  )
}
for want in 'list|./course li' 'block_reduction|./course grade block' 'chapter2|./course test chap' '--tree|./course grade --tr' 'sim|./course grade --device s'; do
  read -ra line <<<"${want#*|}"
  answer=$(completed "${line[@]}")
  case $answer in *" ${want%%|*} "*) ;; *) complain "completing '${want#*|}' gives '$answer'" ;; esac
done

# A build folder that is somebody else's: root, who may write anywhere, becomes nobody for it.
mkdir -p "$root/clone/build/default"
chmod a-w "$root/clone/build/default"
chmod a+rx "$root"
if [ "$(id -u)" != 0 ]; then
  expect 2 'cannot be written: check who owns it' grade block_reduction
elif command -v setpriv >/dev/null 2>&1; then
  output=$(cd "$root/clone" && PATH=$root/bin "$(type -P setpriv)" --reuid=65534 --regid=65534 --clear-groups "$root/bin/bash" ./course grade block_reduction 2>&1)
  [ $? = 2 ] || complain 'a build folder that cannot be written gives no exit code 2'
  expect_words "The folder $root/clone/build/default cannot be written: check who owns it"
fi
chmod u+w "$root/clone/build/default"

# An option's value is no exercise; a word that nobody knows is named.
for value in '--card t4' '--tree t4' '-j 2' '--json t4'; do
  # shellcheck disable=SC2086
  said=$(cd "$root/clone" && ./course grade $value blokc_reduction 2>&1)
  case $said in *'called blokc_reduction'*'block_reduction'*) ;; *) complain "grade $value blokc_reduction says '$said'" ;; esac
done

[ $failures = 0 ] && echo 'the launcher answers without a build'
exit $((failures > 0))
