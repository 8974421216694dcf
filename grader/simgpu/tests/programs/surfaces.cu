// Surfaces: reads and writes of every width and geometry, boundary modes, and a write that a texture then reads.
#include <algorithm>

#include "program.hpp"

constexpr int kWidth = 24, kHeight = 10, kDepth = 3;

template <typename T>
static cudaSurfaceObject_t surface(cudaArray_t& array, cudaExtent extent, unsigned flags = 0) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  CHECK(cudaMalloc3DArray(&array, &format, extent, cudaArraySurfaceLoadStore | flags));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t object = 0;
  CHECK(cudaCreateSurfaceObject(&object, &resource));
  return object;
}

template <typename T>
__device__ T value_at(int x, int y, int z) {
  T v;
  auto* bytes = reinterpret_cast<unsigned char*>(&v);
  for (int i = 0; i < int(sizeof(T)); ++i)
    bytes[i] = static_cast<unsigned char>(x * 7 + y * 31 + z * 101 + i);
  return v;
}

template <typename T>
__global__ void write_all(cudaSurfaceObject_t s1, cudaSurfaceObject_t s2, cudaSurfaceObject_t s3,
                          cudaSurfaceObject_t a2) {
  const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
  if (y == 0 && z == 0) surf1Dwrite(value_at<T>(x, 0, 0), s1, x * int(sizeof(T)));
  if (z == 0) surf2Dwrite(value_at<T>(x, y, 0), s2, x * int(sizeof(T)), y);
  surf3Dwrite(value_at<T>(x, y, z), s3, x * int(sizeof(T)), y, z);
  surf2DLayeredwrite(value_at<T>(x, y, z + 1), a2, x * int(sizeof(T)), y, z);
}

template <typename T>
__device__ int differs(T a, T b) {
  for (int i = 0; i < int(sizeof(T)); ++i)
    if (reinterpret_cast<unsigned char*>(&a)[i] != reinterpret_cast<unsigned char*>(&b)[i]) return 1;
  return 0;
}

template <typename T>
__global__ void read_all(cudaSurfaceObject_t s1, cudaSurfaceObject_t s2, cudaSurfaceObject_t s3,
                         cudaSurfaceObject_t a2, int* wrong) {
  const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y, at = x * int(sizeof(T));
  int bad = differs(surf1Dread<T>(s1, at), value_at<T>(x, 0, 0));
  bad += differs(surf2Dread<T>(s2, at, y), value_at<T>(x, y, 0));
  bad += differs(surf3Dread<T>(s3, at, y, z), value_at<T>(x, y, z));
  bad += differs(surf2DLayeredread<T>(a2, at, y, z), value_at<T>(x, y, z + 1));
  if (bad) atomicAdd(wrong, bad);
}

template <typename T>
static void check_width() {
  cudaArray_t arrays[4];
  const cudaSurfaceObject_t s1 = surface<T>(arrays[0], make_cudaExtent(kWidth, 0, 0));
  const cudaSurfaceObject_t s2 = surface<T>(arrays[1], make_cudaExtent(kWidth, kHeight, 0));
  const cudaSurfaceObject_t s3 = surface<T>(arrays[2], make_cudaExtent(kWidth, kHeight, kDepth));
  const cudaSurfaceObject_t a2 =
      surface<T>(arrays[3], make_cudaExtent(kWidth, kHeight, kDepth), cudaArrayLayered);
  int* wrong = to_device(std::vector<int>{0});
  write_all<T><<<dim3(kHeight, kDepth), kWidth>>>(s1, s2, s3, a2);
  read_all<T><<<dim3(kHeight, kDepth), kWidth>>>(s1, s2, s3, a2, wrong);
  EXPECT(to_host(wrong, 1)[0] == 0);
  for (const auto s : {s1, s2, s3, a2}) CHECK(cudaDestroySurfaceObject(s));
  for (const auto a : arrays) CHECK(cudaFreeArray(a));
  CHECK(cudaFree(wrong));
}

__global__ void boundaries(cudaSurfaceObject_t s, int* out) {
  const int x = int(threadIdx.x) - 4;  // -4 .. 27, of 24
  out[threadIdx.x] = surf2Dread<int>(s, x * 4, 3, cudaBoundaryModeZero);
  out[32 + threadIdx.x] = surf2Dread<int>(s, x * 4, 3, cudaBoundaryModeClamp);
  surf2Dwrite(1000 + x, s, x * 4, 5, cudaBoundaryModeZero);  // outside: nothing is written
}

__global__ void fill(cudaSurfaceObject_t s) {
  surf2Dwrite(int(blockIdx.x * 100 + threadIdx.x), s, threadIdx.x * 4, blockIdx.x);
}

__global__ void formatted(cudaSurfaceObject_t s) {
  const int x = threadIdx.x, y = blockIdx.x;
  const float v = x * 0.5f + y;
  asm volatile("sust.p.2d.v4.b32.trap [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(s), "r"(x), "r"(y), "f"(v),
               "f"(v + 1), "f"(v + 2), "f"(v + 3));
}

__global__ void through_texture(cudaTextureObject_t t, float4* out) {
  out[blockIdx.x * kWidth + threadIdx.x] = tex2D<float4>(t, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
}

int main() {
  check_width<unsigned char>();
  check_width<short>();
  check_width<int>();
  check_width<int2>();
  check_width<float4>();
  check_width<uchar4>();
  check_width<ushort2>();

  cudaArray_t array;
  const cudaSurfaceObject_t s = surface<int>(array, make_cudaExtent(kWidth, kHeight, 0));
  fill<<<kHeight, kWidth>>>(s);
  int* out = nullptr;
  CHECK(cudaMalloc(&out, 64 * sizeof(int)));
  boundaries<<<1, 32>>>(s, out);
  const auto read = to_host(out, 64);
  for (int i = 0; i < 32; ++i) {
    const int x = i - 4;
    EXPECT(read[i] == (x >= 0 && x < kWidth ? 300 + x : 0));
    EXPECT(read[32 + i] == 300 + std::clamp(x, 0, kWidth - 1));
  }
  std::vector<int> back(kWidth * kHeight);
  CHECK(cudaMemcpy2DFromArray(back.data(), kWidth * 4, array, 0, 0, kWidth * 4, kHeight,
                              cudaMemcpyDeviceToHost));
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) EXPECT(back[y * kWidth + x] == (y == 5 ? 1000 + x : y * 100 + x));

  cudaArray_t floats;
  const cudaSurfaceObject_t sf = surface<float4>(floats, make_cudaExtent(kWidth, kHeight, 0));
  formatted<<<kHeight, kWidth>>>(sf);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = floats;
  cudaTextureDesc description = {};
  cudaTextureObject_t t = 0;
  CHECK(cudaCreateTextureObject(&t, &resource, &description, nullptr));
  float4* quads = nullptr;
  CHECK(cudaMalloc(&quads, kWidth * kHeight * sizeof(float4)));
  through_texture<<<kHeight, kWidth>>>(t, quads);
  const auto got = to_host(quads, kWidth * kHeight);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const float4 q = got[y * kWidth + x];
      const float v = x * 0.5f + y;
      EXPECT(q.x == v && q.y == v + 1 && q.z == v + 2 && q.w == v + 3);
    }
  return ok();
}
