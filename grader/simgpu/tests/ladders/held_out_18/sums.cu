/// @file
/// Sums, counts and orders: a sum of absolute values, rows that point alike, levels of colours counted, sums along rows,
/// words parted about one, places of the greatest.
#include <algorithm>

#include "held_out_18.hpp"

namespace held_out_18 {
namespace {

constexpr float kMiddleValue = 3.75f;
constexpr unsigned kAbsoluteThreads = 256, kAbsoluteWarps = kAbsoluteThreads / 32;
__device__ __forceinline__ double sum_of_warp(double v) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
  return v;
}
__global__ void __launch_bounds__(kAbsoluteThreads)
    add_up_absolute_values(const float4* in, double* out, std::size_t vectors) {
  __shared__ double of_warps[kAbsoluteWarps];
  double sum = 0.0;
  for (std::size_t i = global_index(); i < vectors; i += stride()) {
    const float4 v = in[i];
    sum += (fabsf(v.x - kMiddleValue) + fabsf(v.y - kMiddleValue)) +
           (fabsf(v.z - kMiddleValue) + fabsf(v.w - kMiddleValue));
  }
  sum = sum_of_warp(sum);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = sum_of_warp(threadIdx.x < kAbsoluteWarps ? of_warps[threadIdx.x] : 0.0);
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
}

constexpr unsigned kAlikeRow = 512, kAlikeThreads = kAlikeRow / 4, kAlikeWarps = kAlikeThreads / 32;
/// The cosines of the angles between rows of @p a and rows of @p b.
__global__ void cosines_of_rows(const float4* a, const float4* b, float* out) {
  __shared__ float3 of_warps[kAlikeWarps];
  const std::size_t i = std::size_t{blockIdx.x} * kAlikeThreads + threadIdx.x;
  const float4 u = a[i], v = b[i];
  float both = u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w,
        first = u.x * u.x + u.y * u.y + u.z * u.z + u.w * u.w,
        second = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  for (int d = 16; d > 0; d /= 2) {
    both += __shfl_xor_sync(~0u, both, d);
    first += __shfl_xor_sync(~0u, first, d);
    second += __shfl_xor_sync(~0u, second, d);
  }
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = make_float3(both, first, second);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned k = 1; k < kAlikeWarps; ++k) {
      both += of_warps[k].x;
      first += of_warps[k].y;
      second += of_warps[k].z;
    }
    out[blockIdx.x] = both / sqrtf(first * second);
  }
}

constexpr unsigned kColours = 3, kColourLevels = 256, kColourCounters = kColours * kColourLevels,
                   kColourThreads = kColourCounters;
/// A thread looks after one counter; what the fourth byte holds is nobody's.
__global__ void __launch_bounds__(kColourThreads)
    count_levels_of_colours(const unsigned* pixels, unsigned* out, std::size_t m) {
  __shared__ unsigned counters[kColours][kColourLevels];
  (&counters[0][0])[threadIdx.x] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const unsigned pixel = pixels[i];
#pragma unroll
    for (unsigned k = 0; k < kColours; ++k) atomicAdd(&counters[k][pixel >> (8 * k) & 255], 1u);
  }
  __syncthreads();
  atomicAdd(out + threadIdx.x, (&counters[0][0])[threadIdx.x]);
}

constexpr unsigned kRunningRow = 672, kRunningWarps = kRunningRow / 32;
__global__ void __launch_bounds__(kRunningRow) run_along_rows(const float* in, float* out) {
  __shared__ float of_warps[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const auto run = [lane](float v) {
#pragma unroll
    for (unsigned d = 1; d < 32; d *= 2) {
      const float before = __shfl_up_sync(~0u, v, d);
      if (lane >= d) v += before;
    }
    return v;
  };
  float v = run(in[global_index()]);
  if (lane == 31) of_warps[warp] = v;
  __syncthreads();
  if (warp == 0) of_warps[lane] = run(lane < kRunningWarps ? of_warps[lane] : 0.0f);
  __syncthreads();
  if (warp > 0) v += of_warps[warp - 1];
  out[global_index()] = v;
}

constexpr unsigned kPivot = 1u << 31, kPartedThreads = 256, kPartedWarps = kPartedThreads / 32,
                   kPartedEach = 4;
/// Lesser words go to the front, others to the end, each block's where two counters let it.
__global__ void __launch_bounds__(kPartedThreads)
    part_words(const unsigned* in, unsigned* out, unsigned* taken_places, unsigned m) {
  __shared__ unsigned of_warps[kPartedWarps], first_less, first_other;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned first = blockIdx.x * (kPartedThreads * kPartedEach) + threadIdx.x;
  unsigned words[kPartedEach], before[kPartedEach], less_of_warp = 0;
#pragma unroll
  for (unsigned k = 0; k < kPartedEach; ++k) {
    words[k] = in[first + k * kPartedThreads];
    const unsigned less = __ballot_sync(~0u, words[k] < kPivot);
    before[k] = less_of_warp + __popc(less & ((1u << lane) - 1));
    less_of_warp += __popc(less);
  }
  if (lane == 0) of_warps[warp] = less_of_warp;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned sum = 0;
    for (unsigned& each : of_warps) {
      const unsigned own = each;
      each = sum;
      sum += own;
    }
    first_less = atomicAdd(taken_places, sum);
    first_other = atomicAdd(taken_places + 1, kPartedThreads * kPartedEach - sum);
  }
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < kPartedEach; ++k) {
    const unsigned less = of_warps[warp] + before[k], place = 32 * (kPartedEach * warp + k) + lane;
    if (words[k] < kPivot)
      out[first_less + less] = words[k];
    else
      out[m - 1 - (first_other + place - less)] = words[k];
  }
}

constexpr unsigned kGreatestRow = 448, kGreatestThreads = 128;
/// Of equal ones the first counts.
__global__ void __launch_bounds__(kGreatestThreads)
    places_of_greatest(const float* in, unsigned* out, unsigned rows) {
  const unsigned row = (blockIdx.x * kGreatestThreads + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float* own = in + std::size_t{row} * kGreatestRow;
  float greatest = own[lane];
  unsigned place = lane;
#pragma unroll
  for (unsigned k = lane + 32; k < kGreatestRow; k += 32) {
    const float v = own[k];
    if (v > greatest) {
      greatest = v;
      place = k;
    }
  }
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    const float v = __shfl_down_sync(~0u, greatest, d);
    const unsigned of = __shfl_down_sync(~0u, place, d);
    if (v > greatest || (v == greatest && of < place)) {
      greatest = v;
      place = of;
    }
  }
  if (lane == 0) out[row] = place;
}

}  // namespace

void sums(Set& s) {
  const std::size_t n = s.n;
  const std::size_t added = n / 2 / 4;
  s.run(
      "absolute values of floats added up as doubles, a block's by one atomic", 16.0 * real(added),
      [&] {
        cudaMemsetAsync(s.out, 0, sizeof(double));  // the launches add to one another
        add_up_absolute_values<<<s.sms * 8, kAbsoluteThreads>>>(reinterpret_cast<const float4*>(s.in),
                                                                reinterpret_cast<double*>(s.out), added);
      },
      [&] {
        double sum = 0;
        for (std::size_t i = 0; i < 4 * added; ++i) sum += std::abs(float_of(i) - kMiddleValue);
        return near_everywhere<double>(s, 1, 1e-7, [&](std::size_t) { return sum; });
      });

  const unsigned alike = as_number(n / 8 / kAlikeRow);
  s.run(
      "cosines between rows of 512 of two arrays, a block of 128 each", (8.0 * kAlikeRow + 4.0) * alike,
      [&] {
        cosines_of_rows<<<alike, kAlikeThreads>>>(reinterpret_cast<const float4*>(s.in),
                                                  reinterpret_cast<const float4*>(s.other), s.out);
      },
      [&] {
        return near_everywhere(s, alike, 1e-5, [](std::size_t row) {
          double both = 0, first = 0, second = 0;
          for (std::size_t k = row * kAlikeRow; k < (row + 1) * kAlikeRow; ++k) {
            const double u = float_of(k), v = other_of(k);
            both += u * v;
            first += u * u;
            second += v * v;
          }
          return both / std::sqrt(first * second);
        });
      });

  const std::size_t pixels = n / 4;
  s.run(
      "levels of three colours counted in shared memory, two blocks of 768 an SM", 4.0 * real(pixels),
      [&] {
        cudaMemsetAsync(s.out, 0, kColourCounters * sizeof(unsigned));
        count_levels_of_colours<<<s.sms * 2, kColourThreads>>>(s.words, s.numbers(), pixels);
      },
      [&] {
        std::vector<unsigned> want(kColourCounters);
        for (std::size_t i = 0; i < pixels; ++i) {
          const unsigned word = word_of(i);
          for (unsigned k = 0; k < kColours; ++k) ++want[k * kColourLevels + (word >> (8 * k) & 255)];
        }
        return taken(s.numbers(), kColourCounters) == want;
      });

  const unsigned running = as_number(n / 8 / kRunningRow);
  s.run(
      "running sums of rows of 672, a block of as many each", 8.0 * kRunningRow * running,
      [&] { run_along_rows<<<running, kRunningRow>>>(s.in, s.out); },
      [&] {
        double sum = 0;
        return near_everywhere(s, std::size_t{kRunningRow} * running, 1e-5, [&](std::size_t i) {
          sum = (i % kRunningRow == 0 ? 0 : sum) + float_of(i);
          return sum;
        });
      });

  const unsigned parted = as_number(n / 8 / (kPartedThreads * kPartedEach) * (kPartedThreads * kPartedEach));
  s.run(
      "words parted about one, lesser ones from the front and others from the end", 8.0 * parted,
      [&] {
        unsigned* taken_places = s.numbers() + parted;
        cudaMemsetAsync(taken_places, 0, 2 * sizeof(unsigned));
        part_words<<<parted / (kPartedThreads * kPartedEach), kPartedThreads>>>(s.words, s.numbers(),
                                                                                taken_places, parted);
      },
      [&] {
        // No two words are the same: sums of them and of what they are scrambled to tell whether all are there.
        const std::vector<unsigned> got = taken(s.numbers(), parted);
        unsigned long long less = 0, sum = 0, sum_scrambled = 0;
        for (std::size_t i = 0; i < parted; ++i) {
          const unsigned word = word_of(i);
          less += word < kPivot ? 1 : 0;
          sum += word;
          sum_scrambled += scrambled(word);
        }
        for (std::size_t i = 0; i < parted; ++i) {
          if ((got[i] < kPivot) != (i < less)) return false;
          sum -= got[i];
          sum_scrambled -= scrambled(got[i]);
        }
        return sum == 0 && sum_scrambled == 0;
      });

  const unsigned rows = as_number(n / 4 / kGreatestRow);
  s.run(
      "places of the greatest of rows of 448, a warp a row", (4.0 * kGreatestRow + 4.0) * rows,
      [&] {
        places_of_greatest<<<Set::blocks(std::size_t{rows} * 32, kGreatestThreads), kGreatestThreads>>>(
            s.in, s.numbers(), rows);
      },
      [&] {
        return same_everywhere(s, rows, [](std::size_t row) {
          unsigned place = 0;
          float greatest = 0;
          for (unsigned k = 0; k < kGreatestRow; ++k) {
            const float v = float_of(row * kGreatestRow + k);
            if (v <= greatest) continue;
            greatest = v;
            place = k;
          }
          return place;
        });
      });
}

}  // namespace held_out_18
