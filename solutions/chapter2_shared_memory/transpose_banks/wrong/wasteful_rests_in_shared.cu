// expect: too_slow|wasteful off_the_idea|uncoalesced
// says: they had stored there themselves
/// @file
/// transpose_banks: a matrix transpose. The one file of this exercise that is edited and handed in; the
/// contract is in transpose_banks.cuh, the task in README.md.
#include "transpose_banks.cuh"

// >>> your code
constexpr unsigned int tile_side = 32;
constexpr unsigned int block_rows = 8;  // a thread moves tile_side / block_rows = 4 elements

/// Turns 4 x 4 elements a thread in registers; lanes 8 x 4. Each float also rests in a place of shared memory that is its thread's own:
/// all bytes go through shared memory, and nothing is shared.
__global__ void transpose_banks_kernel(const float* in, float* out, std::size_t rows, std::size_t cols) {
  const bool wide = rows % 4 == 0 && cols % 4 == 0;  // then rows start at multiples of 16 bytes
  const unsigned int lane = threadIdx.x;
  const std::size_t r = std::size_t{blockIdx.y} * tile_side + 4 * (lane % 8);
  const std::size_t c = std::size_t{blockIdx.x} * 4 * tile_side + 16 * threadIdx.y + 4 * (lane / 8);
  if (wide && r < rows && c < cols) {
    const float* const from = in + r * cols + c;
    float4 v[4];
    alignas(16) __shared__ volatile float rest[16][block_rows * tile_side];
    const unsigned int mine = threadIdx.y * tile_side + lane;
    for (int k = 0; k < 4; ++k) v[k] = *reinterpret_cast<const float4*>(from + k * cols);
    for (int k = 0; k < 4; ++k) {
      rest[4 * k][mine] = v[k].x, rest[4 * k + 1][mine] = v[k].y;
      rest[4 * k + 2][mine] = v[k].z, rest[4 * k + 3][mine] = v[k].w;
      v[k] =
          make_float4(rest[4 * k][mine], rest[4 * k + 1][mine], rest[4 * k + 2][mine], rest[4 * k + 3][mine]);
    }
    float* const to = out + c * rows + r;
    *reinterpret_cast<float4*>(to) = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
    *reinterpret_cast<float4*>(to + rows) = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
    *reinterpret_cast<float4*>(to + 2 * rows) = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
    *reinterpret_cast<float4*>(to + 3 * rows) = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
  } else {
    for (std::size_t i = r; i < r + 4 && i < rows; ++i)
      for (std::size_t j = c; j < c + 4 && j < cols; ++j) out[j * rows + i] = in[i * cols + j];
  }
}

extern "C" void transpose_banks_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                    cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const dim3 threads(tile_side, block_rows);
  const dim3 blocks(static_cast<unsigned int>((cols + 4 * tile_side - 1) / (4 * tile_side)),
                    static_cast<unsigned int>((rows + tile_side - 1) / tile_side));
  transpose_banks_kernel<<<blocks, threads, 0, stream>>>(in, out, rows, cols);
}
// <<< your code
