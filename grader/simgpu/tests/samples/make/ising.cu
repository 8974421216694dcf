/// @file
/// Spins on a torus, black and white cells in turn: at a low temperature order stays.
#include <cmath>

#include "buffer.cuh"

__device__ float uniform(unsigned a, unsigned b) {
  unsigned h = a * 0x9E3779B9u ^ b * 0x85EBCA6Bu;
  h = (h ^ h >> 16) * 0x7FEB352Du;
  h = (h ^ h >> 15) * 0x846CA68Bu;
  return static_cast<float>((h ^ h >> 16) >> 8) * (1.0f / 16777216.0f);
}

__global__ void flip(signed char* spin, int size, int colour, unsigned step, float beta) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= size || y >= size || (x + y) % 2 != colour) return;
  const int here = y * size + x;
  const int around = spin[y * size + (x + 1) % size] + spin[y * size + (x + size - 1) % size] +
                     spin[(y + 1) % size * size + x] + spin[(y + size - 1) % size * size + x];
  if (uniform(here, step) < expf(-2.0f * beta * spin[here] * around)) spin[here] = -spin[here];
}

int main() {
  const int size = 48;
  bool right = true;
  for (const float beta : {1.0f, 0.1f}) {
    Buffer<signed char> spin(std::vector<signed char>(size * size, 1));
    for (unsigned step = 0; step < 40; ++step)
      flip<<<dim3(divide_up(size, 16), divide_up(size, 16)), dim3(16, 16)>>>(spin, size, step % 2, step,
                                                                             beta);
    CHECK_LAUNCH();
    double magnetisation = 0;
    for (const signed char s : spin.host()) magnetisation += double(s) / (size * size);
    std::printf("beta %.1f: magnetisation %.3f\n", beta, magnetisation);
    right = right && (beta > 0.5f ? magnetisation > 0.98 : std::fabs(magnetisation) < 0.2);
  }
  return verdict(right);
}
