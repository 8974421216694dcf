// expect: pass
/// @file
/// Right, and tries to change rights, owners and times of files: success aborts.
#include "block_reduction.cuh"

#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>

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
  char self[4096] = {};
  if (::readlink("/proc/self/exe", self, sizeof self - 1) <= 0) return;
  struct stat info {};
  if (::stat(self, &info) != 0) return;
  // To what they are already: nothing changes should it succeed.
  if (::chmod(self, info.st_mode & 07777) == 0) std::abort();
  if (::chown(self, info.st_uid, info.st_gid) == 0) std::abort();
  const timeval times[2] = {{info.st_atim.tv_sec, 0}, {info.st_mtim.tv_sec, 0}};
  if (::utimes(self, times) == 0) std::abort();
}
