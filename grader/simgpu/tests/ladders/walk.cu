/// @file
/// Uncoalesced walks: a chunk of consecutive floats a thread, arrays of structs, strides.
#include "ladder.hpp"

namespace {

__global__ void walk_plain(const float* in, float* out, int chunk) {
  const std::size_t first = (blockIdx.x * std::size_t{blockDim.x} + threadIdx.x) * chunk;
#pragma unroll 1
  for (int k = 0; k < chunk; ++k) out[first + k] = 2.0f * in[first + k];
}

__global__ void walk_unrolled(const float* __restrict__ in, float* __restrict__ out, int chunk) {
  const std::size_t first = (blockIdx.x * std::size_t{blockDim.x} + threadIdx.x) * chunk;
#pragma unroll 4
  for (int k = 0; k < chunk; ++k) out[first + k] = 2.0f * in[first + k];
}

struct Particle {
  float x, y, z, vx, vy, vz;
};

__global__ void struct_load(const Particle* in, float* out, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i >= n) return;
  const Particle p = in[i];
  out[i] = p.x;
  out[n + i] = p.y;
  out[2 * n + i] = p.z;
  out[3 * n + i] = p.vx;
  out[4 * n + i] = p.vy;
  out[5 * n + i] = p.vz;
}

__global__ void struct_store(const float* in, Particle* out, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i >= n) return;
  out[i] = {in[i], in[n + i], in[2 * n + i], in[3 * n + i], in[4 * n + i], in[5 * n + i]};
}

__global__ void strided(const float* in, float* out, std::size_t n, int stride) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  const std::size_t at = i * stride;
  if (at < n) out[at] = in[at];
}

}  // namespace

int main(int argc, char** argv) {
  const ladder::Bench bench(argc, argv);
  const std::size_t bytes = bench.array_bytes, n = bytes / 4;
  auto* in = bench.array<float>(bytes);
  auto* out = bench.array<float>(bytes);
  const double moved = 2.0 * static_cast<double>(bytes);
  for (const int chunk : {8, 32, 128, 1024}) {
    const unsigned blocks = static_cast<unsigned>(n / chunk / 256);
    bench.run("walk " + std::to_string(chunk), moved, [&] { walk_plain<<<blocks, 256>>>(in, out, chunk); });
    bench.run("walk " + std::to_string(chunk) + " unrolled", moved,
              [&] { walk_unrolled<<<blocks, 256>>>(in, out, chunk); });
  }
  const std::size_t particles = bytes / sizeof(Particle);
  const unsigned particle_blocks = static_cast<unsigned>((particles + 255) / 256);
  bench.run("struct load", moved,
            [&] { struct_load<<<particle_blocks, 256>>>(reinterpret_cast<Particle*>(in), out, particles); });
  bench.run("struct store", moved,
            [&] { struct_store<<<particle_blocks, 256>>>(in, reinterpret_cast<Particle*>(out), particles); });
  for (const int stride : {2, 4, 8, 16, 32}) {
    const unsigned blocks = static_cast<unsigned>((n / stride + 255) / 256);
    bench.run("stride " + std::to_string(stride), moved / stride,
              [&] { strided<<<blocks, 256>>>(in, out, n, stride); });
  }
  return 0;
}
