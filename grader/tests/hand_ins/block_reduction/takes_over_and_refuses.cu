// expect: crashed protocol_violation
// says: does not follow the grader
/// @file
/// Takes over its worker: it answers the grader's questions itself, over the worker's own socket, with the numbers that they carry. It says
/// that it cannot go on, in the words that a worker has for a fault of the course's, and leaves as a sound worker would.
#include "block_reduction.cuh"

#include <unistd.h>

#include <cstdio>
#include <cstring>

static void answer(const char* number, const char* rest) {
  char text[512];
  const int length = std::snprintf(text, sizeof text, "{\"nonce\": \"%s\", %s}\n", number, rest);
  if (::write(3, text, static_cast<std::size_t>(length)) < 0) ::_exit(0);
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  (void)in, (void)out, (void)n, (void)stream;
  // hello, load, place, fill, before, and this is the sixth.
  answer("6", "\"ok\": false, \"error\": \"there is not enough memory for the buffers\"");
  ::_exit(0);
}
