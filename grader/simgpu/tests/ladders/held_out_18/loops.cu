/// @file
/// Arithmetic and ways apart: a fractal of whole numbers, bodies that pull one another by twos, volatilities that explain
/// prices, a hash byte by byte, inverses of small matrices of doubles.
#include "held_out_18.hpp"

namespace held_out_18 {
namespace {

constexpr unsigned kWholeWide = 1024, kWholeHigh = 168, kWholeSteps = 128, kWholeX = 32, kWholeY = 8;
constexpr int kWholeBits = 28;
/// Steps until the point is more than two away, in whole numbers with 28 bits behind the point.
__host__ __device__ __forceinline__ unsigned steps_until_away(std::size_t column, std::size_t row) {
  const long long left = -2ll << kWholeBits, wide = 3ll << kWholeBits, low = -5ll << (kWholeBits - 2),
                  high = 5ll << (kWholeBits - 1);
  // Pictures lie below one another, each a little further down within its points.
  const auto cx = static_cast<int>(left + wide / kWholeWide * static_cast<long long>(column)),
             cy = static_cast<int>(low + high / kWholeHigh * static_cast<long long>(row % kWholeHigh) +
                                   high / kWholeHigh * static_cast<long long>(row / kWholeHigh) / 64);
  int x = 0, y = 0;
  unsigned step = 0;
  for (; step < kWholeSteps; ++step) {
    const auto xx = static_cast<int>(static_cast<long long>(x) * x >> kWholeBits),
               yy = static_cast<int>(static_cast<long long>(y) * y >> kWholeBits);
    if (static_cast<unsigned>(xx) + static_cast<unsigned>(yy) > 4u << kWholeBits) break;
    y = static_cast<int>(static_cast<long long>(x) * y >> (kWholeBits - 1)) + cy;
    x = xx - yy + cx;
  }
  return step;
}
__global__ void __launch_bounds__(kWholeX* kWholeY) draw_in_whole_numbers(unsigned* out, unsigned high) {
  const std::size_t x = blockIdx.x * kWholeX + threadIdx.x, y = blockIdx.y * kWholeY + threadIdx.y;
  if (y < high) out[y * kWholeWide + x] = steps_until_away(x, y) + 1;
}

constexpr unsigned kPullGroup = 512, kPullThreads = kPullGroup / 2;
constexpr float kPullSoft = 0.25f;
/// A thread has two bodies of a plane.
__global__ void __launch_bounds__(kPullThreads)
    pull_by_twos(const float* x, const float* y, const float* masses, float* out_x, float* out_y) {
  __shared__ float xs[kPullGroup], ys[kPullGroup], ms[kPullGroup];
  const std::size_t first = std::size_t{blockIdx.x} * kPullGroup;
  for (unsigned k = threadIdx.x; k < kPullGroup; k += kPullThreads) {
    xs[k] = x[first + k];
    ys[k] = y[first + k];
    ms[k] = masses[first + k];
  }
  __syncthreads();
  const unsigned i = threadIdx.x, j = i + kPullThreads;
  const float2 at_i = make_float2(xs[i], ys[i]), at_j = make_float2(xs[j], ys[j]);
  float2 pull_i = make_float2(0.0f, 0.0f), pull_j = pull_i;
  const auto pull = [](float2& sum, float2 at, float ox, float oy, float mass) {
    const float dx = ox - at.x, dy = oy - at.y;
    const float near = rsqrtf(dx * dx + dy * dy + kPullSoft);
    const float by = mass * near * near * near;
    sum.x += by * dx;
    sum.y += by * dy;
  };
#pragma unroll 4
  for (unsigned k = 0; k < kPullGroup; ++k) {
    pull(pull_i, at_i, xs[k], ys[k], ms[k]);
    pull(pull_j, at_j, xs[k], ys[k], ms[k]);
  }
  out_x[first + i] = pull_i.x, out_y[first + i] = pull_i.y;
  out_x[first + j] = pull_j.x, out_y[first + j] = pull_j.y;
}

constexpr float kStrike = 100.0f, kInterest = 0.02f, kFirstGuess = 0.35f;
constexpr unsigned kGuesses = 6;
/// What an option to buy is about.
struct Option {
  float spot, years;

  __host__ __device__ Option(float first, float second)
      : spot(90.0f + 3.0f * (first - 0.5f)), years(0.5f + 0.2f * (second - 0.5f)) {}
};
/// Newton's steps.
__global__ void __launch_bounds__(128)
    explain_prices(const float* spots, const float* years, const float* prices, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const Option option(spots[i], years[i]);
  const float price = prices[i], root = sqrtf(option.years), paid = kStrike * expf(-kInterest * option.years),
              ratio = logf(option.spot / kStrike);
  float volatility = kFirstGuess;
  for (unsigned k = 0; k < kGuesses; ++k) {
    const float spread = volatility * root;
    const float d = (ratio + kInterest * option.years) / spread + 0.5f * spread;
    const float guessed = option.spot * normcdff(d) - paid * normcdff(d - spread);
    const float slope = option.spot * root * 0.39894228f * expf(-0.5f * d * d);
    volatility -= (guessed - price) / slope;
  }
  out[i] = volatility;
}
double volatility_of(std::size_t i) {
  return 0.2 + 0.3 * double{half_of(i + 401)};
}
double price_of(const Option& option, double volatility) {
  const auto below = [](double v) { return 0.5 * std::erfc(-v / std::sqrt(2.0)); };
  const double years = option.years, spread = volatility * std::sqrt(years);
  const double d =
      (std::log(double{option.spot} / double{kStrike}) + double{kInterest} * years) / spread + 0.5 * spread;
  return option.spot * below(d) - double{kStrike} * std::exp(-double{kInterest} * years) * below(d - spread);
}

constexpr unsigned kKeyWords = 6;
/// Fowler's, Noll's and Vo's: a byte is mixed in and the whole multiplied.
__host__ __device__ __forceinline__ unsigned long long mixed_in(unsigned long long hash, unsigned word) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (unsigned k = 0; k < 32; k += 8) hash = (hash ^ (word >> k & 255)) * 0x100000001b3ull;
  return hash;
}
constexpr unsigned long long kHashBegin = 0xcbf29ce484222325ull;
__global__ void hash_keys(const uint2* keys, unsigned long long* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  unsigned long long hash = kHashBegin;
#pragma unroll
  for (unsigned k = 0; k < kKeyWords / 2; ++k) {
    const uint2 v = keys[std::size_t{i} * (kKeyWords / 2) + k];
    hash = mixed_in(mixed_in(hash, v.x), v.y);
  }
  out[i] = hash;
}

constexpr unsigned kSmallSide = 3, kOfSmall = kSmallSide * kSmallSide;
constexpr double kOnDiagonal = 16.0;
/// The same entries of all matrices lie side by side.
__global__ void __launch_bounds__(256) invert_small(const float* in, double* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  double a[kSmallSide][kSmallSide];
#pragma unroll
  for (unsigned k = 0; k < kOfSmall; ++k)
    a[k / kSmallSide][k % kSmallSide] =
        in[std::size_t{k} * m + i] + (k % (kSmallSide + 1) == 0 ? kOnDiagonal : 0.0);
  // The rows and columns that are not an entry's go round behind it.
  const auto cofactor = [&](unsigned y, unsigned x) {
    const unsigned y1 = (y + 1) % kSmallSide, y2 = (y + 2) % kSmallSide, x1 = (x + 1) % kSmallSide,
                   x2 = (x + 2) % kSmallSide;
    return a[y1][x1] * a[y2][x2] - a[y1][x2] * a[y2][x1];
  };
  const double scale = 1.0 / (a[0][0] * cofactor(0, 0) + a[0][1] * cofactor(0, 1) + a[0][2] * cofactor(0, 2));
#pragma unroll
  for (unsigned k = 0; k < kOfSmall; ++k)
    out[std::size_t{k} * m + i] = scale * cofactor(k % kSmallSide, k / kSmallSide);
}

}  // namespace

void loops(Set& s) {
  const std::size_t n = s.n;
  const unsigned whole_high = as_number(n / 64 / kWholeWide);
  s.run(
      "Mandelbrot's set in whole numbers of 28 bits behind the point", 4.0 * kWholeWide * whole_high,
      [&] {
        draw_in_whole_numbers<<<dim3(kWholeWide / kWholeX, Set::blocks(whole_high, kWholeY)),
                                dim3(kWholeX, kWholeY)>>>(s.numbers(), whole_high);
      },
      [&] {
        return same_everywhere(s, std::size_t{kWholeWide} * whole_high, [](std::size_t i) {
          return steps_until_away(i % kWholeWide, i / kWholeWide) + 1;
        });
      });

  const unsigned groups = 6 * s.sms;
  const std::size_t bodies = std::size_t{kPullGroup} * groups;
  s.run(
      "pull of groups of 512 bodies of a plane by arrays in shared memory, two bodies a thread",
      20.0 * real(bodies),
      [&] { pull_by_twos<<<groups, kPullThreads>>>(s.in, s.in + bodies, s.other, s.out, s.out + bodies); },
      [&] {
        return near_everywhere(
            s, 2 * bodies, 1e-3,
            [&](std::size_t at) {
              const std::size_t i = at % bodies, first = i / kPullGroup * kPullGroup;
              double sum = 0;
              for (std::size_t k = first; k < first + kPullGroup; ++k) {
                const double dx = double{float_of(k)} - float_of(i),
                             dy = double{float_of(bodies + k)} - float_of(bodies + i);
                const double square = dx * dx + dy * dy + double{kPullSoft};
                sum += other_of(k) * (at < bodies ? dx : dy) / (square * std::sqrt(square));
              }
              return sum;
            },
            101);
      });

  const unsigned options = as_number(n / 64);
  std::vector<float> prices(options);
  for (std::size_t i = 0; i < options; ++i)
    prices[i] = static_cast<float>(price_of(Option(float_of(i), other_of(i)), volatility_of(i)));
  float* prices_there = kept(prices);
  s.run(
      "volatilities that explain the prices of options, by six of Newton's steps", 16.0 * options,
      [&] {
        explain_prices<<<Set::blocks(options, 128), 128>>>(s.in, s.other, prices_there, s.out, options);
      },
      [&] { return near_everywhere(s, options, 1e-4, [](std::size_t i) { return volatility_of(i); }); });
  cudaFree(prices_there);

  const unsigned keys = as_number(n / 32);
  s.run(
      "hashes of 64 bits of keys of 24 bytes, byte by byte", (4.0 * kKeyWords + 8.0) * keys,
      [&] {
        hash_keys<<<Set::blocks(keys, 512), 512>>>(reinterpret_cast<const uint2*>(s.words),
                                                   reinterpret_cast<unsigned long long*>(s.out), keys);
      },
      [&] {
        return same_everywhere<unsigned long long>(s, keys, [](std::size_t i) {
          unsigned long long hash = kHashBegin;
          for (std::size_t k = 0; k < kKeyWords; ++k) hash = mixed_in(hash, word_of(kKeyWords * i + k));
          return hash;
        });
      });

  const unsigned matrices = as_number(n / 64);
  s.run(
      "inverses of matrices of 3 x 3 doubles, nine arrays", 12.0 * kOfSmall * matrices,
      [&] { invert_small<<<Set::blocks(matrices), 256>>>(s.in, reinterpret_cast<double*>(s.out), matrices); },
      [&] {
        const std::vector<double> got =
            taken(reinterpret_cast<const double*>(s.out), std::size_t{kOfSmall} * matrices);
        for (std::size_t i = 0; i < matrices; ++i)
          for (std::size_t k = 0; k < kOfSmall; ++k) {
            const std::size_t y = k / kSmallSide, x = k % kSmallSide;
            double sum = 0;  // of a row of the matrix by a column of the inverse
            for (std::size_t j = 0; j < kSmallSide; ++j)
              sum += (float_of((y * kSmallSide + j) * matrices + i) + (y == j ? kOnDiagonal : 0.0)) *
                     got[(j * kSmallSide + x) * matrices + i];
            if (!Set::near(sum, y == x ? 1 : 0, 1e-9)) return false;
          }
        return true;
      });
}

}  // namespace held_out_18
