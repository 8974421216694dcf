// expect: pass
/// @file
/// Two halves on two streams, the second one forked from `stream` and joined to it again by events.
#include "vector_add.cuh"

__global__ void add(const float* a, const float* b, float* c, std::size_t first, std::size_t end) {
  const std::size_t i = first + std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < end) c[i] = a[i] + b[i];
}

static void queue(const float* a, const float* b, float* c, std::size_t first, std::size_t end,
                  cudaStream_t stream) {
  if (first < end)
    add<<<static_cast<unsigned int>((end - first + 255) / 256), 256, 0, stream>>>(a, b, c, first, end);
}

extern "C" void vector_add_run(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream) {
  static cudaStream_t second = nullptr;
  static cudaEvent_t fork = nullptr, join = nullptr;
  if (second == nullptr) {
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
  }
  const std::size_t half = n / 64 * 32;  // begins at a sector
  cudaEventRecord(fork, stream);
  cudaStreamWaitEvent(second, fork, 0);
  queue(a, b, c, 0, half, stream);
  queue(a, b, c, half, n, second);
  cudaEventRecord(join, second);
  cudaStreamWaitEvent(stream, join, 0);
}
