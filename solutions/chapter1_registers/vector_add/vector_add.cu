/// @file
/// vector_add: two arrays, added element by element. The one file of this exercise that is edited and handed in; the
/// contract is in vector_add.cuh, the task in README.md.
#include "vector_add.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;
constexpr std::size_t sums_a_thread = 4;  // neighbours: 16 bytes of each array

/// Writes four neighbouring sums a thread, with one load of 16 bytes from each input, both on their way before the
/// first is waited for.
/// Launch contract: one-dimensional grid of at least n / 4 threads, rounded up, blocks of block_threads threads; all
/// three arrays are aligned to 16 bytes. Reads 8 n bytes, writes 4 n.
__global__ void __launch_bounds__(block_threads)
    vector_add_kernel(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                      std::size_t n) {
  const std::size_t first = (std::size_t{blockIdx.x} * block_threads + threadIdx.x) * sums_a_thread;
  if (first + sums_a_thread <= n) {
    const float4 x = *reinterpret_cast<const float4*>(a + first);
    const float4 y = *reinterpret_cast<const float4*>(b + first);
    *reinterpret_cast<float4*>(c + first) = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
  } else {  // the last thread with work, when 4 does not divide n: at most three sums
    for (std::size_t i = first; i < n; ++i) c[i] = a[i] + b[i];
  }
}

extern "C" void vector_add_run(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  constexpr std::size_t sums_a_block = block_threads * sums_a_thread;
  const std::size_t blocks = (n + sums_a_block - 1) / sums_a_block;
  vector_add_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(a, b, c, n);
}
// <<< your code
