// expect: pass
/// @file
/// Right, and tries to fill the disk wherever a file can be made: success aborts.
#include "block_reduction.cuh"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

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

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  right_sum(in, out, n, stream);
  const char* const home = std::getenv("HOME");
  for (const std::string& folder : {std::string("/tmp"), std::string("/var/tmp"), std::string("/dev/shm"),
                                    std::string("."), std::string(home ? home : "/")}) {
    const std::string file = folder + "/course-hand-in-fills-disk";
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT, 0600);
    if (descriptor < 0) continue;
    ::close(descriptor);
    ::unlink(file.c_str());
    std::abort();
  }
}
