/// @file
/// Random numbers by the headers of cuRAND, which need no library.
#include <curand_kernel.h>

#include <cmath>

#include "buffer.cuh"

__global__ void begin(curandState* states, unsigned long long seed) {
  curand_init(seed, threadIdx.x, 0, &states[threadIdx.x]);
}
__global__ void throw_darts(curandState* states, unsigned* inside, int darts) {
  curandState mine = states[threadIdx.x];
  unsigned count = 0;
  for (int k = 0; k < darts; ++k) {
    const float x = curand_uniform(&mine), y = curand_uniform(&mine);
    count += x * x + y * y <= 1;
  }
  states[threadIdx.x] = mine;
  atomicAdd(inside, count);
}
__global__ void normal_sum(float* sum) {
  curandStatePhilox4_32_10_t mine;
  curand_init(1234, threadIdx.x, 0, &mine);
  const float4 v = curand_normal4(&mine);
  atomicAdd(sum, v.x + v.y + v.z + v.w);
}

int main() {
  Buffer<curandState> states(64);
  Buffer<unsigned> inside(std::vector<unsigned>(1, 0));
  Buffer<float> sum(std::vector<float>(1, 0.0f));
  begin<<<1, 64>>>(states, 42);
  throw_darts<<<1, 64>>>(states, inside, 200);
  normal_sum<<<1, 256>>>(sum);
  CHECK_LAUNCH();
  const double pi = 4.0 * inside.host()[0] / (64 * 200);
  return verdict(std::abs(pi - 3.1416) < 0.1 && std::abs(sum.host()[0] / 1024) < 0.15f);
}
