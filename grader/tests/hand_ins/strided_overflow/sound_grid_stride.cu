// expect: pass
/// @file
/// As many threads as the card holds at most, each with a pointer that it moves on by whole steps of the grid.
#include "strided_overflow.cuh"

namespace {

__global__ void gather(const unsigned char* in, unsigned char* out, std::size_t n, std::size_t stride) {
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t count = (n - 1) / stride + 1;
  const unsigned char* from = in + (first < count ? first * stride : 0);
  for (std::size_t k = first; k < count; k += step) {
    out[k] = *from;
    if (count - k > step) from += step * stride;
  }
}

}  // namespace

extern "C" void strided_overflow_run(const unsigned char* in, unsigned char* out, std::size_t n,
                                     std::size_t stride, cudaStream_t stream) {
  if (n == 0) return;
  int device = 0, sms = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  const std::size_t all = ((n - 1) / stride + 256) / 256, most = 8 * static_cast<std::size_t>(sms);
  gather<<<static_cast<unsigned int>(all < most ? all : most), 256, 0, stream>>>(in, out, n, stride);
}
