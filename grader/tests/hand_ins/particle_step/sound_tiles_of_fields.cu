// expect: pass
// on gpu: too_slow
/// @file
/// Neither records nor whole arrays: tiles of 32 particles, in which each field is a row of 32 floats. Grid-stride, and on a stream of
/// its own that joins the given one.
#include "particle_step.cuh"

constexpr unsigned int block_threads = 256, lanes = 32, fields = 6;

struct tile {
  float of[fields][lanes];
};

struct particle_step_state {
  tile* tiles = nullptr;
  cudaStream_t own = nullptr;
  cudaEvent_t asked = nullptr, done = nullptr;
};

template <class Work>
__device__ void for_each_particle(std::size_t n, Work work) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) work(i);
}

__global__ void take_apart(const particle* records, tile* tiles, std::size_t n) {
  for_each_particle(n, [&](std::size_t i) {
    const auto* const record = reinterpret_cast<const float*>(records + i);
    for (unsigned int f = 0; f < fields; ++f) tiles[i / lanes].of[f][i % lanes] = record[f];
  });
}

__global__ void put_together(const tile* tiles, particle* records, std::size_t n) {
  for_each_particle(n, [&](std::size_t i) {
    auto* const record = reinterpret_cast<float*>(records + i);
    for (unsigned int f = 0; f < fields; ++f) record[f] = tiles[i / lanes].of[f][i % lanes];
  });
}

__global__ void advance(tile* tiles, float dt, std::size_t n) {
  for_each_particle(n, [&](std::size_t i) {
    auto& mine = tiles[i / lanes].of;
    float now[fields];
    for (unsigned int f = 0; f < fields; ++f) now[f] = mine[f][i % lanes];
    for (unsigned int axis = 0; axis < 3; ++axis) mine[axis][i % lanes] = now[axis] + now[axis + 3] * dt;
  });
}

static unsigned int blocks_for(std::size_t n) {
  const std::size_t wanted = (n + block_threads - 1) / block_threads;
  return static_cast<unsigned int>(wanted < 100'000 ? wanted : 100'000);
}

extern "C" particle_step_state* particle_step_setup(std::size_t n) {
  auto* const state = new particle_step_state;
  cudaMalloc(reinterpret_cast<void**>(&state->tiles), (n + lanes - 1) / lanes * sizeof(tile));
  cudaStreamCreateWithFlags(&state->own, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&state->asked, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&state->done, cudaEventDisableTiming);
  return state;
}

extern "C" void particle_step_load(particle_step_state* state, const particle* particles, std::size_t n,
                                   cudaStream_t stream) {
  if (n > 0) take_apart<<<blocks_for(n), block_threads, 0, stream>>>(particles, state->tiles, n);
}

extern "C" void particle_step_run(particle_step_state* state, const float* dt, std::size_t n,
                                  cudaStream_t stream) {
  if (n == 0) return;
  cudaEventRecord(state->asked, stream);
  cudaStreamWaitEvent(state->own, state->asked, 0);
  advance<<<blocks_for(n), block_threads, 0, state->own>>>(state->tiles, *dt, n);
  cudaEventRecord(state->done, state->own);
  cudaStreamWaitEvent(stream, state->done, 0);
}

extern "C" void particle_step_store(particle_step_state* state, particle* particles, std::size_t n,
                                    cudaStream_t stream) {
  if (n > 0) put_together<<<blocks_for(n), block_threads, 0, stream>>>(state->tiles, particles, n);
}

extern "C" void particle_step_teardown(particle_step_state* state) {
  cudaEventDestroy(state->asked);
  cudaEventDestroy(state->done);
  cudaStreamDestroy(state->own);
  cudaFree(state->tiles);
  delete state;
}
