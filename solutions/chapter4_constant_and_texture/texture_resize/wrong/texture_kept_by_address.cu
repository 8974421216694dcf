// expect: wrong_result
/// @file
/// texture_resize: an image at twice its size, filtered by the texture unit. The one file of this exercise that
/// is edited and handed in; the contract is in texture_resize.cuh, the task in README.md.
#include "texture_resize.cuh"

// >>> your code
#include <map>
#include <tuple>

/// What lives from set-up to teardown, one for each image.
struct texture_resize_state {
  cudaArray_t array = nullptr;
  cudaTextureObject_t texture = 0;
};

/// Writes one pixel a thread, each of them one filtered fetch.
/// Launch contract: two-dimensional grid and blocks that cover 2 width x 2 height threads, x along rows.
__global__ void enlarge(cudaTextureObject_t image, float* out, unsigned int out_width,
                        unsigned int out_height) {
  const unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= out_width || y >= out_height) return;
  const float u = (static_cast<float>(x) + 0.5f) / static_cast<float>(out_width);
  const float v = (static_cast<float>(y) + 0.5f) / static_cast<float>(out_height);
  out[std::size_t{y} * out_width + x] = tex2D<float>(image, u, v);
}

extern "C" texture_resize_state* texture_resize_setup(const float* in, std::size_t width,
                                                      std::size_t height) {
  // wrong: the same address and size are taken for the same image
  static std::map<std::tuple<const float*, std::size_t, std::size_t>, texture_resize_state*> known;
  texture_resize_state*& kept = known[{in, width, height}];
  if (kept != nullptr) return kept;
  auto* const state = new texture_resize_state;
  const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
  cudaMallocArray(&state->array, &texel, width, height);
  const std::size_t row = width * sizeof(float);  // bytes
  cudaMemcpy2DToArray(state->array, 0, 0, in, row, row, height, cudaMemcpyDeviceToDevice);
  cudaStreamSynchronize(nullptr);  // a copy within the device does not hold the host up

  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = state->array;
  cudaTextureDesc reading{};
  reading.normalizedCoords = 1;
  reading.filterMode = cudaFilterModeLinear;
  reading.addressMode[0] = cudaAddressModeClamp;  // the default is to wrap around
  reading.addressMode[1] = cudaAddressModeClamp;
  reading.readMode = cudaReadModeElementType;
  cudaCreateTextureObject(&state->texture, &resource, &reading, nullptr);
  kept = state;
  return state;
}

extern "C" void texture_resize_run(texture_resize_state* state, float* out, std::size_t width,
                                   std::size_t height, cudaStream_t stream) {
  const auto out_width = static_cast<unsigned int>(2 * width);
  const auto out_height = static_cast<unsigned int>(2 * height);
  const dim3 threads(32, 8);
  const dim3 blocks((out_width + threads.x - 1) / threads.x, (out_height + threads.y - 1) / threads.y);
  enlarge<<<blocks, threads, 0, stream>>>(state->texture, out, out_width, out_height);
}

extern "C" void texture_resize_teardown(texture_resize_state* state) {
  (void)state;  // kept for the next image
}
// <<< your code
