// expect: wrong_result mismatch
/// @file
/// load() keeps the pointer, and the first step converts. By then the records' memory may hold something else.
#include "particle_step.cuh"
struct particle_step_state {
  float* f = nullptr;
  const particle* from = nullptr;
};
__global__ void take(const particle* p, float* f, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float* q = reinterpret_cast<const float*>(p + i);
  for (int k = 0; k < 6; ++k) f[k * n + i] = q[k];
}
__global__ void give(particle* p, const float* f, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) p[i] = {f[i], f[n + i], f[2 * n + i], f[3 * n + i], f[4 * n + i], f[5 * n + i]};
}
__global__ void step(float* f, float dt, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float a = f[i], b = f[n + i], c = f[2 * n + i], d = f[3 * n + i], e = f[4 * n + i], g = f[5 * n + i];
  f[i] = a + d * dt;
  f[n + i] = b + e * dt;
  f[2 * n + i] = c + g * dt;
}
static void convert(particle_step_state* s, std::size_t n, cudaStream_t stream) {
  if (s->from != nullptr)
    take<<<static_cast<unsigned int>((n + 255) / 256), 256, 0, stream>>>(s->from, s->f, n);
  s->from = nullptr;
}
extern "C" particle_step_state* particle_step_setup(std::size_t n) {
  auto* s = new particle_step_state;
  if (n) cudaMalloc(&s->f, 24 * n);
  return s;
}
extern "C" void particle_step_load(particle_step_state* s, const particle* p, std::size_t, cudaStream_t) {
  s->from = p;
}
extern "C" void particle_step_run(particle_step_state* s, const float* dt, std::size_t n,
                                  cudaStream_t stream) {
  if (n == 0) return;
  convert(s, n, stream);
  step<<<static_cast<unsigned int>((n + 255) / 256), 256, 0, stream>>>(s->f, *dt, n);
}
extern "C" void particle_step_store(particle_step_state* s, particle* p, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  convert(s, n, stream);
  give<<<static_cast<unsigned int>((n + 255) / 256), 256, 0, stream>>>(p, s->f, n);
}
extern "C" void particle_step_teardown(particle_step_state* s) {
  cudaFree(s->f);
  delete s;
}
