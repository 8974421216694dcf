/// @file
/// A radix sort of one bit a pass in one block: votes and population counts give every key its place.
#include <algorithm>

#include "buffer.cuh"

__global__ void radix_sort(unsigned* keys) {
  __shared__ unsigned in_warp[32], zeros_before[33];
  const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32, warps = blockDim.x / 32;
  unsigned key = keys[t];
  for (int bit = 0; bit < 32; ++bit) {
    const bool zero = (key >> bit & 1) == 0;
    const unsigned votes = __ballot_sync(0xffffffffu, zero);
    if (lane == 0) in_warp[warp] = __popc(votes);
    __syncthreads();
    if (t == 0) {
      zeros_before[0] = 0;
      for (unsigned w = 0; w < warps; ++w) zeros_before[w + 1] = zeros_before[w] + in_warp[w];
    }
    __syncthreads();
    const unsigned zeros = zeros_before[warp] + __popc(votes & ((1u << lane) - 1));
    keys[zero ? zeros : zeros_before[warps] + t - zeros] = key;
    __syncthreads();
    key = keys[t];
    __syncthreads();
  }
}

int main() {
  std::vector<unsigned> keys(1024);
  unsigned state = 12345;
  for (unsigned& key : keys) key = state = state * 1103515245u + 12345u;
  Buffer<unsigned> device(keys);
  radix_sort<<<1, 1024>>>(device);
  CHECK_LAUNCH();
  std::sort(keys.begin(), keys.end());
  return verdict(device.host() == keys);
}
