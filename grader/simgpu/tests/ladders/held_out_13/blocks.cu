/// @file
/// What blocks and warps do together: look-ups in nearly all shared memory of an SM, a part of L2 read over and
/// over, rows that one warp fetches in bulk for four others, rows that each warp copies ahead for itself, plates
/// that cool in clusters.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include "../bulk.hpp"
#include "held_out_13.hpp"

namespace held_out_13 {
namespace {

constexpr unsigned kGreatTable = 49152, kGreatThreads = 1024;
/// A table of 192 kB, one block an SM.
__global__ void __launch_bounds__(kGreatThreads)
    look_up_in_shared(const uint4* table, const unsigned* words, unsigned* out, std::size_t m) {
  extern __shared__ uint4 great_table[];
  for (unsigned k = threadIdx.x; k < kGreatTable / 4; k += kGreatThreads) great_table[k] = table[k];
  __syncthreads();
  const auto* entries = reinterpret_cast<const unsigned*>(great_table);
  for (std::size_t i = global_index(); i < m; i += stride())
    out[i] = entries[place_of(words[i], kGreatTable)];
}

constexpr unsigned kTimesOver = 6;
/// The times over follow without a pause.
__global__ void __launch_bounds__(256) add_up_again(const uint4* in, unsigned* out, unsigned m) {
  unsigned sum = 0, at = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned threads = gridDim.x * blockDim.x;
  for (unsigned i = at; i < kTimesOver * m; i += threads) {
    while (at >= m) at -= m;
    const uint4 v = in[at];
    sum = sum * 3 + (v.x ^ v.y) + (v.z ^ v.w);
    at += threads;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

constexpr unsigned kDotRow = 512, kDotStages = 8, kDotWarps = 4;
/// Warp 0 asks for both rows of a turn, eight turns ahead; the others take turns with what has come.
__global__ void __launch_bounds__(32 * (1 + kDotWarps))
    dots_of_fetched_rows(const float* a, const float* b, float* out, unsigned rows) {
  __shared__ alignas(128) float4 stages[kDotStages][2][kDotRow / 4];
  __shared__ std::uint64_t come[kDotStages], done[kDotStages];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (std::uint64_t& each : come) ladder::init_barrier(&each, 2);
    for (std::uint64_t& each : done) ladder::init_barrier(&each, 1);
    ladder::publish_barriers();
  }
  __syncthreads();
  if (warp == 0) {
    if (lane != 0) return;
    for (unsigned turn = 0; blockIdx.x + turn * gridDim.x < rows; ++turn) {
      const unsigned stage = turn % kDotStages;
      const std::size_t from = std::size_t{blockIdx.x + turn * gridDim.x} * kDotRow;
      if (turn >= kDotStages) ladder::wait_for(&done[stage], (turn / kDotStages - 1) % 2);
      ladder::bulk_load(stages[stage][0], a + from, kDotRow * 4, &come[stage]);
      ladder::bulk_load(stages[stage][1], b + from, kDotRow * 4, &come[stage]);
    }
    return;
  }
  for (unsigned turn = warp - 1; blockIdx.x + turn * gridDim.x < rows; turn += kDotWarps) {
    const unsigned stage = turn % kDotStages;
    ladder::wait_for(&come[stage], turn / kDotStages % 2);
    float sum = 0.0f;
#pragma unroll
    for (unsigned k = 0; k < kDotRow / 4; k += 32) {
      const float4 u = stages[stage][0][k + lane], v = stages[stage][1][k + lane];
      sum += (u.x * v.x + u.y * v.y) + (u.z * v.z + u.w * v.w);
    }
    __syncwarp();
    if (lane == 0)
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(ladder::shared_address(&done[stage]))
                   : "memory");
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) out[blockIdx.x + turn * gridDim.x] = sum;
  }
}

constexpr unsigned kOwnRow = 640, kOwnStages = 3, kOwnWarps = 4;
/// Each lane reads what it has copied itself, so nothing waits for others.
__global__ void __launch_bounds__(32 * kOwnWarps)
    squares_of_own_rows(const float4* in, float* out, unsigned rows) {
  __shared__ float4 stages[kOwnWarps][kOwnStages][kOwnRow / 4];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = gridDim.x * kOwnWarps;
  const auto fetch = [&](unsigned row, unsigned stage) {
    if (row < rows)
#pragma unroll
      for (unsigned k = lane; k < kOwnRow / 4; k += 32)
        __pipeline_memcpy_async(&stages[warp][stage][k], in + std::size_t{row} * (kOwnRow / 4) + k, 16);
    __pipeline_commit();
  };
  const unsigned first = blockIdx.x * kOwnWarps + warp;
  fetch(first, 0);
  fetch(first + warps, 1);
  unsigned stage = 0;
  for (unsigned row = first; row < rows; row += warps) {
    fetch(row + 2 * warps, (stage + 2) % kOwnStages);
    __pipeline_wait_prior(2);
    float sum = 0.0f;
#pragma unroll
    for (unsigned k = lane; k < kOwnRow / 4; k += 32) {
      const float4 v = stages[warp][stage][k];
      sum += (v.x * v.x + v.y * v.y) + (v.z * v.z + v.w * v.w);
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) out[row] = sum;
    stage = (stage + 1) % kOwnStages;
  }
}

constexpr unsigned kPlate = 64, kPlateBlocks = 4, kPlateRows = kPlate / kPlateBlocks, kPlateSteps = 4;
constexpr std::size_t kOfPlate = std::size_t{kPlate} * kPlate, kPlateRim = kPlate + 2;
constexpr float kPlatePart = 0.15f;
/// Each block has sixteen rows, and reads the row beside them out of its neighbour; beyond the plate is nought.
__global__ void __cluster_dims__(1, kPlateBlocks, 1) __launch_bounds__(kPlate * 4)
    cool_plates(const float* in, float* out) {
  __shared__ float rows[2][kPlateRows][kPlate];
  const auto cluster = cooperative_groups::this_cluster();
  const unsigned x = threadIdx.x, ty = threadIdx.y, rank = cluster.block_rank();
  const float *above = cluster.map_shared_rank(&rows[0][0][0], rank == 0 ? 0 : rank - 1),
              *below = cluster.map_shared_rank(&rows[0][0][0], min(rank + 1, kPlateBlocks - 1));
  const std::size_t base = (std::size_t{blockIdx.x} * kPlate + rank * kPlateRows) * kPlate + x;
  for (unsigned y = ty; y < kPlateRows; y += 4) rows[0][y][x] = in[base + y * kPlate];
  cluster.sync();
  for (unsigned step = 0; step < kPlateSteps; ++step) {
    const unsigned now = step % 2;
    const float *last_above = above + (now * kPlateRows + kPlateRows - 1) * kPlate + x,
                *first_below = below + now * kPlateRows * kPlate + x;
    for (unsigned y = ty; y < kPlateRows; y += 4) {
      const float here = rows[now][y][x];
      const float up = y > 0 ? rows[now][y - 1][x] : rank > 0 ? *last_above : 0.0f;
      const float down = y + 1 < kPlateRows        ? rows[now][y + 1][x]
                         : rank + 1 < kPlateBlocks ? *first_below
                                                   : 0.0f;
      const float left = x > 0 ? rows[now][y][x - 1] : 0.0f,
                  right = x + 1 < kPlate ? rows[now][y][x + 1] : 0.0f;
      rows[1 - now][y][x] = here + kPlatePart * (((up + down) + (left + right)) - 4.0f * here);
    }
    cluster.sync();
  }
  for (unsigned y = ty; y < kPlateRows; y += 4) out[base + y * kPlate] = rows[kPlateSteps % 2][y][x];
}

}  // namespace

void blocks(Set& s) {
  const std::size_t n = s.n;
  ladder::check(cudaFuncSetAttribute(look_up_in_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     kGreatTable * sizeof(unsigned)),
                "shared memory");
  const std::size_t asked = n / 8;
  s.run(
      "words looked up in a table of 192 kB of shared memory", 8.0 * real(asked),
      [&] {
        look_up_in_shared<<<s.sms, kGreatThreads, kGreatTable * sizeof(unsigned)>>>(
            reinterpret_cast<const uint4*>(s.words), s.words, s.numbers(), asked);
      },
      [&] {
        return numbers(s, asked, [](std::size_t i) { return word_of(place_of(word_of(i), kGreatTable)); });
      });

  const unsigned again = as_number(n / 32 / 4);
  s.run(
      "a third of L2 read six times over", 16.0 * kTimesOver * again,
      [&] { add_up_again<<<s.sms * 6, 256>>>(reinterpret_cast<const uint4*>(s.words), s.numbers(), again); },
      [&] {
        const std::size_t threads = std::size_t{s.sms} * 6 * 256;
        return numbers(s, threads, [&](std::size_t t) {
          unsigned sum = 0;
          for (std::size_t i = t; i < std::size_t{kTimesOver} * again; i += threads) {
            const std::size_t at = 4 * (i % again);
            sum = sum * 3 + (word_of(at) ^ word_of(at + 1)) + (word_of(at + 2) ^ word_of(at + 3));
          }
          return sum;
        });
      });

  const unsigned dots = as_number(n / 8 / kDotRow);
  s.run(
      "dot products of rows that one warp fetches in bulk for four", (8.0 * kDotRow + 4.0) * dots,
      [&] { dots_of_fetched_rows<<<s.sms * 4, 32 * (1 + kDotWarps)>>>(s.in, s.other, s.out, dots); },
      [&] {
        return floats(s, dots, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = i * kDotRow; k < (i + 1) * kDotRow; ++k)
            sum += double{float_of(k)} * other_of(k);
          return sum;
        });
      });

  const unsigned rows = as_number(n / 4 / kOwnRow);
  s.run(
      "squares of rows of 640, each warp two rows ahead by itself", (4.0 * kOwnRow + 4.0) * rows,
      [&] {
        squares_of_own_rows<<<s.sms * 5, 32 * kOwnWarps>>>(reinterpret_cast<const float4*>(s.in), s.out,
                                                           rows);
      },
      [&] {
        return floats(s, rows, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = i * kOwnRow; k < (i + 1) * kOwnRow; ++k)
            sum += double{float_of(k)} * float_of(k);
          return sum;
        });
      });

  const unsigned plates = as_number(n / 16 / kOfPlate);
  s.run(
      "four steps of heat on plates of 64 x 64, a cluster of four each", 8.0 * real(kOfPlate) * plates,
      [&] { cool_plates<<<dim3(plates, kPlateBlocks), dim3(kPlate, 4)>>>(s.in, s.out); },
      [&] {
        return floats(s, kOfPlate * plates, [](std::size_t i) {
          std::vector<double> plate(kPlateRim * kPlateRim);
          const auto place = [](std::size_t k) { return (k / kPlate + 1) * kPlateRim + k % kPlate + 1; };
          for (std::size_t k = 0; k < kOfPlate; ++k) plate[place(k)] = float_of(i / kOfPlate * kOfPlate + k);
          for (unsigned step = 0; step < kPlateSteps; ++step) {
            auto next = plate;
            for (std::size_t k = 0; k < kOfPlate; ++k) {
              const std::size_t at = place(k);
              next[at] += double{kPlatePart} * (plate[at - 1] + plate[at + 1] + plate[at - kPlateRim] +
                                                plate[at + kPlateRim] - 4 * plate[at]);
            }
            plate = next;
          }
          return plate[place(i % kOfPlate)];
        });
      });
}

}  // namespace held_out_13
