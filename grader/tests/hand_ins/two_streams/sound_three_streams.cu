// expect: pass
/// @file
/// Sound in another style: three streams of different kinds and priorities, events made when they are needed and kept, quarters.
#include <vector>
#include "two_streams.cuh"
struct two_streams_state {
  std::uint32_t* up = nullptr;
  cudaStream_t in, work, out;
  std::vector<cudaEvent_t> events;
};
static cudaEvent_t mark(two_streams_state* s, unsigned& used, cudaStream_t on) {
  if (used == s->events.size()) {
    cudaEvent_t e;
    cudaEventCreate(&e);
    s->events.push_back(e);
  }
  cudaEventRecordWithFlags(s->events[used], on, cudaEventRecordDefault);
  return s->events[used++];
}
extern "C" two_streams_state* two_streams_setup(std::size_t n) {
  auto* s = new two_streams_state;
  cudaStreamCreate(&s->in);
  int least, most;
  cudaDeviceGetStreamPriorityRange(&least, &most);
  cudaStreamCreateWithPriority(&s->work, cudaStreamNonBlocking, most);
  cudaStreamCreateWithFlags(&s->out, cudaStreamNonBlocking);
  if (n) cudaMalloc((void**)&s->up, n * 4);
  return s;
}
extern "C" void two_streams_run(two_streams_state* s, const std::uint32_t* in, std::uint32_t* out,
                                std::size_t n, std::uint32_t key) {
  unsigned used = 0;
  const std::size_t chunk = (n + 3) / 4;
  for (std::size_t at = 0; at < n; at += chunk) {
    const std::size_t count = n - at < chunk ? n - at : chunk;
    cudaMemcpyAsync(s->up + at, in + at, count * 4, cudaMemcpyDefault, s->in);
    cudaStreamWaitEvent(s->work, mark(s, used, s->in), 0);
    cudaLaunchConfig_t c{};
    c.gridDim = (unsigned)((count + 127) / 128);
    c.blockDim = 128;
    c.stream = s->work;
    cudaLaunchKernelEx(&c, encode, s->up + at, count, key);
    cudaStreamWaitEvent(s->out, mark(s, used, s->work), 0);
    cudaMemcpyAsync(out + at, s->up + at, count * 4, cudaMemcpyDefault, s->out);
  }
}
extern "C" void two_streams_teardown(two_streams_state* s) {
  for (auto e : s->events) cudaEventDestroy(e);
  cudaStreamDestroy(s->in);
  cudaStreamDestroy(s->work);
  cudaStreamDestroy(s->out);
  cudaFree(s->up);
  delete s;
}
