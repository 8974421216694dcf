/// @file
/// Edges by Sobel's operator, through a texture object over an array.
#include "buffer.cuh"

__global__ void sobel(cudaTextureObject_t image, unsigned char* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const auto at = [&](int dx, int dy) {
    return static_cast<int>(
        tex2D<unsigned char>(image, static_cast<float>(x + dx) + 0.5f, static_cast<float>(y + dy) + 0.5f));
  };
  const int gx = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
  const int gy = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
  out[y * width + x] = static_cast<unsigned char>(min(abs(gx) + abs(gy), 255));
}

int main() {
  const int width = 64, height = 40;
  std::vector<unsigned char> image(width * height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) image[y * width + x] = x < width / 2 ? 10 : 50;  // one upright edge
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
  cudaArray_t array = nullptr;
  CHECK(cudaMallocArray(&array, &format, width, height));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, image.data(), width, width, height, cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description{};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  description.filterMode = cudaFilterModePoint;
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  Buffer<unsigned char> out(image.size());
  sobel<<<dim3(divide_up(width, 16), divide_up(height, 16)), dim3(16, 16)>>>(texture, out, width, height);
  CHECK_LAUNCH();
  bool right = true;
  const auto edges = out.host();
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      right = right && edges[y * width + x] == (x == width / 2 - 1 || x == width / 2 ? 160 : 0);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
  return verdict(right);
}
