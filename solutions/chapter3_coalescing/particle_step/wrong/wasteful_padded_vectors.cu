// expect: wasteful|too_slow
/// @file
/// particle_step: particles in a layout of your choice, moved step by step. The one file of this exercise that is
/// edited and handed in; the contract is in particle_step.cuh, the task in README.md.
#include "particle_step.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;

/// Position and velocity of a particle as a float4 each: 16 bytes, of which 12 are wanted. Side by side and wide, and a quarter of all
/// memory holds nothing.
struct particle_step_state {
  float4* position = nullptr;
  float4* velocity = nullptr;
};

/// Takes records apart, one a thread. Launch contract: one-dimensional grid of at least n threads.
__global__ void take_apart(const particle* records, float4* position, float4* velocity, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const particle p = records[i];
  position[i] = make_float4(p.x, p.y, p.z, 0.0f);
  velocity[i] = make_float4(p.vx, p.vy, p.vz, 0.0f);
}

/// Puts records together again. Launch contract: as take_apart.
__global__ void put_together(const float4* position, const float4* velocity, particle* records,
                             std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 p = position[i], v = velocity[i];
  records[i] = {p.x, p.y, p.z, v.x, v.y, v.z};
}

/// Moves one particle a thread. Launch contract: as take_apart.
__global__ void advance(float4* position, const float4* velocity, float dt, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 p = position[i], v = velocity[i];
  position[i] = make_float4(p.x + v.x * dt, p.y + v.y * dt, p.z + v.z * dt, 0.0f);
}

/// Blocks of block_threads threads, one thread for each of @p work.
static unsigned int blocks_for(std::size_t work) {
  return static_cast<unsigned int>((work + block_threads - 1) / block_threads);
}

extern "C" particle_step_state* particle_step_setup(std::size_t n) {
  auto* const state = new particle_step_state;
  cudaMalloc(reinterpret_cast<void**>(&state->position), n * sizeof(float4));
  cudaMalloc(reinterpret_cast<void**>(&state->velocity), n * sizeof(float4));
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
  advance<<<blocks_for(n), block_threads, 0, stream>>>(state->position, state->velocity, *dt, n);
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
