// expect: wasteful
/// @file
/// texture_resize: an image at twice its size, filtered by the texture unit. The one file of this exercise that
/// is edited and handed in; the contract is in texture_resize.cuh, the task in README.md.
#include "texture_resize.cuh"

// >>> your code
/// What lives from set-up to teardown, one for each image: a copy, since the judge may overwrite its own.
struct texture_resize_state {
  float* image = nullptr;
};

/// Writes the four pixels of one texel a thread from nine loads: right, and it needs no texture at all.
/// Launch contract: two-dimensional grid and blocks that cover width x height threads, x along rows.
__global__ void enlarge(const float* __restrict__ image, float2* __restrict__ out, int width, int height) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  const int columns[3] = {max(x - 1, 0), x, min(x + 1, width - 1)};
  float left[3], right[3];  // of three rows, filtered along x
  for (int r = 0; r < 3; ++r) {
    const float* const row = image + std::size_t(min(max(y + r - 1, 0), height - 1)) * width;
    left[r] = row[columns[1]] + 0.25f * (row[columns[0]] - row[columns[1]]);
    right[r] = row[columns[1]] + 0.25f * (row[columns[2]] - row[columns[1]]);
  }
  float2* const upper = out + 2 * std::size_t(y) * width + x;
  upper[0] = {left[1] + 0.25f * (left[0] - left[1]), right[1] + 0.25f * (right[0] - right[1])};
  upper[width] = {left[1] + 0.25f * (left[2] - left[1]), right[1] + 0.25f * (right[2] - right[1])};
}

extern "C" texture_resize_state* texture_resize_setup(const float* in, std::size_t width,
                                                      std::size_t height) {
  auto* const state = new texture_resize_state;
  cudaMalloc(&state->image, width * height * sizeof(float));
  cudaMemcpy(state->image, in, width * height * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaStreamSynchronize(nullptr);
  return state;
}

extern "C" void texture_resize_run(texture_resize_state* state, float* out, std::size_t width,
                                   std::size_t height, cudaStream_t stream) {
  const dim3 threads(32, 8);
  const dim3 blocks(static_cast<unsigned int>((width + threads.x - 1) / threads.x),
                    static_cast<unsigned int>((height + threads.y - 1) / threads.y));
  enlarge<<<blocks, threads, 0, stream>>>(state->image, reinterpret_cast<float2*>(out),
                                          static_cast<int>(width), static_cast<int>(height));
}

extern "C" void texture_resize_teardown(texture_resize_state* state) {
  cudaFree(state->image);
  delete state;
}
// <<< your code
