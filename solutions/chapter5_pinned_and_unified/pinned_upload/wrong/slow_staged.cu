// expect: wasteful|too_slow
/// @file
/// pinned_upload: host memory that the copy engine can reach. The one file of this exercise that is edited and handed
/// in; the contract is in pinned_upload.cuh, the task in README.md.
#include "pinned_upload.cuh"

#include <cstdlib>
#include <cstring>

// >>> your code
/// Ordinary memory, uploaded through two page-locked chunks by turns. Right, but a core of the CPU copies each number
/// first, and it is slower than the link: this is what the runtime does for ordinary memory anyway.
constexpr std::size_t chunk = 1 << 18;
struct stage {
  float* memory = nullptr;
  cudaEvent_t read{};
};
static stage stages[2];

extern "C" float* pinned_upload_alloc(std::size_t n) {
  for (stage& one : stages) {
    if (one.memory != nullptr) continue;
    void* memory = nullptr;
    if (cudaHostAlloc(&memory, chunk * sizeof(float), cudaHostAllocDefault) != cudaSuccess)
      cudaGetLastError();
    one.memory = static_cast<float*>(memory);
    cudaEventCreateWithFlags(&one.read, cudaEventDisableTiming);
  }
  return n > 0 ? static_cast<float*>(std::malloc(n * sizeof(float))) : nullptr;
}

extern "C" void pinned_upload_run(const float* host, float* device, std::size_t n, cudaStream_t stream) {
  unsigned int turn = 0;
  for (std::size_t first = 0; first < n; first += chunk) {
    const std::size_t bytes = (n - first < chunk ? n - first : chunk) * sizeof(float);
    const stage& through = stages[turn++ % 2];
    const float* from = host + first;
    if (through.memory != nullptr) {
      cudaEventSynchronize(through.read);  // the last copy from here is over
      std::memcpy(through.memory, from, bytes);
      from = through.memory;
    }
    cudaMemcpyAsync(device + first, from, bytes, cudaMemcpyHostToDevice, stream);
    if (through.memory != nullptr) cudaEventRecord(through.read, stream);
  }
}

extern "C" void pinned_upload_free(float* host) {
  std::free(host);
}
// <<< your code
