// expect: pass
/// @file
/// Each thread scales a chunk of its own, in a tile: global memory sees rows only.
#include "coalesced_scale.cuh"

constexpr unsigned int threads = 128, chunk = 8, tile_elements = threads * chunk;

__global__ void scale(const float* in, float* out, std::size_t n, float factor) {
  alignas(16) __shared__ float tile[tile_elements + threads];  // rows of chunk + 1
  const std::size_t first = std::size_t{blockIdx.x} * tile_elements;
  for (unsigned int k = threadIdx.x; k < tile_elements; k += threads)
    if (first + k < n) tile[k / chunk * (chunk + 1) + k % chunk] = in[first + k];
  __syncthreads();
  for (unsigned int k = 0; k < chunk; ++k)
    if (first + threadIdx.x * chunk + k < n) tile[threadIdx.x * (chunk + 1) + k] *= factor;
  __syncthreads();
  for (unsigned int k = threadIdx.x; k < tile_elements; k += threads)
    if (first + k < n) out[first + k] = tile[k / chunk * (chunk + 1) + k % chunk];
}

extern "C" void coalesced_scale_run(const float* in, float* out, std::size_t n, float factor,
                                    cudaStream_t stream) {
  const std::size_t blocks = (n + tile_elements - 1) / tile_elements;
  if (n > 0) scale<<<static_cast<unsigned int>(blocks), threads, 0, stream>>>(in, out, n, factor);
}
