// expect: pass
/// @file
/// Right, and looks into the judge's environment for what is none of its business: finding anything aborts.
#include "block_reduction.cuh"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void add_up(const float* in, float* out, std::size_t n) {
  alignas(16) __shared__ float tile[256];
  float sum = 0.0f;
  for (std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x; i < n; i += std::size_t{gridDim.x} * 256)
    sum += in[i];
  tile[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, tile[0]);
}

static unsigned int blocks_for(std::size_t n) {
  return static_cast<unsigned int>(n / 1024 + 1 < 1056 ? n / 1024 + 1 : 1056);
}

static void right_sum(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  add_up<<<blocks_for(n), 256, 0, stream>>>(in, out, n);
}
/// Whether the judge needs @p variable: "NAME=value".
static bool is_needed(const char* variable) {
  for (const char* name : {"PATH=", "HOME=", "LANG=", "TERM=", "TMPDIR=", "LD_LIBRARY_PATH=", "NO_COLOR=",
                           "COLUMNS=", "ASAN_OPTIONS=", "UBSAN_OPTIONS=", "TSAN_OPTIONS=", "LSAN_OPTIONS=",
                           "COURSE_", "CUDA_", "NVIDIA_", "LC_", "GTEST_", "CTEST_"}) {
    if (std::strncmp(variable, name, std::strlen(name)) == 0)
      return std::strncmp(variable, "COURSE_SEED=", 12) != 0;
  }
  return variable[0] == 0;
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  right_sum(in, out, n, stream);
  char name[64], text[1 << 16];
  std::snprintf(name, sizeof name, "/proc/%d/environ", static_cast<int>(::getppid()));
  std::FILE* const file = std::fopen(name, "rb");
  if (!file) return;
  const std::size_t size = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  text[size] = 0;
  for (std::size_t at = 0; at < size; at += std::strlen(text + at) + 1) {
    if (!is_needed(text + at)) std::abort();
  }
}
