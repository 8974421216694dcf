/// @file
/// Transpose of a float matrix: straight, through a tile with and without padding, with wide accesses and a swizzle.
#include "ladder.hpp"

namespace {

/// Reads rows, writes columns.
__global__ void naive(const float* in, float* out, int rows, int columns) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[static_cast<std::size_t>(x) * rows + y] = in[static_cast<std::size_t>(y) * columns + x];
}

/// Reads columns, writes rows.
__global__ void naive_read(const float* in, float* out, int rows, int columns) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[static_cast<std::size_t>(y) * rows + x] = in[static_cast<std::size_t>(x) * columns + y];
}

template <int Height, int Pad>
__global__ void tiled(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[32][32 + Pad];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
  for (int k = 0; k < 32; k += Height) {
    tile[threadIdx.y + k][threadIdx.x] = in[static_cast<std::size_t>(y + k) * columns + x];
  }
  __syncthreads();
  const int ox = blockIdx.y * 32 + threadIdx.x, oy = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
  for (int k = 0; k < 32; k += Height) {
    out[static_cast<std::size_t>(oy + k) * rows + ox] = tile[threadIdx.x][threadIdx.y + k];
  }
}

/// A 64x64 tile of 16x16 blocks of 4x4 floats: each thread turns one block in registers. Blocks are stored whole at a
/// swizzled place, so that both the writes by rows and the reads by columns touch all banks.
__global__ void swizzled(const float* in, float* out, int rows, int columns) {
  __shared__ float4 tile[64][16];
  const int bx = threadIdx.x % 16, by = threadIdx.x / 16;
  const std::size_t x = blockIdx.x * std::size_t{64} + 4 * bx, y = blockIdx.y * std::size_t{64} + 4 * by;
  float4 r[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) r[k] = *reinterpret_cast<const float4*>(in + (y + k) * columns + x);
  const float4 t[4] = {{r[0].x, r[1].x, r[2].x, r[3].x},
                       {r[0].y, r[1].y, r[2].y, r[3].y},
                       {r[0].z, r[1].z, r[2].z, r[3].z},
                       {r[0].w, r[1].w, r[2].w, r[3].w}};
#pragma unroll
  for (int k = 0; k < 4; ++k) tile[4 * bx + k][by ^ bx] = t[k];
  __syncthreads();
  // Now row 4*by'+k of the output tile, 16 float4 wide.
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const std::size_t oy = blockIdx.x * std::size_t{64} + 4 * by + k,
                      ox = blockIdx.y * std::size_t{64} + 4 * bx;
    *reinterpret_cast<float4*>(out + oy * rows + ox) = tile[4 * by + k][bx ^ by];
  }
}

}  // namespace

int main(int argc, char** argv) {
  const ladder::Bench bench(argc, argv);
  // 8192 x 16384 on the whole card; on a slice fewer rows, the row length kept.
  const int columns = 8192;
  const int rows = bench.simulated ? 1344 : 16384;
  const std::size_t bytes = std::size_t{4} * rows * columns;
  auto* in = bench.array<float>(bytes);
  auto* out = bench.array<float>(bytes);
  const double moved = 2.0 * static_cast<double>(bytes);
  const dim3 eight(32, 8);
  const dim3 strips(columns / 32, rows / 8), tiles(columns / 32, rows / 32);
  bench.run("naive, columns written", moved, [&] { naive<<<strips, eight>>>(in, out, rows, columns); });
  bench.run("naive, columns read", moved,
            [&] { naive_read<<<dim3(rows / 32, columns / 8), eight>>>(in, out, rows, columns); });
  bench.run("32x32 unpadded", moved, [&] { tiled<32, 0><<<tiles, dim3(32, 32)>>>(in, out, rows, columns); });
  bench.run("32x32 padded", moved, [&] { tiled<32, 1><<<tiles, dim3(32, 32)>>>(in, out, rows, columns); });
  bench.run("32x8 unpadded", moved, [&] { tiled<8, 0><<<tiles, eight>>>(in, out, rows, columns); });
  bench.run("32x8 padded", moved, [&] { tiled<8, 1><<<tiles, eight>>>(in, out, rows, columns); });
  bench.run("32x4 unpadded", moved, [&] { tiled<4, 0><<<tiles, dim3(32, 4)>>>(in, out, rows, columns); });
  bench.run("32x4 padded", moved, [&] { tiled<4, 1><<<tiles, dim3(32, 4)>>>(in, out, rows, columns); });
  bench.run("64x64 swizzled", moved,
            [&] { swizzled<<<dim3(columns / 64, rows / 64), 256>>>(in, out, rows, columns); });
  return 0;
}
