/// @file
/// Reductions, sums before and shares: rows by their root mean square, shares of rows up to a diagonal, five
/// sums of two arrays, summed areas. Layouts changed in shared memory: pairs turned in tiles with and without
/// a column to spare, records of five floats made arrays.
#include "held_out_9.hpp"

namespace held_out_9 {
namespace {

constexpr unsigned kNormed = 1024;
/// A block has a row; each thread four of its words.
__global__ void __launch_bounds__(256)
    by_root_mean_square(const float4* in, const float4* gains, float4* out) {
  __shared__ float of_warp[8];
  const unsigned t = threadIdx.x;
  const std::size_t at = blockIdx.x * std::size_t{256} + t;
  const float4 v = in[at];
  float square = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  for (int d = 16; d > 0; d /= 2) square += __shfl_xor_sync(~0u, square, d);
  if (t % 32 == 0) of_warp[t / 32] = square;
  __syncthreads();
  float whole = 0.0f;
#pragma unroll
  for (const float each : of_warp) whole += each;
  const float by = rsqrtf(whole * (1.0f / kNormed) + 1e-5f);
  const float4 gain = gains[t];
  out[at] = make_float4(v.x * by * gain.x, v.y * by * gain.y, v.z * by * gain.z, v.w * by * gain.w);
}

constexpr unsigned kShared = 256;
/// Scores of tokens by tokens, a warp a row: a token sees those up to itself.
__global__ void __launch_bounds__(256) shares_up_to_diagonal(const float* scores, float* shares) {
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  const unsigned last = warp % kShared;
  const std::size_t base = warp * std::size_t{kShared};
  float mine[kShared / 32], greatest = -INFINITY;
#pragma unroll
  for (unsigned k = 0; k < kShared / 32; ++k) {
    const unsigned column = 32 * k + lane;
    mine[k] = column <= last ? scores[base + column] : -INFINITY;
    greatest = fmaxf(greatest, mine[k]);
  }
  for (int d = 16; d > 0; d /= 2) greatest = fmaxf(greatest, __shfl_xor_sync(~0u, greatest, d));
  float total = 0.0f;
#pragma unroll
  for (float& each : mine) {
    each = __expf(each - greatest);
    total += each;
  }
  for (int d = 16; d > 0; d /= 2) total += __shfl_xor_sync(~0u, total, d);
  const float by = 1.0f / total;
#pragma unroll
  for (unsigned k = 0; k < kShared / 32; ++k) shares[base + 32 * k + lane] = mine[k] * by;
}

constexpr unsigned kSums = 5;
/// What a block's threads have of five sums, in its first thread.
__device__ __forceinline__ void join_sums(double (&sums)[kSums], double (*of_warp)[kSums]) {
#pragma unroll
  for (unsigned k = 0; k < kSums; ++k) {
    for (int d = 16; d > 0; d /= 2) sums[k] += __shfl_down_sync(~0u, sums[k], d);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32][k] = sums[k];
  }
  __syncthreads();
  if (threadIdx.x == 0)
    for (unsigned k = 0; k < kSums; ++k)
      for (unsigned w = 1; w < blockDim.x / 32; ++w) sums[k] += of_warp[w][k];
}
__global__ void __launch_bounds__(256)
    five_sums(const float4* a, const float4* b, double* parts, unsigned fours) {
  __shared__ double of_warp[8][kSums];
  double sums[kSums] = {};
  for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < fours; i += gridDim.x * 256) {
    const float4 x = a[i], y = b[i];
    sums[0] += (x.x + x.y) + (x.z + x.w);
    sums[1] += (y.x + y.y) + (y.z + y.w);
    sums[2] += x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
    sums[3] += y.x * y.x + y.y * y.y + y.z * y.z + y.w * y.w;
    sums[4] += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
  }
  join_sums(sums, of_warp);
  if (threadIdx.x != 0) return;
  for (unsigned k = 0; k < kSums; ++k) parts[blockIdx.x * kSums + k] = sums[k];
}
__global__ void __launch_bounds__(256) join_parts(const double* parts, double* out, unsigned blocks) {
  __shared__ double of_warp[8][kSums];
  double sums[kSums] = {};
  for (unsigned i = threadIdx.x; i < blocks; i += 256)
    for (unsigned k = 0; k < kSums; ++k) sums[k] += parts[i * kSums + k];
  join_sums(sums, of_warp);
  if (threadIdx.x != 0) return;
  for (unsigned k = 0; k < kSums; ++k) out[k] = sums[k];
}

constexpr unsigned kAreaSide = 128;
/// Running sums of a row by a warp, four pixels a lane.
__global__ void __launch_bounds__(256) areas_along_rows(const uchar4* pixels, uint4* sums) {
  const std::size_t i = global_index();
  const unsigned lane = threadIdx.x % 32;
  const uchar4 p = pixels[i];
  uint4 v = make_uint4(p.x, p.x + p.y, p.x + p.y + p.z, p.x + p.y + p.z + p.w);
  unsigned upto = v.w;
  for (unsigned d = 1; d < 32; d *= 2) {
    const unsigned before = __shfl_up_sync(~0u, upto, d);
    if (lane >= d) upto += before;
  }
  const unsigned base = upto - v.w;
  sums[i] = make_uint4(v.x + base, v.y + base, v.z + base, v.w + base);
}
/// A thread goes down a column.
__global__ void __launch_bounds__(kAreaSide) areas_down_columns(unsigned* sums) {
  unsigned* column = sums + blockIdx.x * std::size_t{kAreaSide * kAreaSide} + threadIdx.x;
  unsigned sum = 0;
#pragma unroll 8
  for (unsigned y = 0; y < kAreaSide; ++y) {
    sum += column[y * kAreaSide];
    column[y * kAreaSide] = sum;
  }
}

constexpr unsigned kTurnWide = 1024;
template <unsigned kSpare>
__global__ void __launch_bounds__(256) turn_pairs_in_tiles(const float2* in, float2* out, unsigned high) {
  __shared__ float2 tile[32][32 + kSpare];
  const unsigned tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
#pragma unroll
  for (unsigned k = 0; k < 32; k += 8)
    tile[ty + k][tx] = in[(y0 + ty + k) * std::size_t{kTurnWide} + x0 + tx];
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < 32; k += 8) out[(x0 + ty + k) * std::size_t{high} + y0 + tx] = tile[tx][ty + k];
}

constexpr unsigned kWordsOfRecord = 5;
__global__ void __launch_bounds__(256) records_to_arrays(const float* records, float* arrays, unsigned m) {
  __shared__ float words[256 * kWordsOfRecord];
  const unsigned t = threadIdx.x;
  const std::size_t base = blockIdx.x * std::size_t{256 * kWordsOfRecord};
#pragma unroll
  for (unsigned k = 0; k < kWordsOfRecord; ++k) words[256 * k + t] = records[base + 256 * k + t];
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < kWordsOfRecord; ++k)
    arrays[std::size_t{k} * m + blockIdx.x * 256 + t] = words[t * kWordsOfRecord + k];
}

}  // namespace

void blocks(Set& s) {
  const std::size_t n = s.n;
  const unsigned rows = as_number(n / 8 / kNormed);
  s.run(
      "rows of 1024 by their root mean square, with gains", 8.0 * kNormed * rows,
      [&] {
        by_root_mean_square<<<rows, 256>>>(reinterpret_cast<const float4*>(s.in),
                                           reinterpret_cast<const float4*>(s.other), s.vectors());
      },
      [&] {
        return floats(s, std::size_t{kNormed} * rows, [](std::size_t i) {
          double square = 0;
          for (std::size_t k = 0; k < kNormed; ++k)
            square += std::pow(double{float_of(i / kNormed * kNormed + k)}, 2) / kNormed;
          return float_of(i) / std::sqrt(square + 1e-5) * other_of(i % kNormed);
        });
      });
  const unsigned tokens = as_number(n / 8 / kShared / 8 * 8);
  s.run(
      "shares of rows of 256 up to their diagonal", 6.0 * kShared * tokens,
      [&] { shares_up_to_diagonal<<<tokens / 8, 256>>>(s.in, s.out); },
      [&] {
        return floats(s, std::size_t{kShared} * tokens, [](std::size_t i) {
          const std::size_t row = i / kShared, last = row % kShared;
          if (i % kShared > last) return 0.0;
          double total = 0;
          for (std::size_t k = 0; k <= last; ++k) total += std::exp(double{float_of(row * kShared + k)});
          return std::exp(double{float_of(i)}) / total;
        });
      });
  const unsigned fours = as_number(n / 32), parts = s.sms * 4;
  auto* sums = reinterpret_cast<double*>(s.out);
  s.run(
      "five sums of two arrays in two launches", 32.0 * fours,
      [&] {
        five_sums<<<parts, 256>>>(reinterpret_cast<const float4*>(s.in),
                                  reinterpret_cast<const float4*>(s.other), sums + 64, fours);
        join_parts<<<1, 256>>>(sums + 64, sums, parts);
      },
      [&] {
        double want[kSums] = {};
        for (std::size_t i = 0; i < 4 * std::size_t{fours}; ++i) {
          const double x = float_of(i), y = other_of(i);
          want[0] += x, want[1] += y, want[2] += x * x, want[3] += y * y, want[4] += x * y;
        }
        for (std::size_t k = 0; k < kSums; ++k)
          if (!Set::near(Checked::at(sums, k), want[k], 1e-6)) return false;
        return true;
      });
  constexpr std::size_t kArea = kAreaSide * kAreaSide;
  const unsigned pictures = as_number(n / 16 / kArea);
  s.run(
      "summed areas of pictures of 128 x 128", 13.0 * kArea * pictures,
      [&] {
        areas_along_rows<<<as_number(kArea / 1024) * pictures, 256>>>(
            reinterpret_cast<const uchar4*>(s.words), reinterpret_cast<uint4*>(s.out));
        areas_down_columns<<<pictures, kAreaSide>>>(s.numbers());
      },
      [&] {
        return numbers(s, kArea * pictures, [&](std::size_t i) {
          const std::size_t base = i / kArea * kArea;
          unsigned sum = 0;
          for (std::size_t y = 0; y <= i % kArea / kAreaSide; ++y)
            for (std::size_t x = 0; x <= i % kAreaSide; ++x) sum += byte_of(base + y * kAreaSide + x);
          return sum;
        });
      });

  const unsigned high = as_number(n / 16 / kTurnWide / 32 * 32);
  const dim3 grid(kTurnWide / 32, high / 32), block(32, 8);
  const auto* pairs = reinterpret_cast<const float2*>(s.in);
  auto* turned = reinterpret_cast<float2*>(s.out);
  const auto is_turned = [&] {
    return floats(s, 2 * std::size_t{kTurnWide} * high, [&](std::size_t i) {
      const std::size_t x = i / 2 / high, y = i / 2 % high;
      return double{float_of(2 * (y * kTurnWide + x) + i % 2)};
    });
  };
  s.run(
      "pairs of floats turned in tiles of 32 x 32", 16.0 * kTurnWide * high,
      [&] { turn_pairs_in_tiles<0><<<grid, block>>>(pairs, turned, high); }, is_turned);
  s.run(
      "pairs of floats turned in tiles of 32 x 33", 16.0 * kTurnWide * high,
      [&] { turn_pairs_in_tiles<1><<<grid, block>>>(pairs, turned, high); }, is_turned);
  const unsigned records = as_number(n / 32 / 256 * 256);
  s.run(
      "records of five floats to arrays through shared memory", 8.0 * kWordsOfRecord * records,
      [&] { records_to_arrays<<<records / 256, 256>>>(s.in, s.out, records); },
      [&] {
        return floats(s, std::size_t{kWordsOfRecord} * records, [&](std::size_t i) {
          return double{float_of(i % records * kWordsOfRecord + i / records)};
        });
      });
}

}  // namespace held_out_9
