/// @file
/// Blocks and what they share. Scans and reductions: what is seen along a line, a variance in two passes.
/// Cooperative groups: a grid that waits for itself, tiles of eight that reduce. Clusters: keys sorted by two
/// blocks, tiles of a product whose halves two blocks load for each other. Bulk copies: ragged rows padded.
/// Occupancy: walks through a table that fills an SM's shared memory, four warps an SM.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cmath>

#include "../bulk.hpp"
#include "held_out_8.hpp"

namespace held_out_8 {
namespace {

namespace cg = cooperative_groups;

constexpr unsigned kSight = 1024;
/// Heights along a line; one is seen from the first if no nearer one stands as steep. Four a thread.
__global__ void __launch_bounds__(256) seen_along_lines(const float4* heights, uchar4* seen) {
  __shared__ float steepest[8];
  const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
  const float4 h = heights[global_index()];
  const float eye = reinterpret_cast<const float*>(heights)[blockIdx.x * std::size_t{kSight}];
  const float height[4] = {h.x, h.y, h.z, h.w};
  float slope[4], before[4], so_far = -INFINITY;
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned far = 4 * t + k;
    slope[k] = far == 0 ? -1000.0f : (height[k] - eye) / static_cast<float>(far);
    before[k] = so_far;
    so_far = fmaxf(so_far, slope[k]);
  }
  for (unsigned d = 1; d < 32; d *= 2) {
    const float its = __shfl_up_sync(~0u, so_far, d);
    if (lane >= d) so_far = fmaxf(so_far, its);
  }
  if (lane == 31) steepest[warp] = so_far;
  float left = __shfl_up_sync(~0u, so_far, 1);
  if (lane == 0) left = -INFINITY;
  __syncthreads();
  for (unsigned w = 0; w < warp; ++w) left = fmaxf(left, steepest[w]);
  unsigned char mark[4];
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) mark[k] = slope[k] > fmaxf(left, before[k]) ? 1 : 0;
  seen[global_index()] = make_uchar4(mark[0], mark[1], mark[2], mark[3]);
}

__device__ double sum_of_block(double value) {
  __shared__ double parts[8];
  for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(~0u, value, d);
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}
/// The mean first, then squares of what is left; blocks leave their parts behind @p parts.
__global__ void __launch_bounds__(256)
    variance_in_one_grid(const float* values, double* parts, float* out, std::size_t m) {
  const cg::grid_group grid = cg::this_grid();
  float sum = 0.0f;
  for (std::size_t i = global_index(); i < m; i += stride()) sum += values[i];
  double whole = sum_of_block(sum);
  if (threadIdx.x == 0) parts[blockIdx.x] = whole;
  grid.sync();
  double mine = 0;
  for (unsigned b = threadIdx.x; b < gridDim.x; b += 256) mine += parts[b];
  const auto mean = static_cast<float>(sum_of_block(mine) / static_cast<double>(m));
  float squares = 0.0f;
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const float d = values[i] - mean;
    squares += d * d;
  }
  whole = sum_of_block(squares);
  if (threadIdx.x == 0) parts[gridDim.x + blockIdx.x] = whole;
  grid.sync();
  if (blockIdx.x != 0) return;
  mine = 0;
  for (unsigned b = threadIdx.x; b < gridDim.x; b += 256) mine += parts[gridDim.x + b];
  whole = sum_of_block(mine);
  if (threadIdx.x != 0) return;
  out[0] = mean;
  out[1] = static_cast<float>(whole / static_cast<double>(m));
}

constexpr unsigned kScores = 64;
/// Rows of 64 scores made shares by eight threads each.
__global__ void __launch_bounds__(256) shares_by_tiles(const float4* scores, float4* shares) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const std::size_t row = blockIdx.x * std::size_t{32} + tile.meta_group_rank();
  const std::size_t at = row * (kScores / 4) + tile.thread_rank();
  float4 a = scores[at], b = scores[at + 8];
  const float greatest = cg::reduce(
      tile, fmaxf(fmaxf(fmaxf(a.x, a.y), fmaxf(a.z, a.w)), fmaxf(fmaxf(b.x, b.y), fmaxf(b.z, b.w))),
      cg::greater<float>());
  a = make_float4(__expf(a.x - greatest), __expf(a.y - greatest), __expf(a.z - greatest),
                  __expf(a.w - greatest));
  b = make_float4(__expf(b.x - greatest), __expf(b.y - greatest), __expf(b.z - greatest),
                  __expf(b.w - greatest));
  const float over =
      1.0f / cg::reduce(tile, a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w, cg::plus<float>());
  shares[at] = make_float4(a.x * over, a.y * over, a.z * over, a.w * over);
  shares[at + 8] = make_float4(b.x * over, b.y * over, b.z * over, b.w * over);
}

constexpr unsigned kSorted = 4096, kHalfSorted = kSorted / 2;
/// A bitonic network over 4096 keys; only its longest step looks into the other block's half.
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(512)
    sort_by_two_blocks(const unsigned* in, unsigned* out) {
  __shared__ unsigned keys[kHalfSorted];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank(), t = threadIdx.x;
  const std::size_t base = blockIdx.x * std::size_t{kHalfSorted};
  for (unsigned i = t; i < kHalfSorted; i += 512) keys[i] = in[base + i];
  __syncthreads();
  for (unsigned size = 2; size <= kSorted; size *= 2)
    for (unsigned far = size / 2; far > 0; far /= 2) {
      if (far == kHalfSorted) {
        cluster.sync();
        const unsigned* theirs = cluster.map_shared_rank(keys, rank ^ 1);
        unsigned kept_keys[kHalfSorted / 512];
#pragma unroll
        for (unsigned k = 0; k < kHalfSorted / 512; ++k) {
          const unsigned mine = keys[t + 512 * k], its = theirs[t + 512 * k];
          kept_keys[k] = rank == 0 ? min(mine, its) : max(mine, its);
        }
        cluster.sync();
#pragma unroll
        for (unsigned k = 0; k < kHalfSorted / 512; ++k) keys[t + 512 * k] = kept_keys[k];
      } else {
        for (unsigned pair = t; pair < kHalfSorted / 2; pair += 512) {
          const unsigned low = 2 * pair - (pair & (far - 1)), high = low + far;
          const bool rising = ((rank * kHalfSorted + low) & size) == 0;
          const unsigned a = keys[low], b = keys[high];
          if ((a > b) == rising) keys[low] = b, keys[high] = a;
        }
      }
      __syncthreads();
    }
  for (unsigned i = t; i < kHalfSorted; i += 512) out[base + i] = keys[i];
}

constexpr unsigned kThick = 256, kLean = 64, kDeepTile = 32;
/// A block has 32 rows of 64. Of each tile of the second factor it loads one half and reads the other where
/// the block beside has put it.
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(256)
    halves_of_tiles_shared(const float* a, const float* b, float* c) {
  __shared__ float left[32][kDeepTile], right[kDeepTile / 2][kLean];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank(), x = threadIdx.x % kLean, y = threadIdx.x / kLean;
  const float* halves[2] = {cluster.map_shared_rank(&right[0][0], 0),
                            cluster.map_shared_rank(&right[0][0], 1)};
  const std::size_t y0 = blockIdx.x * std::size_t{32};
  float sum[8] = {};
  for (unsigned k0 = 0; k0 < kThick; k0 += kDeepTile) {
    for (unsigned k = threadIdx.x; k < 32 * kDeepTile; k += 256)
      left[k / kDeepTile][k % kDeepTile] = a[(y0 + k / kDeepTile) * kThick + k0 + k % kDeepTile];
    for (unsigned k = y; k < kDeepTile / 2; k += 4)
      right[k][x] = b[(k0 + rank * (kDeepTile / 2) + k) * kLean + x];
    cluster.sync();
#pragma unroll
    for (unsigned half = 0; half < 2; ++half)
#pragma unroll 4
      for (unsigned k = 0; k < kDeepTile / 2; ++k) {
        const float its = halves[half][k * kLean + x];
#pragma unroll
        for (unsigned r = 0; r < 8; ++r) sum[r] += left[y + 4 * r][half * (kDeepTile / 2) + k] * its;
      }
    cluster.sync();
  }
#pragma unroll
  for (unsigned r = 0; r < 8; ++r) c[(y0 + y + 4 * r) * kLean + x] = sum[r];
}

constexpr unsigned kPadded = 256, kRowsAtOnce = 8;
/// Rows of 16 to 256 floats, one behind the other, each brought in bulk and padded by noughts.
__global__ void __launch_bounds__(128) pad_ragged_rows(const float* in, const unsigned* begins, float* out) {
  __shared__ alignas(16) float rows[kRowsAtOnce][kPadded];
  __shared__ std::uint64_t here;
  const unsigned first = blockIdx.x * kRowsAtOnce;
  if (threadIdx.x == 0) {
    ladder::init_barrier(&here, kRowsAtOnce);
    ladder::publish_barriers();
    for (unsigned r = 0; r < kRowsAtOnce; ++r)
      ladder::bulk_load(rows[r], in + begins[first + r], (begins[first + r + 1] - begins[first + r]) * 4,
                        &here);
  }
  for (unsigned r = 0; r < kRowsAtOnce; ++r)
    for (unsigned k = begins[first + r + 1] - begins[first + r] + threadIdx.x; k < kPadded; k += 128)
      rows[r][k] = 0.0f;
  ladder::publish_stores();
  __syncthreads();
  ladder::wait_for(&here, 0);
  if (threadIdx.x != 0) return;
  ladder::bulk_store(out + first * std::size_t{kPadded}, rows, sizeof rows);
  ladder::wait_until_read();
}

constexpr unsigned kTable = 32768, kWalk = 2048;
__host__ __device__ __forceinline__ unsigned next_place(unsigned entry, unsigned step) {
  return (entry + 5 * step) & (kTable - 1);
}
/// One block of 64 threads fits an SM.
__global__ void __launch_bounds__(64) walk_through_table(const unsigned* words, unsigned* out) {
  extern __shared__ unsigned table[];
  for (unsigned k = threadIdx.x; k < kTable; k += 64) table[k] = words[k];
  __syncthreads();
  unsigned at = (blockIdx.x * 64 + threadIdx.x) * 97 & (kTable - 1);
  for (unsigned step = 0; step < kWalk; ++step) at = next_place(table[at], step);
  out[blockIdx.x * 64 + threadIdx.x] = at;
}

constexpr unsigned kChains = 8, kLinks = 8192;
/// Eight recurrences side by side in each of few threads.
__global__ void __launch_bounds__(128) chains_of_few_warps(const float* in, float* out) {
  const std::size_t i = global_index();
  float x[kChains];
#pragma unroll
  for (unsigned k = 0; k < kChains; ++k) x[k] = in[i * kChains + k];
  const float by = 0.999f - 1e-7f * static_cast<float>(threadIdx.x);
#pragma unroll 4
  for (unsigned link = 0; link < kLinks; ++link)
#pragma unroll
    for (unsigned k = 0; k < kChains; ++k) x[k] = fmaf(x[k], by, 0.0015f);
  float sum = 0.0f;
#pragma unroll
  for (unsigned k = 0; k < kChains; ++k) sum += x[k];
  out[i] = sum;
}

}  // namespace

void blocks(Set& s) {
  const std::size_t n = s.n;
  const unsigned lines = as_number(n / 16 / kSight);
  s.run(
      "what is seen along lines of 1024", 5.0 * kSight * lines,
      [&] {
        seen_along_lines<<<lines, 256>>>(reinterpret_cast<const float4*>(s.in),
                                         reinterpret_cast<uchar4*>(s.out));
      },
      [&] {
        const auto got = taken(reinterpret_cast<const unsigned char*>(s.out), std::size_t{kSight} * lines);
        for (std::size_t line = 0; line < lines; line += 1 + lines / 50) {
          float steepest = -INFINITY;
          for (std::size_t k = 0; k < kSight; ++k) {
            const float slope =
                k == 0 ? -1000.0f
                       : (float_of(line * kSight + k) - float_of(line * kSight)) / static_cast<float>(k);
            if (got[line * kSight + k] != (slope > steepest ? 1 : 0)) return false;
            steepest = std::max(steepest, slope);
          }
        }
        return true;
      });
  std::size_t m = n / 8;
  auto* parts = reinterpret_cast<double*>(s.out + 64);
  float *values = s.in, *answers = s.out;
  void* arguments[] = {&values, &parts, &answers, &m};
  s.run(
      "variance in two passes of one grid", 8.0 * real(m),
      [&] {
        cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(variance_in_one_grid), dim3(s.sms * 4),
                                    dim3(256), arguments, 0, nullptr);
      },
      [&] {
        double mean = 0, squares = 0;
        for (std::size_t i = 0; i < m; ++i) mean += float_of(i) / real(m);
        for (std::size_t i = 0; i < m; ++i) squares += std::pow(float_of(i) - mean, 2) / real(m);
        return Set::near(s.value(0), mean) && Set::near(s.value(1), squares);
      });
  const unsigned rows = as_number(n / 8 / kScores);
  s.run(
      "shares of 64 scores by tiles of eight", 8.0 * kScores * rows,
      [&] { shares_by_tiles<<<rows / 32, 256>>>(reinterpret_cast<const float4*>(s.in), s.vectors()); },
      [&] {
        return floats(s, std::size_t{kScores} * rows, [](std::size_t i) {
          double total = 0;
          for (std::size_t k = 0; k < kScores; ++k)
            total += std::exp(double{float_of(i / kScores * kScores + k)});
          return std::exp(double{float_of(i)}) / total;
        });
      });

  const unsigned lists = as_number(n / 64 / kSorted);
  s.run(
      "4096 keys sorted by two blocks", 8.0 * kSorted * lists,
      [&] { sort_by_two_blocks<<<lists * 2, 512>>>(s.words, s.numbers()); },
      [&] {
        for (std::size_t list = 0; list < lists; list += 1 + lists / 9) {
          std::vector<unsigned> want(kSorted);
          for (std::size_t k = 0; k < kSorted; ++k) want[k] = word_of(list * kSorted + k);
          std::sort(want.begin(), want.end());
          if (taken(s.numbers() + list * kSorted, kSorted) != want) return false;
        }
        return true;
      });
  const unsigned high = s.sms * 128;
  s.run(
      "product whose tiles two blocks load by halves", 4.0 * high * (kThick + kLean),
      [&] { halves_of_tiles_shared<<<high / 32, 256>>>(s.in, s.other, s.out); },
      [&] {
        return floats(s, std::size_t{high} * kLean, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kThick; ++k)
            sum += double{float_of(i / kLean * kThick + k)} * other_of(k * kLean + i % kLean);
          return sum;
        });
      });

  const unsigned ragged = as_number(n / 16 / kPadded / kRowsAtOnce * kRowsAtOnce);
  std::vector<unsigned> begins(ragged + std::size_t{1});
  for (std::size_t r = 0; r < ragged; ++r) begins[r + 1] = begins[r] + 16 + 4 * (word_of(r + 3) % 61);
  unsigned* d_begins = kept(begins);
  s.run(
      "ragged rows padded by bulk copies", 4.0 * begins.back() + 4.0 * (kPadded + 1) * ragged,
      [&] { pad_ragged_rows<<<ragged / kRowsAtOnce, 128>>>(s.in, d_begins, s.out); },
      [&] {
        return floats(s, std::size_t{kPadded} * ragged, [&](std::size_t i) {
          const std::size_t r = i / kPadded, from = begins[r] + i % kPadded;
          return from < begins[r + 1] ? double{float_of(from)} : 0.0;
        });
      });
  cudaFree(d_begins);

  constexpr int kTableBytes = kTable * 4;
  ladder::check(
      cudaFuncSetAttribute(walk_through_table, cudaFuncAttributeMaxDynamicSharedMemorySize, kTableBytes),
      "shared memory");
  s.run(
      "walks of 64 threads an SM through 128 kB", 4.0 * 64 * kWalk * s.sms,
      [&] { walk_through_table<<<s.sms, 64, kTableBytes>>>(s.words, s.numbers()); },
      [&] {
        return numbers(s, std::size_t{64} * s.sms, [](std::size_t i) {
          unsigned at = static_cast<unsigned>(i) * 97 & (kTable - 1);
          for (unsigned step = 0; step < kWalk; ++step) at = next_place(word_of(at), step);
          return at;
        });
      });
  s.run(
      "eight chains a thread in four warps an SM", 4.0 * kChains * kLinks * 128 * s.sms,
      [&] { chains_of_few_warps<<<s.sms, 128>>>(s.in, s.out); },
      [&] {
        return floats(s, std::size_t{128} * s.sms, [](std::size_t i) {
          const float by = 0.999f - 1e-7f * static_cast<float>(i % 128);
          double sum = 0;
          for (std::size_t k = 0; k < kChains; ++k) {
            float x = float_of(i * kChains + k);
            for (unsigned link = 0; link < kLinks; ++link) x = std::fma(x, by, 0.0015f);
            sum += x;
          }
          return sum;
        });
      });
}

}  // namespace held_out_8
