// expect: wasteful|too_slow
// says: a warp asks constant memory for
/// @file
/// constant_convolution: an image filtered by 5 x 5 weights that are the same for all. The one file of this
/// exercise that is edited and handed in; the contract is in constant_convolution.cuh, the task in README.md.
#include "constant_convolution.cuh"

// >>> your code
constexpr int taps = 5;   // rows and columns of the filter
constexpr int reach = 2;  // how far it looks to each side

/// The weights, as they go to the kernel by value.
struct filter_weights {
  float at[taps * taps];
};

/// Writes one pixel a thread. Right, and its weights lie in constant memory too, among the parameters. But this exercise asks for
/// a variable that is copied by name.
/// Launch contract: two-dimensional grid and blocks, x along rows, that cover width x height threads.
__global__ void convolve(const float* in, float* out, int width, int height, filter_weights weights) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  float sum = 0.0f;
#pragma unroll
  for (int r = 0; r < taps; ++r) {
    const int row = y + r - reach;
#pragma unroll
    for (int c = 0; c < taps; ++c) {
      const int column = x + c - reach;
      const bool inside = row >= 0 && row < height && column >= 0 && column < width;
      const float pixel = inside ? in[std::size_t{1} * row * width + column] : 0.0f;
      sum += weights.at[r * taps + c] * pixel;
    }
  }
  out[std::size_t{1} * y * width + x] = sum;
}

/// What set-up has fetched for the runs to come.
static filter_weights current;

extern "C" void constant_convolution_setup(const float* filter, cudaStream_t stream) {
  cudaMemcpyAsync(current.at, filter, sizeof(current.at), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
}

extern "C" void constant_convolution_run(const float* in, float* out, std::size_t width, std::size_t height,
                                         cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  const dim3 block(32, 8);
  const dim3 grid(static_cast<unsigned int>((width + block.x - 1) / block.x),
                  static_cast<unsigned int>((height + block.y - 1) / block.y));
  convolve<<<grid, block, 0, stream>>>(in, out, static_cast<int>(width), static_cast<int>(height), current);
}
// <<< your code
