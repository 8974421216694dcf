// expect: wasteful off_the_idea
// says: warps of a block write to global memory
/// @file
/// block_reduction, with an exchange for show: two warps a block, each adds up by shuffles and goes to the result by an atomic of its own.
/// What a thread takes from the tile the other warp has stored, and nobody uses it.
#include "block_reduction.cuh"

constexpr unsigned int T = 64;
__global__ void k(const float* in, float* out, std::size_t n) {
  __shared__ float tile[T];
  float s = 0;
  const float4* v = reinterpret_cast<const float4*>(in);
  for (std::size_t i = std::size_t{blockIdx.x} * T + threadIdx.x; i < n / 4;
       i += std::size_t{gridDim.x} * T) {
    const float4 f = v[i];
    s += (f.x + f.y) + (f.z + f.w);
  }
  if (blockIdx.x == 0 && threadIdx.x < n % 4) s += in[n / 4 * 4 + threadIdx.x];
  volatile float* const shown = tile;
  shown[threadIdx.x] = s;
  __syncthreads();
  (void)shown[threadIdx.x ^ 32];
  for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
  if (threadIdx.x % 32 == 0) atomicAdd(out, s);
}
extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, 4, stream);
  int sms = 1;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  k<<<sms * 32, T, 0, stream>>>(in, out, n);
}
