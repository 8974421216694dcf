#!/usr/bin/env bash
# The student's loop with the real judge: what is counted while correctness is checked, programs that end badly and what is said of them, and
# gradings that are interrupted.
#
#   loop_on_sim.sh SOURCE_FOLDER BUILD_FOLDER
set -u
export LC_ALL=C
unset COURSE_TREE COURSE_DEVICE COURSE_SEED COURSE_AHEAD
source=$1 build=$2 run=$2/bin/course
root=$(mktemp -d "${TMPDIR:-/tmp}/loop XXXXXX") || exit 1
trap 'rm -rf "$root"' EXIT
# shellcheck source=../../tests/expect.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../tests/expect.sh"
log=$build/grading/Testing/Temporary/LastTest.log
folder=$root/tree/chapter2_shared_memory/block_reduction
mkdir -p "$folder"

# hand_in DEVICE_CODE BEFORE AFTER: a kernel that begins with DEVICE_CODE, and host code before and after its launch
hand_in() {
  cat >"$folder/block_reduction.cu" <<EOT
#include <cstdlib>
#include "block_reduction.cuh"
__global__ void add_all(const float* in, float* out, std::size_t n) {
  $1
  float sum = 0;
  for (std::size_t i = threadIdx.x; i < n; i += blockDim.x) sum += in[i];
  atomicAdd(out, sum);
}
extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  $2
  cudaMemsetAsync(out, 0, 4, stream);
  add_all<<<1, 256, 0, stream>>>(in, out, n);
  $3
}
EOT
}
grade() { # EXIT_CODE: what it says is left in $output with one blank between any two words
  expect_code "$1" "$run" grade block_reduction --tree "$root/tree" --device sim
  output=$(printf '%s' "$output" | tr -s ' \n' ' ')
}


# Counted ahead or afterwards: the same verdict, the same speed, the same counts.
cp "$source/solutions/chapter2_shared_memory/block_reduction/plain.cu" "$folder/block_reduction.cu"
export COURSE_SEED=7
figures=''
for ahead in 0 1; do
  COURSE_AHEAD=$([ $ahead = 0 ] && echo 0) grade 0
  said=$(grep -c 'counted while correctness was checked: pass' "$log")
  # Without a core to spare, or much memory, nothing is counted ahead.
  if [ "$(nproc)" -ge 2 ] && [ "$said" != $ahead ]; then complain "COURSE_AHEAD=$ahead, and counted ahead $said times"; fi
  now=$(sed -n 's/.*\(0\.[0-9]* of reference, [0-9.]* [A-Z]*B\/s modelled\).*/\1/p' <<<"$output")
  [ -n "$now" ] || complain "no speed in $output"
  [ $ahead = 0 ] || [ "$now" = "$figures" ] || complain "$now when counted ahead, and $figures afterwards"
  figures=$now
done
unset COURSE_SEED

# What is wrong is not counted, and nothing of it stays.
hand_in '' 'if (n == 1009) return;' ''
grade 1
expect_words 'wrong_result'
[ -z "$(find "$build/results" -path "*tree-*" -newer "$folder/block_reduction.cu" -name 'block_reduction.bandwidth.json')" ] ||
  complain 'a wrong program has a result of its speed'

# Whose fault it is, where, and what to do.
hand_in '' '' 'for (volatile bool always = true; always;) {}'
grade 1
expect_words 'timeout (endless_loop)' 'your host code did not return' 'it hangs after it has launched `add_all`' 'look there for a loop'
hand_in '' 'for (volatile bool always = true; always;) {}' ''
grade 1
expect_words 'it hangs before it has given the device anything to do'
hand_in 'for (;;) out[0] += 1;' '' ''
grade 1
expect_words 'block_reduction.cu:4: ' 'is in a loop (line 4) that never ends'
hand_in '' '' ''
sed -i 's/i < n/i <= n/' "$folder/block_reduction.cu"
grade 1
expect_words 'one element past the end of an input'
hand_in '' '' 'abort();'
grade 1
expect_words 'crashed (abort)' 'the host code was ended by abort()' 'let your function return instead'
hand_in '' '' 'std::free(static_cast<char*>(std::malloc(100)) + 16);'
grade 1
expect_words 'free() got an address that malloc() did not give'
hand_in '' 'void* p = nullptr; cudaMalloc(\&p, std::size_t{1} << 45);' ''
sed -i 's/\\&/\&/' "$folder/block_reduction.cu"
grade 1
expect_words 'no memory left for what `cudaMalloc` asks'

# An interrupt in the middle: nothing runs on, and the next grading works.
if command -v pgrep >/dev/null 2>&1; then
  hand_in '' '' 'for (volatile bool always = true; always;) {}'
  # Jobs of a script begin deaf to interrupts, which those of a terminal are not.
  setsid env --default-signal=INT "$run" grade block_reduction --tree "$root/tree" --device sim >"$root/interrupted" 2>&1 &
  for _ in $(seq 100); do
    [ "$(pgrep -c -s $!)" -ge 5 ] && break # course, ctest, the judge, a worker, its device: it hangs
    sleep 0.1
  done
  [ "$(pgrep -c -s $!)" -ge 5 ] || complain "the grading that is to be interrupted has ended: $(cat "$root/interrupted")"
  kill -INT -- -$!
  for _ in $(seq 30); do
    [ "$(pgrep -c -s $!)" = 0 ] && break
    sleep 0.1
  done
  [ "$(pgrep -c -s $!)" = 0 ] || complain "an interrupted grading leaves processes: $(ps -o args= --sid $!)"
fi
cp "$source/solutions/chapter2_shared_memory/block_reduction/plain.cu" "$folder/block_reduction.cu"
grade 0

[ $failures = 0 ] && echo 'the loop says what is wrong, and leaves nothing behind'
exit $((failures > 0))
