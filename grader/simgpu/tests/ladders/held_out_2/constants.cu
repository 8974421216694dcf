/// @file
/// A table of 256 in constant memory: all lanes at one place, each at its own, and the same look-ups in shared and in global memory.
#include "held_out_2.hpp"

namespace held_out_2 {
namespace {

__constant__ float table[256];

__global__ void by_constants_together(const unsigned* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned first = blockIdx.x & 127;
  float v = static_cast<float>(in[i] & 0xff);
#pragma unroll 1
  for (unsigned k = 0; k < 16; ++k) v = v * 0.5f + table[first + k];
  out[i] = v;
}
__global__ void by_constants_apart(const unsigned* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = table[in[i] & 255] + table[in[i] >> 24];
}
__global__ void by_shared(const unsigned* in, const float* from, float* out, std::size_t m) {
  __shared__ float mine[256];
  mine[threadIdx.x] = from[threadIdx.x];
  __syncthreads();
  const std::size_t i = global_index();
  if (i < m) out[i] = mine[in[i] & 255] + mine[in[i] >> 24];
}
__global__ void by_global(const unsigned* in, const float* __restrict__ from, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = __ldg(&from[in[i] & 255]) + __ldg(&from[in[i] >> 24]);
}

}  // namespace

void constants(Set& s) {
  const std::size_t n = s.n;
  ladder::check(cudaMemcpyToSymbol(table, s.in, sizeof table, 0, cudaMemcpyDeviceToDevice), "table");
  s.run(
      "constants of a block in a loop", s.one / 2,
      [&] { by_constants_together<<<Set::blocks(n / 4), 256>>>(s.words, s.out, n / 4); },
      [&] {
        return floats(s, n / 4, [](std::size_t i) {
          double v = word_of(i) & 0xff;
          for (std::size_t k = 0; k < 16; ++k) v = v * 0.5 + float_of((i / 256 & 127) + k);
          return v;
        });
      });
  const auto two = [](std::size_t i) {
    return double{float_of(word_of(i) & 255)} + float_of(word_of(i) >> 24);
  };
  s.run(
      "table of constants, each its own", s.one / 4,
      [&] { by_constants_apart<<<Set::blocks(n / 8), 256>>>(s.words, s.out, n / 8); },
      [&] { return floats(s, n / 8, two); });
  s.run(
      "table in shared memory", s.one / 4,
      [&] { by_shared<<<Set::blocks(n / 8), 256>>>(s.words, s.in, s.out, n / 8); },
      [&] { return floats(s, n / 8, two); });
  s.run(
      "table in global memory", s.one / 4,
      [&] { by_global<<<Set::blocks(n / 8), 256>>>(s.words, s.in, s.out, n / 8); },
      [&] { return floats(s, n / 8, two); });
}

}  // namespace held_out_2
