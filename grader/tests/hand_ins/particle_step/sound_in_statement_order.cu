// expect: pass
/// @file
/// Arrays, and one statement a field: each store stands before the next load. Passes, and is not at the limit.
#include "particle_step.cuh"

constexpr unsigned int block_threads = 256;

/// Six arrays of n floats, one a field.
struct particle_step_state {
  float *x = nullptr, *y = nullptr, *z = nullptr;
  float *vx = nullptr, *vy = nullptr, *vz = nullptr;
};

/// Takes records apart, one a thread. Launch contract: one-dimensional grid of at least n threads.
__global__ void take_apart(const particle* records, particle_step_state to, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const particle p = records[i];
  to.x[i] = p.x;
  to.y[i] = p.y;
  to.z[i] = p.z;
  to.vx[i] = p.vx;
  to.vy[i] = p.vy;
  to.vz[i] = p.vz;
}

/// Puts records together again. Launch contract: as take_apart.
__global__ void put_together(particle_step_state from, particle* records, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  records[i] = {from.x[i], from.y[i], from.z[i], from.vx[i], from.vy[i], from.vz[i]};
}

/// Moves one particle a thread, field after field.
__global__ void advance(particle_step_state of, float dt, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  of.x[i] += of.vx[i] * dt;
  of.y[i] += of.vy[i] * dt;
  of.z[i] += of.vz[i] * dt;
}

/// Blocks of block_threads threads that n particles take, one thread each.
static unsigned int blocks_for(std::size_t n) {
  return static_cast<unsigned int>((n + block_threads - 1) / block_threads);
}

extern "C" particle_step_state* particle_step_setup(std::size_t n) {
  auto* const state = new particle_step_state;
  for (float** const field : {&state->x, &state->y, &state->z, &state->vx, &state->vy, &state->vz})
    cudaMalloc(reinterpret_cast<void**>(field), n * sizeof(float));
  return state;
}

extern "C" void particle_step_load(particle_step_state* state, const particle* particles, std::size_t n,
                                   cudaStream_t stream) {
  if (n == 0) return;
  take_apart<<<blocks_for(n), block_threads, 0, stream>>>(particles, *state, n);
}

extern "C" void particle_step_run(particle_step_state* state, const float* dt, std::size_t n,
                                  cudaStream_t stream) {
  if (n == 0) return;
  advance<<<blocks_for(n), block_threads, 0, stream>>>(*state, *dt, n);
}

extern "C" void particle_step_store(particle_step_state* state, particle* particles, std::size_t n,
                                    cudaStream_t stream) {
  if (n == 0) return;
  put_together<<<blocks_for(n), block_threads, 0, stream>>>(*state, particles, n);
}

extern "C" void particle_step_teardown(particle_step_state* state) {
  for (float* const field : {state->x, state->y, state->z, state->vx, state->vy, state->vz}) cudaFree(field);
  delete state;
}
