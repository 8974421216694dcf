/// @file
/// Marches rays through a field of distances: a sphere on a plane.
#include <cmath>

#include "buffer.cuh"

__device__ float scene(float3 p) {
  const float sphere = sqrtf(p.x * p.x + p.y * p.y + p.z * p.z) - 1.0f;
  return fminf(sphere, p.y + 1.0f);
}

__global__ void march(float* depth, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float u = (2.0f * x + 1.0f - width) / height, v = (height - 2.0f * y - 1.0f) / height;
  const float3 direction =
      make_float3(u * rnorm3df(u, v, 1.5f), v * rnorm3df(u, v, 1.5f), 1.5f * rnorm3df(u, v, 1.5f));
  float t = 0;
  for (int i = 0; i < 80; ++i) {
    const float d = scene(make_float3(t * direction.x, t * direction.y, t * direction.z - 4.0f));
    if (d < 0.001f || t > 20.0f) break;
    t += d;
  }
  depth[y * width + x] = t;
}

int main() {
  const int width = 65, height = 49;
  Buffer<float> depth(width * height);
  march<<<dim3(divide_up(width, 8), divide_up(height, 8)), dim3(8, 8)>>>(depth, width, height);
  CHECK_LAUNCH();
  const auto d = depth.host();
  const float middle = d[height / 2 * width + width / 2], sky = d[width / 2],
              ground = d[(height - 1) * width];
  std::printf("middle %.3f, sky %.1f, ground %.3f\n", middle, sky, ground);
  return verdict(std::fabs(middle - 3.0f) < 0.01f && sky > 20.0f && ground < 5.0f);
}
