// expect: wasteful|too_slow
/// @file
/// aos_to_soa: records taken apart, and put together again. The one file of this exercise that is edited and
/// handed in; the contract is in aos_to_soa.cuh, the task in README.md.
#include "aos_to_soa.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;
constexpr unsigned int fields = 6;

/// The array of field f.
template <typename T>
__device__ T array_of(unsigned int f, T x, T y, T z, T vx, T vy, T vz) {
  return f < 3 ? (f == 0 ? x : f == 1 ? y : z) : (f == 3 ? vx : f == 4 ? vy : vz);
}

/// One thread a float of the records, so that the records are read in whole sectors and without shared memory.
/// Right, but the 32 floats of a warp belong to six arrays: one store touches eight sectors where 4 would do.
/// Launch contract: one-dimensional grid of at least 6 n threads.
__global__ void to_soa_kernel(const particle* records, float* x, float* y, float* z, float* vx, float* vy,
                              float* vz, std::size_t n) {
  const std::size_t w = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (w >= fields * n) return;
  array_of(w % fields, x, y, z, vx, vy, vz)[w / fields] = reinterpret_cast<const float*>(records)[w];
}

/// The way back: one load touches eight sectors. Launch contract: as to_soa_kernel.
__global__ void to_aos_kernel(const float* x, const float* y, const float* z, const float* vx,
                              const float* vy, const float* vz, particle* records, std::size_t n) {
  const std::size_t w = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (w >= fields * n) return;
  reinterpret_cast<float*>(records)[w] = array_of(w % fields, x, y, z, vx, vy, vz)[w / fields];
}

/// Blocks of block_threads threads that n particles take, one thread a float.
static unsigned int blocks_for(std::size_t n) {
  return static_cast<unsigned int>((fields * n + block_threads - 1) / block_threads);
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
