/// @file
/// Copies under way: the next row comes by memcpy_async while this one is worked on, lines go in and out in
/// bulk, clusters of four blocks find means of columns together.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include "../bulk.hpp"
#include "held_out_10.hpp"

namespace held_out_10 {
namespace {

namespace together = cooperative_groups;

constexpr unsigned kPeaked = 1536;
__global__ void __launch_bounds__(256) divide_by_greatest(const float* in, float* out, unsigned rows) {
  __shared__ alignas(16) float row[2][kPeaked];
  __shared__ float of_warp[8];
  const together::thread_block block = together::this_thread_block();
  const unsigned t = threadIdx.x;
  unsigned stage = 0;
  if (blockIdx.x < rows)
    together::memcpy_async(block, row[0], in + blockIdx.x * std::size_t{kPeaked}, sizeof row[0]);
  for (unsigned k = blockIdx.x; k < rows; k += gridDim.x, stage ^= 1) {
    const unsigned next = k + gridDim.x;
    if (next < rows) {
      together::memcpy_async(block, row[stage ^ 1], in + next * std::size_t{kPeaked}, sizeof row[0]);
      together::wait_prior<1>(block);
    } else {
      together::wait(block);
    }
    float greatest = 0.0f;
    for (unsigned j = t; j < kPeaked; j += 256) greatest = fmaxf(greatest, row[stage][j]);
    for (int d = 16; d > 0; d /= 2) greatest = fmaxf(greatest, __shfl_xor_sync(~0u, greatest, d));
    if (t % 32 == 0) of_warp[t / 32] = greatest;
    block.sync();
    for (const float each : of_warp) greatest = fmaxf(greatest, each);
    const float by = 1.0f / greatest;
    for (unsigned j = t; j < kPeaked; j += 256) out[k * std::size_t{kPeaked} + j] = row[stage][j] * by;
    block.sync();
  }
}

constexpr unsigned kReversedLine = 512;
__global__ void __launch_bounds__(128) back_to_front(const float* in, float* out) {
  __shared__ alignas(128) float line[kReversedLine];
  __shared__ std::uint64_t come;
  const unsigned t = threadIdx.x;
  const std::size_t base = blockIdx.x * std::size_t{kReversedLine};
  if (t == 0) {
    ladder::init_barrier(&come, 1);
    ladder::publish_barriers();
    ladder::bulk_load(line, in + base, sizeof line, &come);
  }
  __syncthreads();
  ladder::wait_for(&come, 0);
  for (unsigned k = t; k < kReversedLine / 2; k += 128) {
    const float first = line[k];
    line[k] = line[kReversedLine - 1 - k];
    line[kReversedLine - 1 - k] = first;
  }
  ladder::publish_stores();
  __syncthreads();
  if (t == 0) {
    ladder::bulk_store(out + base, line, sizeof line);
    ladder::wait_until_read();
  }
}

constexpr unsigned kCentred = 64, kOfCluster = 4, kRowsOfBlock = 64, kCentredPart = kRowsOfBlock * kCentred;
/// A cluster has a matrix of 256 rows; each block keeps 64 of them.
__global__ void __cluster_dims__(kOfCluster, 1, 1) __launch_bounds__(256)
    less_means_of_columns(const float* in, float* out) {
  __shared__ float rows[kRowsOfBlock][kCentred], parts[4][kCentred], sums[kCentred], means[kCentred];
  const together::cluster_group cluster = together::this_cluster();
  const unsigned t = threadIdx.x, column = t % kCentred, first = t / kCentred;
  const std::size_t base = blockIdx.x * std::size_t{kCentredPart};
  float sum = 0.0f;
  for (unsigned row = first; row < kRowsOfBlock; row += 4) {
    rows[row][column] = in[base + row * kCentred + column];
    sum += rows[row][column];
  }
  parts[first][column] = sum;
  __syncthreads();
  if (t < kCentred) sums[t] = (parts[0][t] + parts[1][t]) + (parts[2][t] + parts[3][t]);
  cluster.sync();
  if (t < kCentred) {
    float whole = 0.0f;
    for (unsigned rank = 0; rank < kOfCluster; ++rank) whole += cluster.map_shared_rank(sums, rank)[t];
    means[t] = whole * (1.0f / (kOfCluster * kRowsOfBlock));
  }
  cluster.sync();
  for (unsigned row = first; row < kRowsOfBlock; row += 4)
    out[base + row * kCentred + column] = rows[row][column] - means[column];
}

}  // namespace

void copies(Set& s) {
  const std::size_t n = s.n;
  const unsigned rows = as_number(n / 4 / kPeaked);
  s.run(
      "rows divided by their greatest, the next copied meanwhile", 8.0 * kPeaked * rows,
      [&] { divide_by_greatest<<<s.sms * 4, 256>>>(s.in, s.out, rows); },
      [&] {
        return floats(s, std::size_t{kPeaked} * rows, [](std::size_t i) {
          double greatest = 0;
          for (std::size_t k = 0; k < kPeaked; ++k)
            greatest = std::max(greatest, double{float_of(i / kPeaked * kPeaked + k)});
          return float_of(i) / greatest;
        });
      });
  const unsigned lines = as_number(n / 4 / kReversedLine);
  s.run(
      "lines of 2 kB turned back to front, in and out in bulk", 8.0 * kReversedLine * lines,
      [&] { back_to_front<<<lines, 128>>>(s.in, s.out); },
      [&] {
        return floats(s, std::size_t{kReversedLine} * lines, [](std::size_t i) {
          const std::size_t at = i % kReversedLine;
          return double{float_of(i - at + kReversedLine - 1 - at)};
        });
      });
  constexpr std::size_t kMatrixCentred = std::size_t{kOfCluster} * kCentredPart;
  const unsigned matrices = as_number(n / 4 / kMatrixCentred);
  s.run(
      "columns of 256 less their means by clusters of four", 8.0 * real(kMatrixCentred) * matrices,
      [&] { less_means_of_columns<<<matrices * kOfCluster, 256>>>(s.in, s.out); },
      [&] {
        return within(s, kMatrixCentred * matrices, 1e-3, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t row = 0; row < kOfCluster * kRowsOfBlock; ++row)
            sum += float_of(i / kMatrixCentred * kMatrixCentred + row * kCentred + i % kCentred);
          return float_of(i) - sum / (kOfCluster * kRowsOfBlock);
        });
      });
}

}  // namespace held_out_10
