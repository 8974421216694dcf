/// @file
/// Sums, counts and orders: diagonals added up, centres of pictures, orders of four values counted,
/// greatest falls, ways back to the last mark.
#include <algorithm>

#include "held_out_19.hpp"

namespace held_out_19 {
namespace {

constexpr unsigned kDiagonalSide = 64, kDiagonals = 2 * kDiagonalSide - 1, kDiagonalThreads = 128,
                   kOfDiagonals = kDiagonalSide * kDiagonalSide;
/// A thread has a diagonal.
__global__ void __launch_bounds__(kDiagonalThreads) add_up_diagonals(const float* in, float* out) {
  __shared__ float held[kDiagonalSide][kDiagonalSide];
  const float* own = in + std::size_t{blockIdx.x} * kOfDiagonals;
#pragma unroll 8
  for (unsigned k = threadIdx.x; k < kOfDiagonals; k += kDiagonalThreads) (&held[0][0])[k] = own[k];
  __syncthreads();
  if (threadIdx.x >= kDiagonals) return;
  float sum = 0.0f;
#pragma unroll 4
  for (unsigned y = 0; y < kDiagonalSide; ++y) {
    const unsigned x = y + threadIdx.x - (kDiagonalSide - 1);  // before the first column it is great
    if (x < kDiagonalSide) sum += held[y][x];
  }
  out[std::size_t{blockIdx.x} * kDiagonals + threadIdx.x] = sum;
}

constexpr unsigned kWeighedSide = 96, kOfWeighed = kWeighedSide * kWeighedSide, kWeighedThreads = 288,
                   kWeighedWarps = kWeighedThreads / 32;
__device__ __forceinline__ float3 weighed_sum_of_warp(float3 v) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    v.x += __shfl_down_sync(~0u, v.x, d);
    v.y += __shfl_down_sync(~0u, v.y, d);
    v.z += __shfl_down_sync(~0u, v.z, d);
  }
  return v;
}
__global__ void __launch_bounds__(kWeighedThreads) centres_of_pictures(const float4* in, float2* out) {
  __shared__ float3 of_warps[kWeighedWarps];
  const float4* own = in + std::size_t{blockIdx.x} * (kOfWeighed / 4);
  float3 sum = make_float3(0.0f, 0.0f, 0.0f);
#pragma unroll
  for (unsigned k = threadIdx.x; k < kOfWeighed / 4; k += kWeighedThreads) {
    const float4 v = own[k];
    const float all = (v.x + v.y) + (v.z + v.w), x = static_cast<float>(k % (kWeighedSide / 4) * 4),
                y = static_cast<float>(k / (kWeighedSide / 4));
    sum.x += x * all + (v.y + 2.0f * v.z + 3.0f * v.w);
    sum.y += y * all;
    sum.z += all;
  }
  sum = weighed_sum_of_warp(sum);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  sum = weighed_sum_of_warp(threadIdx.x < kWeighedWarps ? of_warps[threadIdx.x]
                                                        : make_float3(0.0f, 0.0f, 0.0f));
  if (threadIdx.x == 0) out[blockIdx.x] = make_float2(sum.x / sum.z, sum.y / sum.z);
}

constexpr unsigned kOrderCodes = 64, kOrderThreads = 256, kOrderWarps = kOrderThreads / 32;
/// A bit for each two of four values: is the first one less?
__host__ __device__ __forceinline__ unsigned order_of(float a, float b, float c, float d) {
  return (a < b ? 1u : 0u) | (a < c ? 2u : 0u) | (a < d ? 4u : 0u) | (b < c ? 8u : 0u) | (b < d ? 16u : 0u) |
         (c < d ? 32u : 0u);
}
/// Each warp has counters of its own.
__global__ void __launch_bounds__(kOrderThreads)
    count_orders(const float4* in, unsigned* out, unsigned vectors) {
  __shared__ unsigned counters[kOrderWarps][kOrderCodes];
  for (unsigned k = threadIdx.x; k < kOrderWarps * kOrderCodes; k += kOrderThreads) (&counters[0][0])[k] = 0;
  __syncthreads();
  unsigned* own = counters[threadIdx.x / 32];
  for (unsigned i = blockIdx.x * kOrderThreads + threadIdx.x; i < vectors; i += gridDim.x * kOrderThreads) {
    const float4 u = in[i], v = in[i + 1];
    atomicAdd(own + order_of(u.x, u.y, u.z, u.w), 1u);
    atomicAdd(own + order_of(u.y, u.z, u.w, v.x), 1u);
    atomicAdd(own + order_of(u.z, u.w, v.x, v.y), 1u);
    atomicAdd(own + order_of(u.w, v.x, v.y, v.z), 1u);
  }
  __syncthreads();
  if (threadIdx.x >= kOrderCodes) return;
  unsigned sum = 0;
  for (unsigned k = 0; k < kOrderWarps; ++k) sum += counters[k][threadIdx.x];
  if (sum != 0) atomicAdd(out + threadIdx.x, sum);
}

constexpr unsigned kFallRow = 1024, kFallThreads = kFallRow / 4, kFallWarps = kFallThreads / 32;
/// What is known of values that follow one another.
struct Fall {
  float high, low, most;
};
__device__ __forceinline__ Fall joined_falls(const Fall& a, const Fall& b) {
  return {fmaxf(a.high, b.high), fminf(a.low, b.low), fmaxf(fmaxf(a.most, b.most), a.high - b.low)};
}
__device__ __forceinline__ Fall fall_of_one(float v) {
  return {v, v, 0.0f};
}
/// How far a row falls at most, from any of its values to a later one.
__global__ void __launch_bounds__(kFallThreads) greatest_falls(const float4* in, float* out) {
  __shared__ Fall of_warps[kFallWarps];
  const float4 v = in[std::size_t{blockIdx.x} * kFallThreads + threadIdx.x];
  Fall fall = joined_falls(joined_falls(fall_of_one(v.x), fall_of_one(v.y)),
                           joined_falls(fall_of_one(v.z), fall_of_one(v.w)));
#pragma unroll
  for (unsigned d = 1; d < 32; d *= 2)
    fall = joined_falls(fall, {__shfl_down_sync(~0u, fall.high, d), __shfl_down_sync(~0u, fall.low, d),
                               __shfl_down_sync(~0u, fall.most, d)});
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = fall;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned k = 1; k < kFallWarps; ++k) fall = joined_falls(fall, of_warps[k]);
  out[blockIdx.x] = fall.most;
}

constexpr unsigned kBackSegment = 2048, kBackThreads = 256, kBackEach = kBackSegment / kBackThreads,
                   kBackWarps = kBackThreads / 32;
__host__ __device__ __forceinline__ bool is_marked(unsigned word) {
  return word % 64 == 5;
}
/// Before the first mark of a segment, the way to its beginning counts.
__global__ void __launch_bounds__(kBackThreads) ways_back_to_marks(const uint4* in, uint4* out) {
  __shared__ unsigned of_warps[kBackWarps];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = threadIdx.x * kBackEach;
  const std::size_t at = (std::size_t{blockIdx.x} * kBackThreads + threadIdx.x) * (kBackEach / 4);
  unsigned v[kBackEach];
#pragma unroll
  for (unsigned k = 0; k < kBackEach / 4; ++k) {
    const uint4 four = in[at + k];
    v[4 * k] = four.x, v[4 * k + 1] = four.y, v[4 * k + 2] = four.z, v[4 * k + 3] = four.w;
  }
  unsigned last = 0;  // a mark's place, counted from one
#pragma unroll
  for (unsigned k = 0; k < kBackEach; ++k)
    if (is_marked(v[k])) last = first + k + 1;
#pragma unroll
  for (unsigned d = 1; d < 32; d *= 2) {
    const unsigned before = __shfl_up_sync(~0u, last, d);
    if (lane >= d) last = max(last, before);
  }
  if (lane == 31) of_warps[warp] = last;
  last = __shfl_up_sync(~0u, last, 1);
  if (lane == 0) last = 0;
  __syncthreads();
  for (unsigned k = 0; k < warp; ++k) last = max(last, of_warps[k]);
#pragma unroll
  for (unsigned k = 0; k < kBackEach; ++k) {
    if (is_marked(v[k])) last = first + k + 1;
    v[k] = first + k + 1 - last;
  }
#pragma unroll
  for (unsigned k = 0; k < kBackEach / 4; ++k)
    out[at + k] = make_uint4(v[4 * k], v[4 * k + 1], v[4 * k + 2], v[4 * k + 3]);
}

}  // namespace

void sums(Set& s) {
  const std::size_t n = s.n;
  const unsigned matrices = as_number(n / 4 / kOfDiagonals);
  s.run(
      "sums along the diagonals of matrices of 64 x 64, a thread each",
      4.0 * (kOfDiagonals + kDiagonals) * matrices,
      [&] { add_up_diagonals<<<matrices, kDiagonalThreads>>>(s.in, s.out); },
      [&] {
        return near_everywhere(s, std::size_t{kDiagonals} * matrices, 1e-5, [](std::size_t i) {
          const std::size_t first = i / kDiagonals * kOfDiagonals;
          const long away = static_cast<long>(i % kDiagonals) - long{kDiagonalSide - 1};
          double sum = 0;
          for (long y = 0; y < long{kDiagonalSide}; ++y)
            if (y + away >= 0 && y + away < long{kDiagonalSide})
              sum += float_of(first + std::size_t(y * long{kDiagonalSide} + y + away));
          return sum;
        });
      });

  const unsigned pictures = as_number(n / 4 / kOfWeighed);
  s.run(
      "centres of weight of pictures of 96 x 96, a block of 288 each", (4.0 * kOfWeighed + 8.0) * pictures,
      [&] {
        centres_of_pictures<<<pictures, kWeighedThreads>>>(reinterpret_cast<const float4*>(s.in),
                                                           reinterpret_cast<float2*>(s.out));
      },
      [&] {
        return near_everywhere(s, 2 * std::size_t{pictures}, 1e-5, [](std::size_t i) {
          double sum = 0, all = 0;
          for (std::size_t k = 0; k < kOfWeighed; ++k) {
            const double v = float_of(i / 2 * kOfWeighed + k);
            sum += v * real(i % 2 == 0 ? k % kWeighedSide : k / kWeighedSide);
            all += v;
          }
          return sum / all;
        });
      });

  const unsigned vectors = as_number(n / 20);
  s.run(
      "orders of four values that follow one another counted, counters of each warp", 16.0 * vectors,
      [&] {
        cudaMemsetAsync(s.out, 0, kOrderCodes * sizeof(unsigned));  // the launches add to one another
        count_orders<<<s.sms * 8, kOrderThreads>>>(reinterpret_cast<const float4*>(s.in), s.numbers(),
                                                   vectors);
      },
      [&] {
        std::vector<unsigned> want(kOrderCodes);
        for (std::size_t i = 0; i < 4 * std::size_t{vectors}; ++i)
          ++want[order_of(float_of(i), float_of(i + 1), float_of(i + 2), float_of(i + 3))];
        return taken(s.numbers(), kOrderCodes) == want;
      });

  const unsigned falling = as_number(n / 4 / kFallRow);
  s.run(
      "greatest falls to a later value of rows of 1024, a block of 256 each",
      (4.0 * kFallRow + 4.0) * falling,
      [&] { greatest_falls<<<falling, kFallThreads>>>(reinterpret_cast<const float4*>(s.in), s.out); },
      [&] {
        return same_everywhere<float>(s, falling, [](std::size_t row) {
          float high = 0, most = 0;
          for (std::size_t k = row * kFallRow; k < (row + 1) * kFallRow; ++k) {
            const float v = float_of(k);
            high = std::max(high, v);
            most = std::max(most, high - v);
          }
          return most;
        });
      });

  const unsigned segments = as_number(n / 8 / kBackSegment);
  s.run(
      "ways back to the last mark within segments of 2048 words, eight a thread",
      8.0 * kBackSegment * segments,
      [&] {
        ways_back_to_marks<<<segments, kBackThreads>>>(reinterpret_cast<const uint4*>(s.words),
                                                       reinterpret_cast<uint4*>(s.out));
      },
      [&] {
        unsigned way = 0;
        return same_everywhere(s, std::size_t{kBackSegment} * segments, [&](std::size_t i) {
          way = is_marked(word_of(i)) ? 0 : (i % kBackSegment == 0 ? 0 : way) + 1;
          return way;
        });
      });
}

}  // namespace held_out_19
