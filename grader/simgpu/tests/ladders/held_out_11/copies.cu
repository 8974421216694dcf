/// @file
/// Copies under way: rows by a vector with a pipeline of three stages, lines filtered between bulk copies,
/// tiles turned by two blocks of a cluster. Rows of a tile in shared memory that a lane each adds up.
#include <cooperative_groups.h>
#include <cuda/pipeline>

#include "../bulk.hpp"
#include "held_out_11.hpp"

namespace held_out_11 {
namespace {

constexpr unsigned kPipedRow = 1024, kPipedStages = 3;
/// A thread copies what it will read itself.
__global__ void __launch_bounds__(256)
    rows_through_pipeline(const float4* in, const float4* vector, float* out, unsigned rows) {
  __shared__ float4 stages[kPipedStages][kPipedRow / 4];
  __shared__ float of_warp[2][8];
  const unsigned t = threadIdx.x;
  const float4 by = vector[t];
  auto pipe = cuda::make_pipeline();
  unsigned asked = blockIdx.x, to = 0;
  const auto ask = [&] {
    pipe.producer_acquire();
    if (asked < rows)
      cuda::memcpy_async(&stages[to][t], in + std::size_t{asked} * (kPipedRow / 4) + t,
                         cuda::aligned_size_t<16>(sizeof(float4)), pipe);
    pipe.producer_commit();
    asked += gridDim.x;
    to = to + 1 == kPipedStages ? 0 : to + 1;
  };
  for (unsigned k = 0; k + 1 < kPipedStages; ++k) ask();
  unsigned from = 0, turn = 0;
  for (unsigned row = blockIdx.x; row < rows; row += gridDim.x) {
    ask();
    cuda::pipeline_consumer_wait_prior<kPipedStages - 1>(pipe);
    const float4 v = stages[from][t];
    pipe.consumer_release();
    from = from + 1 == kPipedStages ? 0 : from + 1;
    float sum = v.x * by.x + v.y * by.y + v.z * by.z + v.w * by.w;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
    if (t % 32 == 0) of_warp[turn][t / 32] = sum;
    __syncthreads();
    if (t == 0) {
      float whole = 0.0f;
      for (const float each : of_warp[turn]) whole += each;
      out[row] = whole;
    }
    turn ^= 1;
  }
}

constexpr unsigned kBulkLine = 1024;
/// The ends of a line have one neighbour, which counts twice.
__global__ void __launch_bounds__(256) filter_bulk_lines(const float* in, float* out) {
  __shared__ alignas(128) float line[kBulkLine], smooth[kBulkLine];
  __shared__ std::uint64_t come;
  const unsigned t = threadIdx.x;
  const std::size_t base = blockIdx.x * std::size_t{kBulkLine};
  if (t == 0) {
    ladder::init_barrier(&come, 1);
    ladder::publish_barriers();
    ladder::bulk_load(line, in + base, sizeof line, &come);
  }
  __syncthreads();
  ladder::wait_for(&come, 0);
  for (unsigned k = t; k < kBulkLine; k += 256) {
    const unsigned left = k == 0 ? 1 : k - 1, right = k + 1 == kBulkLine ? k - 1 : k + 1;
    smooth[k] = 0.5f * line[k] + 0.25f * (line[left] + line[right]);
  }
  ladder::publish_stores();
  __syncthreads();
  if (t == 0) {
    ladder::bulk_store(out + base, smooth, sizeof smooth);
    ladder::wait_until_read();
  }
}

constexpr unsigned kPairTile = 64, kPairWide = 512;
/// Each of two blocks loads half of the tile's rows and writes half of its columns.
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(256)
    turn_by_pairs(const float* in, float* out, unsigned high) {
  __shared__ float rows[kPairTile / 2][kPairTile + 1];
  const auto cluster = cooperative_groups::this_cluster();
  const unsigned rank = cluster.block_rank(), t = threadIdx.x, along = t % kPairTile, first = t / kPairTile;
  const unsigned x0 = blockIdx.x / 2 * kPairTile, y0 = blockIdx.y * kPairTile;
  for (unsigned k = first; k < kPairTile / 2; k += 4)
    rows[k][along] = in[std::size_t{y0 + rank * (kPairTile / 2) + k} * kPairWide + x0 + along];
  cluster.sync();
  const float* there = cluster.map_shared_rank(&rows[0][0], along / (kPairTile / 2));
  for (unsigned k = first; k < kPairTile / 2; k += 4) {
    const unsigned x = rank * (kPairTile / 2) + k;
    out[std::size_t{x0 + x} * high + y0 + along] = there[along % (kPairTile / 2) * (kPairTile + 1) + x];
  }
  cluster.sync();
}

constexpr unsigned kLaneTile = 64;
__global__ void __launch_bounds__(kLaneTile) rows_of_tiles(const float* in, float* out) {
  __shared__ float tile[kLaneTile][kLaneTile];
  const unsigned t = threadIdx.x;
  const std::size_t base = blockIdx.x * std::size_t{kLaneTile * kLaneTile};
  for (unsigned row = 0; row < kLaneTile; ++row) tile[row][t] = in[base + row * kLaneTile + t];
  __syncthreads();
  float sum = 0.0f;
  for (unsigned k = 0; k < kLaneTile; ++k) sum += tile[t][k];
  out[blockIdx.x * kLaneTile + t] = sum;
}

}  // namespace

void copies(Set& s) {
  const std::size_t n = s.n;
  const unsigned rows = as_number(n / 4 / kPipedRow);
  s.run(
      "rows of 1024 by a vector, a pipeline of three stages", (4.0 * kPipedRow + 4.0) * rows,
      [&] {
        rows_through_pipeline<<<s.sms * 4, 256>>>(reinterpret_cast<const float4*>(s.in),
                                                  reinterpret_cast<const float4*>(s.other), s.out, rows);
      },
      [&] {
        return floats(s, rows, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kPipedRow; ++k)
            sum += double{float_of(i * kPipedRow + k)} * other_of(k);
          return sum;
        });
      });
  const unsigned lines = as_number(n / 8 / kBulkLine);
  s.run(
      "lines of 4 kB filtered between bulk copies", 8.0 * kBulkLine * lines,
      [&] { filter_bulk_lines<<<lines, 256>>>(s.in, s.out); },
      [&] {
        return floats(s, std::size_t{kBulkLine} * lines, [](std::size_t i) {
          const std::size_t at = i % kBulkLine;
          return 0.5 * float_of(i) + 0.25 * (double{float_of(at == 0 ? i + 1 : i - 1)} +
                                             float_of(at + 1 == kBulkLine ? i - 1 : i + 1));
        });
      });
  const unsigned high = as_number(n / 8 / kPairWide / kPairTile * kPairTile);
  s.run(
      "tiles of 64 x 64 turned by clusters of two", 8.0 * kPairWide * high,
      [&] { turn_by_pairs<<<dim3(kPairWide / kPairTile * 2, high / kPairTile), 256>>>(s.in, s.out, high); },
      [&] {
        return floats(s, std::size_t{kPairWide} * high,
                      [&](std::size_t i) { return double{float_of(i % high * kPairWide + i / high)}; });
      });
  const unsigned tiles = as_number(n / 8 / (kLaneTile * kLaneTile));
  s.run(
      "rows of shared tiles of 64 added up by a lane each", (4.0 * kLaneTile + 4.0) * kLaneTile * tiles,
      [&] { rows_of_tiles<<<tiles, kLaneTile>>>(s.in, s.out); },
      [&] {
        return floats(s, std::size_t{kLaneTile} * tiles, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kLaneTile; ++k) sum += float_of(i * kLaneTile + k);
          return sum;
        });
      });
}

}  // namespace held_out_11
