/// @file
/// What blocks and warps do together: rows made shares of one between bulk copies, systems that a cluster
/// solves, transforms by shuffles.
#include <cooperative_groups.h>

#include "../bulk.hpp"
#include "held_out_12.hpp"

namespace held_out_12 {
namespace {

constexpr unsigned kShareRow = 512, kShareStages = 3;
/// Four warps have four floats a lane. Two rows are on their way in while one is worked on and one goes out.
__global__ void __launch_bounds__(kShareRow / 4)
    shares_between_copies(const float* in, float* out, unsigned rows) {
  __shared__ alignas(128) float4 stages[kShareStages][kShareRow / 4];
  __shared__ std::uint64_t come[kShareStages];
  __shared__ float greatest_of[4], sum_of[4];
  const unsigned t = threadIdx.x, warp = t / 32;
  const auto ask = [&](unsigned turn) {
    const unsigned row = blockIdx.x + turn * gridDim.x;
    if (row < rows)
      ladder::bulk_load(stages[turn % kShareStages], in + std::size_t{row} * kShareRow, kShareRow * 4,
                        &come[turn % kShareStages]);
  };
  if (t == 0) {
    for (std::uint64_t& each : come) ladder::init_barrier(&each, 1);
    ladder::publish_barriers();
    ask(0);
    ask(1);
  }
  __syncthreads();
  for (unsigned turn = 0; blockIdx.x + turn * gridDim.x < rows; ++turn) {
    const unsigned now = turn % kShareStages, row = blockIdx.x + turn * gridDim.x;
    ladder::wait_for(&come[now], turn / kShareStages % 2);
    float4 v = stages[now][t];
    float greatest = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
    for (int d = 16; d > 0; d /= 2) greatest = fmaxf(greatest, __shfl_xor_sync(~0u, greatest, d));
    if (t % 32 == 0) greatest_of[warp] = greatest;
    __syncthreads();
    greatest = fmaxf(fmaxf(greatest_of[0], greatest_of[1]), fmaxf(greatest_of[2], greatest_of[3]));
    v = make_float4(expf(v.x - greatest), expf(v.y - greatest), expf(v.z - greatest), expf(v.w - greatest));
    float sum = (v.x + v.y) + (v.z + v.w);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (t % 32 == 0) sum_of[warp] = sum;
    __syncthreads();
    const float by = 1.0f / ((sum_of[0] + sum_of[1]) + (sum_of[2] + sum_of[3]));
    stages[now][t] = make_float4(by * v.x, by * v.y, by * v.z, by * v.w);
    ladder::publish_stores();
    __syncthreads();
    if (t == 0) {
      ladder::bulk_store(out + std::size_t{row} * kShareRow, stages[now], kShareRow * 4);
      asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");  // the store before has been read
      ask(turn + 2);
    }
  }
  if (t == 0) ladder::wait_until_stored();
}

constexpr unsigned kSolvers = 256, kClusterBlocks = 4, kUnknowns = kSolvers * kClusterBlocks,
                   kGradientSteps = 5;
constexpr float kDiagonal = 2.5f;
/// The sum over all threads of the cluster.
template <typename Cluster>
__device__ __forceinline__ float sum_of_cluster(Cluster& cluster, float mine, float* of_warp,
                                                float* of_block) {
  const unsigned t = threadIdx.x;
  for (int d = 16; d > 0; d /= 2) mine += __shfl_xor_sync(~0u, mine, d);
  if (t % 32 == 0) of_warp[t / 32] = mine;
  __syncthreads();
  if (t == 0) {
    float sum = 0.0f;
    for (unsigned w = 0; w < kSolvers / 32; ++w) sum += of_warp[w];
    *of_block = sum;
  }
  cluster.sync();
  float all = 0.0f;
  for (unsigned b = 0; b < kClusterBlocks; ++b) all += *cluster.map_shared_rank(of_block, b);
  return all;
}
/// Conjugate gradients; what stands on the right is what the array holds, each unknown has two neighbours.
__global__ void __cluster_dims__(kClusterBlocks, 1, 1) __launch_bounds__(kSolvers)
    solve_by_clusters(const float* in, float* out) {
  __shared__ float way[kSolvers], of_warp[2][kSolvers / 32], of_block[2];
  const auto cluster = cooperative_groups::this_cluster();
  const unsigned t = threadIdx.x, rank = cluster.block_rank();
  const std::size_t i = global_index();
  // Their neighbours' nearest; where there is no block, their own, which is not read.
  const float *before = cluster.map_shared_rank(&way[kSolvers - 1], rank == 0 ? 0 : rank - 1),
              *after = cluster.map_shared_rank(&way[0], min(rank + 1, kClusterBlocks - 1));
  float x = 0.0f, rest = in[i], p = rest;
  float size = sum_of_cluster(cluster, rest * rest, of_warp[0], &of_block[0]);
  for (unsigned step = 0; step < kGradientSteps; ++step) {
    way[t] = p;
    cluster.sync();
    float along = kDiagonal * p;
    if (t > 0)
      along -= way[t - 1];
    else if (rank > 0)
      along -= *before;
    if (t + 1 < kSolvers)
      along -= way[t + 1];
    else if (rank + 1 < kClusterBlocks)
      along -= *after;
    const float far = size / sum_of_cluster(cluster, p * along, of_warp[1], &of_block[1]);
    x += far * p;
    rest -= far * along;
    const float left = sum_of_cluster(cluster, rest * rest, of_warp[0], &of_block[0]);
    p = rest + left / size * p;
    size = left;
  }
  out[i] = x;
  cluster.sync();  // none may end while others read
}

constexpr unsigned kWalshRow = 128;
/// A lane has four neighbours of its warp's 128.
__global__ void __launch_bounds__(256) walsh_by_shuffles(const float4* in, float4* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned lane = threadIdx.x % 32;
  const float4 v = in[i];
  float a = v.x + v.y, b = v.x - v.y, c = v.z + v.w, d = v.z - v.w;
  float all[4] = {a + c, b + d, a - c, b - d};
#pragma unroll
  for (unsigned apart = 1; apart < 32; apart *= 2)
#pragma unroll
    for (float& each : all) {
      const float other = __shfl_xor_sync(~0u, each, static_cast<int>(apart));
      each = (lane & apart) == 0 ? each + other : other - each;
    }
  out[i] = make_float4(all[0], all[1], all[2], all[3]);
}

}  // namespace

void blocks(Set& s) {
  const std::size_t n = s.n;
  const unsigned rows = as_number(n / 8 / kShareRow);
  s.run(
      "rows of 512 made shares of one between bulk copies", 8.0 * kShareRow * rows,
      [&] { shares_between_copies<<<s.sms * 8, kShareRow / 4>>>(s.in, s.out, rows); },
      [&] {
        return floats(s, std::size_t{kShareRow} * rows, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kShareRow; ++k)
            sum += std::exp(double{float_of(i / kShareRow * kShareRow + k)});
          return std::exp(double{float_of(i)}) / sum;
        });
      });

  const unsigned systems = as_number(n / 128 / kUnknowns);
  s.run(
      "five steps of conjugate gradients, a cluster each", 8.0 * kUnknowns * systems,
      [&] { solve_by_clusters<<<systems * kClusterBlocks, kSolvers>>>(s.in, s.out); },
      [&] {
        return floats(s, std::size_t{kUnknowns} * systems, [](std::size_t i) {
          std::vector<double> x(kUnknowns), rest(kUnknowns), along(kUnknowns);
          for (std::size_t k = 0; k < kUnknowns; ++k) rest[k] = float_of(i / kUnknowns * kUnknowns + k);
          auto p = rest;
          const auto product = [](const std::vector<double>& a, const std::vector<double>& b) {
            double sum = 0;
            for (std::size_t k = 0; k < kUnknowns; ++k) sum += a[k] * b[k];
            return sum;
          };
          double size = product(rest, rest);
          for (unsigned step = 0; step < kGradientSteps; ++step) {
            for (std::size_t k = 0; k < kUnknowns; ++k)
              along[k] = kDiagonal * p[k] - (k > 0 ? p[k - 1] : 0) - (k + 1 < kUnknowns ? p[k + 1] : 0);
            const double far = size / product(p, along);
            for (std::size_t k = 0; k < kUnknowns; ++k) x[k] += far * p[k], rest[k] -= far * along[k];
            const double left = product(rest, rest);
            for (std::size_t k = 0; k < kUnknowns; ++k) p[k] = rest[k] + left / size * p[k];
            size = left;
          }
          return x[i % kUnknowns];
        });
      });

  const std::size_t transforms = n / 8 / kWalshRow;
  s.run(
      "Walsh's transforms of 128 by shuffles, four a lane", 8.0 * kWalshRow * real(transforms),
      [&] {
        walsh_by_shuffles<<<Set::blocks(transforms * 32), 256>>>(reinterpret_cast<const float4*>(s.in),
                                                                 s.vectors(), transforms * 32);
      },
      [&] {
        return within(s, kWalshRow * transforms, 2e-3, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kWalshRow; ++k) {
            bool odd = false;
            for (std::size_t both = k & i % kWalshRow; both != 0; both &= both - 1) odd = !odd;
            const double v = float_of(i / kWalshRow * kWalshRow + k);
            sum += odd ? -v : v;
          }
          return sum;
        });
      });
}

}  // namespace held_out_12
