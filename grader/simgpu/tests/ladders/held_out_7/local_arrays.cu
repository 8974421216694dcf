/// @file
/// Arrays of a thread at places known as it runs: longest rising parts by piles, long numbers multiplied limb
/// by limb.
#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

constexpr int kLong = 32, kLimbs = 24;

/// Word k of list i lies at k * m + i.
__global__ void rising_parts(const unsigned* words, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  unsigned tops[kLong];
  int piles = 0;
  for (int k = 0; k < kLong; ++k) {
    const unsigned v = words[k * m + i];
    int low = 0, high = piles;
    while (low < high) {
      const int mid = (low + high) / 2;
      if (tops[mid] < v)
        low = mid + 1;
      else
        high = mid;
    }
    tops[low] = v;
    if (low == piles) ++piles;
  }
  out[i] = static_cast<unsigned>(piles);
}

__host__ __device__ __forceinline__ int limbs_of(unsigned word) {
  return 12 + static_cast<int>(word % 13);
}
__global__ void __launch_bounds__(128)
    multiply_long(const unsigned* a, const unsigned* b, unsigned* out, int m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  unsigned x[kLimbs], product[2 * kLimbs];
  const int nx = limbs_of(a[i]), ny = limbs_of(b[i]);
  for (int k = 0; k < nx; ++k) x[k] = a[k * m + i];
  for (int k = 0; k < nx + ny; ++k) product[k] = 0;
  for (int j = 0; j < ny; ++j) {
    const unsigned long long y = b[j * m + i];
    unsigned long long carry = 0;
    for (int k = 0; k < nx; ++k) {
      carry += y * x[k] + product[j + k];
      product[j + k] = static_cast<unsigned>(carry);
      carry >>= 32;
    }
    product[j + nx] = static_cast<unsigned>(carry);
  }
  unsigned folded = 0;
  for (int k = 0; k < nx + ny; ++k) folded = folded * 31u + product[k];
  out[i] = folded;
}

}  // namespace

void local_arrays(Set& s) {
  const std::size_t n = s.n;
  const unsigned m = as_number(n / 128);
  s.run(
      "longest rising parts of 32 by piles", 4.0 * (kLong + 1) * m,
      [&] { rising_parts<<<Set::blocks(m, 128), 128>>>(s.words, s.numbers(), m); },
      [&] {
        return numbers(s, m, [m](std::size_t i) {
          unsigned best[kLong], longest = 0;
          for (std::size_t k = 0; k < kLong; ++k) {
            best[k] = 1;
            for (std::size_t j = 0; j < k; ++j)
              if (word_of(j * m + i) < word_of(k * m + i)) best[k] = std::max(best[k], best[j] + 1);
            longest = std::max(longest, best[k]);
          }
          return longest;
        });
      });
  const int pairs = static_cast<int>(n / 512);
  const unsigned* second = s.words + n / 2;
  s.run(
      "long numbers of unequal length multiplied", 4.0 * (2 * 18 + 1) * pairs,
      [&] { multiply_long<<<(pairs + 127) / 128, 128>>>(s.words, second, s.numbers(), pairs); },
      [&] {
        return numbers(s, n / 512, [n](std::size_t i) {
          const std::size_t stride = n / 512, nx = static_cast<std::size_t>(limbs_of(word_of(i))),
                            ny = static_cast<std::size_t>(limbs_of(word_of(n / 2 + i)));
          // Column by column, with 128 bits of room.
          unsigned folded = 0;
          unsigned __int128 column = 0;
          for (std::size_t c = 0; c < nx + ny; ++c) {
            for (std::size_t k = 0; k < nx; ++k)
              if (c >= k && c - k < ny)
                column += static_cast<unsigned long long>(word_of(k * stride + i)) *
                          word_of(n / 2 + (c - k) * stride + i);
            folded = folded * 31u + static_cast<unsigned>(column);
            column >>= 32;
          }
          return folded;
        });
      });
}

}  // namespace held_out_7
