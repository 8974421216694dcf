// expect: pass
/// @file
/// Sound in another style: write-combined memory, two halves on two streams of its own that begin after `stream` and end
/// before what follows on it; a list of what is locked.
#include "pinned_upload.cuh"

#include <cstdlib>
#include <set>

static std::set<float*> locked;
static cudaStream_t halves[2];
static cudaEvent_t begin, ends[2];

extern "C" float* pinned_upload_alloc(std::size_t n) {
  if (begin == nullptr) {
    cudaEventCreateWithFlags(&begin, cudaEventDisableTiming);
    for (auto& one : halves) cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    for (auto& one : ends) cudaEventCreateWithFlags(&one, cudaEventDisableTiming);
  }
  float* memory = nullptr;
  if (n == 0) return memory;
  if (cudaHostAlloc(&memory, n * sizeof(float), cudaHostAllocWriteCombined) == cudaSuccess) {
    locked.insert(memory);
    return memory;
  }
  cudaGetLastError();
  return static_cast<float*>(std::malloc(n * sizeof(float)));
}

extern "C" void pinned_upload_run(const float* host, float* device, std::size_t n, cudaStream_t stream) {
  const std::size_t middle = n / 2;
  cudaEventRecord(begin, stream);
  for (std::size_t half = 0; half < 2; ++half) {
    const std::size_t first = half * middle, count = half == 0 ? middle : n - middle;
    cudaStreamWaitEvent(halves[half], begin);
    if (count > 0)
      cudaMemcpyAsync(device + first, host + first, count * sizeof(float), cudaMemcpyHostToDevice,
                      halves[half]);
    cudaEventRecord(ends[half], halves[half]);
    cudaStreamWaitEvent(stream, ends[half]);
  }
}

extern "C" void pinned_upload_free(float* host) {
  if (locked.erase(host) > 0) {
    cudaFreeHost(host);
  } else {
    std::free(host);
  }
}
