/// @file
/// Steps of sorting: a pass over four bits in three kernels, the greatest eight of rows, two sorted lists merged by diagonals.
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

constexpr unsigned kTile = 1024;  ///< keys of a block

/// counts[digit][block]
__global__ void __launch_bounds__(256) count_digits(const unsigned* in, unsigned* counts) {
  __shared__ unsigned table[16];
  if (threadIdx.x < 16) table[threadIdx.x] = 0;
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kTile; k += 256)
    atomicAdd(&table[in[blockIdx.x * std::size_t{kTile} + k] & 15], 1u);
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = table[threadIdx.x];
}
/// One block; the sums before each.
__global__ void __launch_bounds__(1024) scan_counts(unsigned* counts, unsigned m) {
  __shared__ unsigned part[1024];
  const unsigned each = (m + 1023) / 1024, first = threadIdx.x * each, end = min(m, first + each);
  unsigned sum = 0;
  for (unsigned k = first; k < end; ++k) sum += counts[k];
  part[threadIdx.x] = sum;
  for (unsigned d = 1; d < 1024; d *= 2) {
    __syncthreads();
    const unsigned before = threadIdx.x >= d ? part[threadIdx.x - d] : 0;
    __syncthreads();
    part[threadIdx.x] += before;
  }
  unsigned before = part[threadIdx.x] - sum;
  for (unsigned k = first; k < end; ++k) {
    const unsigned mine = counts[k];
    counts[k] = before;
    before += mine;
  }
}
/// Keys keep their order among equals: warps take turns of 32 keys, lanes of one digit find each other.
__global__ void __launch_bounds__(256)
    place_digits(const unsigned* in, const unsigned* before, unsigned* out) {
  __shared__ unsigned of_warp[8][16];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane < 16) of_warp[warp][lane] = 0;
  __syncwarp();
  unsigned key[4], rank[4];
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) {
    key[k] = in[blockIdx.x * std::size_t{kTile} + warp * 128 + k * 32 + lane];
    const unsigned digit = key[k] & 15, alike = __match_any_sync(~0u, digit);
    rank[k] = of_warp[warp][digit] + __popc(alike & ((1u << lane) - 1));
    __syncwarp();
    if (__ffs(alike) - 1 == static_cast<int>(lane)) of_warp[warp][digit] += __popc(alike);
    __syncwarp();
  }
  __syncthreads();
  if (threadIdx.x < 16) {
    unsigned sum = before[threadIdx.x * gridDim.x + blockIdx.x];
    for (unsigned w = 0; w < 8; ++w) {
      const unsigned mine = of_warp[w][threadIdx.x];
      of_warp[w][threadIdx.x] = sum;
      sum += mine;
    }
  }
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) out[of_warp[warp][key[k] & 15] + rank[k]] = key[k];
}
/// A warp a row of 256.
__global__ void eight_greatest(const unsigned* in, unsigned* out, std::size_t rows) {
  const std::size_t row = global_index() / 32;
  if (row >= rows) return;
  const unsigned lane = threadIdx.x % 32;
  unsigned v[8];
#pragma unroll
  for (unsigned k = 0; k < 8; ++k) v[k] = in[row * 256 + k * 32 + lane];
  for (unsigned r = 0; r < 8; ++r) {
    unsigned most = 0;
#pragma unroll
    for (const unsigned w : v) most = max(most, w);
    most = __reduce_max_sync(~0u, most);
#pragma unroll
    for (unsigned& w : v)
      if (w == most) w = 0;
    if (lane == 0) out[row * 8 + r] = most;
  }
}
/// Eight places of the result a thread.
__global__ void merge_by_diagonals(const unsigned* a, const unsigned* b, unsigned* out, unsigned m) {
  const unsigned first = static_cast<unsigned>(global_index()) * 8;
  if (first >= 2 * m) return;
  unsigned low = first > m ? first - m : 0, high = min(first, m);
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (a[middle] <= b[first - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  unsigned i = low, j = first - low;
  for (unsigned k = 0; k < 8; ++k) {
    const bool left = j >= m || (i < m && a[i] <= b[j]);
    out[first + k] = left ? a[i++] : b[j++];
  }
}

}  // namespace

void sorts(Set& s) {
  const std::size_t n = s.n, keys = n / 32;
  const unsigned blocks = as_number(keys / kTile);
  unsigned* counts = s.numbers() + n / 2;
  s.run(
      "pass over four bits of keys", 12.0 * real(keys),
      [&] {
        count_digits<<<blocks, 256>>>(s.words, counts);
        scan_counts<<<1, 1024>>>(counts, 16 * blocks);
        place_digits<<<blocks, 256>>>(s.words, counts, s.numbers());
      },
      [&] {
        std::vector<unsigned> want(keys);
        for (std::size_t i = 0; i < keys; ++i) want[i] = word_of(i);
        std::stable_sort(want.begin(), want.end(),
                         [](unsigned a, unsigned b) { return (a & 15) < (b & 15); });
        return numbers(s, keys, [&](std::size_t i) { return want[i]; });
      });
  const std::size_t rows = n / 2048;
  s.run(
      "eight greatest of rows of 256", 4.0 * 256 * real(rows),
      [&] { eight_greatest<<<Set::blocks(rows, 8), 256>>>(s.words, s.numbers(), rows); },
      [&] {
        return numbers(s, rows * 8, [](std::size_t i) {
          std::vector<unsigned> row(256);
          for (std::size_t k = 0; k < 256; ++k) row[k] = word_of(i / 8 * 256 + k);
          std::sort(row.begin(), row.end(), std::greater<>());
          return row[i % 8];
        });
      });
  const std::size_t half = n / 64;
  std::vector<unsigned> a(half), b(half), both(2 * half);
  for (std::size_t k = 0; k < half; ++k) {
    a[k] = as_number(8 * k) + (word_of(k) & 7);
    b[k] = as_number(8 * k) + (word_of(k + half) & 7);
  }
  std::merge(a.begin(), a.end(), b.begin(), b.end(), both.begin());
  unsigned *first = kept(a), *second = kept(b);
  s.run(
      "sorted lists merged by diagonals", 16.0 * real(half),
      [&] {
        merge_by_diagonals<<<Set::blocks(half / 4, 128), 128>>>(first, second, s.numbers(), as_number(half));
      },
      [&] { return numbers(s, 2 * half, [&](std::size_t i) { return both[i]; }); });
  cudaFree(first), cudaFree(second);
}

}  // namespace held_out_3
