/// @file
/// Pictures: Sobel's edges, hue and strength of colours, the middle of nine by exchanges, smoothing between
/// edges through a table in shared memory, levels stretched by a histogram.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

constexpr int kWide = 1024;

__global__ void __launch_bounds__(256) sobel(const float* in, float* out, int high) {
  __shared__ float tile[18][18];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, x0 = static_cast<int>(blockIdx.x * 16),
            y0 = static_cast<int>(blockIdx.y * 16);
  for (int k = threadIdx.x; k < 18 * 18; k += 256) {
    const int x = min(max(x0 + k % 18 - 1, 0), kWide - 1), y = min(max(y0 + k / 18 - 1, 0), high - 1);
    tile[k / 18][k % 18] = in[y * kWide + x];
  }
  __syncthreads();
  const float gx = tile[ty][tx + 2] + 2 * tile[ty + 1][tx + 2] + tile[ty + 2][tx + 2] - tile[ty][tx] -
                   2 * tile[ty + 1][tx] - tile[ty + 2][tx],
              gy = tile[ty + 2][tx] + 2 * tile[ty + 2][tx + 1] + tile[ty + 2][tx + 2] - tile[ty][tx] -
                   2 * tile[ty][tx + 1] - tile[ty][tx + 2];
  out[(y0 + ty) * kWide + x0 + tx] = sqrtf(gx * gx + gy * gy);
}
template <typename T>
__host__ __device__ __forceinline__ T hue_of(unsigned pixel) {
  const int r = static_cast<int>(pixel & 255), g = static_cast<int>(pixel >> 8 & 255),
            b = static_cast<int>(pixel >> 16 & 255);
  const int most = r > g ? (r > b ? r : b) : (g > b ? g : b),
            least = r < g ? (r < b ? r : b) : (g < b ? g : b);
  const int range = most - least;
  if (range == 0) return T(0);
  T hue;
  if (most == r)
    hue = T(g - b) / T(range);
  else if (most == g)
    hue = T(2) + T(b - r) / T(range);
  else
    hue = T(4) + T(r - g) / T(range);
  hue *= T(60);
  return hue < T(0) ? hue + T(360) : hue;
}
__global__ void hues(const unsigned* in, float2* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned p = in[i];
  out[i] = make_float2(hue_of<float>(p),
                       static_cast<float>(max(max(p & 255, p >> 8 & 255), p >> 16 & 255)) / 255.0f);
}
__device__ __forceinline__ void order(float& a, float& b) {
  const float least = fminf(a, b);
  b = fmaxf(a, b), a = least;
}
/// Nineteen exchanges find the middle of nine.
__global__ void middle_of_nine(const float* in, float* out, int high) {
  const int x = static_cast<int>(blockIdx.x * 32 + threadIdx.x),
            y = static_cast<int>(blockIdx.y * 8 + threadIdx.y);
  if (x < 1 || y < 1 || x >= kWide - 1 || y >= high - 1) return;
  float v[9];
#pragma unroll
  for (int k = 0; k < 9; ++k) v[k] = in[(y + k / 3 - 1) * kWide + x + k % 3 - 1];
  order(v[1], v[2]), order(v[4], v[5]), order(v[7], v[8]);
  order(v[0], v[1]), order(v[3], v[4]), order(v[6], v[7]);
  order(v[1], v[2]), order(v[4], v[5]), order(v[7], v[8]);
  order(v[0], v[3]), order(v[5], v[8]), order(v[4], v[7]);
  order(v[3], v[6]), order(v[1], v[4]), order(v[2], v[5]);
  order(v[4], v[7]), order(v[4], v[2]), order(v[6], v[4]);
  order(v[4], v[2]);
  out[y * kWide + x] = v[4];
}
/// Weights by how far values differ, from a table; five by five places around.
__global__ void __launch_bounds__(256) between_edges(const unsigned char* in, float* out, int high) {
  __shared__ float weights[256];
  const int t = static_cast<int>(threadIdx.y * 32 + threadIdx.x);
  weights[t] = __expf(-static_cast<float>(t * t) * (1.0f / 1800.0f));
  __syncthreads();
  const int x = static_cast<int>(blockIdx.x * 32 + threadIdx.x),
            y = static_cast<int>(blockIdx.y * 8 + threadIdx.y);
  const int here = in[y * kWide + x];
  float sum = 0, total = 0;
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx) {
      const int v = in[min(max(y + dy, 0), high - 1) * kWide + min(max(x + dx, 0), kWide - 1)];
      const float w = weights[abs(v - here)];
      sum += w * static_cast<float>(v), total += w;
    }
  out[y * kWide + x] = sum / total;
}
__global__ void count_levels(const unsigned* in, unsigned* counts, std::size_t m) {
  __shared__ unsigned mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const unsigned w = in[i];
    for (int k = 0; k < 4; ++k) atomicAdd(&mine[(w >> 8 * k & 255) * (w >> 8 * k & 255) >> 8], 1u);
  }
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}
__global__ void running_levels(const unsigned* counts, unsigned* levels, std::size_t pixels) {
  __shared__ unsigned sums[256];
  sums[threadIdx.x] = counts[threadIdx.x];
  for (unsigned d = 1; d < 256; d *= 2) {
    __syncthreads();
    const unsigned left = threadIdx.x >= d ? sums[threadIdx.x - d] : 0;
    __syncthreads();
    sums[threadIdx.x] += left;
  }
  levels[threadIdx.x] = static_cast<unsigned>(sums[threadIdx.x] * 255ull / pixels);
}
__global__ void stretch(const unsigned* in, const unsigned* levels, unsigned* out, std::size_t m) {
  __shared__ unsigned table[256];
  table[threadIdx.x] = levels[threadIdx.x];
  __syncthreads();
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const unsigned w = in[i];
    unsigned result = 0;
    for (int k = 0; k < 4; ++k) {
      const unsigned v = w >> 8 * k & 255;
      result |= table[v * v >> 8] << 8 * k;
    }
    out[i] = result;
  }
}

}  // namespace

void pictures(Set& s) {
  const std::size_t n = s.n;
  const int high = static_cast<int>(n / 16 / kWide / 8 * 8), tall = high / 16 * 16;
  const auto at = [&](std::size_t i, int dx, int dy, int rows) {
    const int x = std::min(std::max(static_cast<int>(i % kWide) + dx, 0), kWide - 1),
              y = std::min(std::max(static_cast<int>(i / kWide) + dy, 0), rows - 1);
    return static_cast<std::size_t>(y) * kWide + static_cast<std::size_t>(x);
  };
  s.run(
      "Sobel's edges in tiles of 16", 8.0 * kWide * tall,
      [&] { sobel<<<dim3(kWide / 16, static_cast<unsigned>(tall) / 16), 256>>>(s.in, s.out, tall); },
      [&] {
        return within(s, static_cast<std::size_t>(tall) * kWide, 2e-3, [&](std::size_t i) {
          double gx = 0, gy = 0;
          for (int d = -1; d <= 1; ++d) {
            const double w = d == 0 ? 2 : 1;
            gx += w * (double{float_of(at(i, 1, d, tall))} - float_of(at(i, -1, d, tall)));
            gy += w * (double{float_of(at(i, d, 1, tall))} - float_of(at(i, d, -1, tall)));
          }
          return std::sqrt(gx * gx + gy * gy);
        });
      });
  s.run(
      "hue and strength of pixels", 12.0 * real(n / 16),
      [&] { hues<<<Set::blocks(n / 16), 256>>>(s.words, reinterpret_cast<float2*>(s.out), n / 16); },
      [&] {
        return floats(s, n / 8, [](std::size_t i) {
          const unsigned p = word_of(i / 2);
          return i % 2 == 0 ? hue_of<double>(p)
                            : std::max(std::max(p & 255, p >> 8 & 255), p >> 16 & 255) / 255.0;
        });
      });
  s.run(
      "middle of nine by exchanges", 8.0 * kWide * high,
      [&] {
        middle_of_nine<<<dim3(kWide / 32, static_cast<unsigned>(high) / 8), dim3(32, 8)>>>(s.in, s.out, high);
      },
      [&] {
        for (std::size_t y = 1; y + 1 < static_cast<std::size_t>(high); y += 11)
          for (std::size_t x = 1; x < kWide - 1; x += 87) {
            std::vector<float> v;
            for (int k = 0; k < 9; ++k) v.push_back(float_of(at(y * kWide + x, k % 3 - 1, k / 3 - 1, high)));
            std::sort(v.begin(), v.end());
            if (s.value(y * kWide + x) != v[4]) return false;
          }
        return true;
      });
  s.run(
      "smoothed between edges by a shared table", 5.0 * kWide * high,
      [&] {
        between_edges<<<dim3(kWide / 32, static_cast<unsigned>(high) / 8), dim3(32, 8)>>>(
            reinterpret_cast<unsigned char*>(s.words), s.out, high);
      },
      [&] {
        return floats(s, static_cast<std::size_t>(high) * kWide, [&](std::size_t i) {
          double sum = 0, total = 0;
          for (int dy = -2; dy <= 2; ++dy)
            for (int dx = -2; dx <= 2; ++dx) {
              const double v = byte_of(at(i, dx, dy, high)), apart = v - byte_of(i),
                           w = std::exp(-apart * apart / 1800.0);
              sum += w * v, total += w;
            }
          return sum / total;
        });
      });
  const std::size_t words = n / 32;
  unsigned* counts = room<unsigned>(512);
  s.run(
      "levels of bytes stretched by their counts", 12.0 * real(words),
      [&] {
        cudaMemsetAsync(counts, 0, 1024);
        count_levels<<<s.sms * 8, 256>>>(s.words, counts, words);
        running_levels<<<1, 256>>>(counts, counts + 256, words * 4);
        stretch<<<s.sms * 8, 256>>>(s.words, counts + 256, s.numbers(), words);
      },
      [&] {
        std::vector<std::uint64_t> levels(256);
        for (std::size_t i = 0; i < words * 4; ++i) ++levels[byte_of(i) * byte_of(i) >> 8];
        for (std::size_t k = 1; k < 256; ++k) levels[k] += levels[k - 1];
        return numbers(s, words, [&](std::size_t i) {
          unsigned want = 0;
          for (std::size_t k = 0; k < 4; ++k) {
            const unsigned v = byte_of(4 * i + k);
            want |= static_cast<unsigned>(levels[v * v >> 8] * 255 / (words * 4)) << 8 * k;
          }
          return want;
        });
      });
  cudaFree(counts);
}

}  // namespace held_out_6
