/// @file
/// Pi by throwing darts; every thread has a generator of its own, kept from launch to launch.
#include <cmath>

#include "buffer.cuh"

struct Generator {
  unsigned x, y, z, w;
  __device__ float uniform() {
    const unsigned t = x ^ (x << 11);
    x = y;
    y = z;
    z = w;
    w ^= (w >> 19) ^ t ^ (t >> 8);
    return static_cast<float>(w) * 2.3283064e-10f;
  }
};

__global__ void setup(Generator* generators, unsigned seed) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  Generator g{seed ^ (id * 2654435761u + 1), 362436069u + id, 521288629u, 88675123u};
  for (int i = 0; i < 20; ++i) g.uniform();
  generators[id] = g;
}

__global__ void throw_darts(Generator* generators, unsigned long long* hits, int darts) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  Generator g = generators[id];
  unsigned inside = 0;
  for (int i = 0; i < darts; ++i) {
    const float x = g.uniform(), y = g.uniform();
    inside += x * x + y * y <= 1.0f;
  }
  generators[id] = g;
  atomicAdd(hits, static_cast<unsigned long long>(inside));
}

int main() {
  const int blocks = 16, threads = 128, darts = 64, rounds = 2;
  Buffer<Generator> generators(blocks * threads);
  Buffer<unsigned long long> hits(1);
  hits.clear();
  setup<<<blocks, threads>>>(generators, 1234u);
  for (int r = 0; r < rounds; ++r) throw_darts<<<blocks, threads>>>(generators, hits, darts);
  CHECK_LAUNCH();
  const double pi = 4.0 * static_cast<double>(hits.host()[0]) / (double{blocks} * threads * darts * rounds);
  std::printf("pi is about %f\n", pi);
  return verdict(std::fabs(pi - 3.14159265) < 0.02);
}
