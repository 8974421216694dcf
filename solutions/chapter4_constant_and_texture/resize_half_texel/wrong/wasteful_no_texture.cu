// expect: wasteful
/// @file
/// resize_half_texel: an image at another size, and three mistakes. The one file of this exercise that is edited and
/// handed in; the contract is in resize_half_texel.cuh, the task in README.md.
#include "resize_half_texel.cuh"

// >>> your code
/// What lives from set-up to teardown: a copy of the image, in rows.
struct resize_half_texel_state {
  float* image = nullptr;
  std::size_t width = 0, height = 0;
};

/// Writes one pixel a thread from four loads: right and freed, but no texture is left in it.
/// Launch contract: two-dimensional grid and blocks that cover out_width x out_height threads, x along rows.
__global__ void resize(const float* __restrict__ image, int width, int height, float* __restrict__ out,
                       int out_width, int out_height) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= out_width || y >= out_height) return;
  const float u =
      (static_cast<float>(x) + 0.5f) * static_cast<float>(width) / static_cast<float>(out_width) - 0.5f;
  const float v =
      (static_cast<float>(y) + 0.5f) * static_cast<float>(height) / static_cast<float>(out_height) - 0.5f;
  const int left = static_cast<int>(floorf(u)), top = static_cast<int>(floorf(v));
  const float to_right = u - floorf(u), down = v - floorf(v);
  const int first = max(left, 0), second = min(left + 1, width - 1);
  const float* const above = image + std::size_t(max(top, 0)) * width;
  const float* const below = image + std::size_t(min(top + 1, height - 1)) * width;
  const float upper = above[first] + to_right * (above[second] - above[first]);
  const float lower = below[first] + to_right * (below[second] - below[first]);
  out[std::size_t(y) * out_width + x] = upper + down * (lower - upper);
}

extern "C" resize_half_texel_state* resize_half_texel_setup(const float* in, std::size_t width,
                                                            std::size_t height) {
  auto* const state = new resize_half_texel_state;
  state->width = width;
  state->height = height;
  cudaMalloc(&state->image, width * height * sizeof(float));
  cudaMemcpy(state->image, in, width * height * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaStreamSynchronize(nullptr);
  return state;
}

extern "C" void resize_half_texel_run(resize_half_texel_state* state, float* out, std::size_t out_width,
                                      std::size_t out_height, cudaStream_t stream) {
  const dim3 threads(32, 8);
  const dim3 blocks(static_cast<unsigned int>((out_width + threads.x - 1) / threads.x),
                    static_cast<unsigned int>((out_height + threads.y - 1) / threads.y));
  resize<<<blocks, threads, 0, stream>>>(state->image, static_cast<int>(state->width),
                                         static_cast<int>(state->height), out, static_cast<int>(out_width),
                                         static_cast<int>(out_height));
}

extern "C" void resize_half_texel_teardown(resize_half_texel_state* state) {
  cudaFree(state->image);
  delete state;
}
// <<< your code
