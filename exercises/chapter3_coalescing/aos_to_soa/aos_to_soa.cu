/// @file
/// aos_to_soa: records taken apart, and put together again. The one file of this exercise that is edited and
/// handed in; the contract is in aos_to_soa.cuh, the task in README.md.
#include "aos_to_soa.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;

/// One thread a particle: reads a record, writes six fields.
/// Launch contract: one-dimensional grid of at least n threads.
// TODO: right, and wasteful. Neighbouring lanes read 24 bytes apart: how many sectors does one load of this
// warp touch, and how many would its 128 bytes fill? Find a way in which every request, load and store, asks
// for neighbouring words.
__global__ void to_soa_kernel(const particle* records, float* x, float* y, float* z, float* vx, float* vy,
                              float* vz, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const particle p = records[i];
  x[i] = p.x;
  y[i] = p.y;
  z[i] = p.z;
  vx[i] = p.vx;
  vy[i] = p.vy;
  vz[i] = p.vz;
}

/// One thread a particle: reads six fields, writes a record.
/// Launch contract: one-dimensional grid of at least n threads.
// TODO: the same waste, now in the stores. This is the direction in which the clock sees it too.
__global__ void to_aos_kernel(const float* x, const float* y, const float* z, const float* vx,
                              const float* vy, const float* vz, particle* records, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  records[i] = {x[i], y[i], z[i], vx[i], vy[i], vz[i]};
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
