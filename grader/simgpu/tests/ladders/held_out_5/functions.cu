/// @file
/// Functions of the library of mathematics: exponentials and logarithms, angles, powers, quotients and roots
/// as exact as they are by default, sines of doubles, error functions.
#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

/// One thread an element, whatever the function.
template <typename F, typename T>
__global__ void mapped(F function, const T* in, T* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = function(in[i]);
}
struct ExponentsAndLogs {
  __host__ __device__ float operator()(float v) const {
    for (int k = 0; k < 4; ++k) v = logf(1.0f + expf(0.5f * v));
    return v;
  }
};
struct Angles {
  __host__ __device__ float operator()(float v) const {
    float sum = 0;
    for (int k = 1; k <= 4; ++k) {
      const float angle = v * static_cast<float>(k);
      sum += sinf(angle) * cosf(0.5f * angle);
    }
    return sum + 8.0f;
  }
};
struct Powers {
  __host__ __device__ float operator()(float v) const {
    return powf(v, 1.7f) + powf(v, 0.3f * v) + powf(2.2f, v);
  }
};
struct QuotientsAndRoots {
  __host__ __device__ float operator()(float v) const {
    for (int k = 0; k < 8; ++k) v = sqrtf(v + 2.0f) / (1.0f + 1.0f / v);
    return v;
  }
};
struct SinesOfDoubles {
  __host__ __device__ double operator()(double v) const { return sin(v) + 2.0 + cos(3.0 * v) * 0.5; }
};
struct ErrorFunctions {
  __host__ __device__ float operator()(float v) const { return erff(0.3f * v) + erfcf(0.2f * v) + tanhf(v); }
};

}  // namespace

void functions(Set& s) {
  const std::size_t n = s.n;
  const auto of_floats = [&](const char* name, auto function, std::size_t m) {
    s.run(
        name, 8.0 * real(m), [&, m] { mapped<<<Set::blocks(m), 256>>>(function, s.in, s.out, m); },
        [&, m] { return floats(s, m, [&](std::size_t i) { return double{function(float_of(i))}; }); });
  };
  of_floats("exponentials and logarithms in turn", ExponentsAndLogs(), n / 16);
  of_floats("sines and cosines of multiples", Angles(), n / 32);
  of_floats("three powers", Powers(), n / 32);
  of_floats("quotients and roots, exact", QuotientsAndRoots(), n / 32);
  std::vector<double> angles(n / 64);
  for (std::size_t i = 0; i < angles.size(); ++i) angles[i] = float_of(i);
  double* there = kept(angles);
  s.run(
      "sines and cosines of doubles", 16.0 * real(angles.size()),
      [&] {
        mapped<<<Set::blocks(angles.size()), 256>>>(SinesOfDoubles(), there, reinterpret_cast<double*>(s.out),
                                                    angles.size());
      },
      [&] {
        return Set::each(angles.size(), [&](std::size_t i) {
          return Set::near(Checked::at(reinterpret_cast<double*>(s.out), i), SinesOfDoubles()(angles[i]),
                           1e-10);
        });
      });
  cudaFree(there);
  of_floats("error functions", ErrorFunctions(), n / 16);
}

}  // namespace held_out_5
