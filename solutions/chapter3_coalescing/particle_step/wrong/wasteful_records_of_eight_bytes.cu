// expect: wasteful|too_slow
/// @file
/// particle_step: particles in a layout of your choice, moved step by step. The one file of this exercise that is
/// edited and handed in; the contract is in particle_step.cuh, the task in README.md.
#include "particle_step.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;

/// Keeps the particles as they come: records, side by side.
struct particle_step_state {
  particle* records = nullptr;
};

/// Moves one particle a thread, in three loads of 8 bytes, all before the first store. Right, and no byte is asked for in vain; but
/// lanes are still 24 bytes apart, and what is written shares sectors with what is not.
/// Launch contract: one-dimensional grid of at least n threads.
__global__ void advance(particle* records, float dt, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2* const p = reinterpret_cast<float2*>(records + i);
  const float2 xy = p[0], z_vx = p[1], vyz = p[2];
  p[0] = make_float2(xy.x + z_vx.y * dt, xy.y + vyz.x * dt);
  records[i].z = z_vx.x + vyz.y * dt;
}

extern "C" particle_step_state* particle_step_setup(std::size_t n) {
  auto* const state = new particle_step_state;
  cudaMalloc(reinterpret_cast<void**>(&state->records), n * sizeof(particle));
  return state;
}

extern "C" void particle_step_load(particle_step_state* state, const particle* particles, std::size_t n,
                                   cudaStream_t stream) {
  cudaMemcpyAsync(state->records, particles, n * sizeof(particle), cudaMemcpyDeviceToDevice, stream);
}

extern "C" void particle_step_run(particle_step_state* state, const float* dt, std::size_t n,
                                  cudaStream_t stream) {
  if (n == 0) return;
  const auto blocks = static_cast<unsigned int>((n + block_threads - 1) / block_threads);
  advance<<<blocks, block_threads, 0, stream>>>(state->records, *dt, n);
}

extern "C" void particle_step_store(particle_step_state* state, particle* particles, std::size_t n,
                                    cudaStream_t stream) {
  cudaMemcpyAsync(particles, state->records, n * sizeof(particle), cudaMemcpyDeviceToDevice, stream);
}

extern "C" void particle_step_teardown(particle_step_state* state) {
  cudaFree(state->records);
  delete state;
}
// <<< your code
