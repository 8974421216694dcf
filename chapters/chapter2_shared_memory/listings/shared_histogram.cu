/// @file
/// Lesson 2, "shared atomics": readings sorted into 64 classes, counted in a table of the
/// block's own.
#include "check.cuh"

// [kernel]
constexpr int classes = 64;

/// Adds to counts[c] how many readings fall into class c: c * 0.5 <= reading < (c + 1) * 0.5.
/// What lies below or above counts in the first or the last class.
/// Launch contract: any grid, blocks of any size; counts was cleared.
__global__ void classify(const float* readings, unsigned int* counts, std::size_t n) {
  __shared__ unsigned int own[classes];  // this block's table
  for (int c = threadIdx.x; c < classes; c += blockDim.x) own[c] = 0u;
  __syncthreads();  // nobody counts before the table is clear

  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    const int c = static_cast<int>(floorf(readings[i] * 2.0f));
    atomicAdd(&own[min(max(c, 0), classes - 1)], 1u);  // in shared memory
  }
  __syncthreads();  // nobody reads the table before all have counted

  for (int c = threadIdx.x; c < classes; c += blockDim.x)
    atomicAdd(&counts[c], own[c]);  // once a block
}
// [kernel]

int main() {
  constexpr std::size_t n = 50'021;
  std::vector<float> in(n);
  std::vector<unsigned int> expected(classes, 0u);
  for (std::size_t i = 0; i < n; ++i) {
    in[i] = static_cast<float>(i * 7919 % 4001) * 0.01f - 4.0f;  // from -4 to 36
    const int c = static_cast<int>(floorf(in[i] * 2.0f));
    ++expected[c < 0 ? 0 : c < classes ? c : classes - 1];
  }
  device_array<float> readings(in);
  device_array<unsigned int> counts(std::vector<unsigned int>(classes, 0u));
  classify<<<20, 256>>>(readings.data(), counts.data(), n);
  return verdict("readings classified", counts.to_host() == expected);
}
