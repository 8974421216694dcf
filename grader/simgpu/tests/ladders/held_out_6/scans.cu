/// @file
/// Running values: sums that begin anew at marks, the recurrence y = a y + b by pairs, sums left and above
/// in tiles.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

/// A marked word begins a new sum: a warp goes along a row of 1024.
constexpr unsigned kScansRow = 1024;
__global__ void sums_between_marks(const unsigned* in, unsigned* out, unsigned rows) {
  const unsigned r = static_cast<unsigned>(global_index() / 32), lane = threadIdx.x % 32;
  if (r >= rows) return;
  unsigned carried = 0;
  for (unsigned k = lane; k < kScansRow; k += 32) {
    const unsigned w = in[r * std::size_t{kScansRow} + k];
    unsigned sum = w & 1023, mark = (w >> 20) % 11 == 0;
#pragma unroll
    for (unsigned d = 1; d < 32; d *= 2) {
      const unsigned left = __shfl_up_sync(~0u, sum, d), left_mark = __shfl_up_sync(~0u, mark, d);
      if (lane >= d) {
        if (mark == 0) sum += left;
        mark |= left_mark;
      }
    }
    if (mark == 0) sum += carried;
    out[r * std::size_t{kScansRow} + k] = sum;
    carried = __shfl_sync(~0u, sum, 31);
  }
}
/// y[k] = a[k] y[k - 1] + b[k] in tiles of 256: pairs (a, b) put one after the other.
__global__ void __launch_bounds__(256) recurrence(const float* a, const float* b, float* out) {
  __shared__ float2 pairs[2][256];
  const std::size_t i = global_index();
  const unsigned t = threadIdx.x;
  pairs[0][t] = make_float2(0.125f * a[i], b[i]);
  unsigned now = 0;
  for (unsigned d = 1; d < 256; d *= 2, now ^= 1) {
    __syncthreads();
    float2 mine = pairs[now][t];
    if (t >= d) {
      const float2 left = pairs[now][t - d];
      mine = make_float2(mine.x * left.x, mine.x * left.y + mine.y);
    }
    pairs[now ^ 1][t] = mine;
  }
  out[i] = pairs[now][t].y;
}
constexpr unsigned kHigh = 64, kScansWide = 64;
/// Tiles of 64 x 64: a thread goes down a column, kept in shared memory, then another along its row.
__global__ void __launch_bounds__(kScansWide) integral_of_tiles(const float* in, float* out) {
  __shared__ float tile[kHigh][kScansWide + 1];
  const std::size_t first = blockIdx.x * std::size_t{kHigh * kScansWide};
  const unsigned t = threadIdx.x;
  float sum = 0;
  for (unsigned y = 0; y < kHigh; ++y) {
    sum += in[first + y * kScansWide + t];
    tile[y][t] = sum;
  }
  __syncthreads();
  sum = 0;
  for (unsigned x = 0; x < kScansWide; ++x) {
    sum += tile[t][x];
    tile[t][x] = sum;
  }
  __syncthreads();
  for (unsigned y = 0; y < kHigh; ++y) out[first + y * kScansWide + t] = tile[y][t];
}

}  // namespace

void scans(Set& s) {
  const std::size_t n = s.n, m = n / 8;
  const unsigned rows = as_number(n / 16 / kScansRow);
  s.run(
      "sums that begin anew at marks", 8.0 * kScansRow * rows,
      [&] {
        sums_between_marks<<<Set::blocks(rows * std::size_t{32}, 128), 128>>>(s.words, s.numbers(), rows);
      },
      [&] {
        return numbers(s, rows * std::size_t{kScansRow}, [](std::size_t i) {
          unsigned sum = 0;
          for (std::size_t k = i / kScansRow * kScansRow; k <= i; ++k)
            sum = ((word_of(k) >> 20) % 11 == 0 ? 0 : sum) + (word_of(k) & 1023);
          return sum;
        });
      });
  s.run(
      "recurrences of 256 by pairs", 12.0 * real(m),
      [&] { recurrence<<<as_number(m / 256), 256>>>(s.in, s.other, s.out); },
      [&] {
        return floats(s, m / 256 * 256, [](std::size_t i) {
          double y = 0;
          for (std::size_t k = i / 256 * 256; k <= i; ++k) y = 0.125 * float_of(k) * y + other_of(k);
          return y;
        });
      });
  const unsigned tiles = as_number(m / (kHigh * kScansWide));
  s.run(
      "sums left and above in tiles of 64", 8.0 * kHigh * kScansWide * tiles,
      [&] { integral_of_tiles<<<tiles, kScansWide>>>(s.in, s.out); },
      [&] {
        return floats(s, tiles * std::size_t{kHigh * kScansWide}, [](std::size_t i) {
          const std::size_t at = i % (kHigh * kScansWide);
          double sum = 0;
          for (std::size_t y = 0; y <= at / kScansWide; ++y)
            for (std::size_t x = 0; x <= at % kScansWide; ++x) sum += float_of(i - at + y * kScansWide + x);
          return sum;
        });
      });
}

}  // namespace held_out_6
