/// @file
/// The order of axes changed: square matrices in place, eight by eight by shuffles, 48 channels made the last
/// axis.
#include "held_out_4.hpp"

namespace held_out_4 {
namespace {

constexpr unsigned kSide = 128;

/// Ten pairs of tiles a matrix; the diagonal's are their own partners.
__global__ void __launch_bounds__(256) turn_in_place(float* all) {
  __shared__ float low[32][33], high[32][33];
  unsigned row = 0, column = blockIdx.x;
  while (column >= 4 - row) column -= 4 - row, ++row;
  column += row;
  float* matrix = all + blockIdx.y * std::size_t{kSide * kSide};
  const unsigned x = threadIdx.x;
  for (unsigned y = threadIdx.y; y < 32; y += 8) {
    low[y][x] = matrix[(row * 32 + y) * kSide + column * 32 + x];
    high[y][x] = matrix[(column * 32 + y) * kSide + row * 32 + x];
  }
  __syncthreads();
  for (unsigned y = threadIdx.y; y < 32; y += 8) {
    matrix[(column * 32 + y) * kSide + row * 32 + x] = low[x][y];
    if (row != column) matrix[(row * 32 + y) * kSide + column * 32 + x] = high[x][y];
  }
}
/// Eight lanes have a matrix of 8 x 8, a row each.
__global__ void turn_by_shuffles(const float4* in, float4* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float4 a = in[2 * i], b = in[2 * i + 1];
  float v[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
  for (unsigned d = 1; d < 8; d *= 2) {
    const bool upper = (threadIdx.x & d) != 0;
#pragma unroll
    for (unsigned k = 0; k < 8; ++k) {
      if ((k & d) != 0) continue;
      const float got = __shfl_xor_sync(~0u, upper ? v[k] : v[k + d], d);
      if (upper)
        v[k] = got;
      else
        v[k + d] = got;
    }
  }
  out[2 * i] = make_float4(v[0], v[1], v[2], v[3]);
  out[2 * i + 1] = make_float4(v[4], v[5], v[6], v[7]);
}
constexpr unsigned kChannels = 48;
__global__ void channels_last(const float* in, float* out, unsigned pixels) {
  const unsigned i = static_cast<unsigned>(global_index());
  if (i < pixels * kChannels) out[i] = in[i % kChannels * pixels + i / kChannels];
}

}  // namespace

void orders(Set& s) {
  const std::size_t n = s.n, matrices = n / 16 / (kSide * kSide), m = matrices * kSide * kSide;
  float* all = room<float>(m);
  cudaMemcpy(all, s.in, 4 * m, cudaMemcpyDeviceToDevice);
  s.run(
      "matrices of 128 turned in place", 8.0 * real(m),
      [&] { turn_in_place<<<dim3(10, as_number(matrices)), dim3(32, 8)>>>(all); },
      [&] {
        return Set::each(m - 2, [&](std::size_t k) {
          const std::size_t i = k + 1, base = i / (kSide * kSide) * (kSide * kSide);
          return Checked::at(all, i) == float_of(base + i % kSide * kSide + i / kSide % kSide);
        });
      });
  cudaFree(all);
  s.run(
      "eight by eight turned by shuffles", 0.5 * real(n),
      [&] {
        turn_by_shuffles<<<Set::blocks(n / 128), 256>>>(reinterpret_cast<float4*>(s.in), s.vectors(),
                                                        n / 128);
      },
      [&] {
        return within(s, n / 16, 0,
                      [](std::size_t i) { return double{float_of(i / 64 * 64 + i % 8 * 8 + i / 8 % 8)}; });
      });
  const unsigned pixels = as_number(n / 16 / kChannels);
  s.run(
      "48 channels made the last axis", 8.0 * kChannels * pixels,
      [&] { channels_last<<<Set::blocks(pixels * kChannels), 256>>>(s.in, s.out, pixels); },
      [&] {
        return within(s, pixels * kChannels, 0, [&](std::size_t i) {
          return double{float_of(i % kChannels * pixels + i / kChannels)};
        });
      });
}

}  // namespace held_out_4
