/// @file
/// constant_convolution: an image filtered by 5 x 5 weights that are the same for all. The one file of this
/// exercise that is edited and handed in; the contract is in constant_convolution.cuh, the task in README.md.
#include "constant_convolution.cuh"

// >>> your code
constexpr int taps = 5;   // rows and columns of the filter
constexpr int reach = 2;  // how far it looks to each side

/// Writes one pixel a thread.
/// Launch contract: two-dimensional grid and blocks, x along rows, that cover width x height threads.
// TODO: right, and twice as many requests as it takes. A lane multiplies 25 pixels by 25 weights. Which of the
// two operands differ from lane to lane, and which is the same for all 32? Give the weights a home that suits
// them, and see to it that set-up fills it, each time.
__global__ void convolve(const float* in, float* out, int width, int height, const float* filter) {
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
      sum += filter[r * taps + c] * pixel;
    }
  }
  out[std::size_t{1} * y * width + x] = sum;
}

/// Where the weights are.
static const float* current_filter = nullptr;

extern "C" void constant_convolution_setup(const float* filter, cudaStream_t) {
  current_filter = filter;
}

extern "C" void constant_convolution_run(const float* in, float* out, std::size_t width, std::size_t height,
                                         cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  const dim3 block(32, 8);
  const dim3 grid(static_cast<unsigned int>((width + block.x - 1) / block.x),
                  static_cast<unsigned int>((height + block.y - 1) / block.y));
  convolve<<<grid, block, 0, stream>>>(in, out, static_cast<int>(width), static_cast<int>(height),
                                       current_filter);
}
// <<< your code
