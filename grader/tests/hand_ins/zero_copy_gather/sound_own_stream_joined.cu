// expect: pass
/// @file
/// Sound in another style: one address for both sides, so nobody asks for the device's; the two halves of the numbers are
/// gathered on two streams, joined by events; many numbers come by a copy in two pieces.
#include "zero_copy_gather.cuh"

namespace {

__global__ void gather(const float* table, const unsigned int* wanted, float* found, unsigned int count) {
  const unsigned int k = blockIdx.x * 128 + threadIdx.x;
  if (k < count) found[k] = table[wanted[k]];
}

void launch(const float* table, const unsigned int* wanted, float* found, std::size_t count,
            cudaStream_t stream) {
  if (count > 0)
    gather<<<static_cast<unsigned int>((count + 127) / 128), 128, 0, stream>>>(
        table, wanted, found, static_cast<unsigned int>(count));
}

}  // namespace

extern "C" float* zero_copy_gather_alloc(std::size_t n) {
  float* host = nullptr;
  if (n > 0) cudaMallocHost(&host, n * sizeof(float));
  return host;
}

extern "C" void zero_copy_gather_run(const float* host, const unsigned int* wanted, float* found,
                                     std::size_t n, std::size_t count, cudaStream_t stream) {
  if (count == 0) return;
  cudaStream_t own = nullptr;
  cudaEvent_t begun = nullptr, done = nullptr;
  cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&begun, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  const bool few = count < n / 30;
  const float* table = host;
  float* copy = nullptr;
  if (!few) {
    cudaMallocAsync(reinterpret_cast<void**>(&copy), n * sizeof(float), stream);
    const std::size_t half = n / 2;
    if (half > 0) cudaMemcpyAsync(copy, host, half * sizeof(float), cudaMemcpyHostToDevice, stream);
    cudaMemcpyAsync(copy + half, host + half, (n - half) * sizeof(float), cudaMemcpyHostToDevice, stream);
    table = copy;
  }
  cudaEventRecord(begun, stream);
  cudaStreamWaitEvent(own, begun, 0);
  const std::size_t first = count / 2;
  launch(table, wanted, found, first, stream);
  launch(table, wanted + first, found + first, count - first, own);
  cudaEventRecord(done, own);
  cudaStreamWaitEvent(stream, done, 0);
  if (copy != nullptr) cudaFreeAsync(copy, stream);
  cudaEventDestroy(begun);
  cudaEventDestroy(done);
  cudaStreamDestroy(own);
}

extern "C" void zero_copy_gather_free(float* host) {
  cudaFreeHost(host);
}
