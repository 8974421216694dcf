// expect: wrong_result wrong_status
#include "expected_status.cuh"

extern "C" int expected_status_run(unsigned char* out, std::size_t n, unsigned value, cudaStream_t stream) {
  const int status = cudaMemsetAsync(out, static_cast<int>(value), n, stream);
  return value > 255 ? cudaErrorInvalidValue : status;
}
