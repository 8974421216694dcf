/// @file
/// What the wrong programs of this folder share. Each case is one mistake in a program that is sound without it; the
/// line that the check must name ends with `//! CASE` (a race has two: the other is `//~ CASE`). A case's name is the
/// program's only argument. It prints the error that the runtime shows in the end, by number.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

/// Ends the program with the number of the error that a CUDA program would see.
inline int finish() {
  const cudaError_t launched = cudaGetLastError();
  const cudaError_t ran = cudaDeviceSynchronize();
  const cudaError_t error = launched != cudaSuccess ? launched : ran;
  std::printf("error %d\n", static_cast<int>(error));
  return 0;
}

struct Case {
  const char* name;
  void (*run)();
};

template <int count>
int run_case(const Case (&cases)[count], int argc, char** argv) {
  for (const Case& c : cases)
    if (argc == 2 && std::strcmp(c.name, argv[1]) == 0) {
      c.run();
      return finish();
    }
  for (const Case& c : cases) std::printf("%s\n", c.name);
  return 2;
}

/// Device memory of @p count values, all @p value.
template <typename T>
T* filled(int count, int value = 0) {
  T* p = nullptr;
  cudaMalloc(&p, count * sizeof(T));
  cudaMemset(p, value, count * sizeof(T));
  return p;
}
