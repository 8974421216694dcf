/// @file
/// Many words to few: the greatest with its place, doubles, columns, rows made to add up to one, segments, products of bytes.
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

using Key = unsigned long long;

__global__ void greatest_with_place(const unsigned* in, Key* out, std::size_t m) {
  Key best = 0;
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const Key key = Key{in[i]} << 32 | i;
    best = key > best ? key : best;
  }
  for (int d = 16; d > 0; d /= 2) {
    const Key other = __shfl_down_sync(~0u, best, d);
    best = other > best ? other : best;
  }
  if (threadIdx.x % 32 == 0) atomicMax(out, best);
}
__global__ void __launch_bounds__(256)
    dot_of_doubles(const double* a, const double* b, double* out, std::size_t m) {
  __shared__ double part[8];
  double sum = 0;
  for (std::size_t i = global_index(); i < m; i += stride()) sum += a[i] * b[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) sum += part[w];
    atomicAdd(out, sum);
  }
}
/// 64 rows of 128 columns a block.
__global__ void __launch_bounds__(128) sums_of_columns(const float* in, float* out) {
  const unsigned column = blockIdx.x * 128 + threadIdx.x;
  const std::size_t row = blockIdx.y * std::size_t{64};
  float sum = 0;
#pragma unroll 8
  for (unsigned r = 0; r < 64; ++r) sum += in[(row + r) * 512 + column];
  atomicAdd(&out[column], sum);
}
template <typename Operation>
__device__ __forceinline__ float of_block(float v, float* part, Operation operation) {
  for (int d = 16; d > 0; d /= 2) v = operation(v, __shfl_xor_sync(~0u, v, d));
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  return operation(operation(part[0], part[1]), operation(part[2], part[3]));
}
/// A block a row of 1000: the greatest, the sum, the quotients.
__global__ void __launch_bounds__(128) soft_maxima(const float* in, float* out) {
  __shared__ float part[4];
  const float* row = in + blockIdx.x * std::size_t{1000};
  float most = 0;
  for (unsigned k = threadIdx.x; k < 1000; k += 128) most = fmaxf(most, row[k]);
  most = of_block(most, part, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0;
  for (unsigned k = threadIdx.x; k < 1000; k += 128) sum += expf(row[k] - most);
  sum = of_block(sum, part, [](float a, float b) { return a + b; });
  for (unsigned k = threadIdx.x; k < 1000; k += 128)
    out[blockIdx.x * std::size_t{1000} + k] = expf(row[k] - most) / sum;
}
__host__ __device__ __forceinline__ std::size_t begin_of(std::size_t k, unsigned word) {
  return 64 * k + (word & 31);
}
/// A warp a segment of 33 to 95.
__global__ void sums_of_segments(const unsigned* words, const float* in, float* out, std::size_t m) {
  const std::size_t k = global_index() / 32;
  if (k >= m) return;
  const std::size_t end = begin_of(k + 1, words[k + 1]);
  float sum = 0;
  for (std::size_t i = begin_of(k, words[k]) + threadIdx.x % 32; i < end; i += 32) sum += in[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) out[k] = sum;
}
__global__ void products_of_bytes(const int* a, const int* b, int* out, std::size_t m) {
  int sum = 0;
  for (std::size_t i = global_index(); i < m; i += stride()) sum = __dp4a(a[i], b[i], sum);
  sum = __reduce_add_sync(~0u, sum);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

}  // namespace

void reductions(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "greatest word and its place", 2.0 * real(n),
      [&] { greatest_with_place<<<s.sms * 6, 320>>>(s.words, reinterpret_cast<Key*>(s.out), n / 2); },
      [&] {
        Key best = 0;
        for (std::size_t i = 0; i < n / 2; ++i) best = std::max(best, Key{word_of(i)} << 32 | i);
        return Checked::at(reinterpret_cast<Key*>(s.out), 0) == best;
      });
  s.run(
      "dot product of doubles", 4.0 * real(n),
      [&] {
        dot_of_doubles<<<s.sms * 4, 256>>>(reinterpret_cast<double*>(s.in),
                                           reinterpret_cast<double*>(s.other),
                                           reinterpret_cast<double*>(s.out), n / 4);
      },
      [&] {
        double sum = 0;
        for (std::size_t i = 0; i < n / 4; ++i) sum += double_of(i) * double_of(i, 33331);
        return Set::near(Checked::at(reinterpret_cast<double*>(s.out), 0), sum);
      });
  const std::size_t rows = n / 2048;
  s.run(
      "sums of 512 columns", real(n),
      [&] { sums_of_columns<<<dim3(4, as_number(rows / 64)), 128>>>(s.in, s.out); },
      [&] {
        return floats(s, 512, [&](std::size_t c) {
          double sum = 0;
          for (std::size_t r = 0; r < rows / 64 * 64; ++r) sum += float_of(r * 512 + c);
          return sum;
        });
      });
  const std::size_t lines = n / 8 / 1000;
  s.run(
      "rows of 1000 made to add up to one", real(n),
      [&] { soft_maxima<<<as_number(lines), 128>>>(s.in, s.out); },
      [&] {
        return floats(s, lines * 1000, [](std::size_t i) {
          const std::size_t row = i / 1000 * 1000;
          double sum = 0;
          for (std::size_t k = 0; k < 1000; ++k) sum += std::exp(double{float_of(row + k)});
          return std::exp(double{float_of(i)}) / sum;
        });
      });
  const std::size_t segments = n / 512;
  s.run(
      "segments of unequal length summed", 0.5 * real(n),
      [&] { sums_of_segments<<<Set::blocks(segments, 4), 128>>>(s.words, s.in, s.out, segments); },
      [&] {
        return floats(s, segments, [](std::size_t k) {
          double sum = 0;
          for (std::size_t i = begin_of(k, word_of(k)); i < begin_of(k + 1, word_of(k + 1)); ++i)
            sum += float_of(i);
          return sum;
        });
      });
  s.run(
      "products of bytes added up", 2.0 * real(n),
      [&] {
        products_of_bytes<<<s.sms * 8, 256>>>(reinterpret_cast<int*>(s.words),
                                              reinterpret_cast<int*>(s.words) + n / 2,
                                              reinterpret_cast<int*>(s.out), n / 4);
      },
      [&] {
        unsigned sum = 0;
        for (std::size_t i = 0; i < n / 4; ++i)
          for (unsigned k = 0; k < 4; ++k)
            sum += static_cast<unsigned>(static_cast<signed char>(word_of(i) >> 8 * k) *
                                         static_cast<signed char>(word_of(i + n / 2) >> 8 * k));
        return s.number(0) == sum;
      });
}

}  // namespace held_out_3
