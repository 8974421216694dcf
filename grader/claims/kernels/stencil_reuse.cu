/// @file
/// A claim about reuse through shared memory: a stencil of radius 3, from global memory and from a tile.
#include "claims/device.hpp"
#include "claims/kernels/kernels.hpp"

namespace course::claims {
namespace {

constexpr int kRadius = 3;
constexpr int kThreads = 256;

template <int Outputs>
__global__ void seven_loads(const float* in, float* out, std::size_t n) {
  const std::size_t first = std::size_t(blockIdx.x) * kThreads * Outputs + threadIdx.x;
#pragma unroll
  for (int k = 0; k < Outputs; ++k) {
    const std::size_t i = first + std::size_t(k) * kThreads;
    if (i >= n) return;
    float sum = 0;
#pragma unroll
    for (int d = 0; d <= 2 * kRadius; ++d) sum += in[i + d];
    out[i] = sum;
  }
}

/// `in` has 2 * kRadius elements more than `out`.
template <int Outputs>
__global__ void from_tile(const float* in, float* out, std::size_t n) {
  constexpr int kTile = kThreads * Outputs;
  alignas(16) __shared__ float tile[kTile + 2 * kRadius];
  const std::size_t begin = std::size_t(blockIdx.x) * kTile;
#pragma unroll
  for (int k = 0; k < Outputs; ++k) {
    const int j = k * kThreads + threadIdx.x;
    if (begin + j < n) tile[j] = in[begin + j];
  }
  if (threadIdx.x < 2 * kRadius) {
    const int j = kTile + threadIdx.x;
    if (begin + j < n + 2 * kRadius) tile[j] = in[begin + j];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < Outputs; ++k) {
    const int j = k * kThreads + threadIdx.x;
    if (begin + j >= n) return;
    float sum = 0;
#pragma unroll
    for (int d = 0; d <= 2 * kRadius; ++d) sum += tile[j + d];
    out[begin + j] = sum;
  }
}

}  // namespace

outcome stencil_reuse(device& on) {
  const std::size_t n = on.array();  // a multiple of all tiles: the last tile's halo lies behind it
  const floats in(n + 2 * kRadius), out(n);
  const auto rate = [&](auto kernel, int outputs) {
    const auto blocks = static_cast<unsigned>(n / (std::size_t(kThreads) * outputs));
    return 8.0 * static_cast<double>(n) /
           on.seconds([&] { kernel<<<blocks, kThreads>>>(in.get(), out.get(), n); });
  };
  const double loads = rate(seven_loads<1>, 1), tile = rate(from_tile<1>, 1);
  const double four_loads = rate(seven_loads<4>, 4), four = rate(from_tile<4>, 4);
  return {{"seven loads for an output", loads, "B/s"},
          {"from a tile in shared memory", tile, "B/s"},
          tile / loads,
          {{"seven loads, four outputs a thread", four_loads, "B/s"},
           {"tile, four outputs a thread", four, "B/s"},
           {"the tile's gain with four outputs", four / four_loads, "times"}},
          "The caches hold the neighbours already. A tile pays where it saves instructions, not where it "
          "saves DRAM bytes."};
}

}  // namespace course::claims
