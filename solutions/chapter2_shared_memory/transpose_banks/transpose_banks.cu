/// @file
/// transpose_banks: a matrix transpose. The one file of this exercise that is edited and handed in; the
/// contract is in transpose_banks.cuh, the task in README.md.
#include "transpose_banks.cuh"

// >>> your code
// Two kernels: one that moves 16 bytes at a time, for matrices whose rows are aligned to 16 bytes, and one
// that moves single elements, for all others.

constexpr unsigned int wide_side = 64;         // a wide tile is 64 x 64 elements, or 16 x 16 blocks of 4 x 4
constexpr unsigned int quads = wide_side / 4;  // float4 in a row of the tile

/// Loads 16 bytes and asks L2 to fetch the whole 256 bytes around them from DRAM: a tile's row is 256 bytes,
/// and its other lanes want the rest. C++ has no word for this hint, PTX has.
__device__ float4 load_with_neighbours(const float* address) {
  float4 v;
  asm volatile("ld.global.L2::256B.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(address));
  return v;
}

/// Transposes one tile of 64 x 64 a block; a thread turns a block of 4 x 4 in registers.
/// Launch contract: 16 x 16 threads; tile rows along x, so that blocks which run together walk down a strip
/// of in and write neighbouring pieces of the same rows of out; tile columns along y. rows and cols are
/// multiples of 4, in and out are aligned to 16 bytes. Shared memory: 16 KB a block. All threads reach the
/// barrier.
__global__ void __launch_bounds__(quads* quads)
    transpose_wide_kernel(const float* __restrict__ in, float* __restrict__ out, std::size_t rows,
                          std::size_t cols) {
  // tile[c] is column c of the tile of in, as 16 float4. Which of the 16 places a float4 takes depends on c /
  // 4 (the XOR below). Eight lanes are served together; they then find their 8 x 16 bytes in 32 different
  // banks, when the lanes run over c (writing) and when they run over the float4 of one c (reading).
  alignas(16) __shared__ float4 tile[wide_side][quads];
  const unsigned int x = threadIdx.x;
  const unsigned int y = threadIdx.y;
  const std::size_t first_row = std::size_t{blockIdx.x} * wide_side;
  const std::size_t first_col = std::size_t{blockIdx.y} * wide_side;

  // Rows first_row + 4 y to + 3, columns first_col + 4 x to + 3. As 4 divides rows and cols, all 16 exist or
  // none.
  if (first_row + 4 * y < rows && first_col + 4 * x < cols) {
    const float* const corner = in + (first_row + 4 * y) * cols + first_col + 4 * x;
    float4 v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = load_with_neighbours(corner + k * cols);
    const unsigned int place = y ^ x;
    tile[4 * x + 0][place] = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
    tile[4 * x + 1][place] = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
    tile[4 * x + 2][place] = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
    tile[4 * x + 3][place] = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
  }
  __syncthreads();

  // 16 lanes write 256 bytes side by side of one row of out.
#pragma unroll
  for (unsigned int c = y; c < wide_side; c += quads) {
    if (first_row + 4 * x < rows && first_col + c < cols) {
      float* const target = out + (first_col + c) * rows + first_row + 4 * x;
      *reinterpret_cast<float4*>(target) = tile[c][x ^ (c / 4)];
    }
  }
}

constexpr unsigned int tile_side = 32;
constexpr unsigned int block_rows = 8;

/// Transposes one tile of 32 x 32 a block, element by element; any shape.
/// Launch contract: 32 x 8 threads; tile rows along x, tile columns along y.
__global__ void transpose_any_kernel(const float* __restrict__ in, float* __restrict__ out, std::size_t rows,
                                     std::size_t cols) {
  alignas(16) __shared__ float tile[tile_side][tile_side + 1];
  const std::size_t first_row = std::size_t{blockIdx.x} * tile_side;
  const std::size_t first_col = std::size_t{blockIdx.y} * tile_side;
#pragma unroll
  for (unsigned int k = threadIdx.y; k < tile_side; k += block_rows) {
    const std::size_t r = first_row + k;
    const std::size_t c = first_col + threadIdx.x;
    if (r < rows && c < cols) tile[k][threadIdx.x] = in[r * cols + c];
  }
  __syncthreads();
#pragma unroll
  for (unsigned int k = threadIdx.y; k < tile_side; k += block_rows) {
    const std::size_t c = first_col + k;
    const std::size_t r = first_row + threadIdx.x;
    if (r < rows && c < cols) out[c * rows + r] = tile[threadIdx.x][k];
  }
}

/// Tiles of the given side that cover a matrix: tile rows along x, tile columns along y.
static dim3 tiles_of(std::size_t rows, std::size_t cols, unsigned int side) {
  return dim3(static_cast<unsigned int>((rows + side - 1) / side),
              static_cast<unsigned int>((cols + side - 1) / side));
}

extern "C" void transpose_banks_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                    cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  if (rows % 4 == 0 && cols % 4 == 0) {
    transpose_wide_kernel<<<tiles_of(rows, cols, wide_side), dim3(quads, quads), 0, stream>>>(in, out, rows,
                                                                                              cols);
  } else {
    transpose_any_kernel<<<tiles_of(rows, cols, tile_side), dim3(tile_side, block_rows), 0, stream>>>(
        in, out, rows, cols);
  }
}
// <<< your code
