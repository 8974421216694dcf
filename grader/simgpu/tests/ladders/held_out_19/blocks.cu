/// @file
/// Blocks and clusters that hand data on: Walsh's transforms by four blocks, a matrix turned in tiles that
/// are brought word by word, inverses in shared memory.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include "held_out_19.hpp"

namespace held_out_19 {
namespace {

constexpr unsigned kWalshCluster = 4, kWalshOfBlock = 1024, kWalshAll = kWalshCluster * kWalshOfBlock,
                   kWalshThreads = 256;
/// The last two passes read what all four blocks hold.
__global__ void __cluster_dims__(kWalshCluster, 1, 1) __launch_bounds__(kWalshThreads)
    transform_by_clusters(const float* in, float* out) {
  __shared__ float held[kWalshOfBlock];
  const auto cluster = cooperative_groups::this_cluster();
  const unsigned t = threadIdx.x, rank = cluster.block_rank();
  const std::size_t first = std::size_t{blockIdx.x} * kWalshOfBlock;
#pragma unroll
  for (unsigned k = t; k < kWalshOfBlock; k += kWalshThreads) held[k] = in[first + k];
  __syncthreads();
#pragma unroll 1
  for (unsigned away = 1; away < kWalshOfBlock; away *= 2) {
#pragma unroll
    for (unsigned k = t; k < kWalshOfBlock / 2; k += kWalshThreads) {
      const unsigned low = k / away * 2 * away + k % away;
      const float a = held[low], b = held[low + away];
      held[low] = a + b;
      held[low + away] = a - b;
    }
    __syncthreads();
  }
  cluster.sync();
#pragma unroll
  for (unsigned k = t; k < kWalshOfBlock; k += kWalshThreads) {
    float sum = 0.0f;
#pragma unroll
    for (unsigned of = 0; of < kWalshCluster; ++of) {
      const float v = cluster.map_shared_rank(held, of)[k];
      sum += __popc(rank & of) % 2 == 0 ? v : -v;
    }
    out[first + k] = sum;
  }
  cluster.sync();  // nobody leaves while others read
}

constexpr unsigned kBroughtWide = 1024, kBroughtTile = 32, kBroughtRows = 8,
                   kBroughtAcross = kBroughtWide / kBroughtTile;
/// The next tile is on its way while one is written.
__global__ void __launch_bounds__(kBroughtTile* kBroughtRows)
    turn_brought_tiles(const float* in, float* out, unsigned high) {
  __shared__ float tile[2][kBroughtTile][kBroughtTile + 1];
  const unsigned tiles = kBroughtAcross * (high / kBroughtTile), tx = threadIdx.x;
  const auto fetch = [&](unsigned k, unsigned to) {
    if (k < tiles) {
      const unsigned x0 = k % kBroughtAcross * kBroughtTile, y0 = k / kBroughtAcross * kBroughtTile;
#pragma unroll
      for (unsigned y = threadIdx.y; y < kBroughtTile; y += kBroughtRows)
        __pipeline_memcpy_async(&tile[to][y][tx], in + std::size_t{y0 + y} * kBroughtWide + x0 + tx,
                                sizeof(float));
    }
    __pipeline_commit();
  };
  fetch(blockIdx.x, 0);
  unsigned now = 0;
  for (unsigned k = blockIdx.x; k < tiles; k += gridDim.x) {
    fetch(k + gridDim.x, 1 - now);
    __pipeline_wait_prior(1);
    __syncthreads();
    const unsigned x0 = k % kBroughtAcross * kBroughtTile, y0 = k / kBroughtAcross * kBroughtTile;
#pragma unroll
    for (unsigned x = threadIdx.y; x < kBroughtTile; x += kBroughtRows)
      out[std::size_t{x0 + x} * high + y0 + tx] = tile[now][tx][x];
    __syncthreads();  // the next but one comes to where this one was
    now = 1 - now;
  }
}

constexpr unsigned kInvertedSide = 24, kOfInverted = kInvertedSide * kInvertedSide;
constexpr float kInvertedDiagonal = 192.0f;
/// Gauss's and Jordan's way in place; a thread has an entry, and there are two buffers in turn.
__global__ void __launch_bounds__(kOfInverted) invert_in_shared(const float* in, float* out) {
  __shared__ float held[2][kInvertedSide][kInvertedSide + 1];
  const unsigned x = threadIdx.x, y = threadIdx.y;
  const std::size_t i = std::size_t{blockIdx.x} * kOfInverted + y * kInvertedSide + x;
  float own = in[i] + (x == y ? kInvertedDiagonal : 0.0f);
  held[0][y][x] = own;
  __syncthreads();
  for (unsigned k = 0; k < kInvertedSide; ++k) {
    const auto& now = held[k % 2];
    const float scale = 1.0f / now[k][k];
    if (y == k)
      own = x == k ? scale : own * scale;
    else
      own = x == k ? -own * scale : own - now[y][k] * now[k][x] * scale;
    held[1 - k % 2][y][x] = own;
    __syncthreads();
  }
  out[i] = own;
}

}  // namespace

void blocks(Set& s) {
  const std::size_t n = s.n;
  const unsigned transforms = as_number(n / 8 / kWalshAll);
  s.run(
      "Walsh's transforms of 4096 by clusters of four, the last passes out of each other's shared memory",
      8.0 * kWalshAll * transforms,
      [&] { transform_by_clusters<<<kWalshCluster * transforms, kWalshThreads>>>(s.in, s.out); },
      [&] {
        return near_everywhere(
            s, std::size_t{kWalshAll} * transforms, 5e-3,
            [](std::size_t i) {
              const std::size_t first = i / kWalshAll * kWalshAll;
              double sum = 0;
              for (std::size_t k = 0; k < kWalshAll; ++k)
                sum += __builtin_popcountll(i % kWalshAll & k) % 2 == 0 ? float_of(first + k)
                                                                        : -float_of(first + k);
              return sum;
            },
            1009);
      });

  const unsigned high = as_number(n / 8 / kBroughtWide / kBroughtTile * kBroughtTile);
  s.run(
      "turned in tiles of 32 x 33 that cp.async fills word by word, the next one ahead",
      8.0 * kBroughtWide * high,
      [&] { turn_brought_tiles<<<s.sms * 6, dim3(kBroughtTile, kBroughtRows)>>>(s.in, s.out, high); },
      [&] {
        return same_everywhere<float>(s, std::size_t{kBroughtWide} * high, [&](std::size_t i) {
          return float_of(i % high * kBroughtWide + i / high);
        });
      });

  const unsigned inverted = 64 * s.sms;
  s.run(
      "inverses of matrices of 24 x 24 in shared memory, a thread an entry", 8.0 * kOfInverted * inverted,
      [&] { invert_in_shared<<<inverted, dim3(kInvertedSide, kInvertedSide)>>>(s.in, s.out); },
      [&] {
        const std::vector<float> got = taken(s.out, std::size_t{kOfInverted} * inverted);
        for (std::size_t first = 0; first < got.size(); first += kOfInverted)
          for (std::size_t i = 0; i < kOfInverted; ++i) {
            const std::size_t y = i / kInvertedSide, x = i % kInvertedSide;
            double sum = 0;  // of a row of the matrix by a column of the inverse
            for (std::size_t k = 0; k < kInvertedSide; ++k)
              sum += (double{float_of(first + y * kInvertedSide + k)} +
                      (y == k ? double{kInvertedDiagonal} : 0)) *
                     double{got[first + k * kInvertedSide + x]};
            if (!(std::abs(sum - (x == y ? 1 : 0)) < 1e-4)) return false;
          }
        return true;
      });
}

}  // namespace held_out_19
