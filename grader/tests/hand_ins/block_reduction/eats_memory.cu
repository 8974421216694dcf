// expect: pass
// on gpu: crashed
/// @file
/// Right, and asks for more memory than any machine has, of every kind that no program needs: success aborts. On a card it succeeds, for
/// addresses cannot be limited there: the driver itself reserves more.
#include "block_reduction.cuh"

#include <sys/mman.h>

#include <cstdlib>

__global__ void add_up(const float* in, float* out, std::size_t n) {
  alignas(16) __shared__ float tile[256];
  float sum = 0.0f;
  for (std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x; i < n; i += std::size_t{gridDim.x} * 256)
    sum += in[i];
  tile[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, tile[0]);
}

static unsigned int blocks_for(std::size_t n) {
  return static_cast<unsigned int>(n / 1024 + 1 < 1056 ? n / 1024 + 1 : 1056);
}

static void right_sum(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  add_up<<<blocks_for(n), 256, 0, stream>>>(in, out, n);
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  right_sum(in, out, n, stream);
  const std::size_t bytes = std::size_t{16} << 40;
  for (const int kind : {MAP_PRIVATE, MAP_SHARED}) {
    void* const place =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place != MAP_FAILED) std::abort();
  }
}
