/// @file
/// Constant memory: a series of Chebyshev's polynomials whose factors are doubles. Arrays of a thread: the
/// hull of sixteen points, found corner by corner.
#include "held_out_12.hpp"

namespace held_out_12 {
namespace {

constexpr unsigned kTerms = 28;
__constant__ double factors_of_terms[kTerms];
__global__ void __launch_bounds__(256) series_of_chebyshev(const float* in, double* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const double x = 0.25 * in[i] - 1.0, twice = 2.0 * x;
  double last = 0.0, before = 0.0;
  for (unsigned k = kTerms; k-- > 1;) {
    const double here = factors_of_terms[k] + twice * last - before;
    before = last;
    last = here;
  }
  out[i] = factors_of_terms[0] + x * last - before;
}

constexpr unsigned kHullPoints = 16, kPointBits = 10;
__host__ __device__ __forceinline__ int2 point_of(unsigned word) {
  return make_int2(static_cast<int>(word % (1u << kPointBits)),
                   static_cast<int>(word >> kPointBits) % (1 << kPointBits));
}
/// From the lowest point on, the next corner is the one that has all others on its left; twice the area.
__global__ void __launch_bounds__(128) areas_of_hulls(const unsigned* words, int* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  int2 points[kHullPoints];
  unsigned first = 0;
  for (unsigned k = 0; k < kHullPoints; ++k) {
    points[k] = point_of(words[i * kHullPoints + k]);
    const int2 low = points[first];
    if (points[k].y < low.y || (points[k].y == low.y && points[k].x < low.x)) first = k;
  }
  const int2 begin = points[first];
  int area = 0;
  unsigned at = first;
  for (unsigned corner = 0; corner < kHullPoints; ++corner) {
    const int2 here = points[at];
    unsigned next = at == 0 ? 1 : 0;
    for (unsigned k = 0; k < kHullPoints; ++k) {
      const int2 to = points[next], other = points[k];
      const int ux = to.x - here.x, uy = to.y - here.y, vx = other.x - here.x, vy = other.y - here.y;
      const int left = ux * vy - uy * vx;
      if (left < 0 || (left == 0 && vx * vx + vy * vy > ux * ux + uy * uy)) next = k;
    }
    const int2 to = points[next];
    area += here.x * to.y - to.x * here.y;
    at = next;
    if (to.x == begin.x && to.y == begin.y) break;
  }
  out[i] = area;
}
/// By the lower and the upper chain of the points in order.
int area_of_hull(std::size_t i) {
  std::vector<std::pair<int, int>> points;
  for (std::size_t k = 0; k < kHullPoints; ++k) {
    const int2 p = point_of(word_of(i * kHullPoints + k));
    points.emplace_back(p.x, p.y);
  }
  std::sort(points.begin(), points.end());
  int area = 0;
  for (int way = 0; way < 2; ++way) {
    std::vector<std::pair<int, int>> chain;
    for (const auto& [x, y] : points) {
      while (chain.size() > 1) {
        const auto [ax, ay] = chain[chain.size() - 2];
        const auto [bx, by] = chain.back();
        if ((bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0) break;
        chain.pop_back();
      }
      chain.emplace_back(x, y);
    }
    for (std::size_t k = 1; k < chain.size(); ++k)
      area += chain[k - 1].first * chain[k].second - chain[k].first * chain[k - 1].second;
    std::reverse(points.begin(), points.end());
  }
  return area;
}

}  // namespace

void tables(Set& s) {
  const std::size_t n = s.n;
  std::vector<double> factors(kTerms);
  for (std::size_t k = 0; k < kTerms; ++k) factors[k] = (1.0 + half_of(k + 60)) / real(1 + k);
  ladder::check(cudaMemcpyToSymbol(factors_of_terms, factors.data(), sizeof factors_of_terms), "factors");
  const unsigned arguments = as_number(n / 64);
  s.run(
      "series of 28 of Chebyshev's terms by constant doubles", 12.0 * arguments,
      [&] {
        series_of_chebyshev<<<Set::blocks(arguments), 256>>>(s.in, reinterpret_cast<double*>(s.out),
                                                             arguments);
      },
      [&] {
        return doubles(s, arguments, [&](std::size_t i) {
          const double angle = std::acos(0.25 * float_of(i) - 1);
          double sum = 0;
          for (std::size_t k = 0; k < kTerms; ++k) sum += factors[k] * std::cos(real(k) * angle);
          return sum;
        });
      });

  const unsigned hulls = as_number(n / 512);
  s.run(
      "areas of hulls of sixteen points, a thread each", (4.0 * kHullPoints + 4.0) * hulls,
      [&] {
        areas_of_hulls<<<Set::blocks(hulls, 128), 128>>>(s.words, reinterpret_cast<int*>(s.out), hulls);
      },
      [&] {
        const auto got = taken(reinterpret_cast<const int*>(s.out), hulls);
        for (std::size_t i = 0; i < hulls; i += 1 + hulls / 500)
          if (got[i] != area_of_hull(i)) return false;
        return true;
      });
}

}  // namespace held_out_12
