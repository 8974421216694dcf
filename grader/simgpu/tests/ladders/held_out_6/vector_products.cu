/// @file
/// Matrices by vectors as benchmarks of linear algebra have them: rows a thread each, a product and then
/// its transposed, sums of two products, weights of sixteen bits.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

constexpr unsigned kVectorProductsColumns = 1024;

/// A thread has a row: as a lesson's first version.
__global__ void rows_by_threads(const float* a, const float* x, float* y, unsigned rows) {
  const unsigned r = static_cast<unsigned>(global_index());
  if (r >= rows) return;
  float sum = 0;
  for (unsigned c = 0; c < kVectorProductsColumns; ++c)
    sum += a[r * std::size_t{kVectorProductsColumns} + c] * x[c];
  y[r] = sum;
}
/// A block has a row, four words a load.
__global__ void __launch_bounds__(256) rows_by_blocks(const float4* a, const float4* x, float* y) {
  __shared__ float part[8];
  const float4 u = a[blockIdx.x * std::size_t{kVectorProductsColumns / 4} + threadIdx.x], v = x[threadIdx.x];
  float sum = u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 8) {
    sum = part[threadIdx.x];
    for (int d = 4; d > 0; d /= 2) sum += __shfl_xor_sync(0xffu, sum, d);
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
  }
}
/// The transposed: a thread has a column of a strip of rows, and adds what it has to the others'.
__global__ void columns_of_strips(const float* a, const float* x, float* y, unsigned high, float by) {
  const unsigned c = blockIdx.x * blockDim.x + threadIdx.x, r0 = blockIdx.y * high;
  float sum = 0;
  for (unsigned r = r0; r < r0 + high; ++r) sum += a[r * std::size_t{kVectorProductsColumns} + c] * x[r];
  atomicAdd(&y[c], sum * by);
}
/// Two matrices by one vector; a warp a row.
__global__ void sum_of_two(const float* a, const float* b, const float* x, float* y, float alpha, float beta,
                           unsigned rows) {
  const unsigned r = static_cast<unsigned>(global_index() / 32), lane = threadIdx.x % 32;
  if (r >= rows) return;
  float first = 0, second = 0;
  for (unsigned c = lane; c < kVectorProductsColumns; c += 32) {
    first += a[r * std::size_t{kVectorProductsColumns} + c] * x[c];
    second += b[r * std::size_t{kVectorProductsColumns} + c] * x[c];
  }
  float sum = alpha * first + beta * second;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (lane == 0) y[r] = sum;
}
/// Weights of sixteen bits with a scale a row, as a vector goes through a layer.
__global__ void rows_of_shorts(const short4* weights, const float* scale, const float4* x, float* y,
                               unsigned rows) {
  __shared__ float4 kept[kVectorProductsColumns / 4];
  for (unsigned k = threadIdx.x; k < kVectorProductsColumns / 4; k += blockDim.x) kept[k] = x[k];
  __syncthreads();
  const unsigned lane = threadIdx.x % 32;
  for (unsigned r = static_cast<unsigned>(global_index() / 32); r < rows; r += gridDim.x * blockDim.x / 32) {
    float sum = 0;
#pragma unroll
    for (unsigned k = lane; k < kVectorProductsColumns / 4; k += 32) {
      const short4 w = weights[r * std::size_t{kVectorProductsColumns / 4} + k];
      const float4 v = kept[k];
      sum += static_cast<float>(w.x) * v.x + static_cast<float>(w.y) * v.y + static_cast<float>(w.z) * v.z +
             static_cast<float>(w.w) * v.w;
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0) y[r] = sum * scale[r];
  }
}

}  // namespace

void vector_products(Set& s) {
  const unsigned rows = as_number(s.n / 8 / kVectorProductsColumns);
  const double matrix = 4.0 * kVectorProductsColumns * rows;
  const auto by_row = [&](std::size_t r) {
    double sum = 0;
    for (std::size_t c = 0; c < kVectorProductsColumns; ++c)
      sum += double{float_of(r * kVectorProductsColumns + c)} * other_of(c);
    return sum;
  };
  s.run(
      "rows of 4 kB by a vector, a thread each", matrix,
      [&] { rows_by_threads<<<Set::blocks(rows, 128), 128>>>(s.in, s.other, s.out, rows); },
      [&] { return floats(s, rows, by_row); });
  const unsigned high = 16;
  float* between = room<float>(rows);
  s.run(
      "by a matrix and then by it turned", 2 * matrix,
      [&] {
        cudaMemsetAsync(s.out, 0, kVectorProductsColumns * 4);
        rows_by_blocks<<<rows, 256>>>(reinterpret_cast<float4*>(s.in), reinterpret_cast<float4*>(s.other),
                                      between);
        columns_of_strips<<<dim3(kVectorProductsColumns / 256, rows / high), 256>>>(s.in, between, s.out,
                                                                                    high, 1e-6f);
      },
      [&] {
        std::vector<double> want(kVectorProductsColumns);
        for (std::size_t r = 0; r < rows / high * high; ++r) {
          const double v = by_row(r) * 1e-6;
          for (std::size_t c : {std::size_t{0}, std::size_t{1}, std::size_t{kVectorProductsColumns - 1}})
            want[c] += v * float_of(r * kVectorProductsColumns + c);
        }
        for (std::size_t c : {std::size_t{0}, std::size_t{1}, std::size_t{kVectorProductsColumns - 1}})
          if (!Set::near(s.value(c), want[c], 3e-3)) return false;
        return true;
      });
  cudaFree(between);
  s.run(
      "sum of two matrices by a vector", 2 * matrix,
      [&] {
        sum_of_two<<<Set::blocks(rows * std::size_t{32}), 256>>>(s.in, s.other, s.other, s.out, 0.5f, 2.0f,
                                                                 rows);
      },
      [&] {
        return floats(s, rows, [&](std::size_t r) {
          double sum = 0.5 * by_row(r);
          for (std::size_t c = 0; c < kVectorProductsColumns; ++c)
            sum += 2.0 * other_of(r * kVectorProductsColumns + c) * other_of(c);
          return sum;
        });
      });
  s.run(
      "weights of sixteen bits by a vector", 2 * matrix / 2,
      [&] {
        rows_of_shorts<<<s.sms * 4, 512>>>(reinterpret_cast<short4*>(s.words), s.in,
                                           reinterpret_cast<float4*>(s.other), s.out, rows * 2);
      },
      [&] {
        return within(s, rows * std::size_t{2}, 500.0, [](std::size_t r) {
          double sum = 0;
          for (std::size_t c = 0; c < kVectorProductsColumns; ++c) {
            const std::size_t i = r * kVectorProductsColumns + c;
            const auto w = static_cast<short>(word_of(i / 2) >> (i % 2 * 16) & 0xffff);
            sum += static_cast<double>(w) * other_of(c);
          }
          return sum * float_of(r);
        });
      });
}

}  // namespace held_out_6
