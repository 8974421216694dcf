/// @file
/// Blocks, warps and grids that hand data on: rows picked ahead by cp.async, boxes of a tensor map in and out, bodies in
/// a cluster's shared memory, a picture halved by one grid, rows that lanes go along, points of a warp.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include "../bulk.hpp"
#include "../tensor_maps.hpp"
#include "held_out_17.hpp"

namespace held_out_17 {
namespace {

constexpr unsigned kPickedRow = 512, kPickedThreads = kPickedRow / 4, kPickedStages = 3;
/// Each float less the one before it in its row, the first less the last. Two rows are on their way.
__global__ void __launch_bounds__(kPickedThreads)
    pick_rows(const float4* in, const unsigned* picks, float4* out, unsigned rows, unsigned picked) {
  __shared__ alignas(16) float held[kPickedStages][kPickedRow];
  const unsigned t = threadIdx.x;
  const auto fetch = [&](unsigned pick, unsigned stage) {
    if (pick < picked)
      __pipeline_memcpy_async(&held[stage][4 * t],
                              in + std::size_t{place_of(picks[pick], rows)} * kPickedThreads + t, 16);
    __pipeline_commit();
  };
  for (unsigned k = 0; k + 1 < kPickedStages; ++k) fetch(blockIdx.x + k * gridDim.x, k);
  unsigned now = 0;
  for (unsigned pick = blockIdx.x; pick < picked; pick += gridDim.x) {
    fetch(pick + (kPickedStages - 1) * gridDim.x, (now + kPickedStages - 1) % kPickedStages);
    __pipeline_wait_prior(kPickedStages - 1);
    __syncthreads();
    const float4 v = *reinterpret_cast<const float4*>(&held[now][4 * t]);
    const float before = held[now][(4 * t + kPickedRow - 1) % kPickedRow];
    out[std::size_t{pick} * kPickedThreads + t] = make_float4(v.x - before, v.y - v.x, v.z - v.y, v.w - v.z);
    __syncthreads();  // the last but one comes to where this one was
    now = (now + 1) % kPickedStages;
  }
}

constexpr unsigned kMirrorWide = 1024, kMirrorBoxX = 32, kMirrorBoxY = 16, kMirrorThreads = 128,
                   kMirrorBytes = kMirrorBoxX * kMirrorBoxY * sizeof(float);
__global__ void __launch_bounds__(kMirrorThreads)
    mirror_boxes(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
  __shared__ alignas(128) float come_box[kMirrorBoxY][kMirrorBoxX], gone_box[kMirrorBoxY][kMirrorBoxX];
  __shared__ std::uint64_t come;
  const unsigned x0 = blockIdx.x * kMirrorBoxX, y0 = blockIdx.y * kMirrorBoxY, t = threadIdx.x;
  if (t == 0) {
    ladder::init_barrier(&come, 1);
    ladder::publish_barriers();
    const unsigned barrier = ladder::shared_address(&come);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(kMirrorBytes)
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(ladder::shared_address(&come_box[0][0])),
        "l"(&from), "r"(x0), "r"(y0), "r"(barrier)
        : "memory");
  }
  __syncthreads();
  ladder::wait_for(&come, 0);
#pragma unroll
  for (unsigned k = t; k < kMirrorBoxX * kMirrorBoxY; k += kMirrorThreads)
    gone_box[k / kMirrorBoxX][kMirrorBoxX - 1 - k % kMirrorBoxX] = come_box[k / kMirrorBoxX][k % kMirrorBoxX];
  ladder::publish_stores();
  __syncthreads();
  if (t == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&to),
                 "r"(kMirrorWide - kMirrorBoxX - x0), "r"(y0), "r"(ladder::shared_address(&gone_box[0][0]))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    ladder::wait_until_read();
  }
}

constexpr unsigned kPullCluster = 8, kPullThreads = 256, kPullBodies = kPullCluster * kPullThreads;
constexpr float kPullSoftened = 0.05f;
/// A thread has a body; a block's are read by the whole cluster.
__global__ void __cluster_dims__(kPullCluster, 1, 1) __launch_bounds__(kPullThreads)
    pull_of_cluster(const float4* bodies, float4* out) {
  __shared__ float4 own[kPullThreads];
  const auto cluster = cooperative_groups::this_cluster();
  const std::size_t i = global_index();
  const float4 body = bodies[i];
  own[threadIdx.x] = body;
  cluster.sync();
  float x = 0.0f, y = 0.0f, z = 0.0f;
  for (unsigned k = 0; k < kPullCluster; ++k) {
    const float4* others = cluster.map_shared_rank(own, (cluster.block_rank() + k) % kPullCluster);
#pragma unroll 8
    for (unsigned j = 0; j < kPullThreads; ++j) {
      const float4 other = others[j];
      const float dx = other.x - body.x, dy = other.y - body.y, dz = other.z - body.z;
      const float near = rsqrtf(dx * dx + dy * dy + dz * dz + kPullSoftened);
      const float pull = other.w * near * near * near;
      x += pull * dx, y += pull * dy, z += pull * dz;
    }
  }
  out[i] = make_float4(x, y, z, body.w);
  cluster.sync();  // nobody leaves while others read
}

constexpr unsigned kHalvedWide = 2048, kHalvings = 4;
/// Each level lies behind the one before.
__global__ void __launch_bounds__(256) halve_in_one_grid(const float* in, float* out, unsigned high) {
  const auto grid = cooperative_groups::this_grid();
  const float* from = in;
  float* to = out;
  unsigned wide = kHalvedWide;
  for (unsigned level = 0; level < kHalvings; ++level) {
    if (level > 0) grid.sync();
    const unsigned half = wide / 2, count = half * (high / 2);
    for (std::size_t k = global_index(); k < count; k += stride()) {
      const float* upper = from + k / half * 2 * wide + k % half * 2;
      to[k] = 0.25f * ((upper[0] + upper[1]) + (upper[wide] + upper[wide + 1]));
    }
    from = to;
    to += count;
    wide = half;
    high /= 2;
  }
}

constexpr unsigned kAlongRow = 24, kAlongThreads = 128, kAlongBlock = kAlongRow * kAlongThreads;
/// Rows are brought to a mean of nought and a spread of one. Eight lanes' rows begin in the same bank.
__global__ void __launch_bounds__(kAlongThreads) go_along_rows(const float4* in, float4* out) {
  __shared__ alignas(16) float held[kAlongBlock];
  const std::size_t first = std::size_t{blockIdx.x} * (kAlongBlock / 4);
#pragma unroll
  for (unsigned k = threadIdx.x; k < kAlongBlock / 4; k += kAlongThreads)
    *reinterpret_cast<float4*>(held + 4 * k) = in[first + k];
  __syncthreads();
  float* row = held + threadIdx.x * kAlongRow;
  float sum = 0.0f, squares = 0.0f;
#pragma unroll 4
  for (unsigned k = 0; k < kAlongRow; ++k) sum += row[k];
  const float mean = sum * (1.0f / kAlongRow);
#pragma unroll 4
  for (unsigned k = 0; k < kAlongRow; ++k) squares += (row[k] - mean) * (row[k] - mean);
  const float scale = rsqrtf(squares * (1.0f / kAlongRow));
#pragma unroll 4
  for (unsigned k = 0; k < kAlongRow; ++k) row[k] = (row[k] - mean) * scale;
  __syncthreads();
#pragma unroll
  for (unsigned k = threadIdx.x; k < kAlongBlock / 4; k += kAlongThreads)
    out[first + k] = *reinterpret_cast<const float4*>(held + 4 * k);
}

__host__ __device__ __forceinline__ float square_away(float x, float y) {
  return fmaf(x, x, y * y);  // rounded alike everywhere
}
/// Which other lane's point is nearest to a lane's own.
__global__ void __launch_bounds__(256) nearest_of_warp(const float2* points, unsigned* out) {
  const unsigned lane = threadIdx.x % 32;
  const float2 own = points[global_index()];
  float least = 1e30f;
  unsigned nearest = lane;
#pragma unroll
  for (unsigned d = 1; d < 32; ++d) {
    const unsigned of = (lane + d) % 32;
    const float away = square_away(__shfl_sync(~0u, own.x, static_cast<int>(of)) - own.x,
                                   __shfl_sync(~0u, own.y, static_cast<int>(of)) - own.y);
    if (away < least) {
      least = away;
      nearest = of;
    }
  }
  out[global_index()] = nearest + 1;
}

}  // namespace

void blocks(Set& s) {
  const std::size_t n = s.n;
  const unsigned picked = as_number(n / 8 / kPickedRow), rows = as_number(n / kPickedRow);
  s.run(
      "rows of 2 kB picked by number and brought by cp.async, two ahead", (8.0 * kPickedRow + 4.0) * picked,
      [&] {
        pick_rows<<<s.sms * 8, kPickedThreads>>>(reinterpret_cast<const float4*>(s.in), s.words, s.vectors(),
                                                 rows, picked);
      },
      [&] {
        return within(s, std::size_t{kPickedRow} * picked, 1e-5, [&](std::size_t i) {
          const std::size_t row = std::size_t{place_of(word_of(i / kPickedRow), rows)} * kPickedRow;
          return double{float_of(row + i % kPickedRow)} -
                 float_of(row + (i % kPickedRow + kPickedRow - 1) % kPickedRow);
        });
      });

  const unsigned mirrored = as_number(n / 8 / kMirrorWide / kMirrorBoxY * kMirrorBoxY);
  CUtensorMap from, to;
  const cuuint64_t sizes[2] = {kMirrorWide, mirrored}, apart[1] = {kMirrorWide * sizeof(float)};
  const cuuint32_t box[2] = {kMirrorBoxX, kMirrorBoxY};
  const bool made = ladder::make_tensor_map(&from, s.in, sizes, apart, box) &&
                    ladder::make_tensor_map(&to, s.out, sizes, apart, box);
  s.run(
      "picture mirrored from left to right by boxes of tensor maps, in and out", 8.0 * kMirrorWide * mirrored,
      [&] {
        if (made)
          mirror_boxes<<<dim3(kMirrorWide / kMirrorBoxX, mirrored / kMirrorBoxY), kMirrorThreads>>>(from, to);
      },
      [&] {
        return floats(s, std::size_t{kMirrorWide} * mirrored, [](std::size_t i) {
          return double{float_of(i / kMirrorWide * kMirrorWide + kMirrorWide - 1 - i % kMirrorWide)};
        });
      });

  const unsigned systems = s.sms * 6 / 11;
  s.run(
      "pull of 2048 bodies by clusters of eight, out of each other's shared memory",
      32.0 * kPullBodies * systems,
      [&] {
        pull_of_cluster<<<kPullCluster * systems, kPullThreads>>>(reinterpret_cast<const float4*>(s.in),
                                                                  s.vectors());
      },
      [&] {
        return within(s, 4 * std::size_t{kPullBodies} * systems, 2.0, [](std::size_t i) {
          const std::size_t own = i / 4 * 4, axis = i % 4, first = i / 4 / kPullBodies * kPullBodies;
          if (axis == 3) return double{float_of(i)};
          double sum = 0;
          for (std::size_t k = first; k < first + kPullBodies; ++k) {
            double square = kPullSoftened, along = 0;
            for (std::size_t a = 0; a < 3; ++a) {
              const double away = double{float_of(4 * k + a)} - float_of(own + a);
              square += away * away;
              if (a == axis) along = away;
            }
            sum += double{float_of(4 * k + 3)} * along / (square * std::sqrt(square));
          }
          return sum;
        });
      });

  unsigned halved = as_number(n / 4 / kHalvedWide / (1u << kHalvings) * (1u << kHalvings));
  const std::size_t of_first = std::size_t{kHalvedWide / 2} * (halved / 2),
                    of_all = of_first + of_first / 4 + of_first / 16 + of_first / 64;
  s.run(
      "picture halved four times by one grid, with barriers in between", 20.0 * real(of_all),
      [&] {
        void* arguments[] = {&s.in, &s.out, &halved};
        cudaLaunchCooperativeKernel(reinterpret_cast<void*>(halve_in_one_grid), dim3(s.sms * 8), dim3(256),
                                    arguments, 0, nullptr);
      },
      [&] {
        return floats(s, of_all, [&](std::size_t i) {
          std::size_t side = 2, of_level = of_first;
          for (; i >= of_level; side *= 2) {
            i -= of_level;
            of_level /= 4;
          }
          const std::size_t x = i % (kHalvedWide / side) * side, y = i / (kHalvedWide / side) * side;
          double sum = 0;
          for (std::size_t k = 0; k < side * side; ++k)
            sum += float_of((y + k / side) * kHalvedWide + x + k % side);
          return sum / real(side * side);
        });
      });

  const unsigned along = as_number(n / 8 / kAlongBlock);
  s.run(
      "rows of 24 floats in shared memory, a lane goes along each, conflicts of eight",
      8.0 * kAlongBlock * along,
      [&] { go_along_rows<<<along, kAlongThreads>>>(reinterpret_cast<const float4*>(s.in), s.vectors()); },
      [&] {
        return within(s, std::size_t{kAlongBlock} * along, 1e-3, [](std::size_t i) {
          const std::size_t row = i / kAlongRow * kAlongRow;
          double mean = 0, squares = 0;
          for (std::size_t k = row; k < row + kAlongRow; ++k) mean += float_of(k) / double{kAlongRow};
          for (std::size_t k = row; k < row + kAlongRow; ++k)
            squares += (float_of(k) - mean) * (float_of(k) - mean);
          return (float_of(i) - mean) / std::sqrt(squares / kAlongRow);
        });
      });

  const unsigned points = as_number(n / 32 / 256 * 256);
  s.run(
      "nearest of a warp's other points to each, by shuffles", 12.0 * points,
      [&] { nearest_of_warp<<<points / 256, 256>>>(reinterpret_cast<const float2*>(s.in), s.numbers()); },
      [&] {
        return numbers(s, points, [](std::size_t i) {
          float least = 1e30f;
          std::size_t nearest = 0;
          for (std::size_t d = 1; d < 32; ++d) {
            const std::size_t of = (i + d) % 32, at = i / 32 * 32 + of;
            const float away =
                square_away(float_of(2 * at) - float_of(2 * i), float_of(2 * at + 1) - float_of(2 * i + 1));
            if (away >= least) continue;
            least = away;
            nearest = of;
          }
          return as_number(nearest + 1);
        });
      });
}

}  // namespace held_out_17
