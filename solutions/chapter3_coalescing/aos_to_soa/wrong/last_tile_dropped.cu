// expect: wrong_result
/// @file
/// aos_to_soa: records taken apart, and put together again. The one file of this exercise that is edited and
/// handed in; the contract is in aos_to_soa.cuh, the task in README.md.
#include "aos_to_soa.cuh"

// >>> your code
constexpr unsigned int fields = 6;
constexpr unsigned int tile_records = 256;  // also the threads of a block
constexpr unsigned int tile_words = tile_records * fields;

/// Takes one tile of records a block apart. Both sides of global memory see neighbouring words: the tile comes
/// in as one row of floats, in the order of memory, and goes out field by field.
/// Launch contract: one-dimensional grid with a block for each tile of tile_records records; blocks of
/// tile_records threads.
__global__ void to_soa_kernel(const particle* records, float* x, float* y, float* z, float* vx, float* vy,
                              float* vz, std::size_t n) {
  alignas(16) __shared__ float tile[tile_words];
  const std::size_t first = std::size_t{blockIdx.x} * tile_records;
  const float* const words = reinterpret_cast<const float*>(records + first);
  const std::size_t left = (n - first) * fields;  // floats from here to the end, at least one record

#pragma unroll
  for (unsigned int k = 0; k < fields; ++k) {
    const unsigned int w = k * tile_records + threadIdx.x;
    if (w < left) tile[w] = words[w];
  }
  __syncthreads();

  const std::size_t i = first + threadIdx.x;
  if (i >= n) return;
  const float* const mine = tile + threadIdx.x * fields;
  x[i] = mine[0];
  y[i] = mine[1];
  z[i] = mine[2];
  vx[i] = mine[3];
  vy[i] = mine[4];
  vz[i] = mine[5];
}

/// The way back: fields come in one after the other, the tile goes out as one row of floats.
/// Launch contract: as to_soa_kernel.
__global__ void to_aos_kernel(const float* x, const float* y, const float* z, const float* vx,
                              const float* vy, const float* vz, particle* records, std::size_t n) {
  alignas(16) __shared__ float tile[tile_words];
  const std::size_t first = std::size_t{blockIdx.x} * tile_records;
  const std::size_t i = first + threadIdx.x;
  if (i < n) {
    float* const mine = tile + threadIdx.x * fields;
    mine[0] = x[i];
    mine[1] = y[i];
    mine[2] = z[i];
    mine[3] = vx[i];
    mine[4] = vy[i];
    mine[5] = vz[i];
  }
  __syncthreads();

  float* const words = reinterpret_cast<float*>(records + first);
  const std::size_t left = (n - first) * fields;
#pragma unroll
  for (unsigned int k = 0; k < fields; ++k) {
    const unsigned int w = k * tile_records + threadIdx.x;
    if (w < left) words[w] = tile[w];
  }
}

/// Tiles that n particles take, the last one partial.
static unsigned int tiles_of(std::size_t n) {
  return static_cast<unsigned int>(n / tile_records);  // wrong: the last, partial tile has no block
}

extern "C" void aos_to_soa_to_soa(const particle* records, float* x, float* y, float* z, float* vx, float* vy,
                                  float* vz, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  to_soa_kernel<<<tiles_of(n), tile_records, 0, stream>>>(records, x, y, z, vx, vy, vz, n);
}

extern "C" void aos_to_soa_to_aos(const float* x, const float* y, const float* z, const float* vx,
                                  const float* vy, const float* vz, particle* records, std::size_t n,
                                  cudaStream_t stream) {
  if (n == 0) return;
  to_aos_kernel<<<tiles_of(n), tile_records, 0, stream>>>(x, y, z, vx, vy, vz, records, n);
}
// <<< your code
