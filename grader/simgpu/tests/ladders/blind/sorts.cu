/// @file
/// Steps of sorting: within warps, by counting, by digits within blocks and out to memory, two sorted runs merged.
#include "blind.hpp"

namespace blind {
namespace {

/// 32 keys, one a lane, by exchanges between lanes.
__global__ void sort_warps(const unsigned* in, unsigned* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const unsigned lane = threadIdx.x % 32;
  unsigned v = in[i];
#pragma unroll
  for (unsigned size = 2; size <= 32; size *= 2)
#pragma unroll
    for (unsigned d = size / 2; d > 0; d /= 2) {
      const unsigned other = __shfl_xor_sync(~0u, v, d);
      v = ((lane & size) == 0) == ((lane & d) == 0) ? min(v, other) : max(v, other);
    }
  out[i] = v;
}
/// Each thread counts the block's keys below its own, which all lanes read together, four at a time.
__global__ void __launch_bounds__(256) rank_by_counting(const unsigned* in, unsigned* out) {
  __shared__ alignas(16) unsigned keys[256];
  const std::size_t base = blockIdx.x * std::size_t{256};
  const unsigned mine = in[base + threadIdx.x] & ~255u | threadIdx.x;
  keys[threadIdx.x] = mine;
  __syncthreads();
  unsigned below = 0;
#pragma unroll 8
  for (int k = 0; k < 64; ++k) {
    const uint4 v = reinterpret_cast<const uint4*>(keys)[k];
    below += (v.x < mine) + (v.y < mine) + (v.z < mine) + (v.w < mine);
  }
  out[base + below] = mine;
}
/// Four bits, one after the other: zeros before ones, as they stood. 512 keys a block.
__global__ void __launch_bounds__(512) sort_four_bits(const unsigned* in, unsigned* out, int shift) {
  __shared__ unsigned keys[512], zeros[16];
  const std::size_t i = blockIdx.x * std::size_t{512} + threadIdx.x;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned v = in[i];
  for (int bit = shift; bit < shift + 4; ++bit) {
    const unsigned zero = __ballot_sync(~0u, (v >> bit & 1) == 0);
    if (lane == 0) zeros[warp] = static_cast<unsigned>(__popc(static_cast<int>(zero)));
    __syncthreads();
    unsigned before = 0, all = 0;
#pragma unroll
    for (unsigned w = 0; w < 16; ++w) {
      if (w < warp) before += zeros[w];
      all += zeros[w];
    }
    before += static_cast<unsigned>(__popc(static_cast<int>(zero & ((1u << lane) - 1))));
    keys[(v >> bit & 1) == 0 ? before : all + threadIdx.x - before] = v;
    __syncthreads();
    v = keys[threadIdx.x];
  }
  out[i] = v;
}
/// Every key goes to the region of its highest bits; a block reserves its places in each of 64 regions.
__global__ void __launch_bounds__(256)
    to_regions(const unsigned* in, unsigned* out, unsigned* used, std::size_t m, unsigned region) {
  __shared__ unsigned count[64], base[64];
  if (threadIdx.x < 64) count[threadIdx.x] = 0;
  __syncthreads();
  const std::size_t first = blockIdx.x * std::size_t{2048} + threadIdx.x;
  unsigned keys[8], place[8];
#pragma unroll
  for (int k = 0; k < 8; ++k)
    if (first + k * 256 < m) {
      keys[k] = in[first + k * 256];
      place[k] = atomicAdd(&count[keys[k] >> 26], 1u);
    }
  __syncthreads();
  if (threadIdx.x < 64) base[threadIdx.x] = atomicAdd(&used[threadIdx.x], count[threadIdx.x]);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; ++k)
    if (first + k * 256 < m) {
      const unsigned at = base[keys[k] >> 26] + place[k];
      if (at < region) out[std::size_t{keys[k] >> 26} * region + at] = keys[k];
    }
}
__host__ __device__ __forceinline__ unsigned rising(unsigned k, unsigned which) {
  return k * 16 + which * 7 + (scrambled(k * 2 + which) & 7);
}
/// Two runs of 1024 rising keys become one: each thread finds where its eight begin.
__global__ void __launch_bounds__(256) merge_runs(unsigned* out) {
  __shared__ unsigned runs[2][1024];
  for (unsigned k = threadIdx.x; k < 2048; k += 256)
    runs[k / 1024][k % 1024] = rising(k % 1024 + blockIdx.x, k / 1024);
  __syncthreads();
  const unsigned diagonal = threadIdx.x * 8;
  unsigned low = diagonal > 1024 ? diagonal - 1024 : 0, high = min(diagonal, 1024u);
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (runs[0][middle] <= runs[1][diagonal - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  unsigned a = low, b = diagonal - low;
#pragma unroll
  for (unsigned k = 0; k < 8; ++k) {
    const bool first = b >= 1024 || (a < 1024 && runs[0][a] <= runs[1][b]);
    out[blockIdx.x * std::size_t{2048} + diagonal + k] = first ? runs[0][a++] : runs[1][b++];
  }
}

}  // namespace

void sorts(Set& s) {
  const std::size_t n = s.n;
  // What a group of so many keys holds when it is sorted by some of their bits, as they stood where these are equal.
  const auto sorted = [](std::size_t i, std::size_t group, unsigned mask) {
    std::vector<unsigned> keys;
    for (std::size_t k = 0; k < group; ++k) keys.push_back(word_of(i / group * group + k));
    std::stable_sort(keys.begin(), keys.end(),
                     [mask](unsigned a, unsigned b) { return (a & mask) < (b & mask); });
    return keys[i % group];
  };
  s.run(
      "keys sorted by warps", 2 * s.one,
      [&] { sort_warps<<<Set::blocks(n, 256), 256>>>(s.words, s.numbers(), n); },
      [&] { return Set::each(n, [&](std::size_t i) { return s.number(i) == sorted(i, 32, ~0u); }); });
  s.run(
      "ranks by counting", s.one / 2,
      [&] { rank_by_counting<<<static_cast<unsigned>(n / 4 / 256), 256>>>(s.words, s.numbers()); },
      [&] {
        return Set::each(n / 4,
                         [&](std::size_t i) { return s.number(i) >> 8 == sorted(i, 256, ~255u) >> 8; });
      });
  s.run(
      "four bits sorted in blocks", 2 * s.one,
      [&] { sort_four_bits<<<static_cast<unsigned>(n / 512), 512>>>(s.words, s.numbers(), 8); },
      [&] { return Set::each(n, [&](std::size_t i) { return s.number(i) == sorted(i, 512, 0xf00); }); });
  const auto region = static_cast<unsigned>(n / 64);
  s.run(
      "keys to regions of memory", s.one,
      [&] {
        cudaMemsetAsync(s.out + n - 64, 0, 256);
        to_regions<<<Set::blocks(n / 2, 2048), 256>>>(s.words, s.numbers(), s.numbers() + n - 64, n / 2,
                                                      region);
      },
      [&] {
        unsigned long long all = 0;
        bool good = true;
        for (unsigned r = 0; r < 64; ++r) {
          const unsigned used = s.number(n - 64 + r);
          all += used;
          good = good && s.number(std::size_t{r} * region + used / 2) >> 26 == r;
        }
        return good && all == n / 2;
      });
  s.run(
      "runs of 1024 merged", s.one,
      [&] { merge_runs<<<static_cast<unsigned>(n / 2048), 256>>>(s.numbers()); },
      [&] {
        return Set::each(n / 2048, [&](std::size_t block) {
          std::vector<unsigned> keys;
          for (unsigned k = 0; k < 2048; ++k)
            keys.push_back(rising(k % 1024 + static_cast<unsigned>(block), k / 1024));
          std::sort(keys.begin(), keys.end());
          return s.number(block * 2048 + 777) == keys[777] && s.number(block * 2048 + 2047) == keys[2047];
        });
      });
}

}  // namespace blind
