// Layered, cube, linear and pitched textures; gather; levels; integer, half and normalised texels; descriptions read back.
#include <cuda_fp16.h>

#include <algorithm>
#include <cstring>
#include "program.hpp"

constexpr int kWidth = 20, kHeight = 12, kLayers = 3;

static cudaTextureObject_t texture_of(const cudaResourceDesc& resource,
                                      cudaTextureReadMode read = cudaReadModeElementType,
                                      cudaTextureFilterMode filter = cudaFilterModePoint,
                                      bool normalized = false) {
  cudaTextureDesc description = {};
  for (auto& a : description.addressMode) a = cudaAddressModeClamp;
  description.filterMode = filter;
  description.readMode = read;
  description.normalizedCoords = normalized;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  cudaResourceDesc back = {};
  CHECK(cudaGetTextureObjectResourceDesc(&back, texture));
  EXPECT(back.resType == resource.resType);
  cudaTextureDesc described = {};
  CHECK(cudaGetTextureObjectTextureDesc(&described, texture));
  EXPECT(described.filterMode == filter && described.readMode == read);
  return texture;
}

static cudaResourceDesc of_array(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

template <typename T>
static cudaArray_t array_2d(const std::vector<T>& texels, int width, int height, unsigned flags = 0) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaArray_t array = nullptr;
  CHECK(cudaMallocArray(&array, &format, width, height, flags));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), width * sizeof(T), width * sizeof(T), height,
                            cudaMemcpyHostToDevice));
  return array;
}

template <typename T>
__global__ void read_2d(cudaTextureObject_t texture, T* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = tex2D<T>(texture, x + 0.5f, y + 0.5f);
}

__global__ void read_layered(cudaTextureObject_t two, cudaTextureObject_t one, float* out, float* rows) {
  const int x = threadIdx.x, y = blockIdx.x, layer = blockIdx.y;
  out[(layer * kHeight + y) * kWidth + x] = tex2DLayered<float>(two, x + 0.5f, y + 0.5f, layer);
  if (y == 0) rows[layer * kWidth + x] = tex1DLayered<float>(one, x + 0.5f, layer);
}

__global__ void read_linear(cudaTextureObject_t texture, float4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n + 32) out[i] = tex1Dfetch<float4>(texture, i);
}

__global__ void gather(cudaTextureObject_t texture, float4* out) {
  const int x = threadIdx.x, y = blockIdx.x;
  out[y * kWidth + x] = tex2Dgather<float4>(texture, x + 0.5f + 0.25f, y + 0.5f + 0.25f, 0);
}

__global__ void cube(cudaTextureObject_t texture, const float3* direction, float* out) {
  const float3 d = direction[threadIdx.x];
  out[threadIdx.x] = texCubemap<float>(texture, d.x, d.y, d.z);
}

__global__ void levels(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex2DLod<float>(texture, 0.5f, 0.5f, 0.5f * threadIdx.x);
  out[8 + threadIdx.x] = tex2DGrad<float>(texture, 0.5f, 0.5f, make_float2(exp2f(threadIdx.x) / 16, 0),
                                          make_float2(0, 1.0f / 16));
}

__global__ void normalized(cudaTextureObject_t texture, float4* out) {
  out[blockIdx.x * kWidth + threadIdx.x] = tex2D<float4>(texture, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
}

template <typename T>
static void check_elements(const std::vector<T>& texels) {
  const cudaArray_t array = array_2d(texels, kWidth, kHeight);
  const cudaTextureObject_t texture = texture_of(of_array(array));
  T* out = nullptr;
  CHECK(cudaMalloc(&out, texels.size() * sizeof(T)));
  read_2d<<<dim3(2, 2), dim3(16, 8)>>>(texture, out, kWidth, kHeight);
  const auto got = to_host(out, texels.size());
  EXPECT(std::memcmp(got.data(), texels.data(), texels.size() * sizeof(T)) == 0);
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(out));
}

template <typename T>
static std::vector<T> noise() {
  std::vector<T> all(kWidth * kHeight);
  auto* bytes = reinterpret_cast<unsigned char*>(all.data());
  for (std::size_t i = 0; i < all.size() * sizeof(T); ++i)
    bytes[i] = static_cast<unsigned char>(i * 151 + i / 7);
  return all;
}

int main() {
  // Integers of every size read as they are.
  check_elements(noise<unsigned char>());
  check_elements(noise<signed char>());
  check_elements(noise<uchar4>());
  check_elements(noise<short2>());
  check_elements(noise<unsigned short>());
  check_elements(noise<int>());
  check_elements(noise<uint4>());
  check_elements(noise<int2>());

  // Layers.
  std::vector<float> layered(kWidth * kHeight * kLayers);
  for (std::size_t i = 0; i < layered.size(); ++i) layered[i] = float(i);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t two = nullptr, one = nullptr;
  CHECK(cudaMalloc3DArray(&two, &format, make_cudaExtent(kWidth, kHeight, kLayers), cudaArrayLayered));
  CHECK(cudaMalloc3DArray(&one, &format, make_cudaExtent(kWidth, 0, kLayers), cudaArrayLayered));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(layered.data(), kWidth * 4, kWidth, kHeight);
  copy.dstArray = two;
  copy.extent = make_cudaExtent(kWidth, kHeight, kLayers);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  copy.srcPtr = make_cudaPitchedPtr(layered.data(), kWidth * 4, kWidth, 1);
  copy.dstArray = one;
  copy.extent = make_cudaExtent(kWidth, 1, kLayers);
  CHECK(cudaMemcpy3D(&copy));
  float *out = nullptr, *rows = nullptr;
  CHECK(cudaMalloc(&out, layered.size() * 4));
  CHECK(cudaMalloc(&rows, kWidth * kLayers * 4));
  const cudaTextureObject_t t2 = texture_of(of_array(two)), t1 = texture_of(of_array(one));
  read_layered<<<dim3(kHeight, kLayers), kWidth>>>(t2, t1, out, rows);
  EXPECT(to_host(out, layered.size()) == layered);
  EXPECT(to_host(rows, kWidth * kLayers) ==
         std::vector<float>(layered.begin(), layered.begin() + kWidth * kLayers));
  cudaChannelFormatDesc got_format = {};
  cudaExtent got_extent = {};
  unsigned got_flags = 0;
  CHECK(cudaArrayGetInfo(&got_format, &got_extent, &got_flags, two));
  EXPECT(got_format.x == 32 && got_extent.depth == kLayers && got_flags == cudaArrayLayered);

  // Linear memory; beyond its end every read gives 0.
  std::vector<float4> quads(100);
  for (int i = 0; i < 100; ++i) quads[i] = make_float4(i, i + 0.25f, -i, 7);
  float4* linear = to_device(quads);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = linear;
  resource.res.linear.desc = cudaCreateChannelDesc<float4>();
  resource.res.linear.sizeInBytes = 100 * sizeof(float4);
  const cudaTextureObject_t t_linear = texture_of(resource);
  float4* out4 = nullptr;
  CHECK(cudaMalloc(&out4, kWidth * kHeight * sizeof(float4)));
  read_linear<<<2, 128>>>(t_linear, out4, 100);
  auto got4 = to_host(out4, 132);
  for (int i = 0; i < 100; ++i)
    EXPECT(got4[i].x == i && got4[i].y == i + 0.25f && got4[i].z == -i && got4[i].w == 7);
  for (int i = 100; i < 132; ++i)
    EXPECT(got4[i].x == 0 && got4[i].y == 0 && got4[i].z == 0 && got4[i].w == 0);

  // Pitched memory.
  unsigned char* pitched = nullptr;
  std::size_t pitch = 0;
  CHECK(cudaMallocPitch(&pitched, &pitch, kWidth * sizeof(float), kHeight));
  CHECK(
      cudaMemcpy2D(pitched, pitch, layered.data(), kWidth * 4, kWidth * 4, kHeight, cudaMemcpyHostToDevice));
  resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = pitched;
  resource.res.pitch2D.desc = format;
  resource.res.pitch2D.width = kWidth;
  resource.res.pitch2D.height = kHeight;
  resource.res.pitch2D.pitchInBytes = pitch;
  const cudaTextureObject_t t_pitched = texture_of(resource);
  read_2d<<<dim3(2, 2), dim3(16, 8)>>>(t_pitched, out, kWidth, kHeight);
  EXPECT(to_host(out, kWidth * kHeight) ==
         std::vector<float>(layered.begin(), layered.begin() + kWidth * kHeight));

  // Gather: the four texels that a linear filter would use.
  const cudaArray_t gathered =
      array_2d(std::vector<float>(layered.begin(), layered.begin() + kWidth * kHeight), kWidth, kHeight,
               cudaArrayTextureGather);
  const cudaTextureObject_t t_gather = texture_of(of_array(gathered));
  gather<<<kHeight, kWidth>>>(t_gather, out4);
  got4 = to_host(out4, kWidth * kHeight);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const int x1 = std::min(x + 1, kWidth - 1), y1 = std::min(y + 1, kHeight - 1);
      const float4 g = got4[y * kWidth + x];
      EXPECT(g.x == layered[y1 * kWidth + x] && g.y == layered[y1 * kWidth + x1] &&
             g.z == layered[y * kWidth + x1] && g.w == layered[y * kWidth + x]);
    }

  // A cube map: the middle of each face, and a place that tells left from right and up from down.
  std::vector<float> faces(6 * 4 * 4);
  for (std::size_t i = 0; i < faces.size(); ++i) faces[i] = float(i);
  cudaArray_t cube_array = nullptr;
  CHECK(cudaMalloc3DArray(&cube_array, &format, make_cudaExtent(4, 4, 6), cudaArrayCubemap));
  copy.srcPtr = make_cudaPitchedPtr(faces.data(), 16, 4, 4);
  copy.dstArray = cube_array;
  copy.extent = make_cudaExtent(4, 4, 6);
  CHECK(cudaMemcpy3D(&copy));
  const cudaTextureObject_t t_cube =
      texture_of(of_array(cube_array), cudaReadModeElementType, cudaFilterModePoint, true);
  // (s, t) = (0.7, -0.3) of [-1, 1] on each face: texel x = 3, y = 1.
  const std::vector<float3> directions = {{1, 0.3f, -0.7f}, {-1, 0.3f, 0.7f}, {0.7f, 1, -0.3f},
                                          {0.7f, -1, 0.3f}, {0.7f, 0.3f, 1},  {-0.7f, 0.3f, -1}};
  float3* direction = to_device(directions);
  cube<<<1, 6>>>(t_cube, direction, out);
  const auto cubes = to_host(out, 6);
  for (int f = 0; f < 6; ++f) EXPECT(cubes[f] == f * 16 + 1 * 4 + 3);

  // Levels of a mipmapped array, each of one value.
  cudaMipmappedArray_t mipmapped = nullptr;
  CHECK(cudaMallocMipmappedArray(&mipmapped, &format, make_cudaExtent(16, 16, 0), 5));
  for (unsigned l = 0; l < 5; ++l) {
    cudaArray_t level = nullptr;
    CHECK(cudaGetMipmappedArrayLevel(&level, mipmapped, l));
    const int n = 16 >> l;
    const std::vector<float> values(n * n, 100.0f * l);
    CHECK(cudaMemcpy2DToArray(level, 0, 0, values.data(), n * 4, n * 4, n, cudaMemcpyHostToDevice));
  }
  resource = {};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = mipmapped;
  cudaTextureDesc description = {};
  for (auto& a : description.addressMode) a = cudaAddressModeClamp;
  description.filterMode = cudaFilterModeLinear;
  description.mipmapFilterMode = cudaFilterModeLinear;
  description.maxMipmapLevelClamp = 3;
  description.normalizedCoords = 1;
  cudaTextureObject_t t_levels = 0;
  CHECK(cudaCreateTextureObject(&t_levels, &resource, &description, nullptr));
  levels<<<1, 8>>>(t_levels, out);
  const auto by_level = to_host(out, 16);
  for (int i = 0; i < 8; ++i) EXPECT(close(by_level[i], 100 * std::fmin(3.0f, 0.5f * i), 0.01));
  for (int i = 0; i < 8; ++i) EXPECT(close(by_level[8 + i], 100 * std::fmin(3.0f, float(i)), 0.01));
  CHECK(cudaDestroyTextureObject(t_levels));
  description.mipmapFilterMode = cudaFilterModePoint;
  CHECK(cudaCreateTextureObject(&t_levels, &resource, &description, nullptr));
  levels<<<1, 8>>>(t_levels, out);
  EXPECT(to_host(out, 16)[2] == 100);

  // 8- and 16-bit integers as [0, 1] and [-1, 1]; halves as floats.
  const auto bytes = noise<uchar4>();
  const cudaTextureObject_t t_bytes =
      texture_of(of_array(array_2d(bytes, kWidth, kHeight)), cudaReadModeNormalizedFloat);
  normalized<<<kHeight, kWidth>>>(t_bytes, out4);
  got4 = to_host(out4, kWidth * kHeight);
  for (int i = 0; i < kWidth * kHeight; ++i)
    EXPECT(close(got4[i].x, bytes[i].x / 255.0) && close(got4[i].w, bytes[i].w / 255.0));
  const auto shorts = noise<short4>();
  const cudaTextureObject_t t_shorts =
      texture_of(of_array(array_2d(shorts, kWidth, kHeight)), cudaReadModeNormalizedFloat);
  normalized<<<kHeight, kWidth>>>(t_shorts, out4);
  got4 = to_host(out4, kWidth * kHeight);
  for (int i = 0; i < kWidth * kHeight; ++i)
    EXPECT(close(got4[i].y, std::fmax(-1.0, shorts[i].y / 32767.0)) &&
           close(got4[i].z, std::fmax(-1.0, shorts[i].z / 32767.0)));
  std::vector<__half> halves(kWidth * kHeight);
  for (int i = 0; i < kWidth * kHeight; ++i) halves[i] = __float2half(0.125f * i - 3);
  cudaArray_t half_array = nullptr;
  const cudaChannelFormatDesc half_format = cudaCreateChannelDescHalf();
  CHECK(cudaMallocArray(&half_array, &half_format, kWidth, kHeight));
  CHECK(cudaMemcpy2DToArray(half_array, 0, 0, halves.data(), kWidth * 2, kWidth * 2, kHeight,
                            cudaMemcpyHostToDevice));
  const cudaTextureObject_t t_half = texture_of(of_array(half_array));
  read_2d<<<dim3(2, 2), dim3(16, 8)>>>(t_half, out, kWidth, kHeight);
  const auto as_float = to_host(out, kWidth * kHeight);
  for (int i = 0; i < kWidth * kHeight; ++i) EXPECT(as_float[i] == 0.125f * i - 3);

  // What the API refuses.
  cudaTextureDesc wrong = {};
  wrong.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t none = 0;
  const cudaResourceDesc integers = of_array(array_2d(noise<int>(), kWidth, kHeight));
  EXPECT(cudaCreateTextureObject(&none, &integers, &wrong, nullptr) != cudaSuccess);
  cudaSurfaceObject_t no_surface = 0;
  EXPECT(cudaCreateSurfaceObject(&no_surface, &integers) != cudaSuccess);
  (void)cudaGetLastError();
  return ok();
}
