// expect: wrong_result work_off_device
/// @file
/// Copies the input to the host, adds it up there, and copies the sum back.
#include "block_reduction.cuh"

#include <vector>

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  std::vector<float> values(n);
  cudaMemcpyAsync(values.data(), in, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  double sum = 0;
  for (const float value : values) sum += value;
  const float result = static_cast<float>(sum);
  cudaMemcpyAsync(out, &result, sizeof result, cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}
