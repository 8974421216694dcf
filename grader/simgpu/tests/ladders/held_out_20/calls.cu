/// @file
/// What the host asks for: a matrix squared again and again, bytes up and means of them down, a tree of sums a
/// launch a level.
#include <algorithm>
#include <cstring>

#include "held_out_20.hpp"

namespace held_out_20 {
namespace {

constexpr unsigned kStepsSide = 192, kStepsTile = 16, kStepsRounds = 6, kStepsThreads = 128;
__global__ void __launch_bounds__(kStepsTile* kStepsTile) square_steps(const float* in, float* out) {
  __shared__ float left[kStepsTile][kStepsTile], right[kStepsTile][kStepsTile];
  const unsigned tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * kStepsTile + tx,
                 y = blockIdx.y * kStepsTile + ty;
  float sum = 0.0f;
  for (unsigned from = 0; from < kStepsSide; from += kStepsTile) {
    left[ty][tx] = in[y * kStepsSide + from + tx];
    right[ty][tx] = in[(from + ty) * kStepsSide + x];
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kStepsTile; ++k) sum += left[ty][k] * right[k][tx];
    __syncthreads();
  }
  out[y * kStepsSide + x] = sum;
}
/// A warp has a row, which then adds up to one.
__global__ void __launch_bounds__(kStepsThreads) make_shares(const float* in, float* out) {
  const unsigned row = (blockIdx.x * kStepsThreads + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float v[kStepsSide / 32], sum = 0.0f;
#pragma unroll
  for (unsigned k = 0; k < kStepsSide / 32; ++k) {
    v[k] = in[row * kStepsSide + 32 * k + lane];
    sum += v[k];
  }
#pragma unroll
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
#pragma unroll
  for (unsigned k = 0; k < kStepsSide / 32; ++k) out[row * kStepsSide + 32 * k + lane] = v[k] / sum;
}

constexpr unsigned kMeanBytes = 1024, kMeanThreads = 256;
/// A warp has a kilobyte.
__global__ void __launch_bounds__(kMeanThreads) means_of_kilobytes(const uint4* in, float* out, unsigned m) {
  const unsigned i = (blockIdx.x * kMeanThreads + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (i >= m) return;
  unsigned sum = 0;
#pragma unroll
  for (unsigned k = 0; k < kMeanBytes / 512; ++k) {
    const uint4 v = in[std::size_t{i} * (kMeanBytes / 16) + 32 * k + lane];
    sum = __dp4a(v.x, 0x01010101u, sum);
    sum = __dp4a(v.y, 0x01010101u, sum);
    sum = __dp4a(v.z, 0x01010101u, sum);
    sum = __dp4a(v.w, 0x01010101u, sum);
  }
  sum = __reduce_add_sync(~0u, sum);
  if (lane == 0) out[i] = static_cast<float>(sum) * (1.0f / kMeanBytes);
}

constexpr unsigned kTreeLevels = 15, kTreeWords = 1u << kTreeLevels, kTreeThreads = 128;
__global__ void __launch_bounds__(kTreeThreads) up_the_tree(unsigned* sums, unsigned level) {
  const unsigned i = blockIdx.x * kTreeThreads + threadIdx.x, at = (i + 1) << (level + 1);
  if (at <= kTreeWords) sums[at - 1] += sums[at - 1 - (1u << level)];
}
__global__ void __launch_bounds__(kTreeThreads) down_the_tree(unsigned* sums, unsigned level) {
  const unsigned i = blockIdx.x * kTreeThreads + threadIdx.x, at = (i + 1) << (level + 1);
  if (at > kTreeWords) return;
  const unsigned lower = at - 1 - (1u << level),
                 sum = at == kTreeWords && level == kTreeLevels - 1 ? 0 : sums[at - 1];
  sums[at - 1] = sum + sums[lower];
  sums[lower] = sum;
}

}  // namespace

void calls(Set& s) {
  const std::size_t n = s.n;
  constexpr unsigned kOfSteps = kStepsSide * kStepsSide;
  s.run_whole(
      "a matrix of 192 x 192 squared and its rows made to add up to one, six times",
      16.0 * kOfSteps * kStepsRounds,
      [&] {
        for (unsigned k = 0; k < kStepsRounds; ++k) {
          square_steps<<<dim3(kStepsSide / kStepsTile, kStepsSide / kStepsTile),
                         dim3(kStepsTile, kStepsTile)>>>(k == 0 ? s.in : s.out, s.out + kOfSteps);
          make_shares<<<kStepsSide * 32 / kStepsThreads, kStepsThreads>>>(s.out + kOfSteps, s.out);
        }
      },
      [&] {
        std::vector<double> now(kOfSteps), next(kOfSteps);
        for (std::size_t i = 0; i < kOfSteps; ++i) now[i] = float_of(i);
        for (unsigned round = 0; round < kStepsRounds; ++round) {
          for (std::size_t y = 0; y < kStepsSide; ++y) {
            double* row = next.data() + y * kStepsSide;
            std::fill(row, row + kStepsSide, 0.0);
            for (std::size_t k = 0; k < kStepsSide; ++k)
              for (std::size_t x = 0; x < kStepsSide; ++x)
                row[x] += now[y * kStepsSide + k] * now[k * kStepsSide + x];
            double sum = 0;
            for (std::size_t x = 0; x < kStepsSide; ++x) sum += row[x];
            for (std::size_t x = 0; x < kStepsSide; ++x) row[x] /= sum;
          }
          now.swap(next);
        }
        return near_everywhere(s, kOfSteps, 1e-6, [&](std::size_t i) { return now[i]; });
      });

  const unsigned kilobytes = as_number(n / 4 / kMeanBytes);
  const std::size_t all = std::size_t{kMeanBytes} * kilobytes;
  unsigned* bytes = nullptr;
  float* means = nullptr;
  ladder::check(cudaMallocHost(&bytes, all), "pinned");
  ladder::check(cudaMallocHost(&means, kilobytes * sizeof(float)), "pinned");
  std::memset(means, 0, kilobytes * sizeof(float));
  for (std::size_t i = 0; i < all / 4; ++i) bytes[i] = word_of(i + 97);
  s.run(
      "bytes up from pinned memory, the mean of each kilobyte of them down", real(all) + 4.0 * kilobytes,
      [&] {
        cudaMemcpyAsync(s.out, bytes, all, cudaMemcpyHostToDevice);
        means_of_kilobytes<<<Set::blocks(std::size_t{kilobytes} * 32, kMeanThreads), kMeanThreads>>>(
            reinterpret_cast<const uint4*>(s.out), s.out + all / 4, kilobytes);
        cudaMemcpyAsync(means, s.out + all / 4, kilobytes * sizeof(float), cudaMemcpyDeviceToHost);
      },
      [&] {
        for (std::size_t i = 0; i < kilobytes; ++i) {
          unsigned sum = 0;
          for (std::size_t k = 4 * 97 + i * kMeanBytes; k < 4 * 97 + (i + 1) * kMeanBytes; ++k)
            sum += byte_of(k);
          if (means[i] != static_cast<float>(sum) / kMeanBytes) return false;
        }
        return true;
      });
  cudaFreeHost(bytes), cudaFreeHost(means);

  s.run_whole(
      "sums before each of 32768 words up a tree and down again, a launch a level", 36.0 * kTreeWords,
      [&] {
        cudaMemcpyAsync(s.out, s.words, kTreeWords * sizeof(unsigned), cudaMemcpyDeviceToDevice);
        for (unsigned level = 0; level < kTreeLevels; ++level)
          up_the_tree<<<Set::blocks(kTreeWords >> (level + 1), kTreeThreads), kTreeThreads>>>(s.numbers(),
                                                                                              level);
        for (unsigned level = kTreeLevels; level-- > 0;)
          down_the_tree<<<Set::blocks(kTreeWords >> (level + 1), kTreeThreads), kTreeThreads>>>(s.numbers(),
                                                                                                level);
      },
      [&] {
        unsigned sum = 0;
        return same_everywhere(s, kTreeWords, [&](std::size_t i) {
          const unsigned before = sum;
          sum += word_of(i);
          return before;
        });
      });
}

}  // namespace held_out_20
