#include "running_sum.cuh"

constexpr unsigned int block_threads = 256;

/// One block walks over the array, tile by tile, and carries the sum along.
__global__ void running_sum_kernel(std::uint32_t* out, const std::uint32_t* in, std::size_t n) {
  __shared__ std::uint32_t tile[block_threads];
  std::uint32_t carried = 0;
  for (std::size_t first = 0; first < n; first += block_threads) {
    const std::size_t i = first + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned int step = 1; step < block_threads; step *= 2) {
      const std::uint32_t more = threadIdx.x >= step ? tile[threadIdx.x - step] : 0;
      __syncthreads();
      tile[threadIdx.x] += more;
      __syncthreads();
    }
    if (i < n) out[i] = carried + tile[threadIdx.x];
    carried += tile[block_threads - 1];
    __syncthreads();
  }
}

extern "C" void running_sum_run(std::uint32_t* out, const std::uint32_t* in, std::size_t n,
                                cudaStream_t stream) {
  if (n > 0) running_sum_kernel<<<1, block_threads, 0, stream>>>(out, in, n);
}
