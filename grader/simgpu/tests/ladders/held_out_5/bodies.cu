/// @file
/// Each with each: accelerations with tiles of shared memory, energies of doubles with a cut-off. What pulls
/// is as many on a slice; what is pulled goes with the SMs.
#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

constexpr unsigned kSources = 2048, kBodiesTile = 256;

__global__ void __launch_bounds__(kBodiesTile) accelerations(const float4* bodies, float4* out) {
  __shared__ float4 tile[kBodiesTile];
  const float4 self = bodies[global_index()];
  float ax = 0, ay = 0, az = 0;
  for (unsigned first = 0; first < kSources; first += kBodiesTile) {
    tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
#pragma unroll 16
    for (unsigned k = 0; k < kBodiesTile; ++k) {
      const float dx = tile[k].x - self.x, dy = tile[k].y - self.y, dz = tile[k].z - self.z;
      const float apart = dx * dx + dy * dy + dz * dz + 0.01f, inverse = rsqrtf(apart);
      const float pull = tile[k].w * inverse * inverse * inverse;
      ax += dx * pull, ay += dy * pull, az += dz * pull;
    }
    __syncthreads();
  }
  out[global_index()] = make_float4(ax, ay, az, 1.0f);
}
constexpr unsigned kAtoms = 384;
__global__ void energies(const double* x, const double* y, double* out) {
  const std::size_t i = global_index();
  const double px = x[i], py = y[i];
  double sum = 0;
  for (unsigned k = 0; k < kAtoms; ++k) {
    const double dx = x[k] - px, dy = y[k] - py, apart = dx * dx + dy * dy + 0.3;
    if (apart > 9.0) continue;
    const double inverse = 1.0 / apart, sixth = inverse * inverse * inverse;
    sum += sixth * sixth - sixth;
  }
  out[i] = sum;
}

}  // namespace

void bodies(Set& s) {
  const std::size_t targets = s.sms * std::size_t{512};
  s.run(
      "accelerations by tiles of 256 bodies", 32.0 * real(targets),
      [&] {
        accelerations<<<as_number(targets / kBodiesTile), kBodiesTile>>>(reinterpret_cast<float4*>(s.in),
                                                                         s.vectors());
      },
      [&] {
        return within(s, 4 * targets, 0.5, [](std::size_t i) {
          if (i % 4 == 3) return 1.0;
          double sum = 0;
          for (std::size_t k = 0; k < kSources; ++k) {
            double apart = 0.01, d[3];
            for (std::size_t c = 0; c < 3; ++c)
              d[c] = double{float_of(4 * k + c)} - float_of(i / 4 * 4 + c), apart += d[c] * d[c];
            sum += d[i % 4] * float_of(4 * k + 3) / (apart * std::sqrt(apart));
          }
          return sum;
        });
      });
  const std::size_t atoms = s.sms * std::size_t{512};
  std::vector<double> x(atoms), y(atoms);
  for (std::size_t i = 0; i < atoms; ++i) x[i] = float_of(i), y[i] = other_of(i);
  double *x_there = kept(x), *y_there = kept(y);
  s.run(
      "energies of doubles with a cut-off", 24.0 * real(atoms),
      [&] { energies<<<as_number(atoms / 128), 128>>>(x_there, y_there, reinterpret_cast<double*>(s.out)); },
      [&] {
        return Set::each(atoms, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kAtoms; ++k) {
            const double apart = (x[k] - x[i]) * (x[k] - x[i]) + (y[k] - y[i]) * (y[k] - y[i]) + 0.3;
            const double sixth = 1 / (apart * apart * apart);
            if (apart <= 9) sum += sixth * sixth - sixth;
          }
          return Set::near(Checked::at(reinterpret_cast<double*>(s.out), i), sum, 1e-8);
        });
      });
  cudaFree(x_there), cudaFree(y_there);
}

}  // namespace held_out_5
