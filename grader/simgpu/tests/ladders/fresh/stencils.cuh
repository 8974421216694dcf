/// @file
/// Stencils, bodies, clusters of points: arithmetic beside memory. Part of fresh.cu.
#pragma once

#include "fresh.cuh"

namespace {

__global__ void wave(const float* now, const float* before, float* next, int width, int height) {
  const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (x < 4 || y < 4 || x >= width - 4 || y >= height - 4) return;
  const std::size_t at = std::size_t(y) * width + x;
  constexpr float kWeights[5] = {-2.847222f, 1.6f, -0.2f, 0.02539683f, -0.001785714f};
  float laplace = 2 * kWeights[0] * now[at];
#pragma unroll
  for (int k = 1; k <= 4; ++k)
    laplace += kWeights[k] * (now[at - k] + now[at + k] + now[at - k * width] + now[at + k * width]);
  next[at] = 2 * now[at] - before[at] + 0.1f * laplace;
}
__global__ void steepness(const float* in, float* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y,
            z = blockIdx.z * 2 + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  const std::size_t plane = std::size_t(nx) * ny, at = z * plane + std::size_t(y) * nx + x;
  const float dx = in[at + 1] - in[at - 1], dy = in[at + nx] - in[at - nx],
              dz = in[at + plane] - in[at - plane];
  out[at] = sqrtf(dx * dx + dy * dy + dz * dz);
}
__global__ void forces_by_shuffles(const float4* bodies, float* out, int n) {
  const float4 me = bodies[global_index()];
  float ax = 0, ay = 0, az = 0;
  for (int t = 0; t < n; t += 32) {
    const float4 other = bodies[t + threadIdx.x % 32];
#pragma unroll 8
    for (int k = 0; k < 32; ++k) {
      const float dx = __shfl_sync(~0u, other.x, k) - me.x, dy = __shfl_sync(~0u, other.y, k) - me.y,
                  dz = __shfl_sync(~0u, other.z, k) - me.z, r2 = dx * dx + dy * dy + dz * dz + 0.25f,
                  f = __frsqrt_rn(r2) / r2;
      ax += f * dx, ay += f * dy, az += f * dz;
    }
  }
  out[global_index()] = ax + ay + az;
}
__global__ void nearest_centre(const float4* points, const float4* centres, unsigned* out, std::size_t n) {
  __shared__ float4 c[16];
  if (threadIdx.x < 16) c[threadIdx.x] = centres[threadIdx.x];
  __syncthreads();
  const std::size_t i = global_index();
  if (i >= n) return;
  const float4 p = points[i];
  float least = 1e30f;
  unsigned best = 0;
#pragma unroll
  for (unsigned k = 0; k < 16; ++k) {
    const float dx = p.x - c[k].x, dy = p.y - c[k].y, dz = p.z - c[k].z, dw = p.w - c[k].w;
    const float d = dx * dx + dy * dy + dz * dz + dw * dw;
    if (d < least) least = d, best = k;
  }
  out[i] = best;
}

void Fresh::stencils() {
  run(
      "wave", 3 * one,
      [&] { wave<<<dim3(width / 64, (height + 3) / 4), dim3(64, 4)>>>(in, other, out, width, height); },
      [&] {
        const std::size_t x = 2001, y = 9, at = y * width + x;
        const double w[5] = {-2.847222, 1.6, -0.2, 0.02539683, -0.001785714};
        double laplace = 2 * w[0] * float_of(at);
        for (std::size_t k = 1; k <= 4; ++k)
          laplace += w[k] * (double{float_of(at - k)} + float_of(at + k) + float_of(at - k * width) +
                             float_of(at + k * width));
        return near(value(at), 2.0 * float_of(at) - other_of(at) + 0.1 * laplace, 0.01);
      });
  {
    const int nx = 256, ny = 128, nz = static_cast<int>(n / (256 * 128));
    run(
        "steepness of a volume", two,
        [&] {
          steepness<<<dim3(8, 32, static_cast<unsigned>(nz + 1) / 2), dim3(32, 4, 2)>>>(in, out, nx, ny, nz);
        },
        [&] {
          const std::size_t plane = 256 * 128, at = plane + 33 * 256 + 99;
          const double dx = float_of(at + 1) - float_of(at - 1), dy = float_of(at + 256) - float_of(at - 256),
                       dz = float_of(at + plane) - float_of(at - plane);
          return near(value(at), std::sqrt(dx * dx + dy * dy + dz * dz));
        });
  }
  run(
      "forces by shuffles", 16.0 * 128 * sms * 8,
      [&] { forces_by_shuffles<<<sms * 8, 128>>>(reinterpret_cast<float4*>(in), out, 1024); },
      [&] {
        return each(std::size_t{128} * sms * 8, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < 1024; ++k) {
            const double dx = float_of(4 * k) - float_of(4 * i),
                         dy = float_of(4 * k + 1) - float_of(4 * i + 1),
                         dz = float_of(4 * k + 2) - float_of(4 * i + 2),
                         r2 = dx * dx + dy * dy + dz * dz + 0.25;
            sum += (dx + dy + dz) / (r2 * std::sqrt(r2));
          }
          return std::abs(value(i) - sum) < 0.02 * std::abs(sum) + 0.1;
        });
      });
  run(
      "nearest of 16 centres", 1.25 * one,
      [&] {
        nearest_centre<<<blocks(n / 4), 256>>>(reinterpret_cast<float4*>(in),
                                               reinterpret_cast<float4*>(other), numbers, n / 4);
      },
      [&] {
        return each(n / 4, [&](std::size_t i) {
          double least = 1e30, got = 0;
          for (std::size_t k = 0; k < 16; ++k) {
            double d = 0;
            for (std::size_t c = 0; c < 4; ++c)
              d += std::pow(double{float_of(4 * i + c)} - other_of(4 * k + c), 2);
            if (d < least) least = d;
            if (k == number(i)) got = d;
          }
          return near(got, least);
        });
      });
}

}  // namespace
