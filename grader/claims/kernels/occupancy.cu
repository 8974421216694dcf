/// @file
/// A claim about occupancy: the same copy with half and with all of an SM's warps.
#include "claims/device.hpp"
#include "claims/kernels/kernels.hpp"

namespace course::claims {
namespace {

constexpr int kThreads = 256;

__global__ void copy_one(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

/// 64 bytes a thread, all loads before the first store.
__global__ void copy_sixteen(const float* in, float* out, std::size_t n) {
  const auto* const from = reinterpret_cast<const float4*>(in);
  auto* const to = reinterpret_cast<float4*>(out);
  const std::size_t first = std::size_t(blockIdx.x) * kThreads * 4 + threadIdx.x;
  if (first + 3 * kThreads >= n / 4) return;
  float4 v[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) v[k] = from[first + k * kThreads];
#pragma unroll
  for (int k = 0; k < 4; ++k) to[first + k * kThreads] = v[k];
}

}  // namespace

outcome occupancy_doubled(device& on) {
  const std::size_t n = on.array();
  const floats in(n), out(n);
  const cudaDeviceProp& card = on.properties();
  const int blocks = card.maxThreadsPerMultiProcessor / kThreads / 2;  // of an SM at half occupancy
  // Shared memory that nobody uses leaves room for that many blocks; a block may not have more than its limit.
  const auto most = static_cast<int>(card.sharedMemPerBlockOptin);
  const int share = static_cast<int>(card.sharedMemPerMultiprocessor) / blocks -
                    static_cast<int>(card.reservedSharedMemPerBlock);
  const int unused = (share < most ? share : most) / 1024 * 1024;
  check(cudaFuncSetAttribute(copy_one, cudaFuncAttributeMaxDynamicSharedMemorySize, unused),
        "cudaFuncSetAttribute");
  check(cudaFuncSetAttribute(copy_sixteen, cudaFuncAttributeMaxDynamicSharedMemorySize, unused),
        "cudaFuncSetAttribute");
  const auto rate = [&](auto kernel, int floats_a_thread, int shared) {
    const auto grid = static_cast<unsigned>(n / (std::size_t(kThreads) * floats_a_thread));
    return 8.0 * static_cast<double>(n) /
           on.seconds([&] { kernel<<<grid, kThreads, shared>>>(in.get(), out.get(), n); });
  };
  const double half = rate(copy_one, 1, unused), full = rate(copy_one, 1, 0);
  const double half_wide = rate(copy_sixteen, 16, unused), full_wide = rate(copy_sixteen, 16, 0);
  return {{"a copy, 4 bytes a thread, half of the warps", half, "B/s"},
          {"the same with all warps", full, "B/s"},
          full / half,
          {{"64 bytes a thread, half of the warps", half_wide, "B/s"},
           {"64 bytes a thread, all warps", full_wide, "B/s"},
           {"the gain with 64 bytes a thread", full_wide / half_wide, "times"}},
          "Bytes in flight decide, not warps: with little in flight in a thread more warps help by more than "
          "the text says, with much they help by nothing."};
}

}  // namespace course::claims
