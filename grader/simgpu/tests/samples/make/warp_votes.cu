/// @file
/// Compaction by votes: a warp asks for its places with one atomic.
#include <algorithm>

#include "buffer.cuh"

__global__ void keep_even(const int* in, int n, int* out, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  const bool keep = i < n && in[i] % 2 == 0;
  const unsigned votes = __ballot_sync(0xffffffffu, keep);
  int base = 0;
  if (lane == 0) base = atomicAdd(count, __popc(votes));
  base = __shfl_sync(0xffffffffu, base, 0);
  if (keep) out[base + __popc(votes & ((1u << lane) - 1u))] = in[i];
}

int main() {
  const int n = 5000;
  std::vector<int> numbers(n), expected;
  for (int i = 0; i < n; ++i)
    if ((numbers[i] = i * 7919 % 10007) % 2 == 0) expected.push_back(numbers[i]);
  Buffer<int> in(numbers), out(n), count(1);
  out.clear();
  count.clear();
  keep_even<<<divide_up(n, 256), 256>>>(in, n, out, count);
  CHECK_LAUNCH();
  auto kept = out.host();
  kept.resize(count.host()[0]);
  std::sort(kept.begin(), kept.end());
  std::sort(expected.begin(), expected.end());
  return verdict(kept == expected);
}
