/// @file
/// Grids of other sizes: ranks by one block, sums by one warp, rows of unequal length.
#include "held_out_4.hpp"

namespace held_out_4 {
namespace {

__global__ void __launch_bounds__(1024) ranks(const unsigned* in, unsigned* out) {
  __shared__ unsigned all[1024];
  const unsigned v = all[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  unsigned rank = 1;
#pragma unroll 8
  for (unsigned k = 0; k < 1024; ++k) rank += all[k] < v;
  out[threadIdx.x] = rank;
}
__global__ void __launch_bounds__(32) by_one_warp(const unsigned* in, unsigned* out) {
  unsigned sum = 0;
#pragma unroll 4
  for (unsigned k = threadIdx.x; k < 8192; k += 32) sum += in[k];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  out[threadIdx.x] = sum;
}
constexpr unsigned kMost = 512;
/// Row r has r % 512 + 1 elements; a warp each.
__global__ void lower_triangles(const float* in, const float* x, float* out, std::size_t rows) {
  const std::size_t row = global_index() / 32;
  if (row >= rows) return;
  const unsigned length = static_cast<unsigned>(row % kMost) + 1;
  float sum = 0;
  for (unsigned k = threadIdx.x % 32; k < length; k += 32) sum += in[row * kMost + k] * x[k];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) out[row] = sum;
}

}  // namespace

void grids(Set& s) {
  const std::size_t n = s.n;
  s.run_whole(
      "ranks of 1024 words by one block", 8 * 1024, [&] { ranks<<<1, 1024>>>(s.words + 5, s.numbers()); },
      [&] {
        std::vector<unsigned> all(1024);
        for (std::size_t k = 0; k < 1024; ++k) all[k] = word_of(k + 5);
        return numbers(s, 1024, [&](std::size_t i) {
          return as_number(std::count_if(all.begin(), all.end(), [&](unsigned v) { return v < all[i]; })) + 1;
        });
      });
  s.run_whole(
      "sum of 8192 words by one warp", 4 * 8192, [&] { by_one_warp<<<1, 32>>>(s.words, s.numbers()); },
      [&] {
        unsigned sum = 0;
        for (std::size_t k = 0; k < 8192; ++k) sum += word_of(k);
        return numbers(s, 32, [&](std::size_t) { return sum; });
      });
  const std::size_t rows = n / 4 / kMost;
  s.run(
      "lower triangles by a vector, a warp a row", 2.0 * (kMost + 1) * real(rows),
      [&] { lower_triangles<<<Set::blocks(rows, 4), 128>>>(s.in, s.other, s.out, rows); },
      [&] {
        return floats(s, rows, [](std::size_t r) {
          double sum = 0;
          for (std::size_t k = 0; k <= r % kMost; ++k) sum += double{float_of(r * kMost + k)} * other_of(k);
          return sum;
        });
      });
}

}  // namespace held_out_4
