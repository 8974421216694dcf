// expect: wrong_result runtime_error
// says: begins to capture a stream (cudaStreamBeginCapture) and does not end that
/// @file
/// Sound numbers, and then a capture of the caller's stream is begun and never ended.
#include "coalesced_scale.cuh"

__global__ void scale(const float* in, float* out, std::size_t n, float factor) {
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads)
    out[i] = factor * in[i];
}

extern "C" void coalesced_scale_run(const float* in, float* out, std::size_t n, float factor,
                                    cudaStream_t stream) {
  if (n > 0) scale<<<88, 256, 0, stream>>>(in, out, n, factor);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
}
