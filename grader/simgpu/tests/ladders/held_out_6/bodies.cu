/// @file
/// Pairs: accelerations straight from global memory, forces of bonds along lists, histograms of distances.
/// What pulls is as many on a slice; what is pulled goes with the SMs.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

constexpr int kSources = 1024, kBins = 64;

__global__ void pull_of_all(const float4* bodies, float4* out) {
  const std::size_t i = global_index();
  const float4 self = bodies[i];
  float3 sum = make_float3(0, 0, 0);
  for (int k = 0; k < kSources; ++k) {
    const float4 b = bodies[k];
    const float dx = b.x - self.x, dy = b.y - self.y, dz = b.z - self.z;
    const float apart = sqrtf(dx * dx + dy * dy + dz * dz + 0.05f), pull = b.w / (apart * apart * apart);
    sum.x += dx * pull, sum.y += dy * pull, sum.z += dz * pull;
  }
  out[i] = make_float4(sum.x, sum.y, sum.z, 0);
}
/// A list of twelve neighbours a particle that lie near it by number.
__global__ void bonds(const float4* at, const unsigned* lists, float4* out, unsigned many) {
  const unsigned i = static_cast<unsigned>(global_index());
  if (i >= many) return;
  const float4 self = at[i];
  float fx = 0, fy = 0, fz = 0, energy = 0;
  for (unsigned k = 0; k < 12; ++k) {
    const float4 p = at[(i + 1 + lists[k * many + i] % 512) % many];
    const float dx = p.x - self.x, dy = p.y - self.y, dz = p.z - self.z,
                r2 = dx * dx + dy * dy + dz * dz + 1.0f;
    if (r2 > 20.0f) continue;
    const float i2 = 1.0f / r2, i6 = i2 * i2 * i2, force = i6 * (2.0f * i6 - 1.0f) * i2;
    fx -= dx * force, fy -= dy * force, fz -= dz * force, energy += i6 * (i6 - 1.0f);
  }
  out[i] = make_float4(fx, fy, fz, energy);
}
__global__ void __launch_bounds__(256) distances(const unsigned* points, unsigned* counts) {
  __shared__ unsigned tile[256], mine[kBins];
  if (threadIdx.x < kBins) mine[threadIdx.x] = 0;
  const unsigned self = points[global_index()];
  const int sx = static_cast<int>(self & 1023), sy = static_cast<int>(self >> 10 & 1023);
  for (int first = 0; first < kSources; first += 256) {
    __syncthreads();
    tile[threadIdx.x] = points[first + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 256; ++k) {
      const int dx = static_cast<int>(tile[k] & 1023) - sx, dy = static_cast<int>(tile[k] >> 10 & 1023) - sy;
      atomicAdd(&mine[(abs(dx) + abs(dy)) >> 5], 1u);
    }
  }
  __syncthreads();
  if (threadIdx.x < kBins) atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}

}  // namespace

void bodies(Set& s) {
  const std::size_t targets = s.sms * std::size_t{512};
  s.run(
      "pull of 1024 bodies as loops write it", 32.0 * real(targets),
      [&] { pull_of_all<<<as_number(targets / 128), 128>>>(reinterpret_cast<float4*>(s.in), s.vectors()); },
      [&] {
        return within(s, targets * 4, 0.5, [](std::size_t i) {
          double sum[4] = {};
          for (std::size_t k = 0; k < kSources; ++k) {
            double d[3], r2 = 0.05f;
            for (std::size_t c = 0; c < 3; ++c)
              d[c] = double{float_of(4 * k + c)} - float_of(i / 4 * 4 + c), r2 += d[c] * d[c];
            for (std::size_t c = 0; c < 3; ++c) sum[c] += d[c] * float_of(4 * k + 3) / (r2 * std::sqrt(r2));
          }
          return sum[i % 4];
        });
      });
  const unsigned many = as_number(s.n / 256);
  s.run(
      "forces and energy of twelve neighbours", (48.0 + 32) * many,
      [&] {
        bonds<<<Set::blocks(many, 128), 128>>>(reinterpret_cast<float4*>(s.in), s.words, s.vectors(), many);
      },
      [&] {
        return within(s, std::size_t{many} * 4, 1e-3, [&](std::size_t i) {
          double sum[4] = {};
          for (std::size_t k = 0; k < 12; ++k) {
            const std::size_t j = (i / 4 + 1 + word_of(k * many + i / 4) % 512) % many;
            double d[3], r2 = 1;
            for (std::size_t c = 0; c < 3; ++c)
              d[c] = double{float_of(4 * j + c)} - float_of(i / 4 * 4 + c), r2 += d[c] * d[c];
            if (r2 > 20) continue;
            const double i6 = 1 / (r2 * r2 * r2);
            for (int c = 0; c < 3; ++c) sum[c] -= d[c] * i6 * (2 * i6 - 1) / r2;
            sum[3] += i6 * (i6 - 1);
          }
          return sum[i % 4];
        });
      });
  const unsigned blocks = s.sms * 2;
  s.run(
      "distances along streets counted by blocks", 4.0 * 256 * blocks,
      [&] {
        cudaMemsetAsync(s.out, 0, kBins * 4);
        distances<<<blocks, 256>>>(s.words, s.numbers());
      },
      [&] {
        std::vector<unsigned> want(kBins);
        for (std::size_t i = 0; i < blocks * std::size_t{256}; ++i)
          for (std::size_t k = 0; k < kSources; ++k) {
            const int dx = static_cast<int>(word_of(k) & 1023) - static_cast<int>(word_of(i) & 1023),
                      dy = static_cast<int>(word_of(k) >> 10 & 1023) -
                           static_cast<int>(word_of(i) >> 10 & 1023);
            ++want[static_cast<std::size_t>((std::abs(dx) + std::abs(dy)) >> 5)];
          }
        return taken(s.numbers(), kBins) == want;
      });
}

}  // namespace held_out_6
