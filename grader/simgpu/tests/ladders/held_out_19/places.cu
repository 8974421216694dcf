/// @file
/// Where data lie: rows moved round by their number, a picture taken apart into four, triangles made whole
/// matrices, colours picked by number.
#include <algorithm>

#include "held_out_19.hpp"

namespace held_out_19 {
namespace {

constexpr unsigned kSkewedWide = 1280, kSkewedThreads = 320;
__global__ void __launch_bounds__(kSkewedThreads) skew_rows(const float* in, float* out) {
  const std::size_t first = std::size_t{blockIdx.x} * kSkewedWide;
  const unsigned by = blockIdx.x % kSkewedWide;
#pragma unroll
  for (unsigned k = 0; k < kSkewedWide; k += kSkewedThreads) {
    const unsigned x = k + threadIdx.x, to = x + by;
    out[first + (to < kSkewedWide ? to : to - kSkewedWide)] = in[first + x];
  }
}

constexpr unsigned kApartWide = 2048, kApartHalf = kApartWide / 2, kApartX = 64, kApartY = 4;
/// Upper left ones of squares come first, then upper right, lower left and lower right ones.
__global__ void __launch_bounds__(kApartX* kApartY)
    take_squares_apart(const float2* in, float* out, unsigned half_high) {
  const unsigned x = blockIdx.x * kApartX + threadIdx.x, y = blockIdx.y * kApartY + threadIdx.y;
  if (y >= half_high) return;
  const std::size_t plane = std::size_t{kApartHalf} * half_high, at = std::size_t{y} * kApartHalf + x;
  const float2 upper = in[std::size_t{2 * y} * kApartHalf + x],
               lower = in[std::size_t{2 * y + 1} * kApartHalf + x];
  out[at] = upper.x;
  out[plane + at] = upper.y;
  out[2 * plane + at] = lower.x;
  out[3 * plane + at] = lower.y;
}

constexpr unsigned kPackedSide = 128, kOfTriangle = kPackedSide * (kPackedSide + 1) / 2,
                   kOfSquare = kPackedSide * kPackedSide, kPackedRows = 16, kPackedThreads = 256;
__host__ __device__ __forceinline__ unsigned place_in_triangle(unsigned y, unsigned x) {
  const unsigned row = y < x ? x : y, column = y < x ? y : x;
  return row * (row + 1) / 2 + column;
}
/// A block has sixteen rows of a matrix.
__global__ void __launch_bounds__(kPackedThreads) unpack_triangles(const float* in, float* out) {
  const float* triangle = in + std::size_t{blockIdx.y} * kOfTriangle;
  float* square = out + std::size_t{blockIdx.y} * kOfSquare;
  const unsigned x = threadIdx.x % kPackedSide, y0 = blockIdx.x * kPackedRows;
#pragma unroll
  for (unsigned k = threadIdx.x / kPackedSide; k < kPackedRows; k += kPackedThreads / kPackedSide)
    square[(y0 + k) * kPackedSide + x] = triangle[place_in_triangle(y0 + k, x)];
}

struct Colour {
  float red, green, blue;
};
__global__ void __launch_bounds__(256)
    pick_colours(const Colour* colours, const unsigned* picks, Colour* out, unsigned count, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = colours[place_of(picks[i], count)];
}

}  // namespace

void places(Set& s) {
  const std::size_t n = s.n;
  const unsigned skewed = as_number(n / 8 / kSkewedWide);
  s.run(
      "rows of 1280 floats moved round, each by a place more than the one before", 8.0 * kSkewedWide * skewed,
      [&] { skew_rows<<<skewed, kSkewedThreads>>>(s.in, s.out); },
      [&] {
        return same_everywhere<float>(s, std::size_t{kSkewedWide} * skewed, [](std::size_t i) {
          const std::size_t row = i / kSkewedWide, x = i % kSkewedWide;
          return float_of(row * kSkewedWide + (x + kSkewedWide - row % kSkewedWide) % kSkewedWide);
        });
      });

  const unsigned half_high = as_number(n / 8 / kApartWide / 2);
  const std::size_t plane = std::size_t{kApartHalf} * half_high;
  s.run(
      "squares of 2 x 2 of a picture taken apart into four pictures", 32.0 * real(plane),
      [&] {
        take_squares_apart<<<dim3(kApartHalf / kApartX, Set::blocks(half_high, kApartY)),
                             dim3(kApartX, kApartY)>>>(reinterpret_cast<const float2*>(s.in), s.out,
                                                       half_high);
      },
      [&] {
        return same_everywhere<float>(s, 4 * plane, [&](std::size_t i) {
          const std::size_t of = i / plane, x = i % plane % kApartHalf, y = i % plane / kApartHalf;
          return float_of((2 * y + of / 2) * kApartWide + 2 * x + of % 2);
        });
      });

  const unsigned triangles = as_number(n / 8 / kOfSquare);
  s.run(
      "lower triangles of 128 rows unpacked into whole symmetric matrices",
      4.0 * (kOfTriangle + kOfSquare) * triangles,
      [&] { unpack_triangles<<<dim3(kPackedSide / kPackedRows, triangles), kPackedThreads>>>(s.in, s.out); },
      [&] {
        return same_everywhere<float>(s, std::size_t{kOfSquare} * triangles, [](std::size_t i) {
          const unsigned y = as_number(i % kOfSquare / kPackedSide), x = as_number(i % kPackedSide);
          return float_of(i / kOfSquare * kOfTriangle + std::max(y, x) * (std::max(y, x) + 1) / 2 +
                          std::min(y, x));
        });
      });

  const unsigned colours = as_number(n / 12), picks = as_number(n / 24);
  s.run(
      "colours of three floats picked by number from a quarter of the array, a colour a thread", 28.0 * picks,
      [&] {
        pick_colours<<<Set::blocks(picks), 256>>>(reinterpret_cast<const Colour*>(s.in), s.words,
                                                  reinterpret_cast<Colour*>(s.out), colours, picks);
      },
      [&] {
        return same_everywhere<float>(s, 3 * std::size_t{picks}, [&](std::size_t i) {
          return float_of(3 * std::size_t{place_of(word_of(i / 3), colours)} + i % 3);
        });
      });
}

}  // namespace held_out_19
