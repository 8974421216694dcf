#!/bin/sh
# Builds the sound programs about the order of threads with plain nvcc and runs them on this machine's GPU: a sound program
# must be right there, too. Ends with 0 if all are. NVCC and ARCH (native) may be given in the environment.
cd "$(dirname "$0")" || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
# Kernels are loaded when they are first launched, and that may wait for what runs already: for ever, if it waits for such a kernel (on an
# H200: sound_consumer_first, sound_other_host_thread_calls).
export CUDA_MODULE_LOADING=EAGER
status=0
for source in order_*.cu; do
  program=$work/${source%.cu}
  "${NVCC:-nvcc}" -std=c++17 -O3 -arch="${ARCH:-native}" -o "$program" "$source" || exit 2
  timeout 60 "$program" --sound || status=1
done
exit $status
