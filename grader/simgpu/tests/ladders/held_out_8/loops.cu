/// @file
/// Threads that part and threads that reckon. Branches: lengths of a contour in cells of sixteen kinds, roots
/// of cubic equations of two kinds. Loops of unequal length: orders of two modulo odd numbers, rays stepped
/// through cells until they hit. Arithmetic: powers by Montgomery's way, eigenvalues of matrices of doubles.
#include "held_out_8.hpp"

namespace held_out_8 {
namespace {

constexpr float kLevel = 3.8f;
constexpr unsigned kMapWide = 1024;
/// Where the level lies between two corners.
__host__ __device__ __forceinline__ float crossing(float a, float b) {
  return (kLevel - a) / (b - a);
}
__host__ __device__ __forceinline__ float line(float x0, float y0, float x1, float y1) {
  return sqrtf((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0));
}
/// Corners from the upper left one, with the clock.
__host__ __device__ __forceinline__ float contour(float a, float b, float c, float d) {
  const int kind = (a > kLevel ? 1 : 0) | (b > kLevel ? 2 : 0) | (c > kLevel ? 4 : 0) | (d > kLevel ? 8 : 0);
  switch (kind) {
    case 1:
    case 14:
      return line(crossing(a, b), 0, 0, crossing(a, d));
    case 2:
    case 13:
      return line(crossing(a, b), 0, 1, crossing(b, c));
    case 3:
    case 12:
      return line(0, crossing(a, d), 1, crossing(b, c));
    case 4:
    case 11:
      return line(1, crossing(b, c), crossing(d, c), 1);
    case 5:
      return line(crossing(a, b), 0, 1, crossing(b, c)) + line(0, crossing(a, d), crossing(d, c), 1);
    case 6:
    case 9:
      return line(crossing(a, b), 0, crossing(d, c), 1);
    case 7:
    case 8:
      return line(0, crossing(a, d), crossing(d, c), 1);
    case 10:
      return line(crossing(a, b), 0, 0, crossing(a, d)) + line(1, crossing(b, c), crossing(d, c), 1);
    default:
      return 0.0f;
  }
}
__global__ void contour_lengths(const float* map, float* lengths, unsigned high) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x + 1 >= kMapWide || y + 1 >= high) return;
  const float* at = map + y * std::size_t{kMapWide} + x;
  lengths[y * std::size_t{kMapWide} + x] = contour(at[0], at[1], at[kMapWide + 1], at[kMapWide]);
}

/// The greatest real root of x^3 + b x^2 + c x + d.
__global__ void greatest_roots(const float* in, float* roots, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const float b = in[i] - 3.8f, c = in[i + m] - 4.0f, d = in[i + 2 * m] - 3.6f;
  const float third = b / 3.0f, p = c - b * third, q = third * (2.0f * third * third - c) + d;
  const float disc = 0.25f * q * q + p * p * p / 27.0f;
  if (disc > 0.0f) {
    const float root = sqrtf(disc);
    roots[i] = cbrtf(-0.5f * q + root) + cbrtf(-0.5f * q - root) - third;
  } else {
    const float size = sqrtf(-p / 3.0f);
    const float cosine = fminf(fmaxf(-0.5f * q / (size * size * size), -1.0f), 1.0f);
    roots[i] = 2.0f * size * cosf(acosf(cosine) / 3.0f) - third;
  }
}

__host__ __device__ __forceinline__ unsigned order_of_two(unsigned word) {
  const unsigned modulus = 2 * (word & 0xfff) + 3;
  unsigned power = 2, order = 1;
  while (power != 1) {
    power *= 2;
    if (power >= modulus) power -= modulus;
    ++order;
  }
  return order;
}
__global__ void __launch_bounds__(128) orders_of_two(const unsigned* words, unsigned* orders, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) orders[i] = order_of_two(words[i]);
}

constexpr unsigned kCells = 64, kCellWords = kCells * kCells * kCells / 32;
/// A ray goes on by less than a cell a step (sixteen bits behind the point) until it hits or leaves.
__host__ __device__ __forceinline__ unsigned steps_to_hit(const unsigned* cells, unsigned place,
                                                          unsigned way) {
  int x = static_cast<int>((place & 63) << 16 | 0x8000),
      y = static_cast<int>((place >> 6 & 63) << 16 | 0x8000), z = 0x8000;
  const int dx = static_cast<int>(way & 0xffff) - 0x8000, dy = static_cast<int>(way >> 16) - 0x8000,
            dz = 0x6000 + static_cast<int>(place >> 12 & 0x7fff);
  unsigned steps = 0;
  while (true) {
    const int cx = x >> 16, cy = y >> 16, cz = z >> 16;
    if (((cx | cy | cz) & ~63) != 0) return steps << 1;
    const int cell = (cz * 64 + cy) * 64 + cx;
    if ((cells[cell / 32] >> (cell % 32) & 1) != 0) return steps << 1 | 1;
    x += dx, y += dy, z += dz;
    ++steps;
  }
}
__global__ void __launch_bounds__(128)
    rays_through_cells(const unsigned* cells, const uint2* rays, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = steps_to_hit(cells, rays[i].x, rays[i].y);
}

/// a b / 2^32 modulo an odd number below 2^31. @param inverse of it, negated, modulo 2^32
__host__ __device__ __forceinline__ unsigned montgomery(unsigned a, unsigned b, unsigned modulus,
                                                        unsigned inverse) {
  const unsigned long long product = static_cast<unsigned long long>(a) * b;
  const unsigned times = static_cast<unsigned>(product) * inverse;
  const auto reduced =
      static_cast<unsigned>((product + static_cast<unsigned long long>(times) * modulus) >> 32);
  return reduced >= modulus ? reduced - modulus : reduced;
}
__host__ __device__ __forceinline__ unsigned modulus_of(unsigned word) {
  return word >> 1 | 0x40000001u;
}
__global__ void powers_by_montgomery(const uint2* words, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const uint2 w = words[i];
  const unsigned modulus = modulus_of(w.x);
  unsigned inverse = modulus;  // three bits are right, and twice as many after each step
#pragma unroll
  for (int k = 0; k < 4; ++k) inverse *= 2 - modulus * inverse;
  inverse = 0u - inverse;
  const unsigned long long rest = (1ull << 32) % modulus, square = rest * rest % modulus;
  unsigned result = static_cast<unsigned>(rest),
           base = montgomery(7, static_cast<unsigned>(square), modulus, inverse);
#pragma unroll 4
  for (int bit = 0; bit < 32; ++bit) {
    if ((w.y >> bit & 1) != 0) result = montgomery(result, base, modulus, inverse);
    base = montgomery(base, base, modulus, inverse);
  }
  out[i] = montgomery(result, 1, modulus, inverse);
}

/// Greatest and least eigenvalue of a symmetric matrix of 3 x 3, by the angle of its third part.
__host__ __device__ __forceinline__ double2 eigenvalues(const float (&a)[6]) {
  const double xx = a[0], yy = a[1], zz = a[2], xy = a[3], xz = a[4], yz = a[5];
  const double mean = (xx + yy + zz) / 3.0, dx = xx - mean, dy = yy - mean, dz = zz - mean;
  const double spread = sqrt((dx * dx + dy * dy + dz * dz + 2.0 * (xy * xy + xz * xz + yz * yz)) / 6.0);
  const double determinant = dx * (dy * dz - yz * yz) - xy * (xy * dz - yz * xz) + xz * (xy * yz - dy * xz);
  double half = determinant / (2.0 * spread * spread * spread);
  half = half < -1.0 ? -1.0 : half > 1.0 ? 1.0 : half;
  const double angle = acos(half) / 3.0;
  return {mean + 2.0 * spread * cos(angle), mean + 2.0 * spread * cos(angle + 2.0943951023931957)};
}
__global__ void eigenvalues_of_three(const float* in, double2* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  float a[6];
#pragma unroll
  for (unsigned k = 0; k < 6; ++k) a[k] = in[k * std::size_t{m} + i];
  out[i] = eigenvalues(a);
}

}  // namespace

void loops(Set& s) {
  const std::size_t n = s.n;
  const unsigned high = as_number(n / 16 / kMapWide / 8 * 8);
  s.run(
      "contour lengths in cells of sixteen kinds", 8.0 * kMapWide * high,
      [&] { contour_lengths<<<dim3(kMapWide / 32, high / 8), dim3(32, 8)>>>(s.in, s.out, high); },
      [&] {
        return within(s, std::size_t{kMapWide} * high, 1e-3, [high](std::size_t i) {
          if (i % kMapWide + 1 == kMapWide || i / kMapWide + 1 == high) return 0.0;
          return double{
              contour(float_of(i), float_of(i + 1), float_of(i + kMapWide + 1), float_of(i + kMapWide))};
        });
      });
  const unsigned cubics = as_number(n / 32);
  s.run(
      "greatest roots of cubic equations", 16.0 * cubics,
      [&] { greatest_roots<<<Set::blocks(cubics), 256>>>(s.in, s.out, cubics); },
      [&] {
        return within(s, cubics, 3e-3, [cubics](std::size_t i) {
          const double b = float_of(i) - 3.8, c = float_of(i + cubics) - 4.0,
                       d = float_of(i + 2 * std::size_t{cubics}) - 3.6;
          // Down from where the function rises for good, until it falls below nought; then by halves.
          const auto at = [&](double x) { return ((x + b) * x + c) * x + d; };
          double low = 20;
          while (at(low) > 0) low -= 1e-3;
          double above = low + 1e-3;
          for (int k = 0; k < 40; ++k) (at((low + above) / 2) > 0 ? above : low) = (low + above) / 2;
          return above;
        });
      });
  const unsigned moduli = as_number(n / 2048);
  s.run(
      "orders of two modulo odd numbers", 8.0 * moduli,
      [&] { orders_of_two<<<Set::blocks(moduli, 128), 128>>>(s.words, s.numbers(), moduli); },
      [&] { return numbers(s, moduli, [](std::size_t i) { return order_of_two(word_of(i)); }); });
  std::vector<unsigned> cells(kCellWords);
  for (std::size_t k = 0; k < kCellWords; ++k) {
    cells[k] = ~0u;
    for (std::size_t draw = 0; draw < 6; ++draw) cells[k] &= word_of(k * 6 + draw + 77);
  }
  unsigned* d_cells = kept(cells);
  const unsigned rays = as_number(n / 128);
  s.run(
      "rays stepped through cells until they hit", 12.0 * rays,
      [&] {
        rays_through_cells<<<Set::blocks(rays, 128), 128>>>(d_cells, reinterpret_cast<const uint2*>(s.words),
                                                            s.numbers(), rays);
      },
      [&] {
        bool some = false;
        for (std::size_t i = 0; i < rays; i += 1 + rays / 500) {
          const unsigned want = steps_to_hit(cells.data(), word_of(2 * i), word_of(2 * i + 1));
          if (s.number(i) != want) return false;
          some = some || want != 0;
        }
        return some;
      });
  cudaFree(d_cells);

  const unsigned powers = as_number(n / 64);
  s.run(
      "powers by Montgomery's way", 12.0 * powers,
      [&] {
        powers_by_montgomery<<<Set::blocks(powers), 256>>>(reinterpret_cast<const uint2*>(s.words),
                                                           s.numbers(), powers);
      },
      [&] {
        return numbers(s, powers, [](std::size_t i) {
          const std::uint64_t modulus = modulus_of(word_of(2 * i));
          std::uint64_t result = 1, base = 7;
          for (unsigned left = word_of(2 * i + 1); left != 0; left >>= 1) {
            if ((left & 1) != 0) result = result * base % modulus;
            base = base * base % modulus;
          }
          return static_cast<unsigned>(result);
        });
      });
  const unsigned threes = as_number(n / 64);
  s.run(
      "eigenvalues of matrices of 3 x 3 doubles", 40.0 * threes,
      [&] {
        eigenvalues_of_three<<<Set::blocks(threes), 256>>>(s.in, reinterpret_cast<double2*>(s.out), threes);
      },
      [&] {
        return doubles(s, 2 * std::size_t{threes}, [threes](std::size_t i) {
          float a[6];
          for (std::size_t k = 0; k < 6; ++k) a[k] = float_of(k * threes + i / 2);
          const double2 both = eigenvalues(a);
          return i % 2 == 0 ? both.x : both.y;
        });
      });
}

}  // namespace held_out_8
