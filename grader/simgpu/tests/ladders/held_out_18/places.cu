/// @file
/// Where data lie: vectors read at wide steps, points of doubles taken apart, rows of words and of their places in a
/// text, a matrix turned by blocks that go on.
#include "held_out_18.hpp"

namespace held_out_18 {
namespace {

template <unsigned Step>
__global__ void add_up_at_steps(const float4* in, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const float4 v = in[std::size_t{Step} * i];
  out[i] = (v.x + v.y) + (v.z + v.w);
}
constexpr unsigned kVectorStep = 12;

struct Point {
  double x, y, z;
};
__global__ void __launch_bounds__(128)
    take_points_apart(const Point* points, double* x, double* y, double* z, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const Point p = points[i];
  x[i] = 0.5 * p.x;
  y[i] = 0.5 * p.y;
  z[i] = 0.5 * p.z;
}

constexpr unsigned kTextWide = 768, kTextLong = 512, kTextThreads = kTextWide / 8;
/// A block has a word of a text: its row, and that of its place.
__global__ void __launch_bounds__(kTextThreads)
    rows_of_text(const unsigned* text, const uint4* rows, const uint4* places, uint4* out,
                 unsigned vocabulary) {
  const std::size_t word = place_of(text[blockIdx.x], vocabulary), place = blockIdx.x % kTextLong;
  uint4 u = rows[word * kTextThreads + threadIdx.x];
  const uint4 v = places[place * kTextThreads + threadIdx.x];
  const auto add = [](unsigned& to, unsigned pair) {
    __half2 a, b;
    memcpy(&a, &to, sizeof a), memcpy(&b, &pair, sizeof b);
    a = __hadd2(a, b);
    memcpy(&to, &a, sizeof a);
  };
  add(u.x, v.x), add(u.y, v.y), add(u.z, v.z), add(u.w, v.w);
  out[std::size_t{blockIdx.x} * kTextThreads + threadIdx.x] = u;
}

constexpr unsigned kTurnedWide = 1536, kTurnedTile = 32, kTurnedRows = 8;
__global__ void __launch_bounds__(kTurnedTile* kTurnedRows)
    turn_going_on(const float* in, float* out, unsigned high) {
  __shared__ float tile[kTurnedTile][kTurnedTile + 1];
  constexpr unsigned kAcross = kTurnedWide / kTurnedTile;
  const unsigned tiles = kAcross * (high / kTurnedTile);
  for (unsigned k = blockIdx.x; k < tiles; k += gridDim.x) {
    const unsigned x0 = k % kAcross * kTurnedTile, y0 = k / kAcross * kTurnedTile;
    for (unsigned y = threadIdx.y; y < kTurnedTile; y += kTurnedRows)
      tile[y][threadIdx.x] = in[std::size_t{y0 + y} * kTurnedWide + x0 + threadIdx.x];
    __syncthreads();
    for (unsigned x = threadIdx.y; x < kTurnedTile; x += kTurnedRows)
      out[std::size_t{x0 + x} * high + y0 + threadIdx.x] = tile[threadIdx.x][x];
    __syncthreads();
  }
}

}  // namespace

void places(Set& s) {
  const std::size_t n = s.n;
  const unsigned stepped = as_number(n / 4 / kVectorStep);
  s.run(
      "each twelfth vector of four floats added up", 20.0 * stepped,
      [&] {
        add_up_at_steps<kVectorStep>
            <<<Set::blocks(stepped), 256>>>(reinterpret_cast<const float4*>(s.in), s.out, stepped);
      },
      [&] {
        return near_everywhere(s, stepped, 1e-5, [](std::size_t i) {
          const std::size_t at = 4 * kVectorStep * i;
          return double{float_of(at)} + float_of(at + 1) + float_of(at + 2) + float_of(at + 3);
        });
      });

  const unsigned points = as_number(n / 32);
  s.run(
      "points of three doubles halved and put into three arrays", 48.0 * points,
      [&] {
        auto* out = reinterpret_cast<double*>(s.out);
        take_points_apart<<<Set::blocks(points, 128), 128>>>(
            reinterpret_cast<const Point*>(s.in), out, out + points, out + 2 * std::size_t{points}, points);
      },
      [&] {
        return same_everywhere<double>(s, 3 * std::size_t{points}, [&](std::size_t i) {
          return 0.5 * double_of(3 * (i % points) + i / points);
        });
      });

  const unsigned vocabulary = as_number(n / 8 / kTextWide), words_of_text = as_number(n / 2048);
  const std::size_t places_begin = 2 * n - std::size_t{kTextLong} * kTextWide;
  s.run(
      "rows of 768 halves of the words of texts and of their places added, a block of 96 each",
      (6.0 * kTextWide + 4.0) * words_of_text,
      [&] {
        rows_of_text<<<words_of_text, kTextThreads>>>(s.words, reinterpret_cast<const uint4*>(s.halves),
                                                      reinterpret_cast<const uint4*>(s.halves + places_begin),
                                                      reinterpret_cast<uint4*>(s.out), vocabulary);
      },
      [&] {
        return same_everywhere<unsigned short>(s, std::size_t{kTextWide} * words_of_text, [&](std::size_t i) {
          const std::size_t at = i / kTextWide, x = i % kTextWide;
          return __half_as_ushort(
              __float2half(half_of(std::size_t{place_of(word_of(at), vocabulary)} * kTextWide + x) +
                           half_of(places_begin + at % kTextLong * kTextWide + x)));
        });
      });

  const unsigned high = as_number(n / 8 / kTurnedWide / kTurnedTile * kTurnedTile);
  s.run(
      "turned in tiles of 32 x 33, seven blocks an SM go on over the tiles", 8.0 * kTurnedWide * high,
      [&] { turn_going_on<<<s.sms * 7, dim3(kTurnedTile, kTurnedRows)>>>(s.in, s.out, high); },
      [&] {
        return same_everywhere<float>(s, std::size_t{kTurnedWide} * high, [&](std::size_t i) {
          return float_of(i % high * kTurnedWide + i / high);
        });
      });
}

}  // namespace held_out_18
