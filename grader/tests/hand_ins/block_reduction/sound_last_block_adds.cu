// expect: pass
/// @file
/// Sound: dynamic shared memory, scratch of the stream's pool, and the block that comes last adds up what all have left.
#include "block_reduction.cuh"

__device__ unsigned int done;
__global__ void k(const float* __restrict__ in, float* parts, float* out, std::size_t n) {
  extern __shared__ float tile[];
  __shared__ bool last;
  float s = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x)
    s += in[i];
  tile[threadIdx.x] = s;
  __syncthreads();
  for (unsigned h = blockDim.x / 2; h; h >>= 1) {
    if (threadIdx.x < h) tile[threadIdx.x] += tile[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = tile[0];
    __threadfence();
    last = atomicAdd(&done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  double all = 0;
  for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x)
    all += static_cast<volatile float*>(parts)[b];
  tile[threadIdx.x] = static_cast<float>(all);
  __syncthreads();
  for (unsigned h = blockDim.x / 2; h; h >>= 1) {
    if (threadIdx.x < h) tile[threadIdx.x] += tile[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    *out = tile[0];
    done = 0;
  }
}
extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  int sms = 1;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  const unsigned blocks = 4 * sms, threads = 512;
  float* parts = nullptr;
  cudaMallocAsync(&parts, blocks * sizeof(float), stream);
  k<<<blocks, threads, threads * sizeof(float), stream>>>(in, parts, out, n);
  cudaFreeAsync(parts, stream);
}
