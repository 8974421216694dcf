/// @file
/// Streams of elements: doubles mixed by a mask, warps of which a third works, blocks that have nothing to do,
/// bytes written as letters.
#include "held_out_13.hpp"

namespace held_out_13 {
namespace {

__global__ void mix_by_bits(const double* a, const double* b, const unsigned* mask, double* out,
                            std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const double x = a[i], y = b[i];
  out[i] = (mask[i / 32] >> (i % 32) & 1) != 0 ? x : y;
}

constexpr unsigned kAtWork = 11;
/// The other lanes leave at once.
__global__ void eleven_lanes(const float* in, float* out, std::size_t m) {
  const unsigned lane = threadIdx.x % 32;
  const std::size_t i = global_index() / 32 * kAtWork + lane;
  if (lane < kAtWork && i < m) out[i] = 3.0f * in[i] + 1.0f;
}

constexpr unsigned kFlaggedRow = 512, kOneIn = 3;
__global__ void __launch_bounds__(kFlaggedRow / 4)
    roots_of_flagged(const unsigned* flags, const float4* in, float4* out) {
  if (flags[blockIdx.x] % kOneIn != 0) return;
  const std::size_t i = global_index();
  const float4 v = in[i];
  out[i] = make_float4(sqrtf(v.x), sqrtf(v.y), sqrtf(v.z), sqrtf(v.w));
}

constexpr unsigned kLetters = 64;
/// The letter of each six bits, as mails have them.
__host__ __device__ __forceinline__ unsigned letter_of(unsigned six) {
  return six < 26 ? 'A' + six : six < 52 ? 'a' + six - 26 : six < 62 ? '0' + six - 52 : six < 63 ? '+' : '/';
}
/// Twelve bytes are four times 24 bits, of which the first byte has the highest.
__global__ void __launch_bounds__(256) letters_of_bytes(const uint3* in, uint4* out, std::size_t m) {
  __shared__ unsigned char letters[kLetters];
  if (threadIdx.x < kLetters) letters[threadIdx.x] = static_cast<unsigned char>(letter_of(threadIdx.x));
  __syncthreads();
  const std::size_t i = global_index();
  if (i >= m) return;
  const uint3 v = in[i];
  const auto written = [&](unsigned bits) {
    const unsigned a = letters[bits >> 18 & 63], b = letters[bits >> 12 & 63], c = letters[bits >> 6 & 63],
                   d = letters[bits & 63];
    return a | b << 8 | c << 16 | d << 24;
  };
  out[i] = make_uint4(written(__byte_perm(v.x, 0, 0x4012)), written(__byte_perm(v.x, v.y, 0x0345)),
                      written(__byte_perm(v.y, v.z, 0x0234)), written(__byte_perm(v.z, 0, 0x4123)));
}

}  // namespace

void streams(Set& s) {
  const std::size_t n = s.n;
  const std::size_t mixed = n / 8;
  s.run(
      "doubles of two arrays mixed as a mask of bits says", 24.125 * real(mixed),
      [&] {
        mix_by_bits<<<Set::blocks(mixed), 256>>>(reinterpret_cast<const double*>(s.in),
                                                 reinterpret_cast<const double*>(s.other), s.words,
                                                 reinterpret_cast<double*>(s.out), mixed);
      },
      [&] {
        return doubles(s, mixed, [](std::size_t i) {
          return double_of(i, (word_of(i / 32) >> (i % 32) & 1) != 0 ? 0 : 33331);
        });
      });

  const std::size_t scaled = n / 8 / kAtWork * kAtWork;
  s.run(
      "floats scaled by eleven lanes of each warp", 8.0 * real(scaled),
      [&] { eleven_lanes<<<Set::blocks(scaled / kAtWork * 32), 256>>>(s.in, s.out, scaled); },
      [&] { return floats(s, scaled, [](std::size_t i) { return 3.0 * float_of(i) + 1; }); });

  const unsigned rows = as_number(n / 4 / kFlaggedRow);
  s.run(
      "roots of every third row, blocks of the others leave", (8.0 / kOneIn * kFlaggedRow + 4) * rows,
      [&] {
        roots_of_flagged<<<rows, kFlaggedRow / 4>>>(s.words, reinterpret_cast<const float4*>(s.in),
                                                    s.vectors());
      },
      [&] {
        for (std::size_t row = 0; row < rows; row += 1 + rows / 300)
          for (const std::size_t i : {row * kFlaggedRow, row * kFlaggedRow + kFlaggedRow - 1})
            if (!Set::near(s.value(i), word_of(row) % kOneIn == 0 ? std::sqrt(double{float_of(i)}) : 0.0))
              return false;
        return true;
      });

  const std::size_t written = n / 16;
  s.run(
      "bytes written in letters of six bits, twelve a thread", 28.0 * real(written),
      [&] {
        letters_of_bytes<<<Set::blocks(written), 256>>>(reinterpret_cast<const uint3*>(s.words),
                                                        reinterpret_cast<uint4*>(s.out), written);
      },
      [&] {
        return Set::each(16 * written, [&](std::size_t i) {
          const std::size_t from = i / 4 * 3;
          const unsigned bits = byte_of(from) << 16 | byte_of(from + 1) << 8 | byte_of(from + 2);
          return s.byte(i) == letter_of(bits >> (18 - 6 * (i % 4)) & 63);
        });
      });
}

}  // namespace held_out_13
