/// @file
/// Steps of sorting: pairs by a network of odd and even, sixteen bits in four passes, the greatest so far in
/// two launches.
#include "held_out_4.hpp"

namespace held_out_4 {
namespace {

constexpr unsigned kPairs = 512;
/// A block sorts 512 pairs by their keys.
__global__ void __launch_bounds__(kPairs / 2) pairs_by_network(const unsigned* in, uint2* out) {
  __shared__ unsigned key[kPairs], value[kPairs];
  const std::size_t base = blockIdx.x * std::size_t{kPairs};
  for (unsigned k = threadIdx.x; k < kPairs; k += kPairs / 2) key[k] = in[base + k], value[k] = k;
  for (unsigned p = 1; p < kPairs; p *= 2)
    for (unsigned d = p; d > 0; d /= 2) {
      __syncthreads();
      // The t-th place that has a partner d further on, within 2 p.
      const unsigned low = d % p + threadIdx.x / d * 2 * d + threadIdx.x % d;
      if (low + d < kPairs && low / (2 * p) == (low + d) / (2 * p) && key[low] > key[low + d]) {
        const unsigned k = key[low], v = value[low];
        key[low] = key[low + d], value[low] = value[low + d];
        key[low + d] = k, value[low + d] = v;
      }
    }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kPairs; k += kPairs / 2) out[base + k] = make_uint2(key[k], value[k]);
}
constexpr unsigned kSortsTile = 1024;

/// counts[digit][tile]
__global__ void __launch_bounds__(256) count_tile(const uint4* in, unsigned* counts, unsigned shift) {
  __shared__ unsigned table[8][16];
  if (threadIdx.x < 128) table[threadIdx.x / 16][threadIdx.x % 16] = 0;
  __syncthreads();
  const uint4 v = in[blockIdx.x * std::size_t{256} + threadIdx.x];
  unsigned* mine = table[threadIdx.x / 32];
  atomicAdd(&mine[v.x >> shift & 15], 1u), atomicAdd(&mine[v.y >> shift & 15], 1u);
  atomicAdd(&mine[v.z >> shift & 15], 1u), atomicAdd(&mine[v.w >> shift & 15], 1u);
  __syncthreads();
  if (threadIdx.x >= 16) return;
  unsigned sum = 0;
  for (unsigned w = 0; w < 8; ++w) sum += table[w][threadIdx.x];
  counts[threadIdx.x * gridDim.x + blockIdx.x] = sum;
}
/// Of the block's threads, the sum of those before.
template <unsigned kWarps>
__device__ unsigned before_in_block(unsigned v, unsigned* of_warp, unsigned* all) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned upto = v;
  for (unsigned d = 1; d < 32; d *= 2) {
    const unsigned other = __shfl_up_sync(~0u, upto, d);
    if (lane >= d) upto += other;
  }
  if (lane == 31) of_warp[warp] = upto;
  __syncthreads();
  unsigned base = 0, total = 0;
  for (unsigned w = 0; w < kWarps; ++w) {
    if (w == warp) base = total;
    total += of_warp[w];
  }
  __syncthreads();
  *all = total;
  return base + upto - v;
}
/// A block a digit: a whole card has 1008 tiles.
__global__ void __launch_bounds__(1024) scan_tiles(unsigned* counts, unsigned* totals, unsigned tiles) {
  __shared__ unsigned of_warp[32];
  unsigned* mine = counts + blockIdx.x * tiles;
  const unsigned v = threadIdx.x < tiles ? mine[threadIdx.x] : 0;
  unsigned all;
  const unsigned before = before_in_block<32>(v, of_warp, &all);
  if (threadIdx.x < tiles) mine[threadIdx.x] = before;
  if (threadIdx.x == 0) totals[blockIdx.x] = all;
}
/// A tile is put in order by four splits in shared memory and leaves in runs.
__global__ void __launch_bounds__(256) place_tile(const uint4* in, const unsigned* counts,
                                                  const unsigned* totals, unsigned* out, unsigned shift) {
  __shared__ alignas(16) unsigned tile[kSortsTile];
  __shared__ unsigned of_warp[8], first[16], begin[16];
  const uint4 v = in[blockIdx.x * std::size_t{256} + threadIdx.x];
  unsigned key[4] = {v.x, v.y, v.z, v.w};
#pragma unroll 1
  for (unsigned bit = shift; bit < shift + 4; ++bit) {
    unsigned zeros = 0, all;
#pragma unroll
    for (const unsigned k : key) zeros += (k >> bit & 1) == 0;
    unsigned low = before_in_block<8>(zeros, of_warp, &all), high = all + 4 * threadIdx.x - low;
#pragma unroll
    for (const unsigned k : key) tile[(k >> bit & 1) == 0 ? low++ : high++] = k;
    __syncthreads();
    const uint4 w = *reinterpret_cast<const uint4*>(&tile[4 * threadIdx.x]);
    key[0] = w.x, key[1] = w.y, key[2] = w.z, key[3] = w.w;
    __syncthreads();
  }
  if (threadIdx.x < 16) {
    unsigned sum = counts[threadIdx.x * gridDim.x + blockIdx.x];
    for (unsigned d = 0; d < threadIdx.x; ++d) sum += totals[d];
    begin[threadIdx.x] = sum;
  }
  // Where each digit's keys begin in the tile.
  for (unsigned k = threadIdx.x; k < kSortsTile; k += 256) {
    const unsigned digit = tile[k] >> shift & 15;
    if (k == 0 || (tile[k - 1] >> shift & 15) != digit) first[digit] = k;
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kSortsTile; k += 256) {
    const unsigned digit = tile[k] >> shift & 15;
    out[begin[digit] + k - first[digit]] = tile[k];
  }
}
__device__ __forceinline__ std::size_t tile_of(std::size_t block, std::size_t tiles) {
  return block * tiles / gridDim.x;
}
__device__ float greatest_of_block(float v, float* part) {
  for (int d = 16; d > 0; d /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, d));
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  for (unsigned w = 0; w < 8; ++w) v = fmaxf(v, part[w]);
  return v;
}
__global__ void __launch_bounds__(256) greatest_of_parts(const float4* in, float* totals, std::size_t tiles) {
  __shared__ float part[8];
  float most = 0;
  for (std::size_t t = tile_of(blockIdx.x, tiles); t < tile_of(blockIdx.x + 1, tiles); ++t) {
    const float4 v = in[t * 256 + threadIdx.x];
    most = fmaxf(fmaxf(most, fmaxf(v.x, v.y)), fmaxf(v.z, v.w));
  }
  most = greatest_of_block(most, part);
  if (threadIdx.x == 0) totals[blockIdx.x] = most;
}
/// Each block looks at all that went before it, then goes over its part again.
__global__ void __launch_bounds__(256)
    greatest_so_far(const float4* in, const float* totals, float4* out, std::size_t tiles) {
  __shared__ float part[8];
  float carry = 0;
  for (unsigned k = threadIdx.x; k < blockIdx.x; k += 256) carry = fmaxf(carry, totals[k]);
  carry = greatest_of_block(carry, part);
  const unsigned lane = threadIdx.x % 32;
  for (std::size_t t = tile_of(blockIdx.x, tiles); t < tile_of(blockIdx.x + 1, tiles); ++t) {
    float4 v = in[t * 256 + threadIdx.x];
    v.y = fmaxf(v.x, v.y), v.z = fmaxf(v.y, v.z), v.w = fmaxf(v.z, v.w);
    float upto = v.w;
    for (unsigned d = 1; d < 32; d *= 2) {
      const float other = __shfl_up_sync(~0u, upto, d);
      if (lane >= d) upto = fmaxf(upto, other);
    }
    __syncthreads();
    if (lane == 31) part[threadIdx.x / 32] = upto;
    __syncthreads();
    float before = __shfl_up_sync(~0u, upto, 1);
    if (lane == 0) before = carry;
    before = fmaxf(before, carry);
    for (unsigned w = 0; w < 8; ++w) {
      if (w < threadIdx.x / 32) before = fmaxf(before, part[w]);
      carry = fmaxf(carry, part[w]);
    }
    out[t * 256 + threadIdx.x] =
        make_float4(fmaxf(v.x, before), fmaxf(v.y, before), fmaxf(v.z, before), fmaxf(v.w, before));
  }
}

}  // namespace

void sorts(Set& s) {
  const std::size_t n = s.n, blocks = n / 128 / kPairs;
  s.run(
      "512 pairs sorted by odd and even", 12.0 * kPairs * real(blocks),
      [&] { pairs_by_network<<<as_number(blocks), kPairs / 2>>>(s.words, reinterpret_cast<uint2*>(s.out)); },
      [&] {
        return numbers(s, 2 * kPairs * blocks, [](std::size_t i) {
          const std::size_t base = i / 2 / kPairs * kPairs;
          std::vector<std::pair<unsigned, unsigned>> all(kPairs);
          for (unsigned k = 0; k < kPairs; ++k) all[k] = {word_of(base + k), k};
          std::sort(all.begin(), all.end());
          const auto& one = all[i / 2 % kPairs];
          return i % 2 == 0 ? one.first : one.second;
        });
      });
  const std::size_t keys = n / 128;
  const unsigned tiles = as_number(keys / kSortsTile);
  unsigned *between[2] = {s.numbers() + n / 2, s.numbers()}, *counts = s.numbers() + n / 4,
           *totals = s.numbers() + n / 4 * 3;
  s.run(
      "sixteen bits sorted in four passes", 4 * 12.0 * real(keys),
      [&] {
        const unsigned* from = s.words;
        for (unsigned pass = 0; pass < 4; ++pass) {
          const auto* in = reinterpret_cast<const uint4*>(from);
          unsigned* to = between[pass % 2];
          count_tile<<<tiles, 256>>>(in, counts, 4 * pass);
          scan_tiles<<<16, 1024>>>(counts, totals, tiles);
          place_tile<<<tiles, 256>>>(in, counts, totals, to, 4 * pass);
          from = to;
        }
      },
      [&] {
        std::vector<unsigned> want(keys);
        for (std::size_t i = 0; i < keys; ++i) want[i] = word_of(i);
        std::stable_sort(want.begin(), want.end(),
                         [](unsigned x, unsigned y) { return (x & 0xffff) < (y & 0xffff); });
        return taken(s.numbers(), keys) == want;
      });
  const std::size_t parts = n / 16 / 1024;
  s.run(
      "greatest so far in two launches", 12.0 * 1024 * real(parts),
      [&] {
        float* most = s.out + n / 2;
        greatest_of_parts<<<s.sms * 8, 256>>>(reinterpret_cast<float4*>(s.in), most, parts);
        greatest_so_far<<<s.sms * 8, 256>>>(reinterpret_cast<float4*>(s.in), most, s.vectors(), parts);
      },
      [&] {
        std::vector<float> want(parts * 1024);
        float most = 0;
        for (std::size_t i = 0; i < want.size(); ++i) want[i] = most = std::max(most, float_of(i));
        return floats(
            s, want.size(), [&](std::size_t i) { return double{want[i]}; }, 0);
      });
}

}  // namespace held_out_4
