// expect: pass
/// @file
/// 64-bit products by a signed type, on a stream of its own that is joined to the caller's.
#include "strided_overflow.cuh"

namespace {

__global__ void gather(const unsigned char* in, unsigned char* out, long long count, long long stride) {
  const long long k = static_cast<long long>(blockIdx.x) * 1024 + threadIdx.x;
  if (k < count) out[k] = __ldg(in + k * stride);
}

}  // namespace

extern "C" void strided_overflow_run(const unsigned char* in, unsigned char* out, std::size_t n,
                                     std::size_t stride, cudaStream_t stream) {
  if (n == 0) return;
  const auto count = static_cast<long long>((n + stride - 1) / stride);
  cudaStream_t own = nullptr;
  cudaEvent_t ready = nullptr, done = nullptr;
  cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  cudaEventRecord(ready, stream);
  cudaStreamWaitEvent(own, ready, 0);
  gather<<<static_cast<unsigned int>((count + 1023) / 1024), 1024, 0, own>>>(in, out, count,
                                                                             static_cast<long long>(stride));
  cudaEventRecord(done, own);
  cudaStreamWaitEvent(stream, done, 0);
  cudaEventDestroy(ready);
  cudaEventDestroy(done);
  cudaStreamDestroy(own);
}
