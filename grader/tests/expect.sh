# What the tests that are shell scripts say of a program's answer. Sourced; a script ends with `exit $((failures > 0))`.
# shellcheck shell=bash disable=SC2034
failures=0
output= # of the last command that was run

complain() {
  printf 'FAILED: %s\n' "$*"
  failures=$((failures + 1))
}
# expect_code CODE COMMAND...: runs it, keeps its output in $output
expect_code() {
  local want=$1 got
  shift
  output=$("$@" 2>&1)
  got=$?
  [ "$got" = "$want" ] || complain "exit code $got instead of $want: $*"$'\n'"$output"
}
# expect_words WORDS...: each of them stands in $output
expect_words() {
  local words
  for words; do
    case $output in *"$words"*) ;; *) complain "no '$words' in"$'\n'"$output" ;; esac
  done
}
expect_no_words() {
  local words
  for words; do
    case $output in *"$words"*) complain "'$words' in"$'\n'"$output" ;; esac
  done
}
# The problem matcher of VS Code: must_match FILE LINE: among the problems that it finds in $output
matcher=$(sed -n 's/^ *"regexp": "\(.*\)",$/\1/p' "$(dirname "${BASH_SOURCE[0]}")/../../.vscode/tasks.json" | head -n 1 | sed 's/\\\\/\\/g')
must_match() {
  printf '%s\n' "$output" | grep -P "$matcher" | grep -qF " $1:$2: " || complain "the problem matcher $matcher finds no $1:$2 in"$'\n'"$output"
}
