#!/usr/bin/env bash
# What editors are told: compile commands of .cu files in every build folder, tasks that grade the open file, and a problem matcher that
# finds the line of a verdict.
#
#   editors.sh SOURCE_FOLDER BUILD_FOLDER
set -u
source=$1 build=$2
failures=0
complain() {
  printf 'FAILED: %s\n' "$*"
  failures=$((failures + 1))
}
for file in exercises/chapter2_shared_memory/block_reduction/block_reduction.cu solutions/chapter2_shared_memory/stencil_1d/plain.cu; do
  command=$(grep '"command"' "$build/compile_commands.json" | grep -F "$source/$file")
  [ -n "$command" ] || complain "compile_commands.json has no entry for $file"
  for word in -xcuda --cuda-path= -std=c++17 "-I$source/exercises/chapter2_shared_memory/"; do
    case $command in *"$word"*) ;; *) complain "the command of $file lacks $word: $command" ;; esac
  done
done
# The pattern of tasks.json, as grep reads it.
pattern=$(sed -n 's/^ *"regexp": "\(.*\)",$/\1/p' "$source/.vscode/tasks.json" | head -n 1 | sed 's/\\\\/\\/g; s/\\d/[0-9]/g')
printf '  %-18s %s\n' '' 'transpose_banks.cu:30: rows=1, cols=33: Thread (0,1,0) reads' | grep -qE "$pattern" ||
  complain "the problem matcher $pattern does not find the line of a verdict"
[ $failures = 0 ] && echo 'editors know what they need'
exit $((failures > 0))
