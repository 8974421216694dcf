/// @file
/// Lesson 2, "halo and reuse": the largest of seven neighbours, from a tile with a halo of
/// three on each side. The array has no ghost elements here: nothing outside of it is read, and
/// the value at the edge stands in.
#include "check.cuh"

// [kernel]
constexpr int radius = 3;
constexpr int block_threads = 256;
constexpr int tile_length = block_threads + 2 * radius;

/// Writes out[i] = largest of in[i-3] to in[i+3], where an index outside counts as the nearest
/// one inside.
/// Launch contract: n / block_threads blocks, rounded up, of block_threads threads; n > 0.
__global__ void local_maximum(const float* in, float* out, int n) {
  __shared__ float tile[tile_length];
  const int t = threadIdx.x;
  const int first = blockIdx.x * block_threads;  // the block's first output

  // 256 threads fetch 262 values: each thread one, and then the first six threads one more.
  for (int k = t; k < tile_length; k += block_threads) {
    const int wanted = first - radius + k;  // tile[k] holds in[wanted]
    tile[k] = in[min(max(wanted, 0), n - 1)];
  }
  __syncthreads();

  if (first + t < n) {
    float largest = tile[t];
    for (int d = 1; d <= 2 * radius; ++d) largest = fmaxf(largest, tile[t + d]);
    out[first + t] = largest;
  }
}
// [kernel]

int main() {
  bool right = true;
  for (const int n : {1, 3, 255, 256, 257, 5000}) {
    const std::vector<float> in = different_values(n);
    device_array<float> from(in), to(in.size());
    local_maximum<<<(n + block_threads - 1) / block_threads, block_threads>>>(from.data(),
                                                                              to.data(), n);
    const std::vector<float> out = to.to_host();
    for (int i = 0; i < n; ++i) {
      float largest = in[i];
      for (int j = i - radius; j <= i + radius; ++j)
        largest = fmaxf(largest, in[j < 0 ? 0 : j < n ? j : n - 1]);
      right = right && out[i] == largest;
    }
  }
  return verdict("largest of seven neighbours", right);
}
