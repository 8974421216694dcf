/// @file
/// Sparse structures: a matrix of blocks of 8 x 8, colours of a graph's nodes.
#include "held_out_17.hpp"

namespace held_out_17 {
namespace {

constexpr unsigned kBlockSide = 8, kFewestBlocks = 5, kMoreBlocks = 11;
/// A lane has two columns of one of eight rows.
__global__ void __launch_bounds__(256)
    rows_of_blocks(const unsigned* starts, const unsigned* columns, const float2* values,
                   const float2* vector, float* out, unsigned rows) {
  const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const unsigned end = starts[row + 1];
  float sum = 0.0f;
#pragma unroll 2
  for (unsigned k = starts[row]; k < end; ++k) {
    const float2 u = values[std::size_t{k} * 32 + lane],
                 v = vector[std::size_t{columns[k]} * (kBlockSide / 2) + lane % 4];
    sum += u.x * v.x + u.y * v.y;
  }
  sum += __shfl_xor_sync(~0u, sum, 1);
  sum += __shfl_xor_sync(~0u, sum, 2);
  if (lane % 4 == 0) out[std::size_t{row} * kBlockSide + lane / 4] = sum;
}

constexpr unsigned kColouredNeighbours = 12;
/// The k-th neighbours of all nodes lie side by side.
__global__ void __launch_bounds__(256)
    least_colours(const unsigned* neighbours, const unsigned char* colours, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  unsigned seen = 0;
#pragma unroll
  for (unsigned k = 0; k < kColouredNeighbours; ++k)
    seen |= 1u << colours[neighbours[std::size_t{k} * m + i]];
  out[i] = static_cast<unsigned>(__ffs(static_cast<int>(~seen)));
}
unsigned colour_of(std::size_t node) {
  return word_of(node + 91) % 14;
}

}  // namespace

void sparse(Set& s) {
  const std::size_t n = s.n;
  const unsigned rows = as_number(n / 2688), columns = as_number(n / 256);
  std::vector<unsigned> starts(rows + std::size_t{1}), columns_of;
  for (unsigned row = 0; row < rows; ++row) {
    const unsigned count = kFewestBlocks + word_of(row + 53) % kMoreBlocks;
    for (unsigned k = 0; k < count; ++k)  // they rise
      columns_of.push_back(place_of(word_of(columns_of.size() + 7), columns / count) + k * (columns / count));
    starts[row + 1] = as_number(columns_of.size());
  }
  unsigned *starts_there = kept(starts), *columns_there = kept(columns_of);
  s.run(
      "blocks of 8 x 8 of a sparse matrix by a vector, a warp for eight rows",
      (4.0 * kBlockSide * kBlockSide + 4.0) * real(columns_of.size()) + (4.0 * kBlockSide + 4.0) * rows,
      [&] {
        rows_of_blocks<<<Set::blocks(std::size_t{rows} * 32), 256>>>(
            starts_there, columns_there, reinterpret_cast<const float2*>(s.in),
            reinterpret_cast<const float2*>(s.other), s.out, rows);
      },
      [&] {
        return floats(s, std::size_t{kBlockSide} * rows, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = starts[i / kBlockSide]; k < starts[i / kBlockSide + 1]; ++k)
            for (std::size_t x = 0; x < kBlockSide; ++x)
              sum += double{float_of((k * kBlockSide + i % kBlockSide) * kBlockSide + x)} *
                     other_of(std::size_t{columns_of[k]} * kBlockSide + x);
          return sum;
        });
      });
  cudaFree(starts_there), cudaFree(columns_there);

  const unsigned nodes = as_number(n / 64);
  std::vector<unsigned char> colours(nodes);
  for (std::size_t i = 0; i < nodes; ++i) colours[i] = static_cast<unsigned char>(colour_of(i));
  std::vector<unsigned> neighbours(std::size_t{kColouredNeighbours} * nodes);
  for (std::size_t k = 0; k < neighbours.size(); ++k) neighbours[k] = place_of(word_of(k), nodes);
  unsigned char* colours_there = kept(colours);
  unsigned* neighbours_there = kept(neighbours);
  s.run(
      "least colours that none of twelve neighbours has", (5.0 * kColouredNeighbours + 4.0) * nodes,
      [&] {
        least_colours<<<Set::blocks(nodes), 256>>>(neighbours_there, colours_there, s.numbers(), nodes);
      },
      [&] {
        return numbers(s, nodes, [&](std::size_t i) {
          unsigned seen = 0, least = 0;
          for (std::size_t k = 0; k < kColouredNeighbours; ++k)
            seen |= 1u << colours[neighbours[k * nodes + i]];
          while (seen >> least & 1) ++least;
          return least + 1;
        });
      });
  cudaFree(colours_there), cudaFree(neighbours_there);
}

}  // namespace held_out_17
