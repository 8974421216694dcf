/// @file
/// Transposes: blocks that take their tiles along diagonals, squares of 4 x 4 turned in a thread's registers.
#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

constexpr unsigned kTransposesWide = 1024, kNarrow = 512;

__global__ void turned_along_diagonals(const float* in, float* out, unsigned high) {
  __shared__ float tile[32][33];
  const unsigned b = blockIdx.x + gridDim.x * blockIdx.y, by = b % gridDim.y,
                 bx = (b / gridDim.y + by) % gridDim.x;
  for (unsigned r = threadIdx.y; r < 32; r += blockDim.y)
    tile[r][threadIdx.x] = in[(by * 32 + r) * kTransposesWide + bx * 32 + threadIdx.x];
  __syncthreads();
  for (unsigned r = threadIdx.y; r < 32; r += blockDim.y)
    out[(bx * 32 + r) * high + by * 32 + threadIdx.x] = tile[threadIdx.x][r];
}
__global__ void turned_in_registers(const float4* in, float4* out, unsigned high) {
  const unsigned x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  const float4 a = in[(4 * y) * (kNarrow / 4) + x], b = in[(4 * y + 1) * (kNarrow / 4) + x],
               c = in[(4 * y + 2) * (kNarrow / 4) + x], d = in[(4 * y + 3) * (kNarrow / 4) + x];
  out[(4 * x) * (high / 4) + y] = make_float4(a.x, b.x, c.x, d.x);
  out[(4 * x + 1) * (high / 4) + y] = make_float4(a.y, b.y, c.y, d.y);
  out[(4 * x + 2) * (high / 4) + y] = make_float4(a.z, b.z, c.z, d.z);
  out[(4 * x + 3) * (high / 4) + y] = make_float4(a.w, b.w, c.w, d.w);
}

}  // namespace

void transposes(Set& s) {
  const unsigned high = as_number(s.n / 8 / kTransposesWide / 32 * 32),
                 higher = as_number(s.n / 8 / kNarrow / 64 * 64);
  s.run(
      "turned with blocks along diagonals", 8.0 * kTransposesWide * high,
      [&] {
        turned_along_diagonals<<<dim3(kTransposesWide / 32, high / 32), dim3(32, 8)>>>(s.in, s.out, high);
      },
      [&] {
        return floats(s, std::size_t{kTransposesWide} * high, [high](std::size_t i) {
          return double{float_of(i % high * kTransposesWide + i / high)};
        });
      });
  s.run(
      "turned by squares of 4 x 4 in registers", 8.0 * kNarrow * higher,
      [&] {
        turned_in_registers<<<dim3(kNarrow / 64, higher / 64), dim3(16, 16)>>>(
            reinterpret_cast<const float4*>(s.in), s.vectors(), higher);
      },
      [&] {
        return floats(s, std::size_t{kNarrow} * higher, [higher](std::size_t i) {
          return double{float_of(i % higher * kNarrow + i / higher)};
        });
      });
}

}  // namespace held_out_7
