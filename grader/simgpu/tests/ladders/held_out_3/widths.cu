/// @file
/// Arrays passed over once: doubles, pixels of three bytes, rows that begin anywhere, writes for a few lanes only.
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

constexpr unsigned kWidthsWidth = 1001;

__global__ void triad(const double* a, const double* b, double* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = a[i] + 3.0 * b[i];
}
__global__ void grey(const unsigned char* pixels, unsigned char* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned r = pixels[3 * i], g = pixels[3 * i + 1], b = pixels[3 * i + 2];
  out[i] = static_cast<unsigned char>((77 * r + 150 * g + 29 * b) >> 8);
}
__global__ void keep_few(const unsigned* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m && (in[i] & 15) == 0) out[i] = in[i] | 1;
}
/// A block a row.
__global__ void scale_rows(const float* in, float* out, unsigned width) {
  const std::size_t row = blockIdx.x * std::size_t{width};
  const float factor = 1.0f / in[row];
  for (unsigned x = threadIdx.x; x < width; x += blockDim.x) out[row + x] = in[row + x] * factor;
}

}  // namespace

void widths(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "triad of doubles, blocks of 96", 6.0 * real(n),
      [&] {
        triad<<<Set::blocks(n / 4, 96), 96>>>(reinterpret_cast<double*>(s.in),
                                              reinterpret_cast<double*>(s.other),
                                              reinterpret_cast<double*>(s.out), n / 4);
      },
      [&] {
        return Set::each(n / 4, [&](std::size_t i) {
          return Set::near(Checked::at(reinterpret_cast<double*>(s.out), i),
                           double_of(i) + 3 * double_of(i, 33331));
        });
      });
  s.run(
      "grey of pixels of three bytes", real(n),
      [&] {
        grey<<<Set::blocks(n / 4), 256>>>(reinterpret_cast<unsigned char*>(s.words),
                                          reinterpret_cast<unsigned char*>(s.out), n / 4);
      },
      [&] {
        return Set::each(n / 4, [&](std::size_t i) {
          return s.byte(i) == (77 * byte_of(3 * i) + 150 * byte_of(3 * i + 1) + 29 * byte_of(3 * i + 2)) >> 8;
        });
      });
  s.run(
      "one word in sixteen kept", 1.0625 * real(n),
      [&] { keep_few<<<Set::blocks(n / 4), 256>>>(s.words, s.numbers(), n / 4); },
      [&] {
        // Around each place, so that some are kept.
        return Set::each(n / 4 - 200, [&](std::size_t first) {
          const std::vector<unsigned> got = taken(s.numbers() + first, 200);
          std::size_t some = 0;
          for (std::size_t k = 0; k < 200; ++k) {
            const unsigned w = word_of(first + k);
            if (got[k] != ((w & 15) == 0 ? w | 1 : 0)) return false;
            some += got[k] != 0;
          }
          return some > 0;
        });
      });
  const std::size_t rows = n / 4 / kWidthsWidth;
  s.run(
      "rows of 1001 scaled", 2.0 * real(n),
      [&] { scale_rows<<<as_number(rows), 256>>>(s.in, s.out, kWidthsWidth); },
      [&] {
        return floats(s, rows * kWidthsWidth, [](std::size_t i) {
          return double{float_of(i)} / float_of(i / kWidthsWidth * kWidthsWidth);
        });
      });
}

}  // namespace held_out_3
