/// @file
/// Arithmetic and ways apart: numbers tested for primes, numbers read out of text, gamblers' ruin, integrals of
/// doubles, energies of all pairs, spectra of rows.
#include "held_out_16.hpp"

namespace held_out_16 {
namespace {

__host__ __device__ __forceinline__ unsigned product_modulo(unsigned a, unsigned b, unsigned m) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b % m);
}
enum Primality : unsigned { kSmallFactor = 1, kWitnessed, kPrime };
/// Three witnesses are enough for all odd numbers of 32 bits; small factors come first.
__host__ __device__ __forceinline__ Primality primality_of(unsigned number) {
  for (const unsigned factor : {3u, 5u, 7u, 11u, 13u, 17u})
    if (number % factor == 0) return number == factor ? kPrime : kSmallFactor;
  if (number < 19 * 19) return number == 1 ? kSmallFactor : kPrime;
  unsigned odd = number - 1, twos = 0;
  while (odd % 2 == 0) {
    odd /= 2;
    ++twos;
  }
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (const unsigned witness : {2u, 7u, 61u}) {
    unsigned power = 1, square = witness % number;
    if (square == 0) continue;  // the number is the witness
    for (unsigned left = odd; left > 0; left /= 2) {
      if (left % 2 == 1) power = product_modulo(power, square, number);
      square = product_modulo(square, square, number);
    }
    bool passes = power == 1;
    for (unsigned k = 0; k < twos && !passes; ++k) {
      passes = power == number - 1;
      power = product_modulo(power, power, number);
    }
    if (!passes) return kWitnessed;
  }
  return kPrime;
}
__global__ void __launch_bounds__(128) test_for_primes(const unsigned* words, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = primality_of(words[i] | 1);
}

/// Of one to ten digits.
unsigned number_of_line(std::size_t line) {
  return word_of(line) >> word_of(line + 9) % 29;
}
/// A thread has a line, whose letters it reads one by one up to the end.
__global__ void __launch_bounds__(256)
    read_numbers(const unsigned char* text, const unsigned* starts, unsigned* out, unsigned lines) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= lines) return;
  const unsigned char* at = text + starts[i];
  unsigned value = 0;
  for (unsigned letter = *at; letter != '\n'; letter = *++at) value = 10 * value + letter - '0';
  out[i] = value;
}

constexpr unsigned kStake = 16, kGoal = 32, kMostGames = 20000;
__host__ __device__ __forceinline__ unsigned games_until_end(unsigned word) {
  unsigned state = word | 1, money = kStake, games = 0;
  while (money > 0 && money < kGoal && games < kMostGames) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    money += (state >> 19 & 1) * 2 - 1;
    ++games;
  }
  return 2 * games + (money == kGoal);
}
__global__ void __launch_bounds__(128) gamble(const unsigned* words, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = games_until_end(words[i]);
}

constexpr unsigned kSimpsonSteps = 40;
__host__ __device__ __forceinline__ double curve_at(double x) {
  return exp(-x * x) / (1.0 + x);
}
/// By Simpson's rule from nought to @p end.
__host__ __device__ __forceinline__ double area_under(double end) {
  const double step = end / kSimpsonSteps;
  double sum = curve_at(0.0) + curve_at(end);
#ifdef __CUDA_ARCH__
#pragma unroll 2
#endif
  for (unsigned k = 1; k < kSimpsonSteps; ++k) sum += (k % 2 == 1 ? 4.0 : 2.0) * curve_at(k * step);
  return sum * step / 3;
}
__global__ void __launch_bounds__(256) areas_by_simpson(const float* in, double* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = area_under(0.25 * in[i]);
}

constexpr unsigned kBodies = 1024, kBodyTile = 128, kBodyTiles = kBodies / kBodyTile,
                   kTilePairs = kBodyTiles * (kBodyTiles + 1) / 2;
constexpr float kSoftened = 0.01f;
/// A block has two tiles of a system, or one twice: each pair is looked at once.
__global__ void __launch_bounds__(kBodyTile) energies_of_pairs(const float4* bodies, float* out) {
  __shared__ float4 others[kBodyTile];
  __shared__ float of_warp[kBodyTile / 32];
  const float4* system = bodies + std::size_t{blockIdx.x / kTilePairs} * kBodies;
  unsigned column = 0, row = blockIdx.x % kTilePairs;
  while (row > column) row -= ++column;
  const float4 own = system[row * kBodyTile + threadIdx.x];
  others[threadIdx.x] = system[column * kBodyTile + threadIdx.x];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll 8
  for (unsigned k = row == column ? threadIdx.x + 1 : 0; k < kBodyTile; ++k) {
    const float4 other = others[k];
    const float x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
    sum += own.w * other.w * rsqrtf(x * x + y * y + z * z + kSoftened);
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = (of_warp[0] + of_warp[1]) + (of_warp[2] + of_warp[3]);
}

constexpr unsigned kSpectrum = 256, kSpectrumThreads = kSpectrum / 4, kSpectraOfBlock = 4;
__device__ __forceinline__ float2 turned(float2 v, float angle) {
  float sine, cosine;
  __sincosf(angle, &sine, &cosine);
  return make_float2(v.x * cosine - v.y * sine, v.x * sine + v.y * cosine);
}
/// Four passes of four at a time, from one of two arrays to the other.
__global__ void __launch_bounds__(kSpectrumThreads* kSpectraOfBlock)
    spectra_of_rows(const float2* in, float2* out) {
  __shared__ float2 held[kSpectraOfBlock][kSpectrum];
  const unsigned t = threadIdx.x;
  float2* own = held[threadIdx.y];
  const std::size_t first = (std::size_t{blockIdx.x} * kSpectraOfBlock + threadIdx.y) * kSpectrum;
  float2 v[4];
#pragma unroll
  for (unsigned r = 0; r < 4; ++r) v[r] = in[first + t + r * kSpectrumThreads];
#pragma unroll
  for (unsigned done = 1; done < kSpectrum; done *= 4) {
    const unsigned k = t % done;
    if (done > 1) {
      __syncthreads();
#pragma unroll
      for (unsigned r = 0; r < 4; ++r) v[r] = own[t + r * kSpectrumThreads];
      __syncthreads();  // all have what the pass before left
      const float angle = -6.28318531f / static_cast<float>(4 * done) * static_cast<float>(k);
#pragma unroll
      for (unsigned r = 1; r < 4; ++r) v[r] = turned(v[r], angle * static_cast<float>(r));
    }
    const float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y),
                 b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y),
                 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y),
                 d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);  // a quarter turn back
    v[0] = make_float2(a.x + c.x, a.y + c.y);
    v[1] = make_float2(b.x + d.x, b.y + d.y);
    v[2] = make_float2(a.x - c.x, a.y - c.y);
    v[3] = make_float2(b.x - d.x, b.y - d.y);
    if (4 * done < kSpectrum)
#pragma unroll
      for (unsigned r = 0; r < 4; ++r) own[t / done * (4 * done) + k + r * done] = v[r];
  }
#pragma unroll
  for (unsigned r = 0; r < 4; ++r) out[first + t + r * kSpectrumThreads] = v[r];
}

}  // namespace

void loops(Set& s) {
  const std::size_t n = s.n;
  const unsigned tested = as_number(n / 1024);
  s.run(
      "odd numbers tested for primes by small factors and three witnesses", 8.0 * tested,
      [&] { test_for_primes<<<Set::blocks(tested, 128), 128>>>(s.words, s.numbers(), tested); },
      [&] {
        return numbers(s, tested, [](std::size_t i) { return unsigned{primality_of(word_of(i) | 1)}; });
      });

  const unsigned lines = as_number(n / 64);
  {
    std::vector<unsigned> starts(lines);
    std::vector<unsigned char> text;
    text.reserve(std::size_t{11} * lines);
    for (unsigned line = 0; line < lines; ++line) {
      starts[line] = as_number(text.size());
      const std::string digits = std::to_string(number_of_line(line));
      text.insert(text.end(), digits.begin(), digits.end());
      text.push_back('\n');
    }
    unsigned* starts_there = kept(starts);
    unsigned char* text_there = kept(text);
    s.run(
        "numbers read out of lines of text, letter by letter, a thread a line",
        real(text.size()) + 8.0 * lines,
        [&] { read_numbers<<<Set::blocks(lines), 256>>>(text_there, starts_there, s.numbers(), lines); },
        [&] { return numbers(s, lines, number_of_line); });
    cudaFree(starts_there), cudaFree(text_there);
  }

  const unsigned gamblers = as_number(n / 1024);
  s.run(
      "gamblers who stake one of sixteen until all is gone or doubled", 8.0 * gamblers,
      [&] { gamble<<<Set::blocks(gamblers, 128), 128>>>(s.words, s.numbers(), gamblers); },
      [&] { return numbers(s, gamblers, [](std::size_t i) { return games_until_end(word_of(i)); }); });

  const unsigned areas = as_number(n / 512);
  s.run(
      "areas of doubles by Simpson's rule in forty steps", 12.0 * areas,
      [&] { areas_by_simpson<<<Set::blocks(areas), 256>>>(s.in, reinterpret_cast<double*>(s.out), areas); },
      [&] { return doubles(s, areas, [](std::size_t i) { return area_under(0.25 * float_of(i)); }); });

  const unsigned systems = as_number(n / 512 / kBodies);
  s.run(
      "energies of all pairs of 1024 bodies, each once, tiles of 128",
      (16.0 * 2 * kBodyTile + 4.0) * kTilePairs * systems,
      [&] {
        energies_of_pairs<<<kTilePairs * systems, kBodyTile>>>(reinterpret_cast<const float4*>(s.in), s.out);
      },
      [&] {
        return floats(s, std::size_t{kTilePairs} * systems, [](std::size_t block) {
          std::size_t column = 0, row = block % kTilePairs;
          while (row > column) row -= ++column;
          const std::size_t first = block / kTilePairs * kBodies;
          double sum = 0;
          for (std::size_t j = 0; j < kBodyTile; ++j)
            for (std::size_t k = row == column ? j + 1 : 0; k < kBodyTile; ++k) {
              const std::size_t a = 4 * (first + row * kBodyTile + j),
                                b = 4 * (first + column * kBodyTile + k);
              double square = kSoftened;
              for (std::size_t axis = 0; axis < 3; ++axis) {
                const double away = double{float_of(b + axis)} - float_of(a + axis);
                square += away * away;
              }
              sum += double{float_of(a + 3)} * float_of(b + 3) / std::sqrt(square);
            }
          return sum;
        });
      });

  const unsigned rows = as_number(n / 4 / (2 * kSpectrum) / kSpectraOfBlock * kSpectraOfBlock);
  s.run(
      "spectra of rows of 256 by four passes in shared memory", 16.0 * kSpectrum * rows,
      [&] {
        spectra_of_rows<<<rows / kSpectraOfBlock, dim3(kSpectrumThreads, kSpectraOfBlock)>>>(
            reinterpret_cast<const float2*>(s.in), reinterpret_cast<float2*>(s.out));
      },
      [&] {
        return within(s, std::size_t{2 * kSpectrum} * rows, 0.02, [](std::size_t i) {
          const std::size_t first = i / 2 / kSpectrum * kSpectrum, point = i / 2 % kSpectrum;
          double sum = 0;
          for (std::size_t k = 0; k < kSpectrum; ++k) {
            const double angle = -2 * std::acos(-1.0) * real(k * point % kSpectrum) / kSpectrum,
                         x = float_of(2 * (first + k)), y = float_of(2 * (first + k) + 1);
            sum += i % 2 == 0 ? x * std::cos(angle) - y * std::sin(angle)
                              : x * std::sin(angle) + y * std::cos(angle);
          }
          return sum;
        });
      });
}

}  // namespace held_out_16
