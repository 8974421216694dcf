// expect: pass
// on gpu: too_slow
/// @file
/// The records cut in two, 12 bytes of position and 12 of velocity, each a row of floats without a gap. A step writes to the other of
/// two places for positions, so no store can touch what a load reads.
#include "particle_step.cuh"

#include <utility>

constexpr unsigned int block_threads = 128;

struct particle_step_state {
  float *position = nullptr, *moved = nullptr, *velocity = nullptr;
};

__global__ void advance(const float* position, const float* velocity, float* moved, float dt,
                        std::size_t count) {
  const std::size_t base = std::size_t{blockIdx.x} * (4 * block_threads) + threadIdx.x;
#pragma unroll
  for (std::size_t k = 0; k < 4; ++k) {
    const std::size_t i = base + k * block_threads;
    if (i < count) moved[i] = fmaf(velocity[i], dt, position[i]);
  }
}

extern "C" particle_step_state* particle_step_setup(std::size_t n) {
  auto* const state = new particle_step_state;
  for (float** const part : {&state->position, &state->moved, &state->velocity})
    cudaMalloc(reinterpret_cast<void**>(part), 3 * n * sizeof(float));
  return state;
}

extern "C" void particle_step_load(particle_step_state* state, const particle* particles, std::size_t n,
                                   cudaStream_t stream) {
  if (n == 0) return;
  constexpr std::size_t half = sizeof(particle) / 2;
  const auto* const bytes = reinterpret_cast<const char*>(particles);
  cudaMemcpy2DAsync(state->position, half, bytes, 2 * half, half, n, cudaMemcpyDeviceToDevice, stream);
  cudaMemcpy2DAsync(state->velocity, half, bytes + half, 2 * half, half, n, cudaMemcpyDeviceToDevice, stream);
}

extern "C" void particle_step_run(particle_step_state* state, const float* dt, std::size_t n,
                                  cudaStream_t stream) {
  if (n == 0) return;
  const auto blocks = static_cast<unsigned int>((3 * n + 4 * block_threads - 1) / (4 * block_threads));
  advance<<<blocks, block_threads, 0, stream>>>(state->position, state->velocity, state->moved, *dt, 3 * n);
  std::swap(state->position, state->moved);
}

extern "C" void particle_step_store(particle_step_state* state, particle* particles, std::size_t n,
                                    cudaStream_t stream) {
  if (n == 0) return;
  constexpr std::size_t half = sizeof(particle) / 2;
  auto* const bytes = reinterpret_cast<char*>(particles);
  cudaMemcpy2DAsync(bytes, 2 * half, state->position, half, half, n, cudaMemcpyDeviceToDevice, stream);
  cudaMemcpy2DAsync(bytes + half, 2 * half, state->velocity, half, half, n, cudaMemcpyDeviceToDevice, stream);
}

extern "C" void particle_step_teardown(particle_step_state* state) {
  for (float* const part : {state->position, state->moved, state->velocity}) cudaFree(part);
  delete state;
}
