/// @file
/// Scattered stores: runs of letters written out, a thread a run; small volumes stored along Morton's curve.
#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

/// Run r is begins[r + 1] - begins[r] letters long.
__global__ void write_runs(const unsigned* __restrict__ begins, const unsigned char* __restrict__ letters,
                           unsigned char* text, unsigned runs) {
  const unsigned r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= runs) return;
  const unsigned end = begins[r + 1];
  const unsigned char letter = letters[r];
  for (unsigned k = begins[r]; k < end; ++k) text[k] = letter;
}

constexpr unsigned kScattersSide = 32;
__host__ __device__ __forceinline__ unsigned spread(unsigned v) {
  v = (v | v << 8) & 0x0300f00f;
  v = (v | v << 4) & 0x030c30c3;
  return (v | v << 2) & 0x09249249;
}
/// Blocks of 32 x 4 x 2.
__global__ void along_morton(const float* volumes, float* out) {
  const unsigned x = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y,
                 z = blockIdx.y * blockDim.z + threadIdx.z;
  const std::size_t base = blockIdx.z * std::size_t{kScattersSide * kScattersSide * kScattersSide};
  const float v = volumes[base + (z * kScattersSide + y) * kScattersSide + x];
  out[base + (spread(x) | spread(y) << 1 | spread(z) << 2)] = v;
}

}  // namespace

void scatters(Set& s) {
  const std::size_t n = s.n;
  const unsigned runs = as_number(n / 16);
  std::vector<unsigned> begins(runs + std::size_t{1});
  for (std::size_t r = 0; r < runs; ++r) begins[r + 1] = begins[r] + 1 + (word_of(r) >> 8) % 16;
  unsigned* there = kept(begins);
  s.run(
      "runs of letters written out, a thread a run", 5.0 * runs + begins.back(),
      [&] {
        write_runs<<<Set::blocks(runs), 256>>>(there, reinterpret_cast<const unsigned char*>(s.words),
                                               reinterpret_cast<unsigned char*>(s.out), runs);
      },
      [&] {
        return Set::each(begins.back(), [&](std::size_t i) {
          const auto after = std::upper_bound(begins.begin(), begins.end(), static_cast<unsigned>(i));
          return s.byte(i) == byte_of(static_cast<std::size_t>(after - begins.begin()) - 1);
        });
      });
  cudaFree(there);
  const unsigned volumes = as_number(n / 8 / (kScattersSide * kScattersSide * kScattersSide));
  const std::size_t all = std::size_t{volumes} * kScattersSide * kScattersSide * kScattersSide;
  s.run(
      "volumes of 32 stored along Morton's curve", 8.0 * real(all),
      [&] {
        along_morton<<<dim3(kScattersSide / 4, kScattersSide / 2, volumes), dim3(kScattersSide, 4, 2)>>>(
            s.in, s.out);
      },
      [&] {
        return floats(s, all, [](std::size_t i) {
          std::size_t x = 0, y = 0, z = 0;
          for (std::size_t bit = 0; bit < 5; ++bit) {
            x |= (i >> (3 * bit) & 1) << bit;
            y |= (i >> (3 * bit + 1) & 1) << bit;
            z |= (i >> (3 * bit + 2) & 1) << bit;
          }
          return double{float_of(i / 32768 * 32768 + (z * kScattersSide + y) * kScattersSide + x)};
        });
      });
}

}  // namespace held_out_7
