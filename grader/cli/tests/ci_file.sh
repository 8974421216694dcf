#!/usr/bin/env bash
# The ready file for a course's own continuous integration: it can be read as what it is, and every ./course command in it exists, with
# the options that it uses. There need be no YAML reader here, so indentation and keys are looked at by hand, and by one where there is.
#
#   ci_file.sh SOURCE_FOLDER COURSE
set -u
export LC_ALL=C
source=$1 course=$2
file=$source/docs/ci/grade.yml
# shellcheck source=../../tests/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../tests/expect.sh"

# check_file FILE: 0 if it is the YAML that we write (two blanks a level, "key: value", "- item", block texts)
check_file() {
  awk '
    /\t/ { print FILENAME ":" FNR ": a tab"; bad = 1 }
    /^[ ]*(#.*)?$/ { next }
    {
      match($0, /^ */); depth = RLENGTH
      if (block >= 0 && depth > block) next
      block = -1
      text = substr($0, depth + 1)
      if (depth % 2) { print FILENAME ":" FNR ": an odd indentation"; bad = 1 }
      if (depth > last + 2 + 2 * dash) { print FILENAME ":" FNR ": indented by more than one level"; bad = 1 }
      last = depth; dash = text ~ /^- /
      sub(/^- /, "", text)
      if (text !~ /^[A-Za-z_-]+:( |$)/ && !dash) { print FILENAME ":" FNR ": neither a key nor an item"; bad = 1 }
      if (text ~ /: *[|>]$/) block = depth
      if (gsub(/"/, "\"", text) % 2) { print FILENAME ":" FNR ": a quotation mark without its other"; bad = 1 }
    }
    BEGIN { block = -1; last = 0 }
    END { exit bad }' "$1"
}
# check_commands FILE: 0 if every ./course command and option in it exists
check_commands() {
  local line word command seen=0 bad=0
  while read -r line; do
    seen=$((seen + 1))
    command=''
    for word in ${line#*./course}; do
      case $word in
        --*) grep -q -e "$word\b" "$source/grader/cli/help/$command.txt" 2>/dev/null || { echo "./course $command knows no $word"; bad=1; } ;;
        *)
          [ -z "$command" ] || continue
          command=$word
          [ -f "$source/grader/cli/help/$command.txt" ] || { echo "there is no command $command"; bad=1; }
          ;;
      esac
    done
  done < <(grep -E '(run: |^ *)\./course' "$1")
  [ $seen -ge 2 ] || { echo 'it runs no ./course'; bad=1; }
  return $bad
}

check_file "$file" || complain "$file is no YAML"
check_commands "$file" || complain "$file calls what is not there"
# What it grades is there, and its block texts are shell.
what=$(sed -n 's/^ *WHAT: //p' "$file")
[ -n "$(find "$source/exercises" -maxdepth 1 -name "${what}_*")" ] || complain "$file grades $what, which is not there"
sed -n 's/^ *\(- \)\{0,1\}run: //p' "$file" | bash -n || complain "a command of $file is no shell"
# What a runner reads of it, in the words of GitHub.
for key in '^on: ' '^jobs:' '^    runs-on: ubuntu-24.04$' '^    container: nvidia/cuda:' 'uses: actions/checkout@'; do
  grep -q "$key" "$file" || complain "no $key in $file"
done
if command -v python3 >/dev/null && python3 -c 'import yaml' 2>/dev/null; then
  python3 -c 'import sys, yaml; jobs = yaml.safe_load(open(sys.argv[1]))["jobs"]; assert any("run" in s for s in jobs["grade"]["steps"])' "$file" ||
    complain "a YAML reader refuses $file"
fi

# Wrong files that the checks must see.
broken=$(mktemp) || exit 1
trap 'rm -f "$broken"' EXIT
for edit in 's/^      - name: Grade/     - name: Grade/' 's/^jobs:/jobs/' 's/^  WHAT/\tWHAT/' 's/name: verdicts/name: "verdicts/'; do
  sed "$edit" "$file" >"$broken"
  check_file "$broken" >/dev/null && complain "$edit is not seen"
done
for edit in 's/course grade/course grad/' 's/--json/--jsn/' 's/course report/course repport/'; do
  sed "$edit" "$file" >"$broken"
  check_commands "$broken" >/dev/null && complain "$edit is not seen"
done
# The command is asked too, not only its pages.
"$course" grade --help | grep -q -e '--json' || complain 'course grade has no --json'

[ $failures = 0 ] && echo 'the file for continuous integration can be used'
exit $((failures > 0))
