/// @file
/// Heat spreads over a plate, step by step, held against the host.
#include <cmath>

#include "buffer.cuh"

#define INDEX(y, x, width) ((y) * (width) + (x))

__global__ void heat(const float* now, float* next, int width, int height, float k) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const float here = now[INDEX(y, x, width)];
  next[INDEX(y, x, width)] =
      here + k * (now[INDEX(y - 1, x, width)] + now[INDEX(y + 1, x, width)] + now[INDEX(y, x - 1, width)] +
                  now[INDEX(y, x + 1, width)] - 4 * here);
}

int main() {
  const int width = 66, height = 50, steps = 20;
  std::vector<float> plate(width * height, 20.0f);
  for (int x = 0; x < width; ++x) plate[x] = 100.0f;
  Buffer<float> now(plate), next(plate);
  for (int s = 0; s < steps; ++s) {
    heat<<<dim3(divide_up(width, 32), divide_up(height, 8)), dim3(32, 8)>>>(now, next, width, height, 0.2f);
    swap(now, next);
  }
  CHECK_LAUNCH();
  std::vector<float> other = plate;
  for (int s = 0; s < steps; ++s) {
    for (int y = 1; y < height - 1; ++y)
      for (int x = 1; x < width - 1; ++x) {
        const float* p = &plate[INDEX(y, x, width)];
        other[INDEX(y, x, width)] = *p + 0.2f * (p[-width] + p[width] + p[-1] + p[1] - 4 * *p);
      }
    std::swap(plate, other);
  }
  const std::vector<float> result = now.host();
  float worst = 0;
  for (size_t i = 0; i < plate.size(); ++i) worst = std::fmax(worst, std::fabs(plate[i] - result[i]));
  std::printf("largest difference %g\n", worst);
  return verdict(worst < 1e-3f);
}
