#!/usr/bin/env bash
# `course calc` through the door that students use: results that can be computed by hand, and one sentence for each wrong word.
#
#   calculator.sh COURSE
set -u
export LC_ALL=C
course=$1
failures=0

# expect CODE WORDS OPTION...: the exit code, and words that the output holds
expect() {
  local want=$1 words=$2 output got
  shift 2
  output=$("$course" calc "$@" 2>&1 </dev/null)
  got=$?
  case $output in *"$words"*) ;; *) got="$got and no '$words'" ;; esac
  [ "$got" = "$want" ] && { [ "$want" = 0 ] || [ "$(printf '%s\n' "$output" | wc -l)" = 1 ]; } && return
  printf 'FAILED: %s, wanted %s with "%s": calc %s\n%s\n' "$got" "$want" "$words" "$*" "$output"
  failures=$((failures + 1))
}

expect 0 'bandwidth         4194.3 GB/s' --bytes 1GiB --time 256us
expect 0 'bandwidth         4194.3 GB/s' --elements 134217728 --element-bytes 8 --time 256us
expect 0 'peak              4814.3 GB/s' --memory-clock 3201MHz --bus 6016
expect 0 'share of peak     0.871' --bytes 1GiB --time 256us --memory-clock 3.201GHz --bus 6016
expect 0 'transfer time     4.881 ms' --bytes 256MiB --bandwidth 55GB/s
expect 0 'bytes in flight   1680000 bytes' --bandwidth 4.8TB/s --latency 350ns
expect 0 'on each SM        12727 bytes' --bandwidth 4.8TB/s --latency 350ns --sms 132
expect 0 'bytes in flight   700 bytes' --bandwidth 1GB/s --latency-cycles 1400 --sm-clock 2GHz
expect 0 '"bandwidth": 2000000000.0' --bytes 2KB --time 1us --json
expect 2 'nothing to compute yet'
expect 2 'add --time or --bandwidth' --bytes 1GB
expect 2 '--time 256: the unit is missing' --bytes 1GB --time 256
expect 2 '--time 256GB: GB is no unit of a time' --bytes 1GB --time 256GB
expect 2 '--bytes many: that is no number of bytes' --bytes many --time 1s
expect 2 '--time 0us: it must be above zero' --bytes 1GB --time 0us
expect 2 '--bytes -1GB: it must be above zero' --bytes=-1GB --time 1us
expect 2 '--bytes 1e999GB: that is more than a computer can count' --bytes 1e999GB --time 1us
expect 2 '--memory-clock and --bus go together' --bus 6016
expect 2 '--elements and --element-bytes go together' --elements 5 --time 1us
expect 2 '--bus must be a number above zero' --memory-clock 1MHz --bus=-5
[ $failures = 0 ] && echo 'all is well'
exit $((failures > 0))
