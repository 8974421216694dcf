/// @file
/// Sums, counts and orders: running products of matrices, counters of sixteen bits, regions of tiles, a network
/// that sorts pairs, sums of lanes alike.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <algorithm>

#include "held_out_16.hpp"

namespace held_out_16 {
namespace {

constexpr unsigned kMatrixModulus = 65521, kMatrixThreads = 256, kMatrixWarps = kMatrixThreads / 32;
/// Two rows of two, below the modulus.
struct Matrix {
  unsigned a, b, c, d;
};
__host__ __device__ __forceinline__ Matrix matrix_of(unsigned word) {
  return {word & 255, word >> 8 & 255, word >> 16 & 255, word >> 24};
}
/// What is below 65536 has a product below 2^32; two of them are reduced before they are added.
__host__ __device__ __forceinline__ unsigned sum_of_products(unsigned a, unsigned b, unsigned c, unsigned d) {
  return (a * b % kMatrixModulus + c * d % kMatrixModulus) % kMatrixModulus;
}
__host__ __device__ __forceinline__ Matrix operator*(const Matrix& l, const Matrix& r) {
  return {sum_of_products(l.a, r.a, l.b, r.c), sum_of_products(l.a, r.b, l.b, r.d),
          sum_of_products(l.c, r.a, l.d, r.c), sum_of_products(l.c, r.b, l.d, r.d)};
}
__device__ __forceinline__ Matrix of_lane_before(const Matrix& m, unsigned d) {
  return {__shfl_up_sync(~0u, m.a, d), __shfl_up_sync(~0u, m.b, d), __shfl_up_sync(~0u, m.c, d),
          __shfl_up_sync(~0u, m.d, d)};
}
__device__ __forceinline__ Matrix products_of_lanes(Matrix m, unsigned lane) {
#pragma unroll
  for (unsigned d = 1; d < 32; d *= 2) {
    const Matrix before = of_lane_before(m, d);
    if (lane >= d) m = before * m;
  }
  return m;
}
__global__ void __launch_bounds__(kMatrixThreads) run_matrices(const unsigned* words, uint2* out) {
  __shared__ Matrix of_warps[kMatrixWarps];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Matrix m = products_of_lanes(matrix_of(words[global_index()]), lane);
  if (lane == 31) of_warps[warp] = m;
  __syncthreads();
  if (warp == 0) {
    const Matrix one{1, 0, 0, 1};
    const Matrix all = products_of_lanes(lane < kMatrixWarps ? of_warps[lane] : one, lane);
    if (lane < kMatrixWarps) of_warps[lane] = all;
  }
  __syncthreads();
  if (warp > 0) m = of_warps[warp - 1] * m;
  out[global_index()] = make_uint2(m.a | m.b << 16, m.c | m.d << 16);
}

constexpr unsigned kShortCounters = 4096;
/// No block has so many words that a counter could overflow.
__global__ void __launch_bounds__(256) count_by_shorts(const uint4* in, unsigned* out, std::size_t m) {
  __shared__ unsigned counts[kShortCounters / 2];
  for (unsigned k = threadIdx.x; k < kShortCounters / 2; k += 256) counts[k] = 0;
  __syncthreads();
  const auto count = [&](unsigned word) {
    const unsigned bin = word >> 20;
    atomicAdd(counts + bin / 2, 1u << (16 * (bin % 2)));
  };
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const uint4 v = in[i];
    count(v.x), count(v.y), count(v.z), count(v.w);
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kShortCounters / 2; k += 256) {
    const unsigned two = counts[k];
    atomicAdd(out + 2 * k, two & 0xffff);
    atomicAdd(out + 2 * k + 1, two >> 16);
  }
}

constexpr unsigned kRegionSide = 32, kRegionTile = kRegionSide * kRegionSide, kRegionThreads = 256;
__host__ __device__ __forceinline__ bool of_a_region(unsigned word) {
  return word % 16 < 9;
}
__device__ __forceinline__ unsigned root_of(const volatile unsigned* parent, unsigned k) {
  while (parent[k] != k) k = parent[k];
  return k;
}
/// The greater root comes under the lesser one, whoever else joins meanwhile.
__device__ __forceinline__ void join_regions(unsigned* parent, unsigned a, unsigned b) {
  for (;;) {
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a == b) return;
    const unsigned greater = max(a, b), lesser = min(a, b);
    const unsigned was = atomicMin(parent + greater, lesser);
    if (was == greater) return;
    a = was;
    b = lesser;
  }
}
/// Every pixel gets the first pixel of its region, nought if it is of none.
__global__ void __launch_bounds__(kRegionThreads) regions_of_tiles(const unsigned* words, unsigned* out) {
  __shared__ unsigned parent[kRegionTile];
  const std::size_t first = std::size_t{blockIdx.x} * kRegionTile;
  for (unsigned k = threadIdx.x; k < kRegionTile; k += kRegionThreads)
    parent[k] = of_a_region(words[first + k]) ? k : kRegionTile;
  __syncthreads();
  bool left[kRegionTile / kRegionThreads], above[kRegionTile / kRegionThreads];
  const auto each = [](auto body) {
#pragma unroll
    for (unsigned k = 0; k < kRegionTile / kRegionThreads; ++k) body(k, k * kRegionThreads + threadIdx.x);
  };
  each([&](unsigned k, unsigned at) {
    const bool here = parent[at] != kRegionTile;
    left[k] = here && at % kRegionSide > 0 && parent[at - 1] != kRegionTile;
    above[k] = here && at >= kRegionSide && parent[at - kRegionSide] != kRegionTile;
  });
  __syncthreads();
  each([&](unsigned k, unsigned at) {
    if (left[k]) join_regions(parent, at, at - 1);
    if (above[k]) join_regions(parent, at, at - kRegionSide);
  });
  __syncthreads();
  each([&](unsigned, unsigned at) {
    out[first + at] = parent[at] == kRegionTile ? 0 : 1 + root_of(parent, at);
  });
}
/// Regions of a tile, filled one after another from their first pixels.
std::vector<unsigned> regions_of(std::size_t tile) {
  std::vector<unsigned> region(kRegionTile), todo;
  for (unsigned from = 0; from < kRegionTile; ++from) {
    todo.push_back(from);
    while (!todo.empty()) {
      const unsigned at = todo.back(), x = at % kRegionSide;
      todo.pop_back();
      if (region[at] != 0 || !of_a_region(word_of(tile * kRegionTile + at))) continue;
      region[at] = from + 1;
      if (x > 0) todo.push_back(at - 1);
      if (x + 1 < kRegionSide) todo.push_back(at + 1);
      if (at >= kRegionSide) todo.push_back(at - kRegionSide);
      if (at + kRegionSide < kRegionTile) todo.push_back(at + kRegionSide);
    }
  }
  return region;
}

constexpr unsigned kNetworkPairs = 512, kNetworkThreads = 128;
/// Batcher's network: sorted runs are merged, odd and even places apart. Keys are x, all different.
__global__ void __launch_bounds__(kNetworkThreads) sort_pairs_by_network(const uint2* in, uint2* out) {
  __shared__ uint2 pairs[kNetworkPairs];
  const std::size_t first = std::size_t{blockIdx.x} * kNetworkPairs;
  for (unsigned k = threadIdx.x; k < kNetworkPairs; k += kNetworkThreads) pairs[k] = in[first + k];
#pragma unroll 1
  for (unsigned run = 1; run < kNetworkPairs; run *= 2)
#pragma unroll 1
    for (unsigned away = run; away > 0; away /= 2) {
      __syncthreads();
#pragma unroll
      for (unsigned k = threadIdx.x; k < kNetworkPairs / 2; k += kNetworkThreads) {
        const unsigned low = away % run + k / away * (2 * away) + k % away, high = low + away;
        if (high >= kNetworkPairs || low / (2 * run) != high / (2 * run)) continue;
        const uint2 u = pairs[low], v = pairs[high];
        if (u.x > v.x) {
          pairs[low] = v;
          pairs[high] = u;
        }
      }
    }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kNetworkPairs; k += kNetworkThreads) out[first + k] = pairs[k];
}

constexpr unsigned kSuits = 4;
__host__ __device__ __forceinline__ unsigned points_of(unsigned word) {
  return 1 + (word >> 2 & 1023);
}
__global__ void __launch_bounds__(256) sum_suits_of_warps(const unsigned* words, unsigned* out) {
  namespace groups = cooperative_groups;
  const auto warp = groups::tiled_partition<32>(groups::this_thread_block());
  const unsigned w = words[global_index()];
  const auto alike = groups::labeled_partition(warp, w % kSuits);
  out[global_index()] = groups::reduce(alike, points_of(w), groups::plus<unsigned>());
}

}  // namespace

void sums(Set& s) {
  const std::size_t n = s.n;
  const unsigned matrices = as_number(n / 16 / kMatrixThreads * kMatrixThreads);
  s.run(
      "running products of 256 matrices of 2 x 2 modulo a prime", 12.0 * matrices,
      [&] {
        run_matrices<<<matrices / kMatrixThreads, kMatrixThreads>>>(s.words, reinterpret_cast<uint2*>(s.out));
      },
      [&] {
        return Set::each(matrices, [&](std::size_t i) {
          const std::size_t first = i / kMatrixThreads * kMatrixThreads;
          Matrix m = matrix_of(word_of(first));
          for (std::size_t k = first + 1; k <= i; ++k) m = m * matrix_of(word_of(k));
          const uint2 got = Checked::at(reinterpret_cast<const uint2*>(s.out), i);
          return got.x == (m.a | m.b << 16) && got.y == (m.c | m.d << 16);
        });
      });

  const std::size_t counted = n / 4;
  s.run(
      "twelve bits of words counted, counters of 16 bits by twos in shared memory", 4.0 * real(counted),
      [&] {
        // The launches add to one another.
        cudaMemsetAsync(s.out, 0, kShortCounters * sizeof(unsigned));
        count_by_shorts<<<s.sms * 4, 256>>>(reinterpret_cast<const uint4*>(s.words), s.numbers(),
                                            counted / 4);
      },
      [&] {
        std::vector<unsigned> want(kShortCounters);
        for (std::size_t i = 0; i < counted / 4 * 4; ++i) ++want[word_of(i) >> 20];
        return taken(s.numbers(), kShortCounters) == want;
      });

  const unsigned tiles = as_number(n / 32 / kRegionTile);
  s.run(
      "regions of tiles of 32 x 32 found by joining pixels in shared memory", 8.0 * kRegionTile * tiles,
      [&] { regions_of_tiles<<<tiles, kRegionThreads>>>(s.words, s.numbers()); },
      [&] {
        return Set::each(tiles, [&](std::size_t tile) {
          return taken(s.numbers() + tile * kRegionTile, kRegionTile) == regions_of(tile);
        });
      });

  const unsigned sorted = as_number(n / 64 / kNetworkPairs);
  s.run(
      "pairs sorted by Batcher's network, 512 a block of 128", 16.0 * kNetworkPairs * sorted,
      [&] {
        sort_pairs_by_network<<<sorted, kNetworkThreads>>>(reinterpret_cast<const uint2*>(s.words),
                                                           reinterpret_cast<uint2*>(s.out));
      },
      [&] {
        return Set::each(sorted, [&](std::size_t block) {
          std::vector<std::pair<unsigned, unsigned>> want(kNetworkPairs);
          for (std::size_t k = 0; k < kNetworkPairs; ++k) {
            const std::size_t at = 2 * (block * kNetworkPairs + k);
            want[k] = {word_of(at), word_of(at + 1)};
          }
          std::sort(want.begin(), want.end());
          const auto got =
              taken(reinterpret_cast<const uint2*>(s.out) + block * kNetworkPairs, kNetworkPairs);
          for (std::size_t k = 0; k < kNetworkPairs; ++k)
            if (got[k].x != want[k].first || got[k].y != want[k].second) return false;
          return true;
        });
      });

  const unsigned dealt = as_number(n / 16 / 256 * 256);
  s.run(
      "sums of a warp's lanes of the same suit by labelled partitions", 8.0 * dealt,
      [&] { sum_suits_of_warps<<<dealt / 256, 256>>>(s.words, s.numbers()); },
      [&] {
        return numbers(s, dealt, [](std::size_t i) {
          unsigned sum = 0;
          for (std::size_t k = i / 32 * 32; k < i / 32 * 32 + 32; ++k)
            if (word_of(k) % kSuits == word_of(i) % kSuits) sum += points_of(word_of(k));
          return sum;
        });
      });
}

}  // namespace held_out_16
