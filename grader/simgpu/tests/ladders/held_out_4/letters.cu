/// @file
/// Text: how deep brackets are nested.
#include "held_out_4.hpp"

namespace held_out_4 {
namespace {

/// A quarter of the bytes open a bracket, a quarter close one.
__host__ __device__ __forceinline__ int turn_of(unsigned byte) {
  return (byte & 3) == 1 ? 1 : (byte & 3) == 2 ? -1 : 0;
}
/// Texts of 1024 bytes, four a thread; depths are kept as bytes.
__global__ void __launch_bounds__(256) depths(const unsigned* in, unsigned* out) {
  __shared__ int of_warp[8];
  const std::size_t i = global_index();
  const unsigned w = in[i], lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int turn[4], upto = 0;
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) turn[k] = upto += turn_of(w >> 8 * k & 255);
  const int mine = upto;
  for (unsigned d = 1; d < 32; d *= 2) {
    const int other = __shfl_up_sync(~0u, upto, d);
    if (lane >= d) upto += other;
  }
  if (lane == 31) of_warp[warp] = upto;
  __syncthreads();
  int before = upto - mine;
  for (unsigned k = 0; k < warp; ++k) before += of_warp[k];
  unsigned word = 0;
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) word |= (static_cast<unsigned>(before + turn[k] + 128) & 255) << 8 * k;
  out[i] = word;
}

}  // namespace

void letters(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "depth of brackets in texts of 1024", 0.5 * real(n),
      [&] { depths<<<as_number(n / 16 / 256), 256>>>(s.words, s.numbers()); },
      [&] {
        return Set::each(n / 4, [&](std::size_t i) {
          int depth = 128;
          for (std::size_t k = i / 1024 * 1024; k <= i; ++k) depth += turn_of(byte_of(k));
          return s.byte(i) == static_cast<unsigned>(depth);
        });
      });
}

}  // namespace held_out_4
