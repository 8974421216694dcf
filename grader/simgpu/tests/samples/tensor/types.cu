/// @file
/// The same small product in all types that tensor cores multiply.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cmath>

#include "buffer.cuh"

using namespace nvcuda;

/// One fragment: d = a b, a by rows, b by columns.
template <class In, class Sum, int M, int N, int K, class Element>
__global__ void one_product(const Element* a, const Element* b, Sum* d) {
  wmma::fragment<wmma::matrix_a, M, N, K, In, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, In, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> fd;
  wmma::fill_fragment(fd, Sum(0));
  wmma::load_matrix_sync(fa, a, K);
  wmma::load_matrix_sync(fb, b, K);
  if constexpr (std::is_same_v<In, wmma::precision::tf32>) {
    for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
    for (int i = 0; i < fb.num_elements; ++i) fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
  }
  wmma::mma_sync(fd, fa, fb, fd);
  wmma::store_matrix_sync(d, fd, N, wmma::mem_row_major);
}

/// Bits, whose product is how many of two rows are both 1.
__global__ void bits_in_common(const unsigned* a, const unsigned* b, int* d) {
  using namespace wmma::experimental;
  wmma::fragment<wmma::matrix_a, 8, 8, 128, precision::b1, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 128, precision::b1, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 128, int> fd;
  wmma::fill_fragment(fd, 0);
  wmma::load_matrix_sync(fa, a, 128);
  wmma::load_matrix_sync(fb, b, 128);
  bmma_sync(fd, fa, fb, fd, bmmaBitOpAND);
  wmma::store_matrix_sync(d, fd, 8, wmma::mem_row_major);
}
/// Whole numbers of four bits, eight to a word.
__global__ void nibbles(const unsigned* a, const unsigned* b, int* d) {
  using namespace wmma::experimental;
  wmma::fragment<wmma::matrix_a, 8, 8, 32, precision::s4, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 32, precision::s4, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 32, int> fd;
  wmma::fill_fragment(fd, 0);
  wmma::load_matrix_sync(fa, a, 32);
  wmma::load_matrix_sync(fb, b, 32);
  wmma::mma_sync(fd, fa, fb, fd);
  wmma::store_matrix_sync(d, fd, 8, wmma::mem_row_major);
}

int value(int i, int seed, int range) {
  return i * seed % (2 * range + 1) - range;
}

template <class In, class Sum, int M, int N, int K, class Element>
bool is_right(int range) {
  std::vector<Element> a(M * K), b(N * K);
  for (int i = 0; i < M * K; ++i) a[i] = static_cast<Element>(static_cast<float>(value(i, 7, range)));
  for (int i = 0; i < N * K; ++i) b[i] = static_cast<Element>(static_cast<float>(value(i, 11, range)));
  Buffer<Element> d_a(a), d_b(b);
  Buffer<Sum> d_d(M * N);
  one_product<In, Sum, M, N, K, Element><<<1, 32>>>(d_a, d_b, d_d);
  CHECK_LAUNCH();
  const auto result = d_d.host();
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      int sum = 0;
      for (int l = 0; l < K; ++l) sum += value(i * K + l, 7, range) * value(j * K + l, 11, range);
      if (static_cast<double>(static_cast<float>(result[i * N + j])) != sum) return false;
    }
  return true;
}

bool small_ones_are_right() {
  std::vector<unsigned> a(32), b(32);
  for (unsigned i = 0; i < 32; ++i) {
    a[i] = i * 2654435761u;
    b[i] = (i + 40) * 2246822519u;
  }
  Buffer<unsigned> d_a(a), d_b(b);
  Buffer<int> d_bits(64), d_nibbles(64);
  bits_in_common<<<1, 32>>>(d_a, d_b, d_bits);
  nibbles<<<1, 32>>>(d_a, d_b, d_nibbles);
  CHECK_LAUNCH();
  const auto bits = d_bits.host(), sums = d_nibbles.host();
  const auto nibble = [](unsigned word, int n) { return static_cast<int>(word << (28 - 4 * n)) >> 28; };
  bool right = true;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      int common = 0, sum = 0;
      for (int w = 0; w < 4; ++w) {
        common += __builtin_popcount(a[i * 4 + w] & b[j * 4 + w]);
        for (int n = 0; n < 8; ++n) sum += nibble(a[i * 4 + w], n) * nibble(b[j * 4 + w], n);
      }
      right = right && bits[i * 8 + j] == common && sums[i * 8 + j] == sum;
    }
  return right;
}

int main() {
  bool right = is_right<__half, float, 16, 16, 16, __half>(10);
  right = is_right<__half, float, 32, 8, 16, __half>(10) && right;
  right = is_right<__half, __half, 8, 32, 16, __half>(5) && right;
  right = is_right<__nv_bfloat16, float, 16, 16, 16, __nv_bfloat16>(10) && right;
  right = is_right<wmma::precision::tf32, float, 16, 16, 8, float>(100) && right;
  right = is_right<double, double, 8, 8, 4, double>(1000) && right;
  right = is_right<signed char, int, 16, 16, 16, signed char>(100) && right;
  right = is_right<signed char, int, 8, 32, 16, signed char>(100) && right;
  return verdict(small_ones_are_right() && right);
}
