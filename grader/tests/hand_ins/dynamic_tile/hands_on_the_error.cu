// expect: wrong_result runtime_error
// says: dynamic_tile_run returned error cudaErrorInvalidValue (1) instead of cudaSuccess. The simulated GPU warns:
// says: in all after cudaFuncSetAttribute(..., cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)
/// @file
/// Right up to 48 KB: nobody raises the kernel's limit, and the launch's error is what the function answers.
#include "dynamic_tile.cuh"

namespace {

__global__ void add_up(const float* in, float* out, std::size_t n, std::size_t radius) {
  extern __shared__ float tile[];
  const std::size_t begin = std::size_t{blockIdx.x} * dynamic_tile_outputs;
  const std::size_t size = dynamic_tile_outputs + 2 * radius;
  for (std::size_t k = threadIdx.x; k < size; k += blockDim.x)
    tile[k] = begin + k >= radius && begin + k - radius < n ? in[begin + k - radius] : 0.0f;
  __syncthreads();
  for (std::size_t o = threadIdx.x; o < dynamic_tile_outputs && begin + o < n; o += blockDim.x) {
    float sum = 0.0f;
    for (std::size_t k = 0; k <= 2 * radius; ++k) sum += tile[o + k];
    out[begin + o] = sum;
  }
}

}  // namespace

extern "C" int dynamic_tile_run(const float* in, float* out, std::size_t n, std::size_t radius,
                                cudaStream_t stream) {
  if (n == 0) return 0;
  const auto blocks = static_cast<unsigned int>((n + dynamic_tile_outputs - 1) / dynamic_tile_outputs);
  add_up<<<blocks, 256, (dynamic_tile_outputs + 2 * radius) * sizeof(float), stream>>>(in, out, n, radius);
  return cudaGetLastError();
}
