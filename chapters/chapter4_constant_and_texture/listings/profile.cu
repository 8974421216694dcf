/// @file
/// Lesson 4, "between the points": heights along a straight line across a map, each of them
/// mixed from four points of the map. Once by hand, once by the texture unit; then the same
/// without the half. Checks all three.
#include <cmath>
#include "../../chapter2_shared_memory/listings/check.cuh"

// [by_hand]
/// heights[i]: the map at the i-th of n points on the line from (0, y0) to (width - 1, y1),
/// mixed from four texels.
/// Launch contract: at least n threads; n is at least 2.
__global__ void profile_by_hand(const float* map, int width, int height, float y0, float y1,
                                float* heights, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float way = static_cast<float>(i) / (n - 1);
  const float x = way * (width - 1), y = y0 + way * (y1 - y0);
  const int left = min(static_cast<int>(x), width - 2),
            up = min(static_cast<int>(y), height - 2);
  const float a = x - left, b = y - up;
  const float* row = map + std::size_t{1} * up * width + left;
  const float upper = (1 - a) * row[0] + a * row[1],
              lower = (1 - a) * row[width] + a * row[width + 1];
  heights[i] = (1 - b) * upper + b * lower;
}
// [by_hand]

// [kernel]
/// The same by the texture unit. Texel k has its centre at k + 0.5. `half` is 0.5f; main() also
/// tries 0.
/// Launch contract: at least n threads; n is at least 2.
__global__ void profile(cudaTextureObject_t map, int width, float y0, float y1, float* heights,
                        int n, float half) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float way = static_cast<float>(i) / (n - 1);
  heights[i] = tex2D<float>(map, way * (width - 1) + half, y0 + way * (y1 - y0) + half);
}
// [kernel]

// [make]
/// An array that holds the map, and a texture object that says how it is read. The caller frees
/// both.
cudaError_t make_map(const float* map, std::size_t width, std::size_t height,
                     cudaArray_t* array, cudaTextureObject_t* texture) {
  const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
  cudaError_t error = cudaMallocArray(array, &texel, width, height);
  if (error != cudaSuccess) return error;
  const std::size_t row = width * sizeof(float);  // bytes
  error = cudaMemcpy2DToArray(*array, 0, 0, map, row, row, height, cudaMemcpyHostToDevice);
  if (error != cudaSuccess) return error;

  cudaResourceDesc what{};  // which memory
  what.resType = cudaResourceTypeArray;
  what.res.array.array = *array;
  cudaTextureDesc how{};                      // and how it is read
  how.normalizedCoords = 0;                   // coordinates count texels
  how.filterMode = cudaFilterModeLinear;      // mix four neighbours; "point" takes the nearest
  how.addressMode[0] = cudaAddressModeClamp;  // along x, beyond the edge: the edge again
  how.addressMode[1] = cudaAddressModeClamp;  // along y
  how.readMode = cudaReadModeElementType;     // a float stays a float
  return cudaCreateTextureObject(texture, &what, &how, nullptr);
}
// [make]

// [free]
/// Frees what make_map made: the view first, then the memory behind it.
cudaError_t free_map(cudaArray_t array, cudaTextureObject_t texture) {
  const cudaError_t error = cudaDestroyTextureObject(texture);  // this frees no texel
  return cudaFreeArray(array) == cudaSuccess ? error : cudaErrorInvalidValue;
}
// [free]

int main() {
  constexpr int width = 61, height = 37, n = 1000;
  std::vector<float> map(width * height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      map[y * width + x] = 3.0f * x - 2.0f * y;  // a slope: any mix of it is known
  device_array<float> points(map), by_hand(n), by_unit(n), shifted(n);
  cudaArray_t array = nullptr;
  cudaTextureObject_t texture = 0;
  must(make_map(map.data(), width, height, &array, &texture), "texture");
  profile_by_hand<<<(n + 255) / 256, 256>>>(points.data(), width, height, 1.0f, 35.0f,
                                            by_hand.data(), n);
  profile<<<(n + 255) / 256, 256>>>(texture, width, 1.0f, 35.0f, by_unit.data(), n, 0.5f);
  profile<<<(n + 255) / 256, 256>>>(texture, width, 1.0f, 35.0f, shifted.data(), n, 0.0f);
  const std::vector<float> hand = by_hand.to_host(), unit = by_unit.to_host(),
                           low = shifted.to_host();
  must(free_map(array, texture), "free");
  bool right = true;
  for (int i = 0; i < n; ++i) {
    const float way = static_cast<float>(i) / (n - 1),
                wanted = 3.0f * way * (width - 1) - 2.0f * (1 + way * 34);
    right = right && std::fabs(hand[i] - wanted) < 1e-3f && std::fabs(unit[i] - wanted) < 3e-2f;
    if (i > 20)
      right =
          right && std::fabs(low[i] - (wanted - 0.5f)) < 3e-2f;  // half a texel: -1.5 and +1
  }
  return verdict("heights along a line, by hand and by the texture unit", right);
}
