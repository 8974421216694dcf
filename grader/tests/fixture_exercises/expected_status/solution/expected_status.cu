/// @file
/// expected_status: refuses what it cannot do, and passes on what the runtime says.
#include "expected_status.cuh"

extern "C" int expected_status_run(unsigned char* out, std::size_t n, unsigned value, cudaStream_t stream) {
  if (value > 255) return cudaErrorInvalidValue;
  return cudaMemsetAsync(out, static_cast<int>(value), n, stream);
}
