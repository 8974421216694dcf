/// @file
/// An image is turned upside down from one surface to another.
#include "buffer.cuh"

__global__ void flip(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  uchar4 pixel;
  surf2Dread(&pixel, in, x * 4, y);
  surf2Dwrite(pixel, out, x * 4, height - 1 - y);
}

int main() {
  const int width = 48, height = 30;
  std::vector<uchar4> pixels(width * height), result(width * height);
  for (int i = 0; i < width * height; ++i)
    pixels[i] = make_uchar4(static_cast<unsigned char>(i), static_cast<unsigned char>(i >> 8), 7, 255);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
  cudaArray_t arrays[2];
  cudaSurfaceObject_t surfaces[2];
  for (int k = 0; k < 2; ++k) {
    CHECK(cudaMallocArray(&arrays[k], &format, width, height, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = arrays[k];
    CHECK(cudaCreateSurfaceObject(&surfaces[k], &resource));
  }
  CHECK(cudaMemcpy2DToArray(arrays[0], 0, 0, pixels.data(), width * 4, width * 4, height,
                            cudaMemcpyHostToDevice));
  flip<<<dim3(3, 2), dim3(16, 16)>>>(surfaces[0], surfaces[1], width, height);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy2DFromArray(result.data(), width * 4, arrays[1], 0, 0, width * 4, height,
                              cudaMemcpyDeviceToHost));
  bool right = true;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const uchar4 a = pixels[y * width + x], b = result[(height - 1 - y) * width + x];
      right = right && a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w;
    }
  for (int k = 0; k < 2; ++k) {
    CHECK(cudaDestroySurfaceObject(surfaces[k]));
    CHECK(cudaFreeArray(arrays[k]));
  }
  return verdict(right);
}
