/// @file
/// What a request of 32 lanes takes of an SM's texture unit by where the lanes look: planes, lines, volumes, layers, memory by the number of a texel, and
/// surfaces. All that they look at stays in the L1, and the SM is full of warps. [cycles of an SM]
///
///     texels [FILTER] [--csv FILE]
#include <string>

#include "set_textures.hpp"
#include "timed_turns.hpp"

namespace {

enum class Kind { plane, line, volume, layers, by_number, surface };
/// Where a warp's lanes look: along a row, each or each second or eighth texel; down a column; at 8 x 4 of them; along a row that descends by one in
/// two; each anywhere.
enum class Where { row, by_two, by_eight, column, box, slope, anywhere };
constexpr int kWide = 128, kHigh = 64, kDeep = 4, kFetches = 8;

template <typename Number>
__device__ float sum_of(Number v) {
  return static_cast<float>(v);
}
__device__ float sum_of(float2 v) {
  return v.x + v.y;
}
__device__ float sum_of(float4 v) {
  return v.x + v.y + v.z + v.w;
}

struct Place {
  int x, y, z;
};
__device__ Place first_place(Where where, int warp, int lane) {
  Place at{warp * 37 % 32, warp * 11 % 32, warp % (kDeep - 1)};
  switch (where) {
    case Where::row:
      at.x += lane;
      break;
    case Where::by_two:
      at.x += 2 * lane;
      break;
    case Where::by_eight:
      at.x = (at.x + 8 * lane) % (kWide - 1);
      break;
    case Where::column:
      at.y += lane;
      break;
    case Where::box:
      at.x += lane % 8, at.y += lane / 8;
      break;
    case Where::slope:
      at.x += lane, at.y += lane / 2;
      break;
    case Where::anywhere:
      break;
  }
  return at;
}

template <typename T, Kind kind>
__device__ float texel(cudaTextureObject_t texture, Place at, float beyond) {
  const float x = static_cast<float>(at.x) + beyond, y = static_cast<float>(at.y) + beyond,
              z = static_cast<float>(at.z) + beyond;
  if constexpr (kind == Kind::plane)
    return sum_of(tex2D<T>(texture, x, y));
  else if constexpr (kind == Kind::line)
    return sum_of(tex1D<T>(texture, x));
  else if constexpr (kind == Kind::volume)
    return sum_of(tex3D<T>(texture, x, y, z));
  else if constexpr (kind == Kind::layers)
    return sum_of(tex2DLayered<T>(texture, x, y, at.z));
  else if constexpr (kind == Kind::by_number)
    return sum_of(tex1Dfetch<T>(texture, at.y * kWide + at.x));
  else
    return sum_of(surf2Dread<T>(texture, at.x * static_cast<int>(sizeof(T)), at.y));
}

template <typename T, Kind kind>
__global__ void __launch_bounds__(256)
    fetch(cudaTextureObject_t texture, float* out, Where where, float beyond, int turns) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  Place at = first_place(where, static_cast<int>(i / 32), static_cast<int>(threadIdx.x % 32));
  unsigned number = i * 2654435761u;
  float sum = 0;
#pragma unroll 1
  for (int n = 0; n < turns; ++n)
#pragma unroll
    for (int k = 0; k < kFetches; ++k) {
      if (where == Where::anywhere) {
        number = number * 1664525u + 1013904223u;
        at = {static_cast<int>(number >> 16 & 127), static_cast<int>(number >> 9 & 31),
              static_cast<int>(number >> 4 & 1)};
      } else if (kind == Kind::line) {
        at.x = at.x < kWide - 4 ? at.x + 3 : at.x - (kWide - 4);
      } else {
        at.y = at.y < kHigh - 4 ? at.y + 3 : at.y - (kHigh - 4);
      }
      sum += texel<T, kind>(texture, at, beyond);
    }
  out[i] = sum;
}

class Texels {
 public:
  Texels(int argc, char** argv) : turns_(argc, argv, "row,cycles") {
    out_ = turns_.bench.array<float>(std::size_t(blocks()) * kThreads * sizeof(float));
  }

  /// @tparam Read T, or floats from nought to one
  template <typename T, typename Read, Kind kind>
  void add(const std::string& name, bool between) {
    if (!turns_.bench.wants_any_of(name)) return;
    cudaResourceDesc what;
    cudaArray_t array = nullptr;
    void* memory = nullptr;
    const auto format = cudaCreateChannelDesc<T>();
    if (kind == Kind::by_number) {
      constexpr std::size_t kBytes = std::size_t{kWide} * kHigh * sizeof(T);
      ladder::check(cudaMalloc(&memory, kBytes), "cudaMalloc");
      ladder::check(cudaMemset(memory, 0, kBytes), "cudaMemset");
      what = set_helpers::resource_of(memory, format, kBytes);
    } else {
      const bool deep = kind == Kind::volume || kind == Kind::layers;
      const unsigned flags = kind == Kind::layers    ? cudaArrayLayered
                             : kind == Kind::surface ? cudaArraySurfaceLoadStore
                                                     : cudaArrayDefault;
      ladder::check(cudaMalloc3DArray(&array, &format,
                                      {kWide, kind == Kind::line ? 0u : kHigh, deep ? kDeep : 0u}, flags),
                    "array");
      what = set_helpers::resource_of(array);
    }
    const auto filter = between ? cudaFilterModeLinear : cudaFilterModePoint;
    const auto as = sizeof(T) != sizeof(Read) ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    const cudaTextureObject_t texture =
        kind == Kind::surface ? set_helpers::surface_of(array)
                              : set_helpers::texture_of(what, cudaAddressModeClamp, filter, false, as);
    const std::string full = name + (between ? ", between them, " : ", ");
    const auto time = [&](const char* place, Where where) {
      time_row(full + place, [&](int turns) {
        fetch<Read, kind><<<blocks(), kThreads>>>(texture, out_, where, between ? 0.75f : 0.5f, turns);
      });
    };
    time("side by side", Where::row);
    time("two apart", Where::by_two);
    if (kind == Kind::line) time("eight apart", Where::by_eight);
    if (kind != Kind::line) {
      time("below each other", Where::column);
      time("in boxes of 8 x 4", Where::box);
      time("on a slope", Where::slope);
    }
    time("anywhere", Where::anywhere);
    if (kind == Kind::surface)
      cudaDestroySurfaceObject(texture);
    else
      cudaDestroyTextureObject(texture);
    cudaFreeArray(array), cudaFree(memory);
  }

 private:
  static constexpr unsigned kBlocksAnSm = 8, kThreads = 256;
  unsigned blocks() const { return kBlocksAnSm * static_cast<unsigned>(turns_.bench.sms); }

  template <typename Launch>
  void time_row(const std::string& name, Launch launch) {
    if (!turns_.bench.wants(name)) return;
    constexpr double kRequests = kBlocksAnSm * kThreads / 32.0 * kFetches;
    const double cycles = turns_.cycles(turns_.bench.simulated ? 2 : 64, launch) / kRequests;
    std::printf("%-60s %9.2f cycles\n", name.c_str(), cycles);
    if (turns_.csv != nullptr) std::fprintf(turns_.csv, "\"%s\",%.3f\n", name.c_str(), cycles);
  }

  ladder::TimedTurns turns_;
  float* out_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  Texels texels(argc, argv);
  texels.add<unsigned char, unsigned char, Kind::plane>("plane of a byte", false);
  texels.add<unsigned char, float, Kind::plane>("plane of a byte", true);
  texels.add<float, float, Kind::plane>("plane of 4 bytes", false);
  texels.add<float, float, Kind::plane>("plane of 4 bytes", true);
  texels.add<float2, float2, Kind::plane>("plane of 8 bytes", false);
  texels.add<float2, float2, Kind::plane>("plane of 8 bytes", true);
  texels.add<float4, float4, Kind::plane>("plane of 16 bytes", false);
  texels.add<float4, float4, Kind::plane>("plane of 16 bytes", true);
  texels.add<float, float, Kind::line>("line of 4 bytes", false);
  texels.add<float, float, Kind::line>("line of 4 bytes", true);
  texels.add<float4, float4, Kind::line>("line of 16 bytes", false);
  texels.add<float4, float4, Kind::line>("line of 16 bytes", true);
  texels.add<float, float, Kind::volume>("volume of 4 bytes", false);
  texels.add<float, float, Kind::volume>("volume of 4 bytes", true);
  texels.add<unsigned char, float, Kind::volume>("volume of a byte", true);
  texels.add<float, float, Kind::layers>("layers of 4 bytes", true);
  texels.add<unsigned char, unsigned char, Kind::by_number>("by number, a byte", false);
  texels.add<float, float, Kind::by_number>("by number, 4 bytes", false);
  texels.add<float4, float4, Kind::by_number>("by number, 16 bytes", false);
  texels.add<unsigned char, unsigned char, Kind::surface>("surface of a byte", false);
  texels.add<float, float, Kind::surface>("surface of 4 bytes", false);
  texels.add<float2, float2, Kind::surface>("surface of 8 bytes", false);
  texels.add<float4, float4, Kind::surface>("surface of 16 bytes", false);
}
