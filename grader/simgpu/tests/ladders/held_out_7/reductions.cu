/// @file
/// Reductions: the greatest of 2048 by what warps join of whole numbers, sums of 64 that keep what is lost.
#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

__global__ void __launch_bounds__(256) joined_by_warps(const unsigned* in, uint2* out) {
  __shared__ unsigned greatest[8], any[8];
  const std::size_t base = blockIdx.x * std::size_t{2048};
  unsigned top = 0, bits = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const unsigned v = in[base + k * 256 + threadIdx.x];
    top = max(top, v);
    bits ^= v;
  }
  top = __reduce_max_sync(~0u, top);
  bits = __reduce_xor_sync(~0u, bits);
  if (threadIdx.x % 32 == 0) greatest[threadIdx.x / 32] = top, any[threadIdx.x / 32] = bits;
  __syncthreads();
  if (threadIdx.x >= 8) return;
  top = __reduce_max_sync(0xff, greatest[threadIdx.x]);
  bits = __reduce_xor_sync(0xff, any[threadIdx.x]);
  if (threadIdx.x == 0) out[blockIdx.x] = make_uint2(top, bits);
}
/// Kahan's way down columns.
__global__ void sums_that_lose_nothing(const float* in, float* out, int m, int rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  float sum = 0.0f, lost = 0.0f;
  for (int r = 0; r < rows; r++) {
    const float v = in[r * m + i] * 1000.0f - lost;
    const float next = sum + v;
    lost = (next - sum) - v;
    sum = next;
  }
  out[i] = sum;
}

}  // namespace

void reductions(Set& s) {
  const unsigned blocks = as_number(s.n / 2 / 2048);
  s.run(
      "greatest and parities of 2048 by joins of warps", 4.0 * 2048 * blocks,
      [&] { joined_by_warps<<<blocks, 256>>>(s.words, reinterpret_cast<uint2*>(s.out)); },
      [&] {
        return numbers(s, 2 * std::size_t{blocks}, [](std::size_t i) {
          unsigned top = 0, bits = 0;
          for (std::size_t k = i / 2 * 2048; k < (i / 2 + 1) * 2048; ++k)
            top = std::max(top, word_of(k)), bits ^= word_of(k);
          return i % 2 == 0 ? top : bits;
        });
      });
  const int m = static_cast<int>(s.n / 256), rows = 64;
  s.run(
      "sums of 64 that keep what is lost", 4.0 * (rows + 1) * m,
      [&] { sums_that_lose_nothing<<<(m + 127) / 128, 128>>>(s.in, s.out, m, rows); },
      [&] {
        return floats(
            s, s.n / 256,
            [&](std::size_t i) {
              double sum = 0;
              for (std::size_t r = 0; r < 64; ++r) sum += float_of(r * (s.n / 256) + i) * 1000.0f;
              return sum;
            },
            3e-7);
      });
}

}  // namespace held_out_7
