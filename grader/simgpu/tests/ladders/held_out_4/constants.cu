/// @file
/// Constant memory: bytes replaced by a table, what 200 charges do to a grid.
#include "held_out_4.hpp"

namespace held_out_4 {
namespace {

__constant__ unsigned char box[256];
constexpr unsigned kCharges = 200;
__constant__ float4 charges[kCharges];

__global__ void replace_bytes(const unsigned* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned w = in[i];
  out[i] = unsigned{box[w & 255]} | unsigned{box[w >> 8 & 255]} << 8 | unsigned{box[w >> 16 & 255]} << 16 |
           unsigned{box[w >> 24]} << 24;
}
constexpr unsigned kWide = 256;
/// Four places a thread, one beside the other.
__global__ void __launch_bounds__(128) potential(float* out, unsigned height) {
  const unsigned x = (blockIdx.x * 32 + threadIdx.x) * 4, y = blockIdx.y * 4 + threadIdx.y;
  if (y >= height) return;
  float v[4] = {};
  for (unsigned k = 0; k < kCharges; ++k) {
    const float4 c = charges[k];
    const float dy = static_cast<float>(y) - c.y, far = dy * dy + c.z * c.z;
#pragma unroll
    for (unsigned h = 0; h < 4; ++h) {
      const float dx = static_cast<float>(x + h) - c.x;
      v[h] += c.w * rsqrtf(dx * dx + far);
    }
  }
  *reinterpret_cast<float4*>(out + y * kWide + x) = make_float4(v[0], v[1], v[2], v[3]);
}

}  // namespace

void constants(Set& s) {
  const std::size_t n = s.n;
  std::vector<unsigned char> bytes(256);
  for (std::size_t k = 0; k < 256; ++k) bytes[k] = static_cast<unsigned char>(word_of(k) >> 11);
  ladder::check(cudaMemcpyToSymbol(box, bytes.data(), 256), "constants");
  s.run(
      "bytes replaced by a table of constants", 8.0 * real(n / 128),
      [&] { replace_bytes<<<Set::blocks(n / 128), 256>>>(s.words, s.numbers(), n / 128); },
      [&] {
        return numbers(s, n / 128, [&](std::size_t i) {
          unsigned word = 0;
          for (unsigned k = 0; k < 4; ++k) word |= unsigned{bytes[byte_of(4 * i + k)]} << 8 * k;
          return word;
        });
      });
  std::vector<float4> all(kCharges);
  for (std::size_t k = 0; k < kCharges; ++k)
    all[k] =
        make_float4(30 * float_of(4 * k), 40 * float_of(4 * k + 1), float_of(4 * k + 2), float_of(4 * k + 3));
  ladder::check(cudaMemcpyToSymbol(charges, all.data(), kCharges * 16), "constants");
  const unsigned height = as_number(n / 256 / kWide);
  s.run(
      "potential of 200 charges on a grid", 4.0 * kWide * height,
      [&] { potential<<<dim3(kWide / 128, Set::blocks(height, 4)), dim3(32, 4)>>>(s.out, height); },
      [&] {
        return floats(s, kWide * std::size_t{height}, [&](std::size_t i) {
          double sum = 0;
          for (const float4& c : all) {
            const double dx = real(i % kWide) - c.x, dy = real(i / kWide) - c.y;
            sum += c.w / std::sqrt(dx * dx + dy * dy + double{c.z} * c.z);
          }
          return sum;
        });
      });
}

}  // namespace held_out_4
