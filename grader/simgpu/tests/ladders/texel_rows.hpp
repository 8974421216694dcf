/// @file
/// What a request of 32 lanes for texels takes of an SM's texture unit, by format, filter and where the lanes look; what they look at stays in the L1.
#pragma once

#include <string>
#include <vector>

#include "ladder.hpp"
#include "set_textures.hpp"

namespace texels {

/// Where the lanes of a warp look: beside each other, two texels apart, or each anywhere.
enum class Where { beside, two_apart, anywhere };

inline __device__ float sum_of(float v) {
  return v;
}
inline __device__ float sum_of(float2 v) {
  return v.x + v.y;
}
inline __device__ float sum_of(float4 v) {
  return v.x + v.y + v.z + v.w;
}

constexpr int kWide = 128, kFetches = 256;

/// @tparam Dimensions 1: by number; 2; 3; 4: four texels of a plane are gathered.
template <typename T, int Dimensions>
__global__ void fetch(cudaTextureObject_t texture, float* out, Where where, float beyond) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  unsigned h = i * 2654435761u;
  const float step = where == Where::two_apart ? 2.0f : 1.0f;
  float x = static_cast<float>(i / 32 * 37 % 32) + step * static_cast<float>(lane) + beyond,
        y = static_cast<float>(i / 32 * 11 % 64) + beyond, sum = 0;
#pragma unroll 8
  for (int k = 0; k < kFetches; ++k) {
    if (where == Where::anywhere) {
      h = h * 1664525u + 1013904223u;
      x = static_cast<float>(h >> 16 & 127) + beyond, y = static_cast<float>(h >> 8 & 127) + beyond;
    } else {
      y = y < 100 ? y + 3 : y - 100;
    }
    if constexpr (Dimensions == 1)
      sum += sum_of(tex1Dfetch<T>(texture, static_cast<int>(y) * kWide + static_cast<int>(x)));
    else if constexpr (Dimensions == 2)
      sum += sum_of(tex2D<T>(texture, x, y));
    else if constexpr (Dimensions == 3)
      sum += sum_of(tex3D<T>(texture, x, y, beyond));
    else
      sum += sum_of(tex2Dgather<float4>(texture, x, y, 0));
  }
  out[i] = sum;
}

/// Calls time(name, requests of an SM, launch) for each row.
template <typename Rows>
class TexelRows {
 public:
  explicit TexelRows(Rows& rows) : rows_(rows) {}

  void all() {
    if (!rows_.wants_any_of("texels")) return;
    add<float, float, 2>("texels of 4 bytes", false, {Where::beside, Where::two_apart, Where::anywhere});
    add<float, float, 2>("texels of 4 bytes", true, {Where::beside, Where::two_apart, Where::anywhere});
    add<uchar4, float4, 2>("texels of four bytes as floats", true, {Where::beside});
    add<float2, float2, 2>("texels of 8 bytes", false, {Where::beside});
    add<float2, float2, 2>("texels of 8 bytes", true, {Where::beside});
    add<float4, float4, 2>("texels of 16 bytes", false, {Where::beside, Where::anywhere});
    add<float4, float4, 2>("texels of 16 bytes", true, {Where::beside});
    add<float, float, 3>("texels of a volume", true, {Where::beside, Where::anywhere});
    add<float, float, 4>("texels gathered by fours", false, {Where::beside});
    add<float, float, 1>("texels by number", false, {Where::beside, Where::anywhere});
  }

 private:
  template <typename T, typename Read, int Dimensions>
  void add(const std::string& name, bool between, const std::vector<Where>& places) {
    cudaResourceDesc what;
    cudaArray_t array = nullptr;
    void* line = nullptr;
    const auto format = cudaCreateChannelDesc<T>();
    if (Dimensions == 1) {
      ladder::check(cudaMalloc(&line, kWide * kWide * sizeof(T)), "line");
      ladder::check(cudaMemset(line, 0, kWide * kWide * sizeof(T)), "line");
      what = set_helpers::resource_of(line, format, kWide * kWide * sizeof(T));
    } else {
      ladder::check(cudaMalloc3DArray(&array, &format, {kWide, kWide, Dimensions == 3 ? 2u : 0u},
                                      Dimensions == 4 ? cudaArrayTextureGather : 0),
                    "array");
      what = set_helpers::resource_of(array);
    }
    const auto filter = between ? cudaFilterModeLinear : cudaFilterModePoint;
    const auto as = sizeof(T) != sizeof(Read) ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    const cudaTextureObject_t texture =
        set_helpers::texture_of(what, cudaAddressModeClamp, filter, false, as);
    constexpr unsigned kBlocksAnSm = 4, kThreads = 256;
    for (const Where where : places) {
      const std::string place = where == Where::beside      ? ", side by side"
                                : where == Where::two_apart ? ", two apart"
                                                            : ", anywhere";
      rows_.time(name + (between ? ", between them" : "") + place, kBlocksAnSm * kThreads / 32.0 * kFetches,
                 [&] {
                   fetch<Read, Dimensions><<<rows_.blocks(kBlocksAnSm), kThreads>>>(
                       texture, reinterpret_cast<float*>(rows_.out()), where, between ? 0.75f : 0.5f);
                 });
    }
    cudaDestroyTextureObject(texture);
    cudaFreeArray(array), cudaFree(line);
  }

  Rows& rows_;
};

}  // namespace texels
