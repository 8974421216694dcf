/// @file
/// 256 bins: each block counts in shared memory and adds to the whole.
#include "buffer.cuh"

__global__ void histogram(const unsigned char* data, unsigned n, unsigned* bins) {
  __shared__ unsigned mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&mine[data[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

int main() {
  const unsigned n = 100000;
  std::vector<unsigned char> data(n);
  std::vector<unsigned> expected(256);
  unsigned state = 1;
  for (auto& byte : data) {
    state = state * 1664525u + 1013904223u;
    ++expected[byte = static_cast<unsigned char>(state >> 24)];
  }
  Buffer<unsigned char> d_data(data);
  Buffer<unsigned> bins(256);
  bins.clear();
  cudaDeviceProp properties{};
  CHECK(cudaGetDeviceProperties(&properties, 0));
  histogram<<<properties.multiProcessorCount * 2, 256>>>(d_data, n, bins);
  CHECK_LAUNCH();
  return verdict(bins.host() == expected);
}
