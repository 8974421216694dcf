/// @file
/// What the host asks for: levels replaced by a curve that the host makes, copies that grow, rounds of
/// three launches.
#include "held_out_19.hpp"

namespace held_out_19 {
namespace {

constexpr unsigned kCurveLevels = 256, kCurveWords = 1u << 18, kCurveThreads = 256;
__global__ void __launch_bounds__(kCurveThreads) count_for_curve(const unsigned* words, unsigned* counts) {
  __shared__ unsigned counters[kCurveLevels];
  counters[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * kCurveThreads + threadIdx.x; i < kCurveWords;
       i += gridDim.x * kCurveThreads) {
    const unsigned word = words[i];
#pragma unroll
    for (unsigned k = 0; k < 32; k += 8) atomicAdd(counters + (word >> k & 255), 1u);
  }
  __syncthreads();
  atomicAdd(counts + threadIdx.x, counters[threadIdx.x]);
}
__global__ void __launch_bounds__(kCurveThreads)
    replace_by_curve(const unsigned* words, const unsigned char* curve, unsigned* out) {
  const unsigned i = blockIdx.x * kCurveThreads + threadIdx.x, word = words[i];
  unsigned replaced = 0;
#pragma unroll
  for (unsigned k = 0; k < 32; k += 8) replaced |= static_cast<unsigned>(curve[word >> k & 255]) << k;
  out[i] = replaced;
}
/// Each level becomes the part of all bytes that are not above it.
void make_curve(const unsigned* counts, unsigned char* curve) {
  unsigned long long sum = 0;
  for (unsigned k = 0; k < kCurveLevels; ++k) {
    sum += counts[k];
    curve[k] = static_cast<unsigned char>(255 * sum / (4ull * kCurveWords));
  }
}

constexpr unsigned kGrowing = 8, kGrowingParts = (1u << kGrowing) - 1;

constexpr unsigned kPowerSide = 512, kPowerRounds = 10, kPowerThreads = 256;
/// A warp has a row.
__global__ void __launch_bounds__(kPowerThreads)
    power_product(const float* matrix, const float* vector, float* out) {
  const unsigned row = (blockIdx.x * kPowerThreads + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float sum = 0.0f;
#pragma unroll
  for (unsigned k = lane; k < kPowerSide; k += 32) sum += matrix[row * kPowerSide + k] * vector[k];
#pragma unroll
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) out[row] = sum;
}
__global__ void __launch_bounds__(kPowerSide) power_length(const float* vector, float* length) {
  __shared__ float held[kPowerSide];
  const unsigned t = threadIdx.x;
  held[t] = vector[t] * vector[t];
  __syncthreads();
  for (unsigned half = kPowerSide / 2; half > 0; half /= 2) {
    if (t < half) held[t] += held[t + half];
    __syncthreads();
  }
  if (t == 0) *length = sqrtf(held[0]);
}
__global__ void __launch_bounds__(kPowerThreads)
    power_divide(const float* vector, const float* length, float* out) {
  const unsigned i = blockIdx.x * kPowerThreads + threadIdx.x;
  out[i] = vector[i] / *length;
}

}  // namespace

void calls(Set& s) {
  const std::size_t n = s.n;
  unsigned *counts = nullptr, *counts_there = s.numbers() + kCurveWords;
  unsigned char *curve = nullptr,
                *curve_there = reinterpret_cast<unsigned char*>(counts_there + kCurveLevels);
  ladder::check(cudaMallocHost(&counts, kCurveLevels * sizeof(unsigned)), "pinned");
  ladder::check(cudaMallocHost(&curve, kCurveLevels), "pinned");
  s.run_whole(
      "levels of a megabyte counted and brought down, replaced by a curve that the host makes of them",
      12.0 * kCurveWords,
      [&] {
        cudaMemsetAsync(counts_there, 0, kCurveLevels * sizeof(unsigned));
        count_for_curve<<<64, kCurveThreads>>>(s.words, counts_there);
        cudaMemcpyAsync(counts, counts_there, kCurveLevels * sizeof(unsigned), cudaMemcpyDeviceToHost);
        cudaStreamSynchronize(nullptr);
        make_curve(counts, curve);
        cudaMemcpyAsync(curve_there, curve, kCurveLevels, cudaMemcpyHostToDevice);
        replace_by_curve<<<kCurveWords / kCurveThreads, kCurveThreads>>>(s.words, curve_there, s.numbers());
      },
      [&] {
        std::vector<unsigned> want(kCurveLevels);
        std::vector<unsigned char> levels(kCurveLevels);
        for (std::size_t i = 0; i < 4 * std::size_t{kCurveWords}; ++i) ++want[byte_of(i)];
        make_curve(want.data(), levels.data());
        return same_everywhere<unsigned char>(s, 4 * std::size_t{kCurveWords},
                                              [&](std::size_t i) { return levels[byte_of(i)]; });
      });
  cudaFreeHost(counts), cudaFreeHost(curve);

  const std::size_t part = n >> 15, grown = part * kGrowingParts;
  unsigned* growing = nullptr;
  ladder::check(cudaMallocHost(&growing, grown * sizeof(unsigned)), "pinned");
  for (std::size_t i = 0; i < grown; ++i) growing[i] = word_of(i + 83);
  s.run(
      "eight copies up from pinned memory, each twice as long as the one before", 4.0 * real(grown),
      [&] {
        for (std::size_t k = 0; k < kGrowing; ++k) {
          const std::size_t first = part * ((std::size_t{1} << k) - 1);
          cudaMemcpyAsync(s.numbers() + first, growing + first, (part << k) * sizeof(unsigned),
                          cudaMemcpyHostToDevice);
        }
      },
      [&] { return same_everywhere(s, grown, [](std::size_t i) { return word_of(i + 83); }); });
  cudaFreeHost(growing);

  s.run_whole(
      "a matrix of 512 x 512 by a vector, its length and the division by it, ten rounds of three launches",
      4.0 * kPowerRounds * kPowerSide * (kPowerSide + 5.0),
      [&] {
        float *product = s.out + kPowerSide, *length = product + kPowerSide;
        for (unsigned k = 0; k < kPowerRounds; ++k) {
          power_product<<<kPowerSide * 32 / kPowerThreads, kPowerThreads>>>(s.in, k == 0 ? s.other : s.out,
                                                                            product);
          power_length<<<1, kPowerSide>>>(product, length);
          power_divide<<<kPowerSide / kPowerThreads, kPowerThreads>>>(product, length, s.out);
        }
      },
      [&] {
        std::vector<double> v(kPowerSide), product(kPowerSide);
        for (std::size_t i = 0; i < kPowerSide; ++i) v[i] = other_of(i);
        for (unsigned k = 0; k < kPowerRounds; ++k) {
          double squares = 0;
          for (std::size_t y = 0; y < kPowerSide; ++y) {
            product[y] = 0;
            for (std::size_t x = 0; x < kPowerSide; ++x) product[y] += float_of(y * kPowerSide + x) * v[x];
            squares += product[y] * product[y];
          }
          for (std::size_t i = 0; i < kPowerSide; ++i) v[i] = product[i] / std::sqrt(squares);
        }
        return near_everywhere(s, kPowerSide, 1e-6, [&](std::size_t i) { return v[i]; });
      });
}

}  // namespace held_out_19
