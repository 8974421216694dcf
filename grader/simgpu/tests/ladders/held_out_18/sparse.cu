/// @file
/// Sparse structures: what a graph's nodes learn of their neighbours, a matrix partly padded and partly in triplets, nodes
/// of few neighbours taken out of a graph.
#include "held_out_18.hpp"

namespace held_out_18 {
namespace {

constexpr unsigned kFeatures = 32;
/// A warp has a node, a lane a feature.
__global__ void __launch_bounds__(256)
    means_of_neighbours(const unsigned* starts, const unsigned* neighbours, const float* features, float* out,
                        unsigned nodes) {
  const unsigned node = (blockIdx.x * blockDim.x + threadIdx.x) / kFeatures, lane = threadIdx.x % kFeatures;
  if (node >= nodes) return;
  const unsigned begin = starts[node], end = starts[node + 1];
  float sum = 0.0f;
  for (unsigned k = begin; k < end; ++k) sum += features[std::size_t{neighbours[k]} * kFeatures + lane];
  out[std::size_t{node} * kFeatures + lane] = sum / static_cast<float>(end - begin);
}

constexpr unsigned kPaddedEntries = 6, kFewestEntries = 3, kMoreEntries = 6, kNoColumn = ~0u;
/// The k-th entries of all rows lie side by side.
__global__ void __launch_bounds__(256) padded_by_vector(const unsigned* columns, const float* values,
                                                        const float* vector, float* out, unsigned rows) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (unsigned k = 0; k < kPaddedEntries; ++k) {
    const std::size_t at = std::size_t{k} * rows + row;
    const unsigned column = columns[at];
    if (column != kNoColumn) sum += values[at] * vector[column];
  }
  out[row] = sum;
}
struct Triplets {
  std::vector<unsigned> rows, columns;
};
__global__ void __launch_bounds__(256)
    triplets_by_vector(const unsigned* rows, const unsigned* columns, const float* values,
                       const float* vector, float* out, unsigned count) {
  const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < count) atomicAdd(out + rows[k], values[k] * vector[columns[k]]);
}

constexpr unsigned kEnoughNeighbours = 6;
/// A node with too few is out, and its neighbours have one less each.
__global__ void take_out_nodes(const unsigned* starts, const unsigned* neighbours, unsigned* left,
                               unsigned nodes) {
  const unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  const unsigned begin = starts[node], end = starts[node + 1];
  if (end - begin >= kEnoughNeighbours) return;
  for (unsigned k = begin; k < end; ++k) atomicSub(left + neighbours[k], 1u);
}

}  // namespace

void sparse(Set& s) {
  const std::size_t n = s.n;
  const unsigned nodes = as_number(n / 768);
  const std::vector<unsigned> starts = starts_of(nodes, 4, 13, 29),
                              neighbours = numbers_below(starts.back(), nodes, 3);
  unsigned *starts_there = kept(starts), *neighbours_there = kept(neighbours);
  s.run(
      "means of neighbours' rows of 32 floats, a warp a node",
      (4.0 * kFeatures + 4.0) * starts.back() + (4.0 * kFeatures + 4.0) * nodes,
      [&] {
        means_of_neighbours<<<Set::blocks(std::size_t{nodes} * kFeatures), 256>>>(
            starts_there, neighbours_there, s.in, s.out, nodes);
      },
      [&] {
        return near_everywhere(s, std::size_t{kFeatures} * nodes, 1e-5, [&](std::size_t i) {
          const std::size_t node = i / kFeatures;
          double sum = 0;
          for (std::size_t k = starts[node]; k < starts[node + 1]; ++k)
            sum += float_of(std::size_t{neighbours[k]} * kFeatures + i % kFeatures);
          return sum / (starts[node + 1] - starts[node]);
        });
      });
  cudaFree(starts_there), cudaFree(neighbours_there);

  const unsigned rows = as_number(n / 96);
  std::vector<unsigned> padded = numbers_below(std::size_t{kPaddedEntries} * rows, rows, 11);
  Triplets further;
  for (unsigned row = 0; row < rows; ++row) {
    const unsigned count = kFewestEntries + word_of(row + 17) % kMoreEntries;
    for (std::size_t k = count; k < kPaddedEntries; ++k) padded[k * rows + row] = kNoColumn;
    for (unsigned k = kPaddedEntries; k < count; ++k) {
      further.columns.push_back(place_of(word_of(further.rows.size() + 5), rows));
      further.rows.push_back(row);
    }
  }
  const unsigned triplets = as_number(further.rows.size());
  unsigned *padded_there = kept(padded), *further_rows = kept(further.rows),
           *further_columns = kept(further.columns);
  s.run(
      "rows padded to six entries by a vector, and what is further in triplets by atomics",
      12.0 * kPaddedEntries * rows + 4.0 * rows + 20.0 * triplets,
      [&] {
        padded_by_vector<<<Set::blocks(rows), 256>>>(padded_there, s.in, s.other, s.out, rows);
        triplets_by_vector<<<Set::blocks(triplets), 256>>>(further_rows, further_columns, s.in + n / 2,
                                                           s.other, s.out, triplets);
      },
      [&] {
        std::vector<double> want(rows);
        for (std::size_t at = 0; at < padded.size(); ++at)
          if (padded[at] != kNoColumn) want[at % rows] += double{float_of(at)} * other_of(padded[at]);
        for (std::size_t k = 0; k < triplets; ++k)
          want[further.rows[k]] += double{float_of(n / 2 + k)} * other_of(further.columns[k]);
        return near_everywhere(s, rows, 1e-5, [&](std::size_t row) { return want[row]; });
      });
  cudaFree(padded_there), cudaFree(further_rows), cudaFree(further_columns);

  const unsigned core_nodes = as_number(n / 64);
  const std::vector<unsigned> core_starts = starts_of(core_nodes, 2, 11, 43),
                              core_neighbours = numbers_below(core_starts.back(), core_nodes, 23);
  unsigned *core_starts_there = kept(core_starts), *core_neighbours_there = kept(core_neighbours);
  std::size_t counted_down = 0;
  for (std::size_t node = 0; node < core_nodes; ++node) {
    const unsigned count = core_starts[node + 1] - core_starts[node];
    if (count < kEnoughNeighbours) counted_down += count;
  }
  s.run(
      "nodes of fewer than six neighbours taken out, these counted down by atomics",
      4.0 * core_nodes + 8.0 * real(counted_down),
      [&] {
        take_out_nodes<<<Set::blocks(core_nodes, 192), 192>>>(core_starts_there, core_neighbours_there,
                                                              s.numbers(), core_nodes);
      },
      [&] {
        std::vector<unsigned> want(core_nodes);
        for (std::size_t node = 0; node < core_nodes; ++node)
          if (core_starts[node + 1] - core_starts[node] < kEnoughNeighbours)
            for (std::size_t k = core_starts[node]; k < core_starts[node + 1]; ++k)
              --want[core_neighbours[k]];
        return taken(s.numbers(), core_nodes) == want;
      });
  cudaFree(core_starts_there), cudaFree(core_neighbours_there);
}

}  // namespace held_out_18
