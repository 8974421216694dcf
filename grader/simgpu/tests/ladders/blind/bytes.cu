/// @file
/// Work on bytes: letters, pixels, edges, sums of squares.
#include "blind.hpp"

namespace blind {
namespace {

/// Each word becomes eight letters.
__global__ void to_hex(const unsigned* in, uint2* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned v = in[i];
  const auto letters = [](unsigned nibbles) {
    unsigned four = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const unsigned d = nibbles >> (4 * (k ^ 1)) & 15;
      four |= (d < 10 ? d + '0' : d - 10 + 'a') << (8 * k);
    }
    return four;
  };
  out[i] = make_uint2(letters(v & 0xffff), letters(v >> 16));
}
/// Two pixels of brightness and shared colour become six bytes.
__global__ void to_rgb(const uchar4* in, unsigned char* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const uchar4 p = in[i];
  const int u = p.y - 128, v = p.w - 128;
  const int red = 359 * v, green = -88 * u - 183 * v, blue = 454 * u;
  const auto clamped = [](int value) { return static_cast<unsigned char>(min(max(value >> 8, 0), 255)); };
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const int y = (k == 0 ? p.x : p.z) * 256;
    out[6 * i + 3 * k] = clamped(y + red);
    out[6 * i + 3 * k + 1] = clamped(y + green);
    out[6 * i + 3 * k + 2] = clamped(y + blue);
  }
}
/// Edges of a picture of bytes, four pixels a thread.
__global__ void find_edges(const unsigned char* in, uchar4* out, int width, int height) {
  const int x = (blockIdx.x * 64 + threadIdx.x) * 4, y = blockIdx.y * 4 + threadIdx.y;
  if (y < 1 || y >= height - 1 || x >= width) return;
  int p[3][6];
#pragma unroll
  for (int r = 0; r < 3; ++r) {
    const unsigned char* row = in + std::size_t(y + r - 1) * width + x;
    const uchar4 middle = *reinterpret_cast<const uchar4*>(row);
    p[r][0] = x > 0 ? row[-1] : 0, p[r][5] = x + 4 < width ? row[4] : 0;
    p[r][1] = middle.x, p[r][2] = middle.y, p[r][3] = middle.z, p[r][4] = middle.w;
  }
  unsigned char edge[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int gx = p[0][k + 2] - p[0][k] + 2 * (p[1][k + 2] - p[1][k]) + p[2][k + 2] - p[2][k];
    const int gy = p[2][k] - p[0][k] + 2 * (p[2][k + 1] - p[0][k + 1]) + p[2][k + 2] - p[0][k + 2];
    edge[k] = static_cast<unsigned char>(min(255, (abs(gx) + abs(gy)) >> 3));
  }
  out[(std::size_t(y) * width + x) / 4] = make_uchar4(edge[0], edge[1], edge[2], edge[3]);
}
/// Which of a line of bytes are spaces or ends of words, a bit each, by 64 bytes a warp.
__global__ void mark_words(const unsigned char* in, uint2* out, std::size_t m) {
  const std::size_t warp = global_index() / 32, lane = threadIdx.x % 32;
  if (warp >= m) return;
  const unsigned char a = in[warp * 64 + lane], b = in[warp * 64 + 32 + lane];
  const unsigned low = __ballot_sync(~0u, a < 64), high = __ballot_sync(~0u, b < 64);
  if (lane == 0) out[warp] = make_uint2(low & ~(low << 1), high & ~(high << 1 | low >> 31));
}
/// Differences of bytes, four at once.
__global__ void sums_of_differences(const uint4* a, const uint4* b, unsigned* out, std::size_t m) {
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const uint4 u = a[i], v = b[i];
    out[i] = __vsadu4(u.x, v.x) + __vsadu4(u.y, v.y) + __vsadu4(u.z, v.z) + __vsadu4(u.w, v.w);
  }
}

}  // namespace

void bytes(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "words in letters", 1.5 * s.one,
      [&] { to_hex<<<Set::blocks(n / 2), 256>>>(s.words, reinterpret_cast<uint2*>(s.out), n / 2); },
      [&] {
        return Set::each(2 * n, [&](std::size_t b) {
          char letters[3];
          std::snprintf(letters, sizeof letters, "%02x", byte_of(b));
          return s.byte(2 * b) == static_cast<unsigned char>(letters[0]) &&
                 s.byte(2 * b + 1) == static_cast<unsigned char>(letters[1]);
        });
      });
  s.run(
      "pixels of shared colour", 10.0 * static_cast<double>(n / 2),
      [&] {
        to_rgb<<<Set::blocks(n / 2), 256>>>(reinterpret_cast<uchar4*>(s.words),
                                            reinterpret_cast<unsigned char*>(s.out), n / 2);
      },
      [&] {
        return Set::each(n / 2, [&](std::size_t i) {
          const int y = static_cast<int>(byte_of(4 * i + 2)), u = static_cast<int>(byte_of(4 * i + 1)) - 128,
                    v = static_cast<int>(byte_of(4 * i + 3)) - 128;
          const auto is = [&](std::size_t c, int want) {
            return static_cast<int>(s.byte(6 * i + 3 + c)) == std::clamp(want >> 8, 0, 255);
          };
          return is(0, y * 256 + 359 * v) && is(1, y * 256 - 88 * u - 183 * v) && is(2, y * 256 + 454 * u);
        });
      });
  const std::size_t height = n / 4096;
  s.run(
      "edges of bytes", s.one / 2,
      [&] {
        find_edges<<<dim3(16, Set::blocks(height, 4)), dim3(64, 4)>>>(
            reinterpret_cast<unsigned char*>(s.words), reinterpret_cast<uchar4*>(s.out), 4096,
            static_cast<int>(height));
      },
      [&] {
        return Set::each(n, [&](std::size_t i) {
          const std::size_t x = i % 4096, y = i / 4096;
          if (y < 1 || y + 1 >= height) return s.byte(i) == 0;
          const auto p = [&](int dx, int dy) {
            const long at = static_cast<long>(x) + dx;
            if (at < 0 || at > 4095) return 0;
            return static_cast<int>(
                byte_of((y + static_cast<std::size_t>(dy)) * 4096 + static_cast<std::size_t>(at)));
          };
          const int gx = p(1, -1) - p(-1, -1) + 2 * (p(1, 0) - p(-1, 0)) + p(1, 1) - p(-1, 1);
          const int gy = p(-1, 1) - p(-1, -1) + 2 * (p(0, 1) - p(0, -1)) + p(1, 1) - p(1, -1);
          return static_cast<int>(s.byte(i)) == std::min(255, (std::abs(gx) + std::abs(gy)) >> 3);
        });
      });
  s.run(
      "beginnings of words marked", 72.0 * static_cast<double>(n / 64),
      [&] {
        mark_words<<<Set::blocks(n / 2), 256>>>(reinterpret_cast<unsigned char*>(s.words),
                                                reinterpret_cast<uint2*>(s.out), n / 64);
      },
      [&] {
        return Set::each(n, [&](std::size_t b) {
          const bool begins = byte_of(b) < 64 && (b % 64 == 0 || byte_of(b - 1) >= 64);
          return (s.number(b / 32) >> (b % 32) & 1) == begins;
        });
      });
  s.run(
      "sums of differences of bytes", 36.0 * static_cast<double>(n / 8),
      [&] {
        sums_of_differences<<<s.sms * 8, 256>>>(
            reinterpret_cast<uint4*>(s.words), reinterpret_cast<uint4*>(s.words + n / 2), s.numbers(), n / 8);
      },
      [&] {
        return Set::each(n / 8, [&](std::size_t i) {
          unsigned sum = 0;
          for (std::size_t b = 16 * i; b < 16 * i + 16; ++b) {
            const unsigned u = byte_of(b), v = byte_of(2 * n + b);
            sum += u > v ? u - v : v - u;
          }
          return s.number(i) == sum;
        });
      });
}

}  // namespace blind
