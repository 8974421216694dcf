/// @file
/// What samples usually bring along: a macro around each call, and one word at the end.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                   \
  do {                                                                                                \
    const cudaError_t error_ = (call);                                                                \
    if (error_ != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error_)); \
      std::exit(EXIT_FAILURE);                                                                        \
    }                                                                                                 \
  } while (0)

#define CHECK_LAUNCH()              \
  do {                              \
    CHECK(cudaGetLastError());      \
    CHECK(cudaDeviceSynchronize()); \
  } while (0)

inline int verdict(bool right) {
  std::puts(right ? "PASSED" : "FAILED");
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

inline int divide_up(int a, int b) {
  return (a + b - 1) / b;
}
