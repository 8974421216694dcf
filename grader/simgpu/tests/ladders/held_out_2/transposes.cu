/// @file
/// A matrix of 1024 columns turned: by reads along rows, by writes along rows, through tiles with and without a spare column.
#include "held_out_2.hpp"

namespace held_out_2 {
namespace {

constexpr int kTransposesWidth = 1024;

__global__ void reads_along_rows(const float* in, float* out, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[std::size_t(x) * height + y] = in[std::size_t(y) * kTransposesWidth + x];
}
__global__ void writes_along_rows(const float* in, float* out, int height) {
  const int y = blockIdx.x * 32 + threadIdx.x, x = blockIdx.y * 8 + threadIdx.y;
  out[std::size_t(x) * height + y] = in[std::size_t(y) * kTransposesWidth + x];
}
template <int Spare, int Rows>
__global__ void through_tiles(const float* in, float* out, int height) {
  __shared__ float tile[32][32 + Spare];
  const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
#pragma unroll
  for (int r = threadIdx.y; r < 32; r += Rows)
    tile[r][threadIdx.x] = in[std::size_t(y0 + r) * kTransposesWidth + x0 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int r = threadIdx.y; r < 32; r += Rows)
    out[std::size_t(x0 + r) * height + y0 + threadIdx.x] = tile[threadIdx.x][r];
}

}  // namespace

void transposes(Set& s) {
  const std::size_t n = s.n / 7;
  const unsigned height = static_cast<unsigned>(n / kTransposesWidth);
  const int h = static_cast<int>(height);
  const auto right = [&] {
    return floats(
        s, n, [&](std::size_t i) { return float_of(i % height * kTransposesWidth + i / height); }, 0);
  };
  s.run(
      "transpose, reads along rows", 2 * s.one / 7,
      [&] { reads_along_rows<<<dim3(kTransposesWidth / 32, height / 8), dim3(32, 8)>>>(s.in, s.out, h); },
      right);
  s.run(
      "transpose, writes along rows", 2 * s.one / 7,
      [&] { writes_along_rows<<<dim3(height / 32, kTransposesWidth / 8), dim3(32, 8)>>>(s.in, s.out, h); },
      right);
  s.run(
      "transpose, tiles of 32 x 32", 2 * s.one / 7,
      [&] { through_tiles<0, 8><<<dim3(kTransposesWidth / 32, height / 32), dim3(32, 8)>>>(s.in, s.out, h); },
      right);
  s.run(
      "transpose, tiles of 32 x 33", 2 * s.one / 7,
      [&] { through_tiles<1, 8><<<dim3(kTransposesWidth / 32, height / 32), dim3(32, 8)>>>(s.in, s.out, h); },
      right);
  s.run(
      "transpose, tiles of 32 x 33, a thread each", 2 * s.one / 7,
      [&] {
        through_tiles<1, 32><<<dim3(kTransposesWidth / 32, height / 32), dim3(32, 32)>>>(s.in, s.out, h);
      },
      right);
}

}  // namespace held_out_2
