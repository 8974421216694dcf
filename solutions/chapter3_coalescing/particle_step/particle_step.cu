/// @file
/// particle_step: particles in a layout of your choice, moved step by step. The one file of this exercise that is
/// edited and handed in; the contract is in particle_step.cuh, the task in README.md.
#include "particle_step.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;

/// Six arrays of n floats, one a field, in two pieces of memory: x, y, z one right behind the other, and vx, vy, vz.
/// So a step is the same for all three: 3 n positions, each with its velocity at the same place.
struct particle_step_state {
  float* position = nullptr;
  float* velocity = nullptr;
};

/// Takes records apart, one a thread. Launch contract: one-dimensional grid of at least n threads.
__global__ void take_apart(const particle* __restrict__ records, float* __restrict__ position,
                           float* __restrict__ velocity, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const particle p = records[i];
  position[i] = p.x;
  position[n + i] = p.y;
  position[2 * n + i] = p.z;
  velocity[i] = p.vx;
  velocity[n + i] = p.vy;
  velocity[2 * n + i] = p.vz;
}

/// Puts records together again. Launch contract: as take_apart.
__global__ void put_together(const float* __restrict__ position, const float* __restrict__ velocity,
                             particle* __restrict__ records, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  records[i] = {position[i], position[n + i], position[2 * n + i],
                velocity[i], velocity[n + i], velocity[2 * n + i]};
}

/// Moves four coordinates a thread: two loads of 16 bytes, both before the store.
/// Launch contract: one-dimensional grid of at least count / 4 threads, rounded up. Reads 8 count bytes, writes 4 count.
__global__ void __launch_bounds__(block_threads)
    advance(float* __restrict__ position, const float* __restrict__ velocity, float dt, std::size_t count) {
  const std::size_t first = 4 * (std::size_t{blockIdx.x} * block_threads + threadIdx.x);
  if (first + 4 <= count) {
    float4 p = *reinterpret_cast<const float4*>(position + first);
    const float4 v = *reinterpret_cast<const float4*>(velocity + first);
    p.x += v.x * dt;
    p.y += v.y * dt;
    p.z += v.z * dt;
    p.w += v.w * dt;
    *reinterpret_cast<float4*>(position + first) = p;
  } else {  // the last thread, with one to three left
    for (std::size_t i = first; i < count; ++i) position[i] += velocity[i] * dt;
  }
}

/// Blocks of block_threads threads, one thread for each of @p work.
static unsigned int blocks_for(std::size_t work) {
  return static_cast<unsigned int>((work + block_threads - 1) / block_threads);
}

extern "C" particle_step_state* particle_step_setup(std::size_t n) {
  auto* const state = new particle_step_state;
  cudaMalloc(reinterpret_cast<void**>(&state->position), 3 * n * sizeof(float));
  cudaMalloc(reinterpret_cast<void**>(&state->velocity), 3 * n * sizeof(float));
  return state;
}

extern "C" void particle_step_load(particle_step_state* state, const particle* particles, std::size_t n,
                                   cudaStream_t stream) {
  if (n == 0) return;
  take_apart<<<blocks_for(n), block_threads, 0, stream>>>(particles, state->position, state->velocity, n);
}

extern "C" void particle_step_run(particle_step_state* state, const float* dt, std::size_t n,
                                  cudaStream_t stream) {
  if (n == 0) return;
  advance<<<blocks_for((3 * n + 3) / 4), block_threads, 0, stream>>>(state->position, state->velocity, *dt,
                                                                     3 * n);
}

extern "C" void particle_step_store(particle_step_state* state, particle* particles, std::size_t n,
                                    cudaStream_t stream) {
  if (n == 0) return;
  put_together<<<blocks_for(n), block_threads, 0, stream>>>(state->position, state->velocity, particles, n);
}

extern "C" void particle_step_teardown(particle_step_state* state) {
  cudaFree(state->position);
  cudaFree(state->velocity);
  delete state;
}
// <<< your code
