/// @file
/// Shared memory where lanes meet in banks: doubles along and across a tile, a table of words at places that come from data.
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

/// Row sums of a tile of 32 x 32 doubles taken by a warp's lanes down columns and along rows, eight times.
__global__ void __launch_bounds__(32) rows_and_columns(const double* in, double* out) {
  __shared__ double tile[32][32];
  const std::size_t base = blockIdx.x * std::size_t{1024};
  for (unsigned r = 0; r < 32; ++r) tile[r][threadIdx.x] = in[base + r * 32 + threadIdx.x];
  __syncwarp();
  double sum = 0;
#pragma unroll 1
  for (unsigned turn = 0; turn < 4; ++turn)
#pragma unroll 8
    for (unsigned k = 0; k < 32; ++k)
      sum = 0.5 * sum + tile[threadIdx.x][(k + turn) % 32] - tile[(k + turn) % 32][threadIdx.x];
  out[blockIdx.x * std::size_t{32} + threadIdx.x] = sum;
}
constexpr unsigned kTable = 4096;
/// Each place tells the next; all blocks have the same table.
__global__ void __launch_bounds__(256) chased(const unsigned* in, unsigned* out, std::size_t m) {
  __shared__ unsigned table[kTable];
  for (unsigned k = threadIdx.x; k < kTable; k += 256) table[k] = in[k];
  __syncthreads();
  const std::size_t i = global_index();
  if (i >= m) return;
  unsigned at = static_cast<unsigned>(i) % kTable, sum = 0;
#pragma unroll 1
  for (int k = 0; k < 24; ++k) {
    const unsigned w = table[at];
    sum += w;
    at = (w >> 7 ^ at) % kTable;
  }
  out[i] = sum;
}

}  // namespace

void banks(Set& s) {
  const std::size_t n = s.n, tiles = n / 64 / 1024;
  s.run(
      "doubles of a tile along and across", 8.0 * 1024 * real(tiles),
      [&] {
        rows_and_columns<<<as_number(tiles), 32>>>(reinterpret_cast<double*>(s.in),
                                                   reinterpret_cast<double*>(s.out));
      },
      [&] {
        return Set::each(tiles * 32, [&](std::size_t i) {
          const std::size_t base = i / 32 * 1024, lane = i % 32;
          double sum = 0, scale = 1e-3;
          for (std::size_t turn = 0; turn < 4; ++turn)
            for (std::size_t k = 0; k < 32; ++k) {
              const double a = double_of(base + lane * 32 + (k + turn) % 32),
                           b = double_of(base + (k + turn) % 32 * 32 + lane);
              sum = 0.5 * sum + a - b, scale = std::max(scale, std::abs(a) + std::abs(b));
            }
          const double got = Checked::at(reinterpret_cast<double*>(s.out), i);
          return std::abs(got - sum) <= 1e-9 * scale && got != 0;
        });
      });
  s.run(
      "places of a shared table that tell the next", 4.0 * real(n / 128),
      [&] { chased<<<Set::blocks(n / 128), 256>>>(s.words, s.numbers(), n / 128); },
      [&] {
        return numbers(s, n / 128, [](std::size_t i) {
          unsigned at = as_number(i) % kTable, sum = 0;
          for (int k = 0; k < 24; ++k) {
            const unsigned w = word_of(at);
            sum += w;
            at = (w >> 7 ^ at) % kTable;
          }
          return sum;
        });
      });
}

}  // namespace held_out_3
