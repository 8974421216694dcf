/// @file
/// Counts: directions of slopes in cells of a picture, 64 classes in counters of a byte, a column a thread.
#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

constexpr int kHistogramsWide = 512, kBins = 9;

__host__ __device__ __forceinline__ int bin_of(float gx, float gy) {
  float angle = atan2f(gy, gx);
  if (angle < 0) angle += 3.14159274f;
  const int bin = static_cast<int>(angle * (kBins / 3.14159274f));
  return bin < kBins ? bin : 0;
}
/// Four cells of 8 x 8 a block; a cell's nine directions weigh their slopes.
__global__ void directions_of_cells(const float* picture, float* cells, int high) {
  __shared__ float weight[4][kBins];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 32 + tx;
  if (t < 4 * kBins) weight[t / kBins][t % kBins] = 0.0f;
  __syncthreads();
  const int x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;
  const int left = max(x - 1, 0), right = min(x + 1, kHistogramsWide - 1), up = max(y - 1, 0),
            down = min(y + 1, high - 1);
  const float gx = picture[y * kHistogramsWide + right] - picture[y * kHistogramsWide + left];
  const float gy = picture[down * kHistogramsWide + x] - picture[up * kHistogramsWide + x];
  atomicAdd(&weight[tx / 8][bin_of(gx, gy)], sqrtf(gx * gx + gy * gy));
  __syncthreads();
  const int cell = blockIdx.y * (kHistogramsWide / 8) + blockIdx.x * 4;
  if (t < 4 * kBins) cells[cell * kBins + t] = weight[t / kBins][t % kBins];
}

constexpr unsigned kClasses = 64, kThreads = 64, kWords = 60;
/// No counter of a thread gets past 240.
__global__ void __launch_bounds__(kThreads) count_in_bytes(const unsigned* data, unsigned* parts) {
  __shared__ unsigned char counts[kClasses * kThreads];
  for (unsigned k = threadIdx.x; k < kClasses * kThreads / 4; k += kThreads)
    reinterpret_cast<unsigned*>(counts)[k] = 0;
  __syncthreads();
  const unsigned* mine = data + blockIdx.x * (kThreads * kWords);
  for (unsigned k = 0; k < kWords; ++k) {
    const unsigned w = mine[k * kThreads + threadIdx.x];
    ++counts[(w >> 2 & 63) * kThreads + threadIdx.x];
    ++counts[(w >> 10 & 63) * kThreads + threadIdx.x];
    ++counts[(w >> 18 & 63) * kThreads + threadIdx.x];
    ++counts[(w >> 26 & 63) * kThreads + threadIdx.x];
  }
  __syncthreads();
  unsigned sum = 0;
  for (unsigned k = 0; k < kThreads; ++k)  // from its own place on, so that lanes meet few banks
    sum += counts[threadIdx.x * kThreads + (k + threadIdx.x * 4) % kThreads];
  parts[blockIdx.x * kClasses + threadIdx.x] = sum;
}
__global__ void __launch_bounds__(256)
    merge_counts(const unsigned* parts, unsigned* counts, unsigned blocks) {
  __shared__ unsigned sums[256];
  unsigned sum = 0;
  for (unsigned b = threadIdx.x; b < blocks; b += 256) sum += parts[b * kClasses + blockIdx.x];
  sums[threadIdx.x] = sum;
  for (unsigned d = 128; d > 0; d >>= 1) {
    __syncthreads();
    if (threadIdx.x < d) sums[threadIdx.x] += sums[threadIdx.x + d];
  }
  if (threadIdx.x == 0) counts[blockIdx.x] = sums[0];
}

}  // namespace

void histograms(Set& s) {
  const std::size_t n = s.n;
  const int high = static_cast<int>(n / 16 / kHistogramsWide / 8 * 8);
  const std::size_t cells = std::size_t{kHistogramsWide / 8} * static_cast<std::size_t>(high / 8);
  s.run(
      "directions of slopes in cells of 8 x 8", (4.0 * 64 + 4.0 * kBins) * real(cells),
      [&] { directions_of_cells<<<dim3(kHistogramsWide / 32, high / 8), dim3(32, 8)>>>(s.in, s.out, high); },
      [&] {
        return within(s, cells * kBins, 2e-2, [high](std::size_t i) {
          const int cell = static_cast<int>(i / kBins), x0 = cell % (kHistogramsWide / 8) * 8,
                    y0 = cell / (kHistogramsWide / 8) * 8;
          const auto at = [high](int x, int y) {
            x = std::clamp(x, 0, kHistogramsWide - 1), y = std::clamp(y, 0, high - 1);
            return float_of(static_cast<std::size_t>(y) * kHistogramsWide + static_cast<std::size_t>(x));
          };
          double sum = 0;
          for (int k = 0; k < 64; ++k) {
            const int x = x0 + k % 8, y = y0 + k / 8;
            const float gx = at(x + 1, y) - at(x - 1, y), gy = at(x, y + 1) - at(x, y - 1);
            if (bin_of(gx, gy) == static_cast<int>(i % kBins)) sum += std::hypot(double{gx}, double{gy});
          }
          return sum;
        });
      });
  const unsigned blocks = as_number(n / 8 / (kThreads * kWords));
  const std::size_t words = std::size_t{blocks} * kThreads * kWords;
  unsigned* parts = room<unsigned>(std::size_t{blocks} * kClasses);
  s.run(
      "64 classes in bytes, a column a thread", 4.0 * real(words) + 8.0 * kClasses * blocks,
      [&] {
        count_in_bytes<<<blocks, kThreads>>>(s.words, parts);
        merge_counts<<<kClasses, 256>>>(parts, s.numbers(), blocks);
      },
      [&] {
        std::vector<unsigned> want(kClasses);
        for (std::size_t i = 0; i < 4 * words; ++i) ++want[byte_of(i) >> 2];
        return taken(s.numbers(), kClasses) == want;
      });
  cudaFree(parts);
}

}  // namespace held_out_7
