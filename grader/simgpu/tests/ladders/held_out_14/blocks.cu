/// @file
/// Blocks that hand data on: three stages of rows by cp.async, pieces turned round between bulk copies, halves
/// of a block with a ring and barriers, tables in another block of the cluster, a grid with two barriers.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include "../bulk.hpp"
#include "held_out_14.hpp"

namespace held_out_14 {
namespace {

constexpr unsigned kSlopeWide = 2048, kSlopeStrip = 512, kSlopeRows = 56, kSlopeStages = 4;
/// Four columns a thread; beside the last column of a strip lies its first.
__global__ void __launch_bounds__(kSlopeStrip / 4) steepness_of_strips(const float* in, float* out) {
  __shared__ alignas(16) float rows[kSlopeStages][kSlopeStrip];
  const unsigned x = 4 * threadIdx.x, x0 = blockIdx.x * kSlopeStrip, y0 = blockIdx.y * kSlopeRows;
  const auto fetch = [&](unsigned row) {
    if (row <= kSlopeRows)
      __pipeline_memcpy_async(&rows[row % kSlopeStages][x], in + std::size_t{y0 + row} * kSlopeWide + x0 + x,
                              16);
    __pipeline_commit();
  };
  for (unsigned row = 0; row + 1 < kSlopeStages; ++row) fetch(row);
  for (unsigned row = 0; row < kSlopeRows; ++row) {
    __pipeline_wait_prior(1);
    __syncthreads();  // this row and the next are there, the one before is done with
    fetch(row + kSlopeStages - 1);
    const float *here = rows[row % kSlopeStages], *below = rows[(row + 1) % kSlopeStages];
    float slopes[4];
#pragma unroll
    for (unsigned k = 0; k < 4; ++k)
      slopes[k] = fabsf(below[x + k] - here[x + k]) + fabsf(here[(x + k + 1) % kSlopeStrip] - here[x + k]);
    *reinterpret_cast<float4*>(out + std::size_t{y0 + row} * kSlopeWide + x0 + x) =
        make_float4(slopes[0], slopes[1], slopes[2], slopes[3]);
  }
}

constexpr unsigned kRoundPiece = 1536, kRoundThreads = 128, kRoundVectors = kRoundPiece / 4;
/// Two pieces are on their way in, two on their way out.
__global__ void __launch_bounds__(kRoundThreads)
    turn_pieces_round(const float* in, float* out, unsigned pieces) {
  __shared__ alignas(128) float4 come[2][kRoundVectors], turned[2][kRoundVectors];
  __shared__ std::uint64_t arrived[2];
  if (threadIdx.x == 0) {
    for (std::uint64_t& each : arrived) ladder::init_barrier(&each, 1);
    ladder::publish_barriers();
    for (unsigned turn = 0; turn < 2; ++turn)
      if (blockIdx.x + turn * gridDim.x < pieces)
        ladder::bulk_load(come[turn], in + std::size_t{blockIdx.x + turn * gridDim.x} * kRoundPiece,
                          kRoundPiece * 4, &arrived[turn]);
  }
  __syncthreads();
  unsigned turn = 0;
  for (unsigned piece = blockIdx.x; piece < pieces; piece += gridDim.x, ++turn) {
    const unsigned stage = turn % 2;
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
    ladder::wait_for(&arrived[stage], turn / 2 % 2);
    __syncthreads();  // what was written out of this stage has been read
    for (unsigned k = threadIdx.x; k < kRoundVectors; k += kRoundThreads) {
      const float4 v = come[stage][kRoundVectors - 1 - k];
      turned[stage][k] = make_float4(v.w, v.z, v.y, v.x);
    }
    ladder::publish_stores();
    __syncthreads();
    if (threadIdx.x != 0) continue;
    ladder::bulk_store(out + std::size_t{piece} * kRoundPiece, turned[stage], kRoundPiece * 4);
    if (piece + 2 * gridDim.x < pieces)
      ladder::bulk_load(come[stage], in + std::size_t{piece + 2 * gridDim.x} * kRoundPiece, kRoundPiece * 4,
                        &arrived[stage]);
  }
  if (threadIdx.x == 0) ladder::wait_until_stored();
}

constexpr unsigned kRingHalf = 128, kRingStages = 4, kRingPiece = 4 * kRingHalf;
__device__ __forceinline__ void arrive_at(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(ladder::shared_address(barrier)) : "memory");
}
/// Threads of the first half fill places of a ring; those of the second take what their neighbour filled.
__global__ void __launch_bounds__(2 * kRingHalf)
    roots_by_halves_of_blocks(const float4* in, float4* out, unsigned pieces) {
  __shared__ float4 ring[kRingStages][kRingHalf];
  __shared__ std::uint64_t filled[kRingStages], emptied[kRingStages];
  if (threadIdx.x == 0) {
    for (std::uint64_t& each : filled) ladder::init_barrier(&each, kRingHalf);
    for (std::uint64_t& each : emptied) ladder::init_barrier(&each, kRingHalf);
    ladder::publish_barriers();
  }
  __syncthreads();
  const bool fills = threadIdx.x < kRingHalf;
  const unsigned t = threadIdx.x % kRingHalf;
  unsigned turn = 0;
  for (unsigned piece = blockIdx.x; piece < pieces; piece += gridDim.x, ++turn) {
    const unsigned stage = turn % kRingStages, round = turn / kRingStages;
    if (fills) {
      const float4 v = in[std::size_t{piece} * kRingHalf + t];
      if (round > 0) ladder::wait_for(&emptied[stage], (round - 1) % 2);
      ring[stage][t] = v;
      arrive_at(&filled[stage]);
    } else {
      ladder::wait_for(&filled[stage], round % 2);
      const float4 v = ring[stage][(t + 1) % kRingHalf];
      arrive_at(&emptied[stage]);
      out[std::size_t{piece} * kRingHalf + t] = make_float4(sqrtf(v.x), sqrtf(v.y), sqrtf(v.z), sqrtf(v.w));
    }
  }
}

constexpr unsigned kNextCluster = 4, kNextTable = 2048, kNextThreads = 256, kNextEach = 8;
/// Block r of a cluster has a quarter of the table; the block before it asks for what it has.
__global__ void __cluster_dims__(kNextCluster, 1, 1) __launch_bounds__(kNextThreads)
    look_up_next_door(const float* table, const unsigned* words, float* out) {
  __shared__ float part[kNextTable];
  const auto cluster = cooperative_groups::this_cluster();
  const unsigned rank = cluster.block_rank();
  for (unsigned k = threadIdx.x; k < kNextTable; k += kNextThreads) part[k] = table[rank * kNextTable + k];
  cluster.sync();
  const float* next = cluster.map_shared_rank(part, (rank + 1) % kNextCluster);
  const std::size_t first = std::size_t{blockIdx.x} * kNextThreads * kNextEach + threadIdx.x;
#pragma unroll
  for (unsigned k = 0; k < kNextEach; ++k)
    out[first + k * kNextThreads] = next[words[first + k * kNextThreads] % kNextTable];
  cluster.sync();  // nobody leaves while a neighbour reads
}

constexpr unsigned kScaleThreads = 512, kScaleBlocks = 2;
template <typename Join>
__device__ __forceinline__ float joined_by_block(float v, float* of_warp, Join join) {
  for (int d = 16; d > 0; d /= 2) v = join(v, __shfl_xor_sync(~0u, v, d));
  __syncthreads();  // the last round's were read
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
  __syncthreads();
  v = of_warp[threadIdx.x % (kScaleThreads / 32)];
  for (int d = kScaleThreads / 64; d > 0; d /= 2) v = join(v, __shfl_xor_sync(~0u, v, d));
  return v;
}
/// Every block puts together itself what all blocks have found.
__global__ void __launch_bounds__(kScaleThreads)
    bring_to_scale(const float* in, float* out, float* of_blocks, std::size_t m) {
  __shared__ float of_warp[kScaleThreads / 32];
  const auto grid = cooperative_groups::this_grid();
  const auto greater = [](float a, float b) { return fmaxf(a, b); };
  const auto sum = [](float a, float b) { return a + b; };
  float found = 0.0f;
  for (std::size_t i = global_index(); i < m; i += stride()) found = fmaxf(found, in[i] * in[i]);
  found = joined_by_block(found, of_warp, greater);
  if (threadIdx.x == 0) of_blocks[blockIdx.x] = found;
  grid.sync();
  found = 0.0f;
  for (unsigned k = threadIdx.x; k < gridDim.x; k += kScaleThreads) found = fmaxf(found, of_blocks[k]);
  const float scale = 1.0f / joined_by_block(found, of_warp, greater);
  float own = 0.0f;
  for (std::size_t i = global_index(); i < m; i += stride()) own += scale * (in[i] * in[i]);
  own = joined_by_block(own, of_warp, sum);
  if (threadIdx.x == 0) of_blocks[gridDim.x + blockIdx.x] = own;
  grid.sync();
  float all = 0.0f;
  for (unsigned k = threadIdx.x; k < gridDim.x; k += kScaleThreads) all += of_blocks[gridDim.x + k];
  const float mean = joined_by_block(all, of_warp, sum) / static_cast<float>(m);
  for (std::size_t i = global_index(); i < m; i += stride()) out[i] = scale * (in[i] * in[i]) - mean;
}

}  // namespace

void blocks(Set& s) {
  const std::size_t n = s.n;
  const unsigned chunks = as_number(n / 8 / kSlopeWide / kSlopeRows);
  s.run(
      "steepness of a plane, strips of 512 columns three rows ahead", 8.0 * kSlopeWide * kSlopeRows * chunks,
      [&] { steepness_of_strips<<<dim3(kSlopeWide / kSlopeStrip, chunks), kSlopeStrip / 4>>>(s.in, s.out); },
      [&] {
        return within(s, std::size_t{kSlopeWide} * kSlopeRows * chunks, 1e-3, [](std::size_t i) {
          const std::size_t x = i % kSlopeStrip;
          return std::abs(double{float_of(i + kSlopeWide)} - float_of(i)) +
                 std::abs(double{float_of(i - x + (x + 1) % kSlopeStrip)} - float_of(i));
        });
      });

  const unsigned round_pieces = as_number(n / 4 / kRoundPiece);
  s.run(
      "pieces of 6 kB turned round between bulk copies in and out", 8.0 * kRoundPiece * round_pieces,
      [&] { turn_pieces_round<<<s.sms * 4, kRoundThreads>>>(s.in, s.out, round_pieces); },
      [&] {
        return floats(s, std::size_t{kRoundPiece} * round_pieces, [](std::size_t i) {
          const std::size_t k = i % kRoundPiece;
          return double{float_of(i - k + kRoundPiece - 1 - k)};
        });
      });

  const unsigned ring_pieces = as_number(n / 8 / kRingPiece);
  s.run(
      "roots by one half of a block of what the other loads, a ring of four", 8.0 * kRingPiece * ring_pieces,
      [&] {
        roots_by_halves_of_blocks<<<s.sms * 5, 2 * kRingHalf>>>(reinterpret_cast<const float4*>(s.in),
                                                                s.vectors(), ring_pieces);
      },
      [&] {
        return floats(s, std::size_t{kRingPiece} * ring_pieces, [](std::size_t i) {
          const std::size_t k = i % kRingPiece;
          return std::sqrt(double{float_of(i - k + (k + 4) % kRingPiece)});
        });
      });

  constexpr unsigned kOfNextCluster = kNextCluster * kNextThreads * kNextEach;
  const unsigned clusters = as_number(n / 16 / kOfNextCluster);
  s.run(
      "floats looked up in the shared memory of the next block of four", 8.0 * kOfNextCluster * clusters,
      [&] { look_up_next_door<<<kNextCluster * clusters, kNextThreads>>>(s.other, s.words, s.out); },
      [&] {
        return floats(s, std::size_t{kOfNextCluster} * clusters, [](std::size_t i) {
          const std::size_t rank = i / (kNextThreads * kNextEach) % kNextCluster;
          return double{other_of((rank + 1) % kNextCluster * kNextTable + word_of(i) % kNextTable)};
        });
      });

  std::size_t scaled = n / 32;
  const unsigned scale_grid = s.sms * kScaleBlocks;
  auto* of_blocks = room<float>(2 * scale_grid);
  const float* from = s.in;
  float* to = s.out;
  s.run(
      "squares brought to a greatest of one and a mean of nought, two barriers of a grid",
      16.0 * real(scaled),
      [&] {
        void* arguments[] = {&from, &to, &of_blocks, &scaled};
        cudaLaunchCooperativeKernel(reinterpret_cast<void*>(bring_to_scale), dim3(scale_grid),
                                    dim3(kScaleThreads), arguments, 0, nullptr);
      },
      [&] {
        double greatest = 0, sum = 0;
        for (std::size_t i = 0; i < scaled; ++i) {
          const double square = double{float_of(i)} * float_of(i);
          greatest = std::max(greatest, square);
          sum += square;
        }
        return within(s, scaled, 1e-3, [&](std::size_t i) {
          return (double{float_of(i)} * float_of(i) - sum / real(scaled)) / greatest;
        });
      });
  cudaFree(of_blocks);
}

}  // namespace held_out_14
