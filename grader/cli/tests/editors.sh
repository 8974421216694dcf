#!/usr/bin/env bash
# What editors are told: compile commands of .cu files in every build folder, tasks that grade the open file, and a problem matcher that
# finds the line of a verdict.
#
#   editors.sh SOURCE_FOLDER BUILD_FOLDER
set -u
source=$1 build=$2
# shellcheck source=../../tests/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../tests/expect.sh"
for file in exercises/chapter2_shared_memory/block_reduction/block_reduction.cu solutions/chapter2_shared_memory/stencil_1d/plain.cu; do
  command=$(grep '"command"' "$build/compile_commands.json" | grep -F "$source/$file")
  [ -n "$command" ] || complain "compile_commands.json has no entry for $file"
  for word in -xcuda --cuda-path= -std=c++17 "-I$source/exercises/chapter2_shared_memory/"; do
    case $command in *"$word"*) ;; *) complain "the command of $file lacks $word: $command" ;; esac
  done
done
# The problem matcher of tasks.json; mini_course.sh and drills.sh run it over what the course command prints.
patterns=$(sed -n 's/^ *"regexp": "\(.*\)",$/\1/p' "$source/.vscode/tasks.json" | sort -u)
[ "$(printf '%s\n' "$patterns" | wc -l)" = 1 ] || complain "the problem matchers of tasks.json differ: $patterns"
for file in tasks launch; do
  for word in grade watch; do
    grep -qE "\"$word\"|course $word " "$source/.vscode/$file.json" || complain "$file.json does not know ./course $word"
  done
done
[ $failures = 0 ] && echo 'editors know what they need'
exit $((failures > 0))
