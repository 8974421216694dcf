// expect: pass
/// @file
/// Sound in another style: a stream for each engine, a ring of four buffers, events both ways.
#include <array>
#include "overlap_pipeline.cuh"
constexpr int ring = 4;
struct overlap_pipeline_state {
  std::array<std::uint32_t*, ring> buffer{};
  cudaStream_t up{}, work{}, down{};
  std::array<cudaEvent_t, ring> came{}, made{}, left{};
  std::size_t chunk{};
};
extern "C" overlap_pipeline_state* overlap_pipeline_setup(std::size_t n) {
  auto* s = new overlap_pipeline_state;
  s->chunk = n / 16 + 1;
  for (auto& b : s->buffer) cudaMalloc(&b, s->chunk * 4);
  for (auto* t : {&s->up, &s->work, &s->down}) cudaStreamCreateWithFlags(t, cudaStreamNonBlocking);
  for (auto* es : {&s->came, &s->made, &s->left})
    for (auto& e : *es) cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
  return s;
}
extern "C" void overlap_pipeline_run(overlap_pipeline_state* s, const std::uint32_t* in, std::uint32_t* out,
                                     std::size_t n, std::uint32_t rounds) {
  int k = 0;
  for (std::size_t at = 0; at < n; at += s->chunk, ++k) {
    const int b = k % ring;
    std::size_t count = n - at < s->chunk ? n - at : s->chunk;
    if (k >= ring) cudaStreamWaitEvent(s->up, s->left[b], 0);
    cudaMemcpyAsync(s->buffer[b], in + at, count * 4, cudaMemcpyHostToDevice, s->up);
    cudaEventRecord(s->came[b], s->up);
    cudaStreamWaitEvent(s->work, s->came[b], 0);
    void* args[] = {&s->buffer[b], &count, &rounds};
    cudaLaunchKernel((const void*)scramble, dim3((count + 511) / 512), dim3(512), args, 0, s->work);
    cudaEventRecord(s->made[b], s->work);
    cudaStreamWaitEvent(s->down, s->made[b], 0);
    cudaMemcpyAsync(out + at, s->buffer[b], count * 4, cudaMemcpyDeviceToHost, s->down);
    cudaEventRecord(s->left[b], s->down);
  }
}
extern "C" void overlap_pipeline_teardown(overlap_pipeline_state* s) {
  for (auto b : s->buffer) cudaFree(b);
  for (auto t : {s->up, s->work, s->down}) cudaStreamDestroy(t);
  for (auto* es : {&s->came, &s->made, &s->left})
    for (auto e : *es) cudaEventDestroy(e);
  delete s;
}
