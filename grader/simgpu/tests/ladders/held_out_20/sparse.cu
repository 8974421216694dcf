/// @file
/// Sparse structures: rows of halves with short columns, labels that most neighbours have, rows written out in
/// full, greatest entries of columns.
#include <algorithm>

#include "held_out_20.hpp"

namespace held_out_20 {
namespace {

constexpr unsigned kShortColumns = 16384, kShortLanes = 16;
__global__ void __launch_bounds__(256)
    short_columns(const unsigned* begins, const unsigned short* columns, const __half* values,
                  const float* vector, float* out, unsigned rows) {
  const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / kShortLanes,
                 lane = threadIdx.x % kShortLanes;
  float sum = 0.0f;
  if (row < rows) {
    const unsigned end = begins[row + 1];
    for (unsigned k = begins[row] + lane; k < end; k += kShortLanes)
      sum += __half2float(values[k]) * vector[columns[k]];
  }
#pragma unroll
  for (int d = kShortLanes / 2; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d, kShortLanes);
  if (row < rows && lane == 0) out[row] = sum;
}

constexpr unsigned kVoters = 9, kLabels = 8;
__host__ __device__ __forceinline__ unsigned label_of(unsigned word) {
  return word % kLabels;
}
/// The least label among those that most have, counted from one. The k-th neighbours lie side by side.
__global__ void __launch_bounds__(256)
    commonest_labels(const unsigned* neighbours, const unsigned* words, unsigned* out, unsigned nodes) {
  const unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  unsigned labels[kVoters];
#pragma unroll
  for (unsigned k = 0; k < kVoters; ++k)
    labels[k] = label_of(words[neighbours[std::size_t{k} * nodes + node]]);
  unsigned best = 0;  // how many, and then the least label
#pragma unroll
  for (unsigned k = 0; k < kVoters; ++k) {
    unsigned count = 0;
#pragma unroll
    for (unsigned j = 0; j < kVoters; ++j) count += labels[j] == labels[k] ? 1 : 0;
    best = max(best, count * kLabels + (kLabels - 1 - labels[k]));
  }
  out[node] = kLabels - best % kLabels;
}

constexpr unsigned kFullWide = 512, kFullThreads = 128, kFullMost = 40;
/// Columns of a row are different ones: a step of odd length from any place.
__host__ __device__ __forceinline__ unsigned full_column(unsigned row, unsigned k) {
  return (word_of(row + 5) + k * (2 * (row % 64) + 1)) % kFullWide;
}
__global__ void __launch_bounds__(kFullThreads)
    write_in_full(const unsigned* begins, const unsigned* columns, const float* values, float4* out) {
  __shared__ alignas(16) float row[kFullWide];
  const unsigned t = threadIdx.x, begin = begins[blockIdx.x], end = begins[blockIdx.x + 1];
  reinterpret_cast<float4*>(row)[t] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  __syncthreads();
  for (unsigned k = begin + t; k < end; k += kFullThreads) row[columns[k]] = values[k];
  __syncthreads();
  out[std::size_t{blockIdx.x} * kFullThreads + t] = reinterpret_cast<const float4*>(row)[t];
}

/// Floats above nought are in the order of their bits.
__global__ void __launch_bounds__(256)
    greatest_of_columns(const unsigned* columns, const float* values, int* out, unsigned entries) {
  for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < entries; k += gridDim.x * blockDim.x)
    atomicMax(out + columns[k], __float_as_int(values[k]));
}

}  // namespace

void sparse(Set& s) {
  const std::size_t n = s.n;
  const unsigned rows = as_number(n / 224);
  const std::vector<unsigned> begins = starts_of(rows, 8, 49, 29);
  std::vector<unsigned short> columns(begins.back());
  for (std::size_t k = 0; k < columns.size(); ++k)
    columns[k] = static_cast<unsigned short>(place_of(word_of(k + 67), kShortColumns));
  unsigned* begins_there = kept(begins);
  unsigned short* columns_there = kept(columns);
  s.run(
      "sparse rows of halves whose columns are told in 16 bits, sixteen lanes a row",
      4.0 * begins.back() + 8.0 * rows,
      [&] {
        short_columns<<<Set::blocks(std::size_t{rows} * kShortLanes), 256>>>(begins_there, columns_there,
                                                                             s.halves, s.other, s.out, rows);
      },
      [&] {
        return near_everywhere(s, rows, 1e-5, [&](std::size_t row) {
          double sum = 0;
          for (std::size_t k = begins[row]; k < begins[row + 1]; ++k)
            sum += double{half_of(k)} * other_of(columns[k]);
          return sum;
        });
      });
  cudaFree(begins_there), cudaFree(columns_there);

  const unsigned nodes = as_number(n / 160);
  const std::vector<unsigned> neighbours = numbers_below(std::size_t{kVoters} * nodes, nodes, 23);
  unsigned* neighbours_there = kept(neighbours);
  s.run(
      "labels that most of nine neighbours have, a thread a node", (8.0 * kVoters + 4.0) * nodes,
      [&] { commonest_labels<<<Set::blocks(nodes), 256>>>(neighbours_there, s.words, s.numbers(), nodes); },
      [&] {
        return same_everywhere(s, nodes, [&](std::size_t node) {
          unsigned counts[kLabels] = {};
          for (std::size_t k = 0; k < kVoters; ++k) ++counts[label_of(word_of(neighbours[k * nodes + node]))];
          return static_cast<unsigned>(std::max_element(counts, counts + kLabels) - counts) + 1;
        });
      });
  cudaFree(neighbours_there);

  const unsigned full = as_number(n / 5 / kFullWide);
  const std::vector<unsigned> full_begins = starts_of(full, 0, kFullMost + 1, 47);
  std::vector<unsigned> full_columns(full_begins.back());
  for (unsigned row = 0; row < full; ++row)
    for (unsigned k = full_begins[row]; k < full_begins[row + 1]; ++k)
      full_columns[k] = full_column(row, k - full_begins[row]);
  unsigned *full_begins_there = kept(full_begins), *full_columns_there = kept(full_columns);
  s.run(
      "sparse rows written out as rows of 512, each by a block of 128 in shared memory",
      (4.0 * kFullWide + 4.0) * full + 8.0 * full_begins.back(),
      [&] {
        write_in_full<<<full, kFullThreads>>>(full_begins_there, full_columns_there, s.in, s.vectors());
      },
      [&] {
        std::vector<float> want(std::size_t{kFullWide} * full);
        for (std::size_t row = 0; row < full; ++row)
          for (std::size_t k = full_begins[row]; k < full_begins[row + 1]; ++k)
            want[row * kFullWide + full_columns[k]] = float_of(k);
        return same_everywhere<float>(s, want.size(), [&](std::size_t i) { return want[i]; });
      });
  cudaFree(full_begins_there), cudaFree(full_columns_there);

  const unsigned entries = as_number(n / 12), all_columns = as_number(n / 192);
  const std::vector<unsigned> places = numbers_below(entries, all_columns, 53);
  unsigned* places_there = kept(places);
  s.run(
      "greatest entries of a sparse matrix's columns by atomics", 8.0 * entries + 4.0 * all_columns,
      [&] {
        cudaMemsetAsync(s.out, 0, all_columns * sizeof(float));
        greatest_of_columns<<<s.sms * 8, 256>>>(places_there, s.in, reinterpret_cast<int*>(s.out), entries);
      },
      [&] {
        std::vector<float> want(all_columns);
        for (std::size_t k = 0; k < entries; ++k) want[places[k]] = std::max(want[places[k]], float_of(k));
        return same_everywhere<float>(s, want.size(), [&](std::size_t i) { return want[i]; });
      });
  cudaFree(places_there);
}

}  // namespace held_out_20
