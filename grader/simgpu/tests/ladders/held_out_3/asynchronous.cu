/// @file
/// Copies to shared memory under way, several deep: rows by groups of cp.async, lines in bulk that are added up.
#include <cuda_pipeline.h>

#include "../bulk.hpp"
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

constexpr unsigned kRow = 1024, kRows = 16, kStages = 4;

/// A block has sixteen rows; three are on their way while one is smoothed.
__global__ void __launch_bounds__(256) smooth_rows(const float* in, float* out) {
  __shared__ alignas(16) float row[kStages][kRow];
  const std::size_t base = blockIdx.x * std::size_t{kRow * kRows};
  const auto fetch = [&](unsigned r) {
    if (r < kRows)
      __pipeline_memcpy_async(&row[r % kStages][threadIdx.x * 4], in + base + r * kRow + threadIdx.x * 4, 16);
    __pipeline_commit();
  };
  for (unsigned r = 0; r + 1 < kStages; ++r) fetch(r);
  for (unsigned r = 0; r < kRows; ++r) {
    __pipeline_wait_prior(kStages - 2);
    __syncthreads();
    fetch(r + kStages - 1);
    const float* v = row[r % kStages];
    for (unsigned k = threadIdx.x; k < kRow; k += 256)
      out[base + r * kRow + k] = 0.25f * (v[(k + kRow - 1) % kRow] + v[(k + 1) % kRow]) + 0.5f * v[k];
  }
}
constexpr unsigned kLine = 1024;
/// A block goes over lines of 4 kB, four on their way; a sum of squares for each.
__global__ void __launch_bounds__(128) squares_of_lines(const float* in, float* out, unsigned lines) {
  __shared__ alignas(128) float line[kStages][kLine];
  __shared__ std::uint64_t full[kStages];
  __shared__ float part[4];
  if (threadIdx.x == 0) {
    for (std::uint64_t& barrier : full) ladder::init_barrier(&barrier, 1);
    ladder::publish_barriers();
  }
  __syncthreads();
  const auto fetch = [&](unsigned l, unsigned stage) {
    if (threadIdx.x == 0 && l < lines)
      ladder::bulk_load(line[stage], in + l * std::size_t{kLine}, kLine * 4, &full[stage]);
  };
  for (unsigned k = 0; k < kStages; ++k) fetch(blockIdx.x + k * gridDim.x, k);
  unsigned turn = 0;
  for (unsigned l = blockIdx.x; l < lines; l += gridDim.x, ++turn) {
    const unsigned stage = turn % kStages;
    ladder::wait_for(&full[stage], turn / kStages % 2);
    float sum = 0;
#pragma unroll
    for (unsigned k = 0; k < kLine / 128; ++k) {
      const float v = line[stage][k * 128 + threadIdx.x];
      sum += v * v;
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) out[l] = part[0] + part[1] + part[2] + part[3];
    fetch(l + kStages * gridDim.x, stage);
    __syncthreads();
  }
}

}  // namespace

void asynchronous(Set& s) {
  const std::size_t n = s.n, blocks = n / 8 / (kRow * kRows);
  s.run(
      "rows smoothed, three ahead", 8.0 * kRow * kRows * real(blocks),
      [&] { smooth_rows<<<as_number(blocks), 256>>>(s.in, s.out); },
      [&] {
        return floats(s, blocks * kRow * kRows, [](std::size_t i) {
          const std::size_t row = i / kRow * kRow, k = i % kRow;
          return 0.25 * (double{float_of(row + (k + kRow - 1) % kRow)} + float_of(row + (k + 1) % kRow)) +
                 0.5 * float_of(i);
        });
      });
  const std::size_t lines = n / 4 / kLine;
  s.run(
      "squares of lines added up, four in bulk", real(n),
      [&] { squares_of_lines<<<s.sms * 6, 128>>>(s.in, s.out, as_number(lines)); },
      [&] {
        return floats(s, lines, [](std::size_t l) {
          double sum = 0;
          for (std::size_t k = 0; k < kLine; ++k)
            sum += double{float_of(l * kLine + k)} * float_of(l * kLine + k);
          return sum;
        });
      });
}

}  // namespace held_out_3
