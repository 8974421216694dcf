// expect: too_slow|wasteful
/// @file
/// aos_to_soa: records taken apart, and put together again. The one file of this exercise that is edited and
/// handed in; the contract is in aos_to_soa.cuh, the task in README.md.
#include "aos_to_soa.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;

/// One thread a particle, in three accesses of 8 bytes. Right, and better than six of 4 bytes, but neighbouring
/// lanes are still 24 bytes apart: 24 sectors a request where 8 would do.
/// Launch contract: one-dimensional grid of at least n threads.
__global__ void to_soa_kernel(const particle* records, float* x, float* y, float* z, float* vx, float* vy,
                              float* vz, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float2* const p = reinterpret_cast<const float2*>(records + i);
  const float2 a = p[0], b = p[1], c = p[2];
  x[i] = a.x;
  y[i] = a.y;
  z[i] = b.x;
  vx[i] = b.y;
  vy[i] = c.x;
  vz[i] = c.y;
}

/// The way back. Launch contract: as to_soa_kernel.
__global__ void to_aos_kernel(const float* x, const float* y, const float* z, const float* vx,
                              const float* vy, const float* vz, particle* records, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2* const p = reinterpret_cast<float2*>(records + i);
  p[0] = make_float2(x[i], y[i]);
  p[1] = make_float2(z[i], vx[i]);
  p[2] = make_float2(vy[i], vz[i]);
}

/// Blocks of block_threads threads that n particles take, one thread each.
static unsigned int blocks_for(std::size_t n) {
  return static_cast<unsigned int>((n + block_threads - 1) / block_threads);
}

extern "C" void aos_to_soa_to_soa(const particle* records, float* x, float* y, float* z, float* vx, float* vy,
                                  float* vz, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  to_soa_kernel<<<blocks_for(n), block_threads, 0, stream>>>(records, x, y, z, vx, vy, vz, n);
}

extern "C" void aos_to_soa_to_aos(const float* x, const float* y, const float* z, const float* vx,
                                  const float* vy, const float* vz, particle* records, std::size_t n,
                                  cudaStream_t stream) {
  if (n == 0) return;
  to_aos_kernel<<<blocks_for(n), block_threads, 0, stream>>>(x, y, z, vx, vy, vz, records, n);
}
// <<< your code
