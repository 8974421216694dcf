/// @file
/// Values so far: down columns, along series of a thread's own.
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

constexpr unsigned kDepth = 64;
__global__ void greatest_so_far(const float* in, float* out, std::size_t columns) {
  const std::size_t x = global_index();
  if (x >= columns) return;
  float most = 0;
  for (unsigned y = 0; y < kDepth; ++y) {
    most = fmaxf(most, in[y * columns + x]);
    out[y * columns + x] = most;
  }
}
/// A thread has 64 words in a row.
__global__ void decaying(const float* in, float* out, std::size_t series) {
  const std::size_t k = global_index();
  if (k >= series) return;
  float v = 0;
#pragma unroll 4
  for (unsigned t = 0; t < kDepth; ++t) {
    v = 0.9f * v + 0.1f * in[k * kDepth + t];
    out[k * kDepth + t] = v;
  }
}

}  // namespace

void scans(Set& s) {
  const std::size_t n = s.n;
  const std::size_t columns = n / 256;
  s.run(
      "greatest so far down columns", 2.0 * real(n),
      [&] { greatest_so_far<<<Set::blocks(columns, 128), 128>>>(s.in, s.out, columns); },
      [&] {
        return floats(s, columns * kDepth, [&](std::size_t i) {
          float most = 0;
          for (std::size_t k = i % columns; k <= i; k += columns) most = std::max(most, float_of(k));
          return double{most};
        });
      });
  const std::size_t series = n / 1024;
  s.run(
      "decaying sums of 64, a thread each", 0.5 * real(n),
      [&] { decaying<<<Set::blocks(series), 256>>>(s.in, s.out, series); },
      [&] {
        return floats(s, series * kDepth, [](std::size_t i) {
          double v = 0;
          for (std::size_t k = i / kDepth * kDepth; k <= i; ++k) v = 0.9 * v + 0.1 * float_of(k);
          return v;
        });
      });
}

}  // namespace held_out_3
