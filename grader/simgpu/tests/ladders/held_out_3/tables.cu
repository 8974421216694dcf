/// @file
/// Small tables: matrices of constants chosen by warps, remainders of polynomials from shared memory.
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

__constant__ float matrices[16][16];

__global__ void by_matrices(const unsigned* which, const float4* in, float4* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float* a = matrices[which[i / 32] & 15];
  const float4 v = in[i];
  out[i] = make_float4(a[0] * v.x + a[1] * v.y + a[2] * v.z + a[3] * v.w,
                       a[4] * v.x + a[5] * v.y + a[6] * v.z + a[7] * v.w,
                       a[8] * v.x + a[9] * v.y + a[10] * v.z + a[11] * v.w,
                       a[12] * v.x + a[13] * v.y + a[14] * v.z + a[15] * v.w);
}
__host__ __device__ __forceinline__ unsigned remainder_of(unsigned byte) {
  for (int k = 0; k < 8; ++k) byte = byte >> 1 ^ ((byte & 1) != 0 ? 0xedb88320u : 0);
  return byte;
}
/// Of 32 bytes a thread.
__global__ void __launch_bounds__(256) checks(const uint4* in, unsigned* out, std::size_t m) {
  __shared__ unsigned table[256];
  table[threadIdx.x] = remainder_of(threadIdx.x);
  __syncthreads();
  const std::size_t i = global_index();
  if (i >= m) return;
  const uint4 a = in[2 * i], b = in[2 * i + 1];
  const unsigned words[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
  unsigned sum = ~0u;
#pragma unroll
  for (const unsigned word : words) {
    sum ^= word;
#pragma unroll
    for (int k = 0; k < 4; ++k) sum = sum >> 8 ^ table[sum & 255];
  }
  out[i] = ~sum;
}

}  // namespace

void tables(Set& s) {
  const std::size_t n = s.n;
  std::vector<float> all(256);
  for (std::size_t k = 0; k < 256; ++k) all[k] = float_of(k);
  ladder::check(cudaMemcpyToSymbol(matrices, all.data(), 1024), "constants");
  s.run(
      "vectors by matrices of constants", 2.0 * real(n),
      [&] {
        by_matrices<<<Set::blocks(n / 16), 256>>>(s.words, reinterpret_cast<float4*>(s.in), s.vectors(),
                                                  n / 16);
      },
      [&] {
        return floats(s, n / 4, [&](std::size_t i) {
          const std::size_t matrix = word_of(i / 4 / 32) & 15;
          double sum = 0;
          for (std::size_t k = 0; k < 4; ++k)
            sum += double{all[matrix * 16 + i % 4 * 4 + k]} * float_of(i / 4 * 4 + k);
          return sum;
        });
      });
  s.run(
      "checks of 32 bytes by a table", 36.0 * real(n / 128),
      [&] { checks<<<Set::blocks(n / 128), 256>>>(reinterpret_cast<uint4*>(s.words), s.numbers(), n / 128); },
      [&] {
        return numbers(s, n / 128, [](std::size_t i) {
          unsigned sum = ~0u;
          for (std::size_t k = 0; k < 32; ++k)
            sum = sum >> 8 ^ remainder_of((sum ^ byte_of(32 * i + k)) & 255);
          return ~sum;
        });
      });
}

}  // namespace held_out_3
