/// @file
/// Lesson 4, "beyond the edge": what a texture of four texels answers outside, in each of the
/// four address modes. Checks the lesson's table. The values come from the mode's rule.
#include "../../chapter2_shared_memory/listings/check.cuh"

// [kernel]
/// answers[k]: the nearest texel at position k - 4 of a row of four, by normalised coordinates.
/// Launch contract: one block of 12 threads.
__global__ void around(cudaTextureObject_t row, float* answers) {
  const int k = threadIdx.x;
  answers[k] = tex2D<float>(row, (k - 4 + 0.5f) / 4, 0.5f);  // texels 0 to 3 are inside
}
// [kernel]

/// The twelve answers in one mode.
std::vector<float> answers_in(cudaTextureAddressMode mode) {
  const std::vector<float> texels = {10, 20, 30, 40};
  const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  must(cudaMallocArray(&array, &texel, 4, 1), "array");
  must(cudaMemcpy2DToArray(array, 0, 0, texels.data(), 16, 16, 1, cudaMemcpyHostToDevice),
       "copy");
  cudaResourceDesc what{};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = array;
  cudaTextureDesc how{};
  how.normalizedCoords = 1;
  how.addressMode[0] = mode;
  how.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t texture = 0;
  must(cudaCreateTextureObject(&texture, &what, &how, nullptr), "texture");
  device_array<float> answers(12);
  around<<<1, 12>>>(texture, answers.data());
  const std::vector<float> out = answers.to_host();
  cudaDestroyTextureObject(texture);
  cudaFreeArray(array);
  return out;
}

int main() {
  using row = std::vector<float>;
  const bool right =
      answers_in(cudaAddressModeClamp) == row{10, 10, 10, 10, 10, 20, 30, 40, 40, 40, 40, 40} &&
      answers_in(cudaAddressModeBorder) == row{0, 0, 0, 0, 10, 20, 30, 40, 0, 0, 0, 0} &&
      answers_in(cudaAddressModeWrap) == row{10, 20, 30, 40, 10, 20, 30, 40, 10, 20, 30, 40} &&
      answers_in(cudaAddressModeMirror) == row{40, 30, 20, 10, 10, 20, 30, 40, 40, 30, 20, 10};
  return verdict("four address modes", right);
}
