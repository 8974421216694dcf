/// @file
/// Sums: leanings and tails of rows, classes counted in the bytes of a word, rows and columns of a matrix in
/// one go, running sums of 64 bits.
#include <algorithm>

#include "held_out_20.hpp"

namespace held_out_20 {
namespace {

constexpr unsigned kLeanRow = 1536, kLeanThreads = 192, kLeanWarps = kLeanThreads / 32,
                   kLeanVectors = kLeanRow / 4 / kLeanThreads;
constexpr float kLeanMiddle = 3.75f;
/// The first four powers of what is off a number near the mean are added up.
__global__ void __launch_bounds__(kLeanThreads) leanings_of_rows(const float4* in, float2* out) {
  __shared__ float4 of_warps[kLeanWarps];
  float4 sums = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  const auto add = [&](float v) {
    v -= kLeanMiddle;
    const float square = v * v;
    sums.x += v;
    sums.y += square;
    sums.z += square * v;
    sums.w += square * square;
  };
#pragma unroll
  for (unsigned k = 0; k < kLeanVectors; ++k) {
    const float4 v = in[std::size_t{blockIdx.x} * (kLeanRow / 4) + k * kLeanThreads + threadIdx.x];
    add(v.x);
    add(v.y);
    add(v.z);
    add(v.w);
  }
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    sums.x += __shfl_down_sync(~0u, sums.x, d);
    sums.y += __shfl_down_sync(~0u, sums.y, d);
    sums.z += __shfl_down_sync(~0u, sums.z, d);
    sums.w += __shfl_down_sync(~0u, sums.w, d);
  }
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sums;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned k = 1; k < kLeanWarps; ++k) {
    const float4 more = of_warps[k];
    sums.x += more.x;
    sums.y += more.y;
    sums.z += more.z;
    sums.w += more.w;
  }
  constexpr float kPart = 1.0f / kLeanRow;
  const float mean = kPart * sums.x, two = kPart * sums.y, three = kPart * sums.z, four = kPart * sums.w;
  const float spread = two - mean * mean;
  out[blockIdx.x] =
      make_float2((three - 3.0f * mean * two + 2.0f * mean * mean * mean) / (spread * sqrtf(spread)),
                  (four - 4.0f * mean * three + 6.0f * mean * mean * two - 3.0f * mean * mean * mean * mean) /
                      (spread * spread));
}

constexpr unsigned kByteClasses = 8, kByteVectors = 12, kByteThreads = 256;
/// A thread counts 48 words in the bytes of one word of 64 bits; these are spread to words of 16 bits before
/// lanes are joined.
__global__ void __launch_bounds__(kByteThreads)
    count_in_bytes(const uint4* in, unsigned* counts, unsigned vectors) {
  __shared__ unsigned of_block[kByteClasses];
  if (threadIdx.x < kByteClasses) of_block[threadIdx.x] = 0;
  __syncthreads();
  const unsigned first = blockIdx.x * (kByteVectors * kByteThreads) + threadIdx.x;
  unsigned long long counters = 0;
#pragma unroll
  for (unsigned k = 0; k < kByteVectors; ++k) {
    const unsigned i = first + k * kByteThreads;
    if (i >= vectors) break;
    const uint4 v = in[i];
    counters += 1ull << (v.x >> 29) * 8;
    counters += 1ull << (v.y >> 29) * 8;
    counters += 1ull << (v.z >> 29) * 8;
    counters += 1ull << (v.w >> 29) * 8;
  }
  unsigned long long even = counters & 0x00ff00ff00ff00ffull, odd = counters >> 8 & 0x00ff00ff00ff00ffull;
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    even += __shfl_xor_sync(~0u, even, d);
    odd += __shfl_xor_sync(~0u, odd, d);
  }
  const unsigned lane = threadIdx.x % 32;
  if (lane < kByteClasses)
    atomicAdd(of_block + lane, static_cast<unsigned>((lane % 2 == 0 ? even : odd) >> lane / 2 * 16 & 0xffff));
  __syncthreads();
  if (threadIdx.x < kByteClasses) atomicAdd(counts + threadIdx.x, of_block[threadIdx.x]);
}

constexpr unsigned kBothWide = 2048, kBothRows = 32, kBothThreads = 256, kBothWarps = kBothThreads / 32,
                   kBothEach = kBothWide / kBothThreads;
/// A block has 32 rows. A thread keeps eight columns' sums and adds them to what other blocks have.
__global__ void __launch_bounds__(kBothThreads)
    rows_and_columns(const float* in, float* of_rows, float* of_columns) {
  __shared__ float of_warps[kBothRows][kBothWarps];
  const unsigned t = threadIdx.x, row0 = blockIdx.x * kBothRows;
  float columns[kBothEach] = {};
  for (unsigned y = 0; y < kBothRows; ++y) {
    float sum = 0.0f;
#pragma unroll
    for (unsigned k = 0; k < kBothEach; ++k) {
      const float v = in[std::size_t{row0 + y} * kBothWide + k * kBothThreads + t];
      columns[k] += v;
      sum += v;
    }
#pragma unroll
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (t % 32 == 0) of_warps[y][t / 32] = sum;
  }
#pragma unroll
  for (unsigned k = 0; k < kBothEach; ++k) atomicAdd(of_columns + k * kBothThreads + t, columns[k]);
  __syncthreads();
  if (t >= kBothRows) return;
  float sum = 0.0f;
#pragma unroll
  for (unsigned k = 0; k < kBothWarps; ++k) sum += of_warps[t][k];
  of_rows[row0 + t] = sum;
}

constexpr unsigned kLongRow = 1536, kLongThreads = 256, kLongEach = kLongRow / kLongThreads,
                   kLongWarps = kLongThreads / 32;
/// A thread has six words side by side.
__global__ void __launch_bounds__(kLongThreads) long_running_sums(const uint2* in, ulonglong2* out) {
  __shared__ unsigned long long of_warps[kLongWarps];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::size_t at = (std::size_t{blockIdx.x} * kLongThreads + threadIdx.x) * (kLongEach / 2);
  unsigned long long v[kLongEach];
#pragma unroll
  for (unsigned k = 0; k < kLongEach / 2; ++k) {
    const uint2 two = in[at + k];
    v[2 * k] = (k == 0 ? 0 : v[2 * k - 1]) + two.x;
    v[2 * k + 1] = v[2 * k] + two.y;
  }
  unsigned long long sum = v[kLongEach - 1];
#pragma unroll
  for (unsigned d = 1; d < 32; d *= 2) {
    const unsigned long long before = __shfl_up_sync(~0u, sum, d);
    if (lane >= d) sum += before;
  }
  if (lane == 31) of_warps[warp] = sum;
  __syncthreads();
  sum -= v[kLongEach - 1];
  for (unsigned k = 0; k < warp; ++k) sum += of_warps[k];
#pragma unroll
  for (unsigned k = 0; k < kLongEach / 2; ++k)
    out[at + k] = make_ulonglong2(sum + v[2 * k], sum + v[2 * k + 1]);
}

}  // namespace

void sums(Set& s) {
  const std::size_t n = s.n;
  const unsigned leaning = as_number(n / 4 / kLeanRow);
  s.run(
      "how rows of 1536 lean and how heavy their tails are, a block of 192 each",
      (4.0 * kLeanRow + 8.0) * leaning,
      [&] {
        leanings_of_rows<<<leaning, kLeanThreads>>>(reinterpret_cast<const float4*>(s.in),
                                                    reinterpret_cast<float2*>(s.out));
      },
      [&] {
        return near_everywhere(s, 2 * std::size_t{leaning}, 1e-4, [](std::size_t i) {
          const std::size_t first = i / 2 * kLeanRow;
          double mean = 0, two = 0, more = 0;
          for (std::size_t k = 0; k < kLeanRow; ++k) mean += float_of(first + k) / real(kLeanRow);
          for (std::size_t k = 0; k < kLeanRow; ++k) {
            const double off = float_of(first + k) - mean;
            two += off * off / kLeanRow;
            more += off * off * off * (i % 2 == 0 ? 1 : off) / kLeanRow;
          }
          return more / (i % 2 == 0 ? two * std::sqrt(two) : two * two);
        });
      });

  const unsigned vectors = as_number(n / 16);
  s.run(
      "eight classes of words counted in the bytes of a word of 64 bits of each thread", 16.0 * vectors,
      [&] {
        cudaMemsetAsync(s.out, 0, kByteClasses * sizeof(unsigned));  // the launches add to one another
        count_in_bytes<<<Set::blocks(vectors, kByteVectors * kByteThreads), kByteThreads>>>(
            reinterpret_cast<const uint4*>(s.words), s.numbers(), vectors);
      },
      [&] {
        std::vector<unsigned> want(kByteClasses);
        for (std::size_t i = 0; i < 4 * std::size_t{vectors}; ++i) ++want[word_of(i) >> 29];
        return taken(s.numbers(), kByteClasses) == want;
      });

  const unsigned both = as_number(n / 4 / kBothWide / kBothRows) * kBothRows;
  s.run(
      "sums of rows of 2048 and of columns in one go, columns by atomics of blocks",
      4.0 * kBothWide * both + 4.0 * both,
      [&] {
        cudaMemsetAsync(s.out, 0, kBothWide * sizeof(float));
        rows_and_columns<<<both / kBothRows, kBothThreads>>>(s.in, s.out + kBothWide, s.out);
      },
      [&] {
        std::vector<double> want(kBothWide + both);
        for (std::size_t i = 0; i < std::size_t{kBothWide} * both; ++i) {
          want[i % kBothWide] += float_of(i);
          want[kBothWide + i / kBothWide] += float_of(i);
        }
        return near_everywhere(s, want.size(), 1e-4, [&](std::size_t i) { return want[i]; });
      });

  const unsigned rows = as_number(n / 12 / kLongRow);
  s.run(
      "running sums of 64 bits of rows of 1536 words, six a thread", 12.0 * kLongRow * rows,
      [&] {
        long_running_sums<<<rows, kLongThreads>>>(reinterpret_cast<const uint2*>(s.words),
                                                  reinterpret_cast<ulonglong2*>(s.out));
      },
      [&] {
        unsigned long long sum = 0;
        return same_everywhere<unsigned long long>(s, std::size_t{kLongRow} * rows, [&](std::size_t i) {
          sum = (i % kLongRow == 0 ? 0 : sum) + word_of(i);
          return sum;
        });
      });
}

}  // namespace held_out_20
