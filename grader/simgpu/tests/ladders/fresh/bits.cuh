/// @file
/// Bytes and bits: the integer units. Part of fresh.cu.
#pragma once

#include "fresh.cuh"

namespace {

__global__ void base64(const unsigned* in, uint4* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned w[3] = {in[3 * i], in[3 * i + 1], in[3 * i + 2]};
  unsigned result[4];
#pragma unroll
  for (int g = 0; g < 4; ++g) {
    unsigned bits = 0, packed = 0;
#pragma unroll
    for (int b = 0; b < 3; ++b) bits = bits << 8 | (w[(3 * g + b) / 4] >> ((3 * g + b) % 4 * 8) & 255);
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      const unsigned v = bits >> (18 - 6 * c) & 63;
      const unsigned letter = v < 26    ? v + 'A'
                              : v < 52  ? v - 26 + 'a'
                              : v < 62  ? v - 52 + '0'
                              : v == 62 ? '+'
                                        : '/';
      packed |= letter << (8 * c);
    }
    result[g] = packed;
  }
  out[i] = make_uint4(result[0], result[1], result[2], result[3]);
}
__global__ void life(const unsigned char* in, unsigned char* out, int width, int height) {
  const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const std::size_t at = std::size_t(y) * width + x;
  int alive = 0;
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) alive += in[at + dy * width + dx] & 1;
  alive -= in[at] & 1;
  out[at] = alive == 3 || (alive == 2 && (in[at] & 1) != 0);
}
__global__ void checksums(const uint4* in, unsigned* out, std::size_t n) {
  __shared__ unsigned table[256];
  unsigned entry = threadIdx.x;
  for (int k = 0; k < 8; ++k) entry = entry & 1 ? entry >> 1 ^ 0xedb88320u : entry >> 1;
  table[threadIdx.x] = entry;
  __syncthreads();
  for (std::size_t i = global_index(); i < n; i += stride()) {
    const uint4 v = in[i];
    const unsigned words[4] = {v.x, v.y, v.z, v.w};
    unsigned crc = ~0u;
#pragma unroll
    for (int w = 0; w < 4; ++w)
#pragma unroll
      for (int b = 0; b < 4; ++b) crc = table[(crc ^ words[w] >> (8 * b)) & 255] ^ crc >> 8;
    out[i] = ~crc;
  }
}
__global__ void transpose_bits(const unsigned* in, unsigned* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const unsigned lane = threadIdx.x % 32;
  unsigned x = in[i], mask = 0x0000ffffu;
#pragma unroll
  for (unsigned j = 16; j > 0; j >>= 1, mask ^= mask << j) {
    const unsigned other = __shfl_xor_sync(~0u, x, j);
    x = lane & j ? (x & ~mask) | (other >> j & mask) : (x & mask) | (other & mask) << j;
  }
  out[i] = x;
}
__constant__ unsigned codes[64];
__global__ void nearest_code(const unsigned* in, unsigned* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const unsigned v = in[i];
  int least = 33;
#pragma unroll
  for (int k = 0; k < 64; ++k) least = min(least, __popc(v ^ codes[k]));
  out[i] = static_cast<unsigned>(least);
}
__host__ __device__ __forceinline__ unsigned spread_by_two(unsigned v) {
  v = (v | v << 16) & 0x030000ff;
  v = (v | v << 8) & 0x0300f00f;
  v = (v | v << 4) & 0x030c30c3;
  return (v | v << 2) & 0x09249249;
}
__global__ void morton(const unsigned* in, unsigned* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const unsigned v = in[i];
  out[i] = spread_by_two(v & 1023) | spread_by_two(v >> 10 & 1023) << 1 | spread_by_two(v >> 20 & 1023) << 2;
}

void Fresh::bits() {
  run(
      "base64", 7 * one / 4,
      [&] { base64<<<blocks(n / 4), 256>>>(words, reinterpret_cast<uint4*>(out), n / 4); },
      [&] {
        return each(n / 4, [&](std::size_t i) {
          const unsigned first = word_of(3 * i) >> 2 & 63;
          const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
          const unsigned last = word_of(3 * i + 2) >> 24 & 63;
          return byte(16 * i) == letters[first] && byte(16 * i + 15) == letters[last];
        });
      });
  {
    const int rows = static_cast<int>(bytes / 4096);
    run(
        "life", two,
        [&] {
          life<<<dim3(4096 / 64, (rows + 3) / 4), dim3(64, 4)>>>(
              reinterpret_cast<unsigned char*>(words), reinterpret_cast<unsigned char*>(out), 4096, rows);
        },
        [&] {
          return each(bytes, [&](std::size_t i) {
            const std::size_t x = i % 4096, y = i / 4096;
            const auto alive = [&](std::size_t b) { return word_of(b / 4) >> (8 * (b % 4)) & 1; };
            if (x == 0 || x == 4095 || y == 0 || y + 1 == static_cast<std::size_t>(rows)) return byte(i) == 0;
            unsigned sum = 0;
            for (int dy = -1; dy <= 1; ++dy)
              for (int dx = -1; dx <= 1; ++dx)
                if (dx != 0 || dy != 0) sum += alive(i + dy * 4096L + dx);
            return byte(i) == (sum == 3 || (sum == 2 && alive(i)));
          });
        });
  }
  run(
      "checksums", 1.25 * one,
      [&] { checksums<<<resident, 256>>>(reinterpret_cast<uint4*>(words), numbers, n / 4); },
      [&] {
        return each(n / 4, [&](std::size_t i) {
          unsigned crc = ~0u;
          for (int b = 0; b < 16; ++b) {
            crc ^= word_of(4 * i + b / 4) >> (8 * (b % 4)) & 255;
            for (int k = 0; k < 8; ++k) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
          }
          return number(i) == ~crc;
        });
      });
  run(
      "bits transposed", two, [&] { transpose_bits<<<blocks(n), 256>>>(words, numbers, n); },
      [&] {
        return each(n, [&](std::size_t i) {
          unsigned want = 0;
          for (unsigned b = 0; b < 32; ++b) want |= (word_of(i / 32 * 32 + b) >> (i % 32) & 1) << b;
          return number(i) == want;
        });
      });
  unsigned code[64];
  for (unsigned k = 0; k < 64; ++k) code[k] = word_of(k * 977 + 5);
  cudaMemcpyToSymbol(codes, code, sizeof code);
  run(
      "nearest code", two, [&] { nearest_code<<<blocks(n), 256>>>(words, numbers, n); },
      [&] {
        return each(n, [&](std::size_t i) {
          int least = 33;
          for (const unsigned c : code) least = std::min(least, __builtin_popcount(c ^ word_of(i)));
          return number(i) == static_cast<unsigned>(least);
        });
      });
  run(
      "morton codes", two, [&] { morton<<<blocks(n), 256>>>(words, numbers, n); },
      [&] {
        return each(n, [&](std::size_t i) {
          unsigned want = 0;
          for (unsigned b = 0; b < 30; ++b) want |= (word_of(i) >> b & 1) << (b % 10 * 3 + b / 10);
          return number(i) == want;
        });
      });
}

}  // namespace
