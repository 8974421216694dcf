/// @file
/// Blocks that are handed data: rows by the toolkit's barriers, vectors that one copy gives to a whole cluster, boxes
/// whose rows are swizzled, counters shared among a cluster's blocks.
#include <cooperative_groups.h>

#include <cuda/barrier>

#include "../bulk.hpp"
#include "../tensor_maps.hpp"
#include "held_out_16.hpp"

// Barriers of shared memory have init, and no constructor that runs.
#pragma nv_diag_suppress static_var_with_dynamic_init

namespace held_out_16 {
namespace {

constexpr unsigned kFoldedRow = 1024, kFoldedThreads = 128;
/// Each row by itself reversed, the next on its way.
__global__ void __launch_bounds__(kFoldedThreads) fold_rows(const float4* in, float4* out, unsigned rows) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(16) float4 held[2][kFoldedRow / 4];
  __shared__ Barrier come[2];
  const auto block = cooperative_groups::this_thread_block();
  if (threadIdx.x < 2) init(&come[threadIdx.x], kFoldedThreads);
  __syncthreads();
  const auto fetch = [&](unsigned row, unsigned to) {
    if (row < rows)
      cuda::memcpy_async(block, held[to], in + std::size_t{row} * (kFoldedRow / 4),
                         cuda::aligned_size_t<16>(kFoldedRow * sizeof(float)), come[to]);
  };
  fetch(blockIdx.x, 0);
  unsigned now = 0;
  for (unsigned row = blockIdx.x; row < rows; row += gridDim.x, now = 1 - now) {
    fetch(row + gridDim.x, 1 - now);
    come[now].arrive_and_wait();
#pragma unroll
    for (unsigned k = threadIdx.x; k < kFoldedRow / 4; k += kFoldedThreads) {
      const float4 v = held[now][k], w = held[now][kFoldedRow / 4 - 1 - k];
      out[std::size_t{row} * (kFoldedRow / 4) + k] = make_float4(v.x * w.w, v.y * w.z, v.z * w.y, v.w * w.x);
    }
    __syncthreads();  // the next but one comes to where this one was
  }
}

constexpr unsigned kGivenCluster = 4, kGivenVector = 2048, kGivenThreads = 256,
                   kGivenRows = kGivenThreads / 32, kGivenPart = kGivenVector / kGivenCluster;
/// A block fetches a quarter of the cluster's vector for all four. A warp has a row of the cluster's matrix.
__global__ void __cluster_dims__(kGivenCluster, 1, 1) __launch_bounds__(kGivenThreads)
    rows_by_given_vector(const float4* matrices, const float* vectors, float* out) {
  __shared__ alignas(128) float vector[kGivenVector];
  __shared__ std::uint64_t come;
  const auto cluster = cooperative_groups::this_cluster();
  const unsigned rank = cluster.block_rank(), lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    ladder::init_barrier(&come, 1);
    ladder::publish_barriers();
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(ladder::shared_address(&come)),
        "r"(kGivenVector * 4)
        : "memory");
  }
  cluster.sync();  // all four barriers are ready
  if (threadIdx.x == 0) {
    const float* part = vectors + std::size_t{blockIdx.x / kGivenCluster} * kGivenVector + rank * kGivenPart;
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
        "%2, "
        "[%3], %4;" ::"r"(ladder::shared_address(vector + rank * kGivenPart)),
        "l"(part), "r"(kGivenPart * 4), "r"(ladder::shared_address(&come)),
        "h"(static_cast<unsigned short>((1u << kGivenCluster) - 1))
        : "memory");
  }
  const std::size_t row = std::size_t{blockIdx.x} * kGivenRows + threadIdx.x / 32;
  const float4* own = matrices + row * (kGivenVector / 4);
  ladder::wait_for(&come, 0);
  float sum = 0.0f;
#pragma unroll 8
  for (unsigned k = lane; k < kGivenVector / 4; k += 32) {
    const float4 v = own[k], w = *reinterpret_cast<const float4*>(vector + 4 * k);
    sum += (v.x * w.x + v.y * w.y) + (v.z * w.z + v.w * w.w);
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (lane == 0) out[row] = sum;
  cluster.sync();  // nobody leaves while a copy for another is on its way
}

constexpr unsigned kSwizzledWide = 512, kSwizzledSide = 32, kSwizzledBoxes = 4,
                   kSwizzledHigh = kSwizzledSide * kSwizzledBoxes, kSwizzledThreads = 32 * kSwizzledBoxes;
/// Rows of a box are 128 bytes, in which vectors change places by the row's number.
bool make_swizzled_map(CUtensorMap* map, float* data, unsigned high) {
  void* encode = nullptr;
  cudaDriverEntryPointQueryResult found;
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found) !=
          cudaSuccess ||
      encode == nullptr)
    return false;
  const cuuint64_t sizes[2] = {kSwizzledWide, high}, apart[1] = {kSwizzledWide * sizeof(float)};
  const cuuint32_t box[2] = {kSwizzledSide, kSwizzledHigh}, steps[2] = {1, 1};
  return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
             map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, data, sizes, apart, box, steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}
/// Lanes read vectors of neighbouring rows, and write along a line.
__global__ void __launch_bounds__(kSwizzledThreads)
    turn_swizzled(const __grid_constant__ CUtensorMap map, float* out, unsigned high) {
  __shared__ alignas(1024) float4 box[kSwizzledHigh][kSwizzledSide / 4];
  __shared__ std::uint64_t come;
  const unsigned x0 = blockIdx.x * kSwizzledSide, y0 = blockIdx.y * kSwizzledHigh, row = threadIdx.x;
  if (threadIdx.x == 0) {
    ladder::init_barrier(&come, 1);
    ladder::publish_barriers();
    const unsigned barrier = ladder::shared_address(&come);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
                 "r"(kSwizzledHigh * kSwizzledSide * 4)
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(ladder::shared_address(&box[0][0])),
        "l"(&map), "r"(x0), "r"(y0), "r"(barrier)
        : "memory");
  }
  __syncthreads();
  ladder::wait_for(&come, 0);
#pragma unroll
  for (unsigned k = 0; k < kSwizzledSide / 4; ++k) {
    const float4 v = box[row][k ^ row % 8];
    float* to = out + std::size_t{x0 + 4 * k} * high + y0 + row;
    to[0] = v.x;
    to[high] = v.y;
    to[2 * std::size_t{high}] = v.z;
    to[3 * std::size_t{high}] = v.w;
  }
}

constexpr unsigned kSharedOut = 4, kBins = 8192, kBinsOfBlock = kBins / kSharedOut, kBinThreads = 512;
/// Each block of a cluster has a quarter of its counters.
__global__ void __cluster_dims__(kSharedOut, 1, 1) __launch_bounds__(kBinThreads)
    count_in_clusters(const uint2* in, unsigned* out, std::size_t m) {
  __shared__ unsigned counts[kBinsOfBlock];
  const auto cluster = cooperative_groups::this_cluster();
  for (unsigned k = threadIdx.x; k < kBinsOfBlock; k += kBinThreads) counts[k] = 0;
  cluster.sync();
  const auto count = [&](unsigned word) {
    const unsigned bin = word % kBins;
    atomicAdd(cluster.map_shared_rank(counts, bin / kBinsOfBlock) + bin % kBinsOfBlock, 1u);
  };
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const uint2 v = in[i];
    count(v.x), count(v.y);
  }
  cluster.sync();  // nobody counts any more
  for (unsigned k = threadIdx.x; k < kBinsOfBlock; k += kBinThreads)
    atomicAdd(out + cluster.block_rank() * kBinsOfBlock + k, counts[k]);
}

}  // namespace

void blocks(Set& s) {
  const std::size_t n = s.n;
  const unsigned folded = as_number(n / 4 / kFoldedRow);
  s.run(
      "rows of 4 kB by themselves reversed, the next by a barrier of the toolkit", 8.0 * kFoldedRow * folded,
      [&] {
        fold_rows<<<s.sms * 6, kFoldedThreads>>>(reinterpret_cast<const float4*>(s.in), s.vectors(), folded);
      },
      [&] {
        return floats(s, std::size_t{kFoldedRow} * folded, [](std::size_t i) {
          const std::size_t k = i % kFoldedRow;
          return double{float_of(i)} * float_of(i - k + kFoldedRow - 1 - k);
        });
      });

  constexpr unsigned kOfCluster = kGivenCluster * kGivenRows * kGivenVector;
  const unsigned given = as_number(n / 4 / kOfCluster);
  s.run(
      "matrices by vectors that one copy gives to all four blocks of a cluster",
      4.0 * (kOfCluster + kGivenVector + kGivenCluster * kGivenRows) * given,
      [&] {
        rows_by_given_vector<<<kGivenCluster * given, kGivenThreads>>>(reinterpret_cast<const float4*>(s.in),
                                                                       s.other, s.out);
      },
      [&] {
        return floats(s, std::size_t{kGivenCluster} * kGivenRows * given, [](std::size_t row) {
          double sum = 0;
          for (std::size_t k = 0; k < kGivenVector; ++k)
            sum += double{float_of(row * kGivenVector + k)} *
                   other_of(row / (kGivenCluster * kGivenRows) * kGivenVector + k);
          return sum;
        });
      });

  const unsigned high = as_number(n / 8 / kSwizzledWide / kSwizzledHigh * kSwizzledHigh);
  CUtensorMap map;
  const bool made = make_swizzled_map(&map, s.in, high);
  s.run(
      "turned by swizzled boxes of a tensor map, 128 rows of 32", 8.0 * kSwizzledWide * high,
      [&] {
        if (made)
          turn_swizzled<<<dim3(kSwizzledWide / kSwizzledSide, high / kSwizzledHigh), kSwizzledThreads>>>(
              map, s.out, high);
      },
      [&] {
        return floats(s, std::size_t{kSwizzledWide} * high,
                      [&](std::size_t i) { return double{float_of(i % high * kSwizzledWide + i / high)}; });
      });

  const std::size_t counted = n / 16;
  s.run(
      "words counted in 8192 bins in the shared memory of clusters of four", 4.0 * real(counted),
      [&] {
        // The launches add to one another.
        cudaMemsetAsync(s.out, 0, kBins * sizeof(unsigned));
        count_in_clusters<<<s.sms * 4, kBinThreads>>>(reinterpret_cast<const uint2*>(s.words), s.numbers(),
                                                      counted / 2);
      },
      [&] {
        std::vector<unsigned> want(kBins);
        for (std::size_t i = 0; i < counted / 2 * 2; ++i) ++want[word_of(i) % kBins];
        return taken(s.numbers(), kBins) == want;
      });
}

}  // namespace held_out_16
