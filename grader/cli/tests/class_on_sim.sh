#!/usr/bin/env bash
# `course grade --all` with the real judge: kernels that crash, hang, race and pass, of whose files the course knows the verdict. Each gets in
# the class what the course expects of it, and what grading it alone gives.
#
#   class_on_sim.sh SOURCE_FOLDER COURSE
set -u
export LC_ALL=C
unset COURSE_TREE COURSE_DEVICE COURSE_SEED
source=$1 run=$2
root=$(mktemp -d "${TMPDIR:-/tmp}/class XXXXXX") || exit 1
trap 'rm -rf "$root" "${kept:-$root}"' EXIT
# shellcheck source=../../tests/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../tests/expect.sh"

hand_in() { # STUDENT FILE
  mkdir -p "$root/class/$1"
  cp "$source/$2" "$root/class/$1/block_reduction.cu"
}
known=grader/tests/hand_ins/block_reduction
hand_in throws $known/throws_exception.cu
hand_in hangs $known/endless_kernel.cu
hand_in races $known/forgets_barrier.cu
hand_in slow $known/slow_but_right.cu
hand_in solved solutions/chapter2_shared_memory/block_reduction/plain.cu
"$run" grade --all "$root/class" block_reduction --device sim --csv "$root/class.csv" >"$root/said" 2>&1
code=$?
kept=$(sed -n "s/^Each student's verdicts: //p" "$root/said")
[ $code = 1 ] || complain "exit code $code: $(cat "$root/said")"
# Each line of what does not pass has its reason below it.
grep -A1 '] races ' "$root/said" | grep -q 'block_reduction.cu:[0-9]*: .*__syncthreads()\|block_reduction.cu:[0-9]*: .*Thread' ||
  complain "no reason stands below the line of the race: $(cat "$root/said")"
grep -A1 '] solved ' "$root/said" | tail -n 1 | grep -q '^      ' && complain 'a pass has a reason'

for student in throws hangs races slow solved; do
  IFS=, read -r _ _ verdict cause _ share line _ origin _ < <(grep "^$student," "$root/class.csv")
  expected=$(sed -n '1s/^\/\/ expect: \([^ ]*\).*/\1/p' "$root/class/$student/block_reduction.cu")
  case "|${expected:-pass}|" in *"|$verdict|"*) ;; *) complain "$student: $verdict ($cause), and ${expected:-pass} was expected" ;; esac
  mkdir -p "$root/alone/chapter2_shared_memory/block_reduction"
  cp "$root/class/$student/block_reduction.cu" "$root/alone/chapter2_shared_memory/block_reduction/"
  "$run" grade "$root/alone/chapter2_shared_memory/block_reduction/block_reduction.cu" --device sim --json "$root/alone.json" >"$root/said" 2>&1
  grep -q "\"$verdict\": 1" "$root/alone.json" || complain "$student: $verdict in the class, and alone: $(cat "$root/said")"
  [ -z "$line" ] || grep -q "\"line\": $line" "$root/alone.json" || complain "$student: line $line in the class, another alone"
  [ "$verdict" != pass ] || [ "$origin" = modelled ] || complain "$student: the speed is '$origin'"
  printf '%-8s %s %s %s %s\n' $student "$verdict" "$cause" "${line:+line $line}" "$share"
done
[ $failures = 0 ] && echo 'the class gets what each hand-in gets alone'
exit $((failures > 0))
