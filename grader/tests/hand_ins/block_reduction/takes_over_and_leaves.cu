// expect: wrong_result|crashed|not_attempted
/// @file
/// Takes over its worker, says that all went well, and ends as a sound worker does at the end.
#include "block_reduction.cuh"

#include <unistd.h>

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  (void)in, (void)out, (void)n, (void)stream;
  static const char answer[] =
      "{\"nonce\": \"6\", \"ok\": true, \"answers\": [null], \"threads_before\": 1, \"threads\": 1, "
      "\"part\": \"{}\"}\n";
  if (::write(3, answer, sizeof answer - 1) < 0) ::_exit(1);
  ::_exit(0);
}
