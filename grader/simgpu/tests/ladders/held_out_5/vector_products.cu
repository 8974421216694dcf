/// @file
/// Matrices by a vector: halves by warps, doubles kept by columns, a matrix turned whose columns are added by
/// atomics.
#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

constexpr unsigned kColumns = 1024;

__global__ void rows_of_halves(const uint4* matrix, const float* x, float* y, unsigned rows) {
  const unsigned row = static_cast<unsigned>(global_index() / 32), lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
#pragma unroll
  for (unsigned k = 0; k < kColumns / 256; ++k) {
    const uint4 eight = matrix[row * std::size_t{kColumns / 8} + k * 32 + lane];
    const auto* pairs = reinterpret_cast<const __half2*>(&eight);
    const float* at = x + (k * 32 + lane) * 8;
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) {
      const float2 v = __half22float2(pairs[j]);
      sum += v.x * at[2 * j] + v.y * at[2 * j + 1];
    }
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) y[row] = sum;
}
constexpr unsigned kFew = 96;
/// Column k of the matrix begins at k * rows.
__global__ void columns_of_doubles(const double* matrix, const double* x, double* y, unsigned rows) {
  const unsigned row = static_cast<unsigned>(global_index());
  if (row >= rows) return;
  double sum = 0;
  for (unsigned k = 0; k < kFew; ++k) sum += matrix[k * std::size_t{rows} + row] * x[k];
  y[row] = sum;
}
/// A block has 64 rows of 256 columns.
__global__ void turned_by_vector(const float* matrix, const float* x, float* y) {
  const unsigned column = blockIdx.x * 256 + threadIdx.x;
  const std::size_t first = blockIdx.y * std::size_t{64};
  float sum = 0;
#pragma unroll 8
  for (unsigned r = 0; r < 64; ++r) sum += matrix[(first + r) * kColumns + column] * x[first + r];
  atomicAdd(&y[column], sum);
}

}  // namespace

void vector_products(Set& s) {
  const unsigned rows = as_number(s.n / 4 / kColumns);
  s.run(
      "halves by a vector, a warp a row", (2.0 * kColumns + 4) * rows,
      [&] {
        rows_of_halves<<<Set::blocks(rows, 8), 256>>>(reinterpret_cast<uint4*>(s.halves), s.in, s.out, rows);
      },
      [&] {
        return floats(s, rows, [](std::size_t r) {
          double sum = 0;
          for (std::size_t k = 0; k < kColumns; ++k) sum += double{half_of(r * kColumns + k)} * float_of(k);
          return sum;
        });
      });
  const unsigned tall = as_number(s.n / 16 / kFew);
  std::vector<double> matrix(tall * std::size_t{kFew}), x(kFew);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = float_of(i);
  for (std::size_t k = 0; k < kFew; ++k) x[k] = other_of(k);
  double *matrix_there = kept(matrix), *x_there = kept(x);
  s.run(
      "doubles by columns by a vector", (8.0 * kFew + 8) * tall,
      [&] {
        columns_of_doubles<<<Set::blocks(tall, 128), 128>>>(matrix_there, x_there,
                                                            reinterpret_cast<double*>(s.out), tall);
      },
      [&] {
        return Set::each(tall, [&](std::size_t r) {
          double sum = 0;
          for (std::size_t k = 0; k < kFew; ++k) sum += matrix[k * tall + r] * x[k];
          return Set::near(Checked::at(reinterpret_cast<double*>(s.out), r), sum, 1e-10);
        });
      });
  cudaFree(matrix_there), cudaFree(x_there);
  const unsigned strips = as_number(s.n / 8 / kColumns / 64);
  s.run(
      "turned matrix by a vector, added by atomics", 4.0 * kColumns * 64 * strips,
      [&] {
        cudaMemsetAsync(s.out, 0, kColumns * 4);
        turned_by_vector<<<dim3(kColumns / 256, strips), 256>>>(s.in, s.other, s.out);
      },
      [&] {
        return floats(s, kColumns, [&](std::size_t c) {
          double sum = 0;
          for (std::size_t r = 0; r < strips * std::size_t{64}; ++r)
            sum += double{float_of(r * kColumns + c)} * other_of(r);
          return sum;
        });
      });
}

}  // namespace held_out_5
