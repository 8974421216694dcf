/// @file
/// Counts: bytes by a table a warp, pairs of coordinates by a block, votes in global memory of which half go to four.
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

__global__ void __launch_bounds__(256) bytes_by_warps(const unsigned* in, unsigned* counts, std::size_t m) {
  __shared__ unsigned table[8][256];
  for (unsigned w = 0; w < 8; ++w) table[w][threadIdx.x] = 0;
  __syncthreads();
  unsigned* mine = table[threadIdx.x / 32];
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const unsigned v = in[i];
    atomicAdd(&mine[v & 255], 1u);
    atomicAdd(&mine[v >> 8 & 255], 1u);
    atomicAdd(&mine[v >> 16 & 255], 1u);
    atomicAdd(&mine[v >> 24], 1u);
  }
  __syncthreads();
  unsigned sum = 0;
  for (unsigned w = 0; w < 8; ++w) sum += table[w][threadIdx.x];
  atomicAdd(&counts[threadIdx.x], sum);
}
__host__ __device__ __forceinline__ unsigned cell_of(unsigned w) {
  return (w >> 26) * 64 + (w >> 10 & 63);
}
__global__ void __launch_bounds__(512) cells_by_blocks(const unsigned* in, unsigned* counts, std::size_t m) {
  __shared__ unsigned table[4096];
  for (unsigned k = threadIdx.x; k < 4096; k += 512) table[k] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < m; i += stride()) atomicAdd(&table[cell_of(in[i])], 1u);
  __syncthreads();
  for (unsigned k = threadIdx.x; k < 4096; k += 512)
    if (table[k] != 0) atomicAdd(&counts[k], table[k]);
}
__host__ __device__ __forceinline__ unsigned vote_of(unsigned w) {
  return (w & 1) != 0 ? w >> 8 & 3 : w >> 20;
}
__global__ void votes(const unsigned* in, unsigned* counts, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) atomicAdd(&counts[vote_of(in[i])], 1u);
}

}  // namespace

void histograms(Set& s) {
  const std::size_t n = s.n;
  const auto counted = [&](std::size_t classes, const std::vector<unsigned>& counts) {
    return numbers(s, classes, [&](std::size_t c) { return counts[c]; });
  };
  s.run(
      "256 classes of bytes, a table a warp", 0.25 * real(n),
      [&] { bytes_by_warps<<<s.sms * 8, 256>>>(s.words, s.numbers(), n / 16); },
      [&] {
        std::vector<unsigned> counts(256);
        for (std::size_t i = 0; i < n / 4; ++i) ++counts[byte_of(i)];
        return counted(256, counts);
      });
  s.run(
      "cells of 64 x 64 counted", 0.5 * real(n),
      [&] { cells_by_blocks<<<s.sms * 4, 512>>>(s.words, s.numbers(), n / 8); },
      [&] {
        std::vector<unsigned> counts(4096);
        for (std::size_t i = 0; i < n / 8; ++i) ++counts[cell_of(word_of(i))];
        return counted(4096, counts);
      });
  s.run(
      "votes, half of them for four", real(n) / 16,
      [&] { votes<<<Set::blocks(n / 64), 256>>>(s.words, s.numbers(), n / 64); },
      [&] {
        std::vector<unsigned> counts(4096);
        for (std::size_t i = 0; i < n / 64; ++i) ++counts[vote_of(word_of(i))];
        return counted(4096, counts);
      });
}

}  // namespace held_out_3
