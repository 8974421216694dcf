/// @file
/// aos_to_soa: records taken apart, and put together again. The one file of this exercise that is edited and
/// handed in; the contract is in aos_to_soa.cuh, the task in README.md.
#include "aos_to_soa.cuh"

// >>> your code
constexpr unsigned int fields = 6;
constexpr unsigned int tile_records = 256;
constexpr unsigned int tile_vectors = tile_records * fields / 4;  // 16 bytes each
constexpr unsigned int row_vectors = tile_records / 4;            // of one field
constexpr unsigned int vectors_a_thread = 2;                      // both loaded before the first is used
constexpr unsigned int block_threads = tile_vectors / vectors_a_thread;
static_assert(block_threads == 3 * row_vectors,
              "one third of the block moves one field of a position, and of a velocity");
constexpr unsigned int vector_records =
    block_threads * 4 / fields;  // from a thread's first vector to its second
static_assert(vector_records * fields == block_threads * 4, "so both have the same fields in the same order");

/// A tile lies in shared memory field by field, so its rows leave and come in 16 bytes a lane without a
/// conflict. What turns is the other side: the four words of a vector of records go to four places, two lanes
/// to a bank.
struct alignas(16) tile_rows {
  float of[fields][tile_records];
};

/// Where word w of a tile of records belongs.
__device__ float& word_of(tile_rows& tile, unsigned int w) {
  return tile.of[w % fields][w / fields];
}

/// Where the four words of a thread's first vector of records belong; those of the second are vector_records
/// further.
struct four_places {
  float* of[4];
  __device__ explicit four_places(tile_rows& tile) {
#pragma unroll
    for (unsigned int j = 0; j < 4; ++j) of[j] = &word_of(tile, 4 * threadIdx.x + j);
  }
};

/// The vector of rows that this thread moves: field 3 k + threadIdx.x / row_vectors.
__device__ float4& row_vector(tile_rows& tile, unsigned int k) {
  return reinterpret_cast<float4*>(tile.of)[k * block_threads + threadIdx.x];
}

/// One of three, the same for all lanes of a warp.
template <typename T>
__device__ T third_of_block(T a, T b, T c) {
  const unsigned int third = threadIdx.x / row_vectors;
  return third == 0 ? a : third == 1 ? b : c;
}

/// Takes a tile of records apart, 16 bytes an access on both sides.
/// Launch contract: one-dimensional grid with a block for each tile of tile_records records; blocks of
/// block_threads threads. Reads and writes 24 n bytes, each sector once.
__global__ void __launch_bounds__(block_threads)
    to_soa_kernel(const particle* __restrict__ records, float* __restrict__ x, float* __restrict__ y,
                  float* __restrict__ z, float* __restrict__ vx, float* __restrict__ vy,
                  float* __restrict__ vz, std::size_t n) {
  __shared__ tile_rows tile;
  const std::size_t first = std::size_t{blockIdx.x} * tile_records;

  if (n - first >= tile_records) {
    const float4* const in = reinterpret_cast<const float4*>(records + first) + threadIdx.x;
    float4 v[vectors_a_thread];
#pragma unroll
    for (unsigned int k = 0; k < vectors_a_thread; ++k) v[k] = in[k * block_threads];
    const four_places mine(tile);
#pragma unroll
    for (unsigned int k = 0; k < vectors_a_thread; ++k) {
      mine.of[0][k * vector_records] = v[k].x;
      mine.of[1][k * vector_records] = v[k].y;
      mine.of[2][k * vector_records] = v[k].z;
      mine.of[3][k * vector_records] = v[k].w;
    }
    __syncthreads();
    float* const position = third_of_block(x, y, z) + first;
    float* const velocity = third_of_block(vx, vy, vz) + first;
    reinterpret_cast<float4*>(position)[threadIdx.x % row_vectors] = row_vector(tile, 0);
    reinterpret_cast<float4*>(velocity)[threadIdx.x % row_vectors] = row_vector(tile, 1);
  } else {  // the last tile: word by word, in an order that still asks for neighbours
    const unsigned int count = static_cast<unsigned int>(n - first);
    const float* const in = reinterpret_cast<const float*>(records + first);
#pragma unroll 1  // once a launch: not worth registers
    for (unsigned int w = threadIdx.x; w < count * fields; w += block_threads) word_of(tile, w) = in[w];
    __syncthreads();
#pragma unroll 1
    for (unsigned int r = threadIdx.x; r < count; r += block_threads) {
      x[first + r] = tile.of[0][r];
      y[first + r] = tile.of[1][r];
      z[first + r] = tile.of[2][r];
      vx[first + r] = tile.of[3][r];
      vy[first + r] = tile.of[4][r];
      vz[first + r] = tile.of[5][r];
    }
  }
}

/// The way back: rows come in, records leave. Launch contract and traffic as to_soa_kernel.
__global__ void __launch_bounds__(block_threads)
    to_aos_kernel(const float* __restrict__ x, const float* __restrict__ y, const float* __restrict__ z,
                  const float* __restrict__ vx, const float* __restrict__ vy, const float* __restrict__ vz,
                  particle* __restrict__ records, std::size_t n) {
  __shared__ tile_rows tile;
  const std::size_t first = std::size_t{blockIdx.x} * tile_records;

  if (n - first >= tile_records) {
    const float* const position = third_of_block(x, y, z) + first;
    const float* const velocity = third_of_block(vx, vy, vz) + first;
    const float4 p = reinterpret_cast<const float4*>(position)[threadIdx.x % row_vectors];
    const float4 v = reinterpret_cast<const float4*>(velocity)[threadIdx.x % row_vectors];
    row_vector(tile, 0) = p;
    row_vector(tile, 1) = v;
    __syncthreads();
    const four_places mine(tile);
    float4* const out = reinterpret_cast<float4*>(records + first) + threadIdx.x;
#pragma unroll
    for (unsigned int k = 0; k < vectors_a_thread; ++k) {
      const unsigned int at = k * vector_records;
      out[k * block_threads] = make_float4(mine.of[0][at], mine.of[1][at], mine.of[2][at], mine.of[3][at]);
    }
  } else {
    const unsigned int count = static_cast<unsigned int>(n - first);
#pragma unroll 1
    for (unsigned int r = threadIdx.x; r < count; r += block_threads) {
      tile.of[0][r] = x[first + r];
      tile.of[1][r] = y[first + r];
      tile.of[2][r] = z[first + r];
      tile.of[3][r] = vx[first + r];
      tile.of[4][r] = vy[first + r];
      tile.of[5][r] = vz[first + r];
    }
    __syncthreads();
    float* const out = reinterpret_cast<float*>(records + first);
#pragma unroll 1
    for (unsigned int w = threadIdx.x; w < count * fields; w += block_threads) out[w] = word_of(tile, w);
  }
}

/// Tiles that n particles take, the last one partial.
static unsigned int tiles_of(std::size_t n) {
  return static_cast<unsigned int>((n + tile_records - 1) / tile_records);
}

extern "C" void aos_to_soa_to_soa(const particle* records, float* x, float* y, float* z, float* vx, float* vy,
                                  float* vz, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  to_soa_kernel<<<tiles_of(n), block_threads, 0, stream>>>(records, x, y, z, vx, vy, vz, n);
}

extern "C" void aos_to_soa_to_aos(const float* x, const float* y, const float* z, const float* vx,
                                  const float* vy, const float* vz, particle* records, std::size_t n,
                                  cudaStream_t stream) {
  if (n == 0) return;
  to_aos_kernel<<<tiles_of(n), block_threads, 0, stream>>>(x, y, z, vx, vy, vz, records, n);
}
// <<< your code
