// expect: pass
/// @file
/// constant_convolution: an image filtered by 5 x 5 weights that are the same for all. The one file of this
/// exercise that is edited and handed in; the contract is in constant_convolution.cuh, the task in README.md.
#include "constant_convolution.cuh"

// >>> your code
constexpr int taps = 5;   // rows and columns of the filter
constexpr int reach = 2;  // how far it looks to each side
constexpr int side = 4;   // a thread writes as many pixels

/// The weights: all lanes ask for the same one at the same time.
__constant__ float weights[taps * taps];

/// Writes four neighbouring pixels of a row a thread. The weights come from constant memory, as in
/// plain.cu.
/// Launch contract: two-dimensional grid and blocks, x along rows, that cover width / 4 (rounded up) x height threads.
__global__ void convolve(const float* in, float* out, int width, int height) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * side;
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  float sums[side] = {};
#pragma unroll
  for (int r = 0; r < taps; ++r) {
    const int row = y + r - reach;
    if (row < 0 || row >= height) continue;
    const float* const at = in + std::size_t{1} * row * width;
    float pixels[side + 2 * reach];
#pragma unroll
    for (int k = 0; k < side + 2 * reach; ++k) {
      const int column = x + k - reach;
      pixels[k] = column >= 0 && column < width ? at[column] : 0.0f;
    }
#pragma unroll
    for (int c = 0; c < taps; ++c) {
#pragma unroll
      for (int j = 0; j < side; ++j) sums[j] += weights[r * taps + c] * pixels[j + c];
    }
  }
#pragma unroll
  for (int j = 0; j < side; ++j)
    if (x + j < width) out[std::size_t{1} * y * width + x + j] = sums[j];
}

extern "C" void constant_convolution_setup(const float* filter, cudaStream_t stream) {
  cudaMemcpyToSymbolAsync(weights, filter, sizeof(weights), 0, cudaMemcpyDeviceToDevice, stream);
}

extern "C" void constant_convolution_run(const float* in, float* out, std::size_t width, std::size_t height,
                                         cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  const dim3 block(32, 8);
  const dim3 grid(static_cast<unsigned int>((width + block.x * side - 1) / (block.x * side)),
                  static_cast<unsigned int>((height + block.y - 1) / block.y));
  convolve<<<grid, block, 0, stream>>>(in, out, static_cast<int>(width), static_cast<int>(height));
}
// <<< your code
