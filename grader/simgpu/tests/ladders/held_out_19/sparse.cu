/// @file
/// Sparse structures: entries divided by what both their ends have, shares of edges, roots of a forest,
/// rows kept as bits and values.
#include <algorithm>

#include "held_out_19.hpp"

namespace held_out_19 {
namespace {

constexpr unsigned kEndLanes = 8;
__global__ void __launch_bounds__(256) divide_by_ends(const unsigned* begins, const unsigned* columns,
                                                      const float* values, float* out, unsigned rows) {
  const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / kEndLanes, lane = threadIdx.x % kEndLanes;
  if (row >= rows) return;
  const unsigned begin = begins[row], end = begins[row + 1];
  const auto own = static_cast<float>(end - begin);
  for (unsigned k = begin + lane; k < end; k += kEndLanes) {
    const unsigned column = columns[k];
    out[k] = values[k] * rsqrtf(own * static_cast<float>(begins[column + 1] - begins[column]));
  }
}

constexpr float kLeak = 0.2f;
/// A warp has a node: its edges' scores become shares of one.
__global__ void __launch_bounds__(128)
    shares_of_edges(const unsigned* begins, const unsigned* neighbours, const float* here, const float* there,
                    float* out, unsigned nodes) {
  const unsigned node = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (node >= nodes) return;
  const unsigned begin = begins[node] + lane, end = begins[node + 1];
  const float own = here[node];
  float greatest = -1e30f, sum = 0.0f;
  for (unsigned k = begin; k < end; k += 32) {
    const float v = own - there[neighbours[k]], score = v < 0.0f ? kLeak * v : v;
    out[k] = score;
    greatest = fmaxf(greatest, score);
  }
#pragma unroll
  for (int d = 16; d > 0; d /= 2) greatest = fmaxf(greatest, __shfl_xor_sync(~0u, greatest, d));
  for (unsigned k = begin; k < end; k += 32) {
    const float v = __expf(out[k] - greatest);
    out[k] = v;
    sum += v;
  }
#pragma unroll
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  const float scale = 1.0f / sum;
  for (unsigned k = begin; k < end; k += 32) out[k] *= scale;
}

constexpr unsigned kOfTree = 4096, kDepthBits = 8;
/// A root is its own parent. What is put out is the root and, in the lower bits, how far away it is.
__global__ void __launch_bounds__(256)
    roots_of_forest(const unsigned* parents, unsigned* out, unsigned nodes) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= nodes) return;
  unsigned node = i, depth = 1;
  for (unsigned parent = parents[node]; parent != node; parent = parents[node]) {
    node = parent;
    ++depth;
  }
  out[i] = node << kDepthBits | depth;
}

constexpr unsigned kBitsWide = 512, kBitsWords = kBitsWide / 32;
__host__ __device__ __forceinline__ unsigned mask_of(std::size_t i) {
  return word_of(i + 7) & word_of(i + 1000003);
}
/// A lane has a column in 32; where its value lies is told by the bits below its own.
__global__ void __launch_bounds__(256)
    bits_by_vector(const unsigned* begins, const unsigned* masks, const float* values, const float* vector,
                   float* out, unsigned rows) {
  const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const unsigned own = lane < kBitsWords ? masks[std::size_t{row} * kBitsWords + lane] : 0;
  unsigned at = begins[row];
  float sum = 0.0f;
#pragma unroll 4
  for (unsigned k = 0; k < kBitsWords; ++k) {
    const unsigned mask = __shfl_sync(~0u, own, static_cast<int>(k));
    if (mask >> lane & 1) sum += values[at + __popc(mask & ((1u << lane) - 1))] * vector[32 * k + lane];
    at += __popc(mask);
  }
#pragma unroll
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) out[row] = sum;
}

}  // namespace

void sparse(Set& s) {
  const std::size_t n = s.n;
  const unsigned rows = as_number(n / 256);
  const std::vector<unsigned> begins = starts_of(rows, 4, 13, 71),
                              columns = numbers_below(begins.back(), rows, 37);
  unsigned *begins_there = kept(begins), *columns_there = kept(columns);
  s.run(
      "entries of sparse rows divided by the root of how many both ends have, eight lanes a row",
      20.0 * begins.back() + 4.0 * rows,
      [&] {
        divide_by_ends<<<Set::blocks(std::size_t{rows} * kEndLanes), 256>>>(begins_there, columns_there, s.in,
                                                                            s.out, rows);
      },
      [&] {
        std::vector<double> want(begins.back());
        for (std::size_t row = 0; row < rows; ++row)
          for (std::size_t k = begins[row]; k < begins[row + 1]; ++k)
            want[k] = float_of(k) / std::sqrt(real(begins[row + 1] - begins[row]) *
                                              real(begins[columns[k] + 1] - begins[columns[k]]));
        return near_everywhere(s, want.size(), 1e-5, [&](std::size_t k) { return want[k]; });
      });
  cudaFree(begins_there), cudaFree(columns_there);

  const unsigned nodes = as_number(n / 768);
  const std::vector<unsigned> edges = starts_of(nodes, 8, 65, 13),
                              neighbours = numbers_below(edges.back(), nodes, 19);
  unsigned *edges_there = kept(edges), *neighbours_there = kept(neighbours);
  s.run(
      "scores of a graph's edges made shares of one at each node, a warp a node",
      12.0 * edges.back() + 8.0 * nodes,
      [&] {
        shares_of_edges<<<Set::blocks(std::size_t{nodes} * 32, 128), 128>>>(edges_there, neighbours_there,
                                                                            s.in, s.other, s.out, nodes);
      },
      [&] {
        std::vector<double> want(edges.back());
        for (std::size_t node = 0; node < nodes; ++node) {
          double sum = 0;
          for (std::size_t k = edges[node]; k < edges[node + 1]; ++k) {
            const double v = double{float_of(node)} - other_of(neighbours[k]);
            want[k] = std::exp(v < 0 ? double{kLeak} * v : v);
            sum += want[k];
          }
          for (std::size_t k = edges[node]; k < edges[node + 1]; ++k) want[k] /= sum;
        }
        return near_everywhere(s, want.size(), 1e-5, [&](std::size_t k) { return want[k]; });
      });
  cudaFree(edges_there), cudaFree(neighbours_there);

  // The trees' first nodes lie side by side, then their second ones; a parent comes before its children.
  const unsigned trees = as_number(n / 64 / kOfTree), of_forest = trees * kOfTree;
  std::vector<unsigned> parents(of_forest), roots(of_forest);
  for (unsigned i = 0; i < of_forest; ++i) {
    const unsigned tree = i % trees, place = i / trees;
    parents[i] = place == 0 ? i : place_of(word_of(i + 41), place) * trees + tree;
    roots[i] = place == 0 ? i << kDepthBits | 1 : roots[parents[i]] + 1;
  }
  unsigned* parents_there = kept(parents);
  s.run(
      "roots of a forest and how far they are, each node follows its parents", 8.0 * of_forest,
      [&] { roots_of_forest<<<Set::blocks(of_forest), 256>>>(parents_there, s.numbers(), of_forest); },
      [&] { return taken(s.numbers(), of_forest) == roots; });
  cudaFree(parents_there);

  const unsigned bit_rows = as_number(n / 1024);
  std::vector<unsigned> masks(std::size_t{kBitsWords} * bit_rows), values_begin(bit_rows + std::size_t{1});
  for (std::size_t row = 0; row < bit_rows; ++row) {
    values_begin[row + 1] = values_begin[row];
    for (std::size_t k = row * kBitsWords; k < (row + 1) * kBitsWords; ++k) {
      masks[k] = mask_of(k);
      values_begin[row + 1] += static_cast<unsigned>(__builtin_popcount(masks[k]));
    }
  }
  unsigned *masks_there = kept(masks), *values_begin_there = kept(values_begin);
  s.run(
      "rows of 512 kept as bits and the values of those set by a vector, a warp a row",
      4.0 * values_begin.back() + (4.0 * kBitsWords + 8.0) * bit_rows,
      [&] {
        bits_by_vector<<<Set::blocks(std::size_t{bit_rows} * 32), 256>>>(values_begin_there, masks_there,
                                                                         s.in, s.other, s.out, bit_rows);
      },
      [&] {
        return near_everywhere(s, bit_rows, 1e-5, [&](std::size_t row) {
          double sum = 0;
          std::size_t at = values_begin[row];
          for (std::size_t x = 0; x < kBitsWide; ++x)
            if (masks[row * kBitsWords + x / 32] >> (x % 32) & 1) sum += double{float_of(at++)} * other_of(x);
          return sum;
        });
      });
  cudaFree(masks_there), cudaFree(values_begin_there);
}

}  // namespace held_out_19
