/// @file
/// Claims about bank conflicts: what they cost an access, and what they cost a kernel.
#include "claims/device.hpp"
#include "claims/kernels/kernels.hpp"

namespace course::claims {
namespace {

constexpr int kTile = 32, kRows = 8;

/// 32 x 8 threads turn a tile of 32 x 32. A row length of 33 puts a column's elements into 32 banks.
template <int RowLength>
__global__ void transpose(const float* in, float* out, int rows, int cols) {
  alignas(16) __shared__ float tile[kTile][RowLength];
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
#pragma unroll
  for (int k = 0; k < kTile; k += kRows)
    tile[threadIdx.y + k][threadIdx.x] = in[std::size_t(y + k) * cols + x];
  __syncthreads();
  const int to_x = blockIdx.y * kTile + threadIdx.x, to_y = blockIdx.x * kTile + threadIdx.y;
#pragma unroll
  for (int k = 0; k < kTile; k += kRows)
    out[std::size_t(to_y + k) * rows + to_x] = tile[threadIdx.x][threadIdx.y + k];
}

/// Nothing but loads from shared memory: lanes read floats that lie Stride apart.
template <int Stride>
__global__ void read_banks(float* sink, int turns) {
  alignas(16) __shared__ float tile[32 * 32 + 32];
  for (int i = threadIdx.x; i < 32 * 32 + 32; i += blockDim.x) tile[i] = static_cast<float>(i);
  __syncthreads();
  const auto from = static_cast<unsigned>(__cvta_generic_to_shared(tile + threadIdx.x % 32 * Stride));
  float sum = 0;
  for (int t = 0; t < turns; ++t) {
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      float x;
      asm volatile("ld.volatile.shared.f32 %0, [%1];" : "=f"(x) : "r"(from + k * 4));
      sum += x;
    }
  }
  if (sum == 1e30F) *sink = sum;
}

}  // namespace

outcome conflicts_in_a_kernel(device& on) {
  const int cols = on.simulated() ? 256 : 8192;
  const int rows = static_cast<int>(on.array() / std::size_t(cols)) / kTile * kTile;
  const floats in(std::size_t(rows) * cols), out(in.count());
  const auto rate = [&](auto kernel) {
    return 8.0 * static_cast<double>(in.count()) / on.seconds([&] {
      kernel<<<dim3(cols / kTile, rows / kTile), dim3(kTile, kRows)>>>(in.get(), out.get(), rows, cols);
    });
  };
  const double slow = rate(transpose<kTile>), padded = rate(transpose<kTile + 1>);
  return {{"transpose with 32-way conflicts", slow, "B/s"},
          {"the same with padded rows", padded, "B/s"},
          padded / slow,
          {},
          "In a kernel most of a conflict hides behind memory; how much depends on its other work."};
}

outcome conflicts_alone(device& on) {
  const int blocks = on.simulated() ? 1 : 2 * on.properties().multiProcessorCount,
            turns = on.simulated() ? 1 : 600;
  const floats sink(1);
  const auto seconds = [&](auto kernel) {
    return on.seconds([&] { kernel<<<blocks, 1024>>>(sink.get(), turns); });
  };
  const double free = seconds(read_banks<1>), conflicts = seconds(read_banks<32>);
  return {{"nothing but loads, 32 lanes in one bank", conflicts, "s"},
          {"the same loads from 32 banks", free, "s"},
          conflicts / free,
          {},
          "True of the access itself: 32 turns in place of one. A kernel that does other work as well loses "
          "less."};
}

}  // namespace course::claims
