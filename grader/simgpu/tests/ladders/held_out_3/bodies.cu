/// @file
/// All against all: rays and spheres, points and the nearest of 64 centres, whose new places are added up.
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

constexpr unsigned kSpheres = 48, kCentres = 64;
__constant__ float4 spheres[kSpheres];

/// How far a ray from nothing, in a direction of length one, goes before it meets a sphere; else 1000.
template <typename Value>
__host__ __device__ __forceinline__ Value met(Value x, Value y, Value z, const float4* all) {
  Value nearest = 1000;
  for (unsigned k = 0; k < kSpheres; ++k) {
    const float4 c = all[k];
    const Value along = x * c.x + y * c.y + z * c.z;
    const Value inside =
        along * along - (Value(c.x) * c.x + Value(c.y) * c.y + Value(c.z) * c.z - Value(c.w) * c.w);
    if (inside > 0 && along > 0) {
      const Value far = along - sqrt(inside);
      nearest = far < nearest ? far : nearest;
    }
  }
  return nearest;
}
__global__ void rays(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float x = in[i], y = in[m + i], z = in[2 * m + i], scale = rsqrtf(x * x + y * y + z * z);
  out[i] = met(x * scale, y * scale, z * scale, spheres);
}
/// Points stay with the nearest centre; sums of each centre's points, four numbers and how many.
__global__ void __launch_bounds__(256) nearest_centres(const float4* points, const float4* centres,
                                                       unsigned* which, float* sums, std::size_t m) {
  __shared__ float4 centre[kCentres];
  __shared__ float sum[kCentres][5];
  if (threadIdx.x < kCentres) centre[threadIdx.x] = centres[threadIdx.x];
  for (unsigned k = threadIdx.x; k < kCentres * 5; k += 256) sum[k / 5][k % 5] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const float4 p = points[i];
    float least = 1e30f;
    unsigned best = 0;
#pragma unroll 4
    for (unsigned k = 0; k < kCentres; ++k) {
      const float4 c = centre[k];
      const float dx = p.x - c.x, dy = p.y - c.y, dz = p.z - c.z, dw = p.w - c.w;
      const float d = dx * dx + dy * dy + dz * dz + dw * dw;
      if (d < least) least = d, best = k;
    }
    which[i] = best + 1;
    atomicAdd(&sum[best][0], p.x), atomicAdd(&sum[best][1], p.y), atomicAdd(&sum[best][2], p.z);
    atomicAdd(&sum[best][3], p.w), atomicAdd(&sum[best][4], 1.0f);
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kCentres * 5; k += 256) atomicAdd(&sums[k], sum[k / 5][k % 5]);
}

}  // namespace

void bodies(Set& s) {
  const std::size_t n = s.n, m = n / 512;
  std::vector<float4> all(kSpheres);
  for (std::size_t k = 0; k < kSpheres; ++k)
    all[k] = make_float4(float_of(4 * k) * 3, float_of(4 * k + 1) * 3, float_of(4 * k + 2) * 3,
                         0.5f + 0.2f * float_of(4 * k + 3));
  ladder::check(cudaMemcpyToSymbol(spheres, all.data(), sizeof(float4) * kSpheres), "constants");
  s.run(
      "rays against 48 spheres", 16.0 * real(m), [&] { rays<<<Set::blocks(m, 128), 128>>>(s.in, s.out, m); },
      [&] {
        // A ray that just touches may be rounded to either side: seven of eight places must agree.
        const std::vector<float> got = taken(s.out, m);
        std::size_t wrong = 0, hits = 0;
        for (std::size_t i = 0; i < m; i += m / 64) {
          const double x = float_of(i), y = float_of(m + i), z = float_of(2 * m + i);
          const double scale = 1 / std::sqrt(x * x + y * y + z * z);
          const double want = met(x * scale, y * scale, z * scale, all.data());
          wrong += std::abs(got[i] - want) > 0.02;
          hits += want < 1000;
        }
        return wrong < 8 && hits > 0;
      });
  const std::size_t points = n / 256;
  float* sums = s.out + n / 2;
  s.run(
      "points to the nearest of 64 centres", 20.0 * real(points),
      [&] {
        nearest_centres<<<s.sms * 4, 256>>>(reinterpret_cast<float4*>(s.in),
                                            reinterpret_cast<float4*>(s.other), s.numbers(), sums, points);
      },
      [&] {
        const std::vector<float> got = taken(sums, kCentres * 5);
        double count = 0;
        for (std::size_t k = 0; k < kCentres; ++k) count += got[5 * k + 4];
        return count == static_cast<double>(points) && numbers(s, points, [](std::size_t i) {
                 double least = 1e30;
                 unsigned best = 0;
                 for (unsigned k = 0; k < kCentres; ++k) {
                   double d = 0;
                   for (std::size_t c = 0; c < 4; ++c)
                     d += std::pow(double{float_of(4 * i + c)} - other_of(4 * k + c), 2);
                   if (d < least) least = d, best = k;
                 }
                 return best + 1;
               });
      });
}

}  // namespace held_out_3
