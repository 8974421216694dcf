/// @file
/// Products of matrices: doubles as written, columns of a tall matrix each by each, 3 x 3 a thread, strips of
/// halves by wmma.
#include <mma.h>

#include "held_out_11.hpp"

namespace held_out_11 {
namespace {

namespace tensor = nvcuda::wmma;

constexpr unsigned kPlain = 144;
__global__ void product_of_doubles(const double* a, const double* b, double* c) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  double sum = 0.0;
  for (unsigned k = 0; k < kPlain; ++k) sum += a[y * kPlain + k] * b[k * kPlain + x];
  c[y * kPlain + x] = sum;
}

constexpr unsigned kTallWide = 64, kTallStep = 16;
/// Each block sums up its share of rows, a thread 4 x 4 pairs of columns.
__global__ void __launch_bounds__(256) columns_each_by_each(const float* in, float* out, unsigned steps) {
  __shared__ float rows[kTallStep][kTallWide];
  const unsigned t = threadIdx.x, x = t % 16 * 4, y = t / 16 * 4;
  float sums[4][4] = {};
  for (unsigned step = blockIdx.x; step < steps; step += gridDim.x) {
    const std::size_t base = std::size_t{step} * kTallStep * kTallWide;
    for (unsigned k = t; k < kTallStep * kTallWide; k += 256)
      rows[k / kTallWide][k % kTallWide] = in[base + k];
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kTallStep; ++k)
#pragma unroll
      for (unsigned i = 0; i < 4; ++i)
#pragma unroll
        for (unsigned j = 0; j < 4; ++j) sums[i][j] += rows[k][y + i] * rows[k][x + j];
    __syncthreads();
  }
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned j = 0; j < 4; ++j) atomicAdd(out + (y + i) * kTallWide + x + j, sums[i][j]);
}

constexpr unsigned kByThrees = 240, kThreesTile = 48, kThreesStep = 16;
__global__ void __launch_bounds__(256) product_by_threes(const float* a, const float* b, float* c) {
  __shared__ float left[kThreesTile][kThreesStep + 1], right[kThreesStep][kThreesTile];
  const unsigned t = threadIdx.x, tx = t % 16, ty = t / 16;
  const unsigned x0 = blockIdx.x * kThreesTile, y0 = blockIdx.y * kThreesTile;
  float sums[3][3] = {};
  for (unsigned from = 0; from < kByThrees; from += kThreesStep) {
    for (unsigned k = t; k < kThreesTile * kThreesStep; k += 256) {
      left[k / kThreesStep][k % kThreesStep] = a[(y0 + k / kThreesStep) * kByThrees + from + k % kThreesStep];
      right[k / kThreesTile][k % kThreesTile] =
          b[(from + k / kThreesTile) * kByThrees + x0 + k % kThreesTile];
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kThreesStep; ++k)
#pragma unroll
      for (unsigned i = 0; i < 3; ++i)
#pragma unroll
        for (unsigned j = 0; j < 3; ++j) sums[i][j] += left[ty + 16 * i][k] * right[k][tx + 16 * j];
    __syncthreads();
  }
  for (unsigned i = 0; i < 3; ++i)
    for (unsigned j = 0; j < 3; ++j) c[(y0 + ty + 16 * i) * kByThrees + x0 + tx + 16 * j] = sums[i][j];
}

constexpr unsigned kStripDeep = 128, kStripWide = 64;
__global__ void __launch_bounds__(128) strips_of_halves(const __half* a, const __half* b, float* c) {
  const unsigned y = (blockIdx.x * 4 + threadIdx.x / 32) * 16;
  tensor::fragment<tensor::accumulator, 16, 16, 16, float> sums[kStripWide / 16];
  for (auto& each : sums) tensor::fill_fragment(each, 0.0f);
  for (unsigned k = 0; k < kStripDeep; k += 16) {
    tensor::fragment<tensor::matrix_a, 16, 16, 16, __half, tensor::row_major> u;
    tensor::load_matrix_sync(u, a + std::size_t{y} * kStripDeep + k, kStripDeep);
#pragma unroll
    for (unsigned j = 0; j < kStripWide / 16; ++j) {
      tensor::fragment<tensor::matrix_b, 16, 16, 16, __half, tensor::row_major> v;
      tensor::load_matrix_sync(v, b + k * kStripWide + 16 * j, kStripWide);
      tensor::mma_sync(sums[j], u, v, sums[j]);
    }
  }
#pragma unroll
  for (unsigned j = 0; j < kStripWide / 16; ++j)
    tensor::store_matrix_sync(c + std::size_t{y} * kStripWide + 16 * j, sums[j], kStripWide,
                              tensor::mem_row_major);
}

}  // namespace

void products(Set& s) {
  const std::size_t n = s.n;
  const unsigned plain = as_number(n / 64 / kPlain / 16 * 16);
  s.run(
      "doubles of 144 columns multiplied, an element a thread", 16.0 * kPlain * plain,
      [&] {
        product_of_doubles<<<dim3(kPlain / 16, plain / 16), dim3(16, 16)>>>(
            reinterpret_cast<const double*>(s.in), reinterpret_cast<const double*>(s.other),
            reinterpret_cast<double*>(s.out));
      },
      [&] {
        return doubles(s, std::size_t{kPlain} * plain, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kPlain; ++k)
            sum += double_of(i / kPlain * kPlain + k) * double_of(k * kPlain + i % kPlain, 33331);
          return sum;
        });
      });
  const unsigned steps = as_number(n / 16 / kTallWide / kTallStep);
  s.run(
      "64 columns of a tall matrix, each by each", 4.0 * kTallWide * kTallStep * steps,
      [&] {
        cudaMemsetAsync(s.out, 0, kTallWide * kTallWide * sizeof(float));
        columns_each_by_each<<<s.sms * 4, 256>>>(s.in, s.out, steps);
      },
      [&] {
        return floats(s, kTallWide * kTallWide, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t row = 0; row < std::size_t{steps} * kTallStep; ++row)
            sum +=
                double{float_of(row * kTallWide + i / kTallWide)} * float_of(row * kTallWide + i % kTallWide);
          return sum;
        });
      });
  const unsigned threes = as_number(n / 32 / kByThrees / kThreesTile * kThreesTile);
  s.run(
      "product, 48 x 48 a block, 3 x 3 a thread", 8.0 * kByThrees * threes,
      [&] {
        product_by_threes<<<dim3(kByThrees / kThreesTile, threes / kThreesTile), 256>>>(s.in, s.other, s.out);
      },
      [&] {
        return floats(s, std::size_t{kByThrees} * threes, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kByThrees; ++k)
            sum += double{float_of(i / kByThrees * kByThrees + k)} * other_of(k * kByThrees + i % kByThrees);
          return sum;
        });
      });
  const unsigned strips = as_number(n / 16 / kStripWide / 64 * 64);
  const std::size_t second = n;  // the second factor lies behind the first
  s.run(
      "strips of 16 x 64 halves a warp by wmma", (2.0 * kStripDeep + 4.0 * kStripWide) * strips,
      [&] { strips_of_halves<<<strips / 64, 128>>>(s.halves, s.halves + second, s.out); },
      [&] {
        return floats(s, std::size_t{kStripWide} * strips, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kStripDeep; ++k)
            sum += double{half_of(i / kStripWide * kStripDeep + k)} *
                   half_of(second + k * kStripWide + i % kStripWide);
          return sum;
        });
      });
}

}  // namespace held_out_11
