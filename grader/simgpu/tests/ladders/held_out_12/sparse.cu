/// @file
/// Sparse rows: those of a symmetric matrix of which one half is kept, and a step of 64 searches at once,
/// a bit each, along the links of a graph.
#include "held_out_12.hpp"

namespace held_out_12 {
namespace {

using Mask = unsigned long long;

/// Each entry stands for the one across the diagonal too; the first of a row is its diagonal.
__global__ void symmetric_rows(const unsigned* begins, const unsigned* columns, const float* values,
                               const float* x, float* y, unsigned rows) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const unsigned begin = begins[row], end = begins[row + 1];
  const float mine = x[row];
  float sum = values[begin] * mine;
  for (unsigned k = begin + 1; k < end; ++k) {
    const unsigned column = columns[k];
    const float value = values[k];
    sum += value * x[column];
    atomicAdd(y + column, value * mine);
  }
  atomicAdd(y + row, sum);
}

__global__ void search_step(const unsigned* begins, const unsigned* links, const Mask* seen, Mask* next,
                            unsigned nodes) {
  const unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  Mask all = seen[node];
  for (unsigned k = begins[node]; k < begins[node + 1]; ++k) all |= seen[links[k]];
  next[node] = all;
}

}  // namespace

void sparse(Set& s) {
  const std::size_t n = s.n;
  const unsigned rows = as_number(n / 128);
  std::vector<unsigned> begins(rows + 1), columns;
  std::vector<float> values;
  for (unsigned row = 0; row < rows; ++row) {
    const unsigned others = word_of(row + 41) % 7;
    columns.push_back(row), values.push_back(8.0f);
    for (unsigned k = 0; k < others; ++k) {
      const unsigned column = row + 1 + word_of(std::size_t{row} * 8 + k) % (k == 0 ? 60000u : 500u);
      if (column < rows) columns.push_back(column), values.push_back(0.25f + half_of(values.size()));
    }
    begins[row + 1] = as_number(values.size());
  }
  unsigned *d_begins = kept(begins), *d_columns = kept(columns);
  float* d_values = kept(values);
  s.run(
      "rows of a symmetric matrix of which half is kept", 8.0 * real(values.size()) + 16.0 * rows,
      [&] {
        cudaMemsetAsync(s.out, 0, rows * sizeof(float));
        symmetric_rows<<<Set::blocks(rows, 128), 128>>>(d_begins, d_columns, d_values, s.in, s.out, rows);
      },
      [&] {
        std::vector<double> want(rows);
        for (std::size_t row = 0; row < rows; ++row)
          for (std::size_t k = begins[row]; k < begins[row + 1]; ++k) {
            want[row] += double{values[k]} * float_of(columns[k]);
            if (columns[k] != row) want[columns[k]] += double{values[k]} * float_of(row);
          }
        return floats(s, rows, [&](std::size_t row) { return want[row]; });
      });
  cudaFree(d_begins), cudaFree(d_columns), cudaFree(d_values);

  const unsigned nodes = as_number(n / 128);
  std::vector<unsigned> first_links(nodes + 1), links;
  std::vector<Mask> seen(nodes);
  for (unsigned node = 0; node < nodes; ++node) {
    const unsigned word = word_of(node + 5), degree = 2 + word_of(node + 90) % 11;
    if (word % 4 == 0) seen[node] = Mask{1} << (word >> 8) % 64;
    for (unsigned k = 0; k < degree; ++k) {
      const unsigned link = word_of(std::size_t{node} * 16 + k);
      links.push_back(k % 2 == 0 ? place_of(link, nodes) : (node + link % 1024) % nodes);
    }
    first_links[node + 1] = as_number(links.size());
  }
  unsigned *d_first = kept(first_links), *d_links = kept(links);
  Mask* d_seen = kept(seen);
  auto* next = reinterpret_cast<Mask*>(s.out);
  s.run(
      "a step of 64 searches through a graph, a bit each", 4.0 * real(links.size()) + 20.0 * nodes,
      [&] { search_step<<<Set::blocks(nodes), 256>>>(d_first, d_links, d_seen, next, nodes); },
      [&] {
        auto want = seen;
        for (std::size_t node = 0; node < nodes; ++node)
          for (std::size_t k = first_links[node]; k < first_links[node + 1]; ++k)
            want[node] |= seen[links[k]];
        return taken(next, nodes) == want;
      });
  cudaFree(d_first), cudaFree(d_links), cudaFree(d_seen);
}

}  // namespace held_out_12
