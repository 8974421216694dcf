// expect: pass
/// @file
/// The step is a node of a graph that the state keeps; each call sets its arguments anew. load() works on a stream of the
/// state's own, joined by events.
#include "particle_step.cuh"
struct particle_step_state {
  float4* a = nullptr;  // x y z vx
  float2* b = nullptr;  // vy vz
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaGraphNode_t node = nullptr;
  cudaStream_t own = nullptr;
  cudaEvent_t fork = nullptr, join = nullptr;
  float* x[6] = {};
  float dt = 0;
  std::size_t n = 0;
};
__global__ void take(const particle* p, float* x, float* y, float* z, float* vx, float* vy, float* vz,
                     std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const particle q = p[i];
  x[i] = q.x;
  y[i] = q.y;
  z[i] = q.z;
  vx[i] = q.vx;
  vy[i] = q.vy;
  vz[i] = q.vz;
}
__global__ void give(particle* p, const float* x, const float* y, const float* z, const float* vx,
                     const float* vy, const float* vz, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) p[i] = {x[i], y[i], z[i], vx[i], vy[i], vz[i]};
}
__global__ void step(float* __restrict__ x, float* __restrict__ y, float* __restrict__ z,
                     const float* __restrict__ vx, const float* __restrict__ vy, const float* __restrict__ vz,
                     float dt, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float a = x[i], b = y[i], c = z[i], d = vx[i], e = vy[i], f = vz[i];
  x[i] = fmaf(d, dt, a);
  y[i] = fmaf(e, dt, b);
  z[i] = fmaf(f, dt, c);
}
static unsigned int blocks_for(std::size_t n) {
  return static_cast<unsigned int>((n + 127) / 128);
}
extern "C" particle_step_state* particle_step_setup(std::size_t n) {
  auto* s = new particle_step_state;
  s->n = n;
  if (n == 0) return s;
  for (auto& f : s->x) cudaMalloc(&f, n * sizeof(float));
  cudaStreamCreateWithPriority(&s->own, cudaStreamNonBlocking, 0);
  cudaEventCreateWithFlags(&s->fork, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&s->join, cudaEventDisableTiming);
  cudaGraphCreate(&s->graph, 0);
  cudaKernelNodeParams p{};
  void* args[] = {&s->x[0], &s->x[1], &s->x[2], &s->x[3], &s->x[4], &s->x[5], &s->dt, &s->n};
  p.func = reinterpret_cast<void*>(step);
  p.gridDim = dim3(blocks_for(n));
  p.blockDim = dim3(128);
  p.kernelParams = args;
  cudaGraphAddKernelNode(&s->node, s->graph, nullptr, 0, &p);
  cudaGraphInstantiate(&s->exec, s->graph, 0);
  return s;
}
extern "C" void particle_step_load(particle_step_state* s, const particle* particles, std::size_t n,
                                   cudaStream_t stream) {
  if (n == 0) return;
  cudaEventRecord(s->fork, stream);
  cudaStreamWaitEvent(s->own, s->fork, 0);
  take<<<blocks_for(n), 128, 0, s->own>>>(particles, s->x[0], s->x[1], s->x[2], s->x[3], s->x[4], s->x[5], n);
  cudaEventRecord(s->join, s->own);
  cudaStreamWaitEvent(stream, s->join, 0);
}
extern "C" void particle_step_run(particle_step_state* s, const float* dt, std::size_t n,
                                  cudaStream_t stream) {
  if (n == 0) return;
  float value = *dt;
  cudaKernelNodeParams p{};
  void* args[] = {&s->x[0], &s->x[1], &s->x[2], &s->x[3], &s->x[4], &s->x[5], &value, &s->n};
  p.func = reinterpret_cast<void*>(step);
  p.gridDim = dim3(blocks_for(n));
  p.blockDim = dim3(128);
  p.kernelParams = args;
  cudaGraphExecKernelNodeSetParams(s->exec, s->node, &p);
  cudaGraphLaunch(s->exec, stream);
}
extern "C" void particle_step_store(particle_step_state* s, particle* particles, std::size_t n,
                                    cudaStream_t stream) {
  if (n > 0)
    give<<<blocks_for(n), 128, 0, stream>>>(particles, s->x[0], s->x[1], s->x[2], s->x[3], s->x[4], s->x[5],
                                            n);
}
extern "C" void particle_step_teardown(particle_step_state* s) {
  for (auto& f : s->x) cudaFree(f);
  if (s->exec) cudaGraphExecDestroy(s->exec);
  if (s->graph) cudaGraphDestroy(s->graph);
  if (s->own) cudaStreamDestroy(s->own);
  if (s->fork) cudaEventDestroy(s->fork);
  if (s->join) cudaEventDestroy(s->join);
  delete s;
}
