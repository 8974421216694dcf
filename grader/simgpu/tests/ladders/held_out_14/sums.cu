/// @file
/// Sums and orders: spreads of rows, bits numbered within blocks, hours of a week counted by warps, words of 64
/// bits sorted by warps.
#include <algorithm>

#include "held_out_14.hpp"

namespace held_out_14 {
namespace {

constexpr unsigned kSpreadRow = 384, kSpreadThreads = kSpreadRow / 4, kSpreadWarps = kSpreadThreads / 32;
__device__ __forceinline__ float sum_of_three_warps(float v, float* of_warp) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
  __syncthreads();
  return of_warp[0] + of_warp[1] + of_warp[2];
}
__global__ void __launch_bounds__(kSpreadThreads) spreads_of_rows(const float4* in, float2* out) {
  __shared__ float sums[kSpreadWarps], squares[kSpreadWarps];
  const float4 v = in[blockIdx.x * kSpreadThreads + threadIdx.x];
  const float mean = sum_of_three_warps((v.x + v.y) + (v.z + v.w), sums) / kSpreadRow;
  const float x = v.x - mean, y = v.y - mean, z = v.z - mean, w = v.w - mean;
  const float spread = sum_of_three_warps((x * x + y * y) + (z * z + w * w), squares) / kSpreadRow;
  if (threadIdx.x == 0) out[blockIdx.x] = make_float2(mean, spread);
}

constexpr unsigned kBitWords = 1024;
/// How many bits are set before each word, in its block.
__global__ void __launch_bounds__(kBitWords / 4) number_bits(const uint4* in, uint4* out) {
  __shared__ unsigned of_warp[kBitWords / 4 / 32];
  const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
  const uint4 v = in[global_index()];
  const unsigned a = __popc(v.x), b = a + __popc(v.y), c = b + __popc(v.z), all = c + __popc(v.w);
  unsigned before = all;
#pragma unroll
  for (unsigned d = 1; d < 32; d *= 2) {
    const unsigned left = __shfl_up_sync(~0u, before, d);
    if (lane >= d) before += left;
  }
  if (lane == 31) of_warp[warp] = before;
  __syncthreads();
  before -= all;
#pragma unroll
  for (unsigned w = 0; w + 1 < kBitWords / 4 / 32; ++w)
    if (w < warp) before += of_warp[w];
  out[global_index()] = make_uint4(before, before + a, before + b, before + c);
}

constexpr unsigned kHours = 168, kHourWarps = 8;
/// Some hours of the day are more likely than others.
__host__ __device__ __forceinline__ unsigned hour_of(unsigned word) {
  const unsigned day = (word >> 24) % 7, part = (word & 255) * (word >> 8 & 255);
  return 24 * day + part * 24 / 65536;
}
__global__ void __launch_bounds__(32 * kHourWarps)
    count_hours(const uint4* in, unsigned* out, std::size_t m) {
  __shared__ unsigned counts[kHourWarps][kHours];
  for (unsigned k = threadIdx.x; k < kHourWarps * kHours; k += 32 * kHourWarps) counts[0][k] = 0;
  __syncthreads();
  unsigned* own = counts[threadIdx.x / 32];
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const uint4 v = in[i];
    atomicAdd(own + hour_of(v.x), 1u);
    atomicAdd(own + hour_of(v.y), 1u);
    atomicAdd(own + hour_of(v.z), 1u);
    atomicAdd(own + hour_of(v.w), 1u);
  }
  __syncthreads();
  if (threadIdx.x >= kHours) return;
  unsigned sum = 0;
#pragma unroll
  for (unsigned w = 0; w < kHourWarps; ++w) sum += counts[w][threadIdx.x];
  atomicAdd(out + threadIdx.x, sum);
}

using Long = unsigned long long;
constexpr unsigned kOfSortingWarp = 64;
__device__ __forceinline__ void put_in_order(Long& less, Long& more, bool rising) {
  if ((less > more) != rising) return;
  const Long kept_less = less;
  less = more;
  more = kept_less;
}
/// Lane l has the words l and l + 32.
__global__ void __launch_bounds__(128) sort_by_warps(const Long* in, Long* out) {
  const unsigned lane = threadIdx.x % 32;
  const std::size_t first = global_index() / 32 * kOfSortingWarp + lane;
  Long v[2] = {in[first], in[first + 32]};
#pragma unroll
  for (unsigned run = 2; run <= kOfSortingWarp; run *= 2) {
#pragma unroll
    for (unsigned away = run / 2; away > 0; away /= 2) {
      if (away == 32) {
        put_in_order(v[0], v[1], true);
        continue;
      }
#pragma unroll
      for (unsigned k = 0; k < 2; ++k) {
        const bool rising = ((lane + 32 * k) & run) == 0, is_low = (lane & away) == 0;
        const Long others = __shfl_xor_sync(~0u, v[k], away);
        if (rising == is_low ? others < v[k] : others > v[k]) v[k] = others;
      }
    }
  }
  out[first] = v[0];
  out[first + 32] = v[1];
}

}  // namespace

void sums(Set& s) {
  const std::size_t n = s.n;
  const unsigned spread_rows = as_number(n / 4 / kSpreadRow);
  s.run(
      "means and spreads of rows of 384, three warps each", (4.0 * kSpreadRow + 8.0) * spread_rows,
      [&] {
        spreads_of_rows<<<spread_rows, kSpreadThreads>>>(reinterpret_cast<const float4*>(s.in),
                                                         reinterpret_cast<float2*>(s.out));
      },
      [&] {
        return floats(s, 2 * std::size_t{spread_rows}, [](std::size_t i) {
          double mean = 0, spread = 0;
          for (std::size_t k = i / 2 * kSpreadRow; k < (i / 2 + 1) * kSpreadRow; ++k) mean += float_of(k);
          mean /= kSpreadRow;
          for (std::size_t k = i / 2 * kSpreadRow; k < (i / 2 + 1) * kSpreadRow; ++k)
            spread += (float_of(k) - mean) * (float_of(k) - mean);
          return i % 2 == 0 ? mean : spread / kSpreadRow;
        });
      });

  const std::size_t numbered = n / 4 / kBitWords * kBitWords;
  s.run(
      "set bits numbered within blocks of 1024 words", 8.0 * real(numbered),
      [&] {
        number_bits<<<as_number(numbered / kBitWords), kBitWords / 4>>>(
            reinterpret_cast<const uint4*>(s.words), reinterpret_cast<uint4*>(s.out));
      },
      [&] {
        return numbers(s, numbered, [](std::size_t i) {
          unsigned before = 0;
          for (std::size_t k = i / kBitWords * kBitWords; k < i; ++k)
            before += static_cast<unsigned>(__builtin_popcount(word_of(k)));
          return before;
        });
      });

  const std::size_t visits = n / 4;
  s.run(
      "visits counted by the hour of the week, counters of each warp", 4.0 * real(visits),
      [&] {
        // The launches add to one another.
        cudaMemsetAsync(s.out, 0, kHours * sizeof(unsigned));
        count_hours<<<s.sms * 6, 32 * kHourWarps>>>(reinterpret_cast<const uint4*>(s.words), s.numbers(),
                                                    visits / 4);
      },
      [&] {
        std::vector<unsigned> want(kHours);
        for (std::size_t i = 0; i < visits; ++i) ++want[hour_of(word_of(i))];
        return taken(s.numbers(), kHours) == want;
      });

  const std::size_t groups = n / 16 / kOfSortingWarp;
  s.run(
      "64 words of 64 bits sorted by a warp, two a lane", 16.0 * kOfSortingWarp * real(groups),
      [&] {
        sort_by_warps<<<as_number(groups / 4), 128>>>(reinterpret_cast<const Long*>(s.words),
                                                      reinterpret_cast<Long*>(s.out));
      },
      [&] {
        return Set::each(groups / 4 * 4, [&](std::size_t group) {
          std::vector<Long> want(kOfSortingWarp);
          for (std::size_t k = 0; k < kOfSortingWarp; ++k) {
            const std::size_t at = 2 * (group * kOfSortingWarp + k);
            want[k] = static_cast<Long>(word_of(at + 1)) << 32 | word_of(at);
          }
          std::sort(want.begin(), want.end());
          return taken(reinterpret_cast<const Long*>(s.out) + group * kOfSortingWarp, kOfSortingWarp) == want;
        });
      });
}

}  // namespace held_out_14
