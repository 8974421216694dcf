/// @file
/// copy_ceiling by the runtime.
#include "copy_ceiling.cuh"

extern "C" void copy_ceiling_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  if (n > 0) cudaMemcpyAsync(out, in, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
}
