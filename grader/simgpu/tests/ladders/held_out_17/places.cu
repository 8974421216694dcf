/// @file
/// Where data lie: matrices mirrored along their diagonals, pages told by a table, records strewn over windows, a tree
/// laid out level by level.
#include <algorithm>

#include "held_out_17.hpp"

namespace held_out_17 {
namespace {

constexpr unsigned kMirrored = 256, kMirrorTile = 32, kMirrorTiles = kMirrored / kMirrorTile,
                   kMirrorPairs = kMirrorTiles * (kMirrorTiles + 1) / 2, kMirrorRows = 8;
constexpr std::size_t kOfMirrored = std::size_t{kMirrored} * kMirrored;
/// A block has a tile of the upper half, and writes it to both.
__global__ void __launch_bounds__(kMirrorTile* kMirrorRows) mirror_upper_half(const float* in, float* out) {
  __shared__ float tile[kMirrorTile][kMirrorTile + 1];
  unsigned column = 0, row = blockIdx.x;
  while (row > column) row -= ++column;
  const std::size_t first = blockIdx.y * kOfMirrored;
  const unsigned x = threadIdx.x;
#pragma unroll
  for (unsigned k = 0; k < kMirrorTile; k += kMirrorRows) {
    const unsigned y = threadIdx.y + k;
    const std::size_t at = first + (row * kMirrorTile + y) * kMirrored + column * kMirrorTile + x;
    const float v = in[at];
    tile[y][x] = v;
    if (row != column || x >= y) out[at] = v;
  }
  __syncthreads();
#pragma unroll
  for (unsigned k = 0; k < kMirrorTile; k += kMirrorRows) {
    const unsigned y = threadIdx.y + k;
    if (row != column || x < y)
      out[first + (column * kMirrorTile + y) * kMirrored + row * kMirrorTile + x] = tile[x][y];
  }
}

constexpr unsigned kPageFloats = 256, kPagesAsked = 8, kPageThreads = kPageFloats / 4;
__global__ void __launch_bounds__(kPageThreads)
    add_up_pages(const float4* pages, const unsigned* table, float4* out) {
  const unsigned* asked = table + std::size_t{blockIdx.x} * kPagesAsked;
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll 4
  for (unsigned k = 0; k < kPagesAsked; ++k) {
    const float4 v = pages[std::size_t{asked[k]} * kPageThreads + threadIdx.x];
    sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
  }
  out[std::size_t{blockIdx.x} * kPageThreads + threadIdx.x] = sum;
}

constexpr unsigned kStrewnWindow = 16384;
/// Where a record goes within its window; another record goes elsewhere.
__host__ __device__ __forceinline__ unsigned strewn_place(unsigned record) {
  unsigned at = record % kStrewnWindow;
  at = (at * 0x2c1bu + record / kStrewnWindow * 0x5au) % kStrewnWindow;
  at ^= at >> 7;
  at = at * 0x297bu % kStrewnWindow;
  at ^= at >> 8;
  return record / kStrewnWindow * kStrewnWindow + at;
}
__global__ void __launch_bounds__(256) strew_records(const uint4* in, uint4* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[2 * std::size_t{strewn_place(i / 2)} + i % 2] = in[i];
}

constexpr unsigned kTreeLeaves = 4096, kTreeThreads = 256;  // one key fewer than leaves
/// Below a key lie those at twice its place and one behind. What is found is how many keys are less.
__global__ void __launch_bounds__(kTreeThreads)
    seek_in_tree(const unsigned* tree, const unsigned* keys, unsigned* out, unsigned m) {
  __shared__ unsigned held[kTreeLeaves];
  for (unsigned k = threadIdx.x; k < kTreeLeaves; k += kTreeThreads) held[k] = tree[k];
  __syncthreads();
  for (unsigned i = blockIdx.x * kTreeThreads + threadIdx.x; i < m; i += gridDim.x * kTreeThreads) {
    const unsigned key = keys[i];
    unsigned at = 1;
#pragma unroll
    for (unsigned level = 1; level < kTreeLeaves; level *= 2) at = 2 * at + (held[at] < key ? 1 : 0);
    out[i] = at - kTreeLeaves;
  }
}
/// Puts what rises from @p from on to the places at and below @p at. @return where the next begins
std::size_t lay_out(const std::vector<unsigned>& rising, std::vector<unsigned>& tree, std::size_t at,
                    std::size_t from) {
  if (at >= kTreeLeaves) return from;
  from = lay_out(rising, tree, 2 * at, from);
  tree[at] = rising[from++];
  return lay_out(rising, tree, 2 * at + 1, from);
}

}  // namespace

void places(Set& s) {
  const std::size_t n = s.n;
  const unsigned matrices = as_number(n / 8 / kOfMirrored);
  s.run(
      "upper halves of matrices of 256 mirrored into their lower halves, tiles of 32 x 33",
      4.0 * kMirrorTile * kMirrorTile * (kMirrorPairs + kMirrorTiles * kMirrorTiles) * matrices,
      [&] {
        mirror_upper_half<<<dim3(kMirrorPairs, matrices), dim3(kMirrorTile, kMirrorRows)>>>(s.in, s.out);
      },
      [&] {
        return floats(s, kOfMirrored * matrices, [](std::size_t i) {
          const std::size_t x = i % kMirrored, y = i / kMirrored % kMirrored;
          return double{
              float_of(i / kOfMirrored * kOfMirrored + std::min(x, y) * kMirrored + std::max(x, y))};
        });
      });

  const unsigned pages = as_number(n / kPageFloats),
                 sums_of_pages = as_number(n / 4 / kPageFloats / kPagesAsked);
  std::vector<unsigned> page_numbers(std::size_t{sums_of_pages} * kPagesAsked);
  for (std::size_t k = 0; k < page_numbers.size(); ++k) page_numbers[k] = place_of(word_of(k + 37), pages);
  unsigned* page_table = kept(page_numbers);
  s.run(
      "eight pages of 1 kB added up, found by a table",
      (4.0 * kPageFloats + 4.0) * kPagesAsked * sums_of_pages + 4.0 * kPageFloats * sums_of_pages,
      [&] {
        add_up_pages<<<sums_of_pages, kPageThreads>>>(reinterpret_cast<const float4*>(s.in), page_table,
                                                      s.vectors());
      },
      [&] {
        return floats(s, std::size_t{kPageFloats} * sums_of_pages, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kPagesAsked; ++k)
            sum += float_of(std::size_t{page_numbers[i / kPageFloats * kPagesAsked + k]} * kPageFloats +
                            i % kPageFloats);
          return sum;
        });
      });
  cudaFree(page_table);

  const unsigned records = as_number(n / 4 / 8 / kStrewnWindow * kStrewnWindow);
  s.run(
      "records of 32 bytes strewn over windows of 16384 of them, two lanes each", 64.0 * records,
      [&] {
        strew_records<<<Set::blocks(2 * std::size_t{records}), 256>>>(
            reinterpret_cast<const uint4*>(s.words), reinterpret_cast<uint4*>(s.out), 2 * records);
      },
      [&] {
        return Set::each(8 * std::size_t{records}, [&](std::size_t i) {
          return s.number(8 * std::size_t{strewn_place(as_number(i / 8))} + i % 8) == word_of(i);
        });
      });

  std::vector<unsigned> rising(kTreeLeaves - 1), tree(kTreeLeaves);
  for (unsigned k = 0; k < rising.size(); ++k) rising[k] = word_of(k + 1000003);
  std::sort(rising.begin(), rising.end());
  lay_out(rising, tree, 1, 0);
  unsigned* tree_there = kept(tree);
  const unsigned sought = as_number(n / 16);
  s.run(
      "keys sought in a tree of 4095 laid out level by level in shared memory", 8.0 * sought,
      [&] { seek_in_tree<<<s.sms * 8, kTreeThreads>>>(tree_there, s.words + n / 2, s.numbers(), sought); },
      [&] {
        return numbers(s, sought, [&](std::size_t i) {
          return as_number(static_cast<std::size_t>(
              std::lower_bound(rising.begin(), rising.end(), word_of(n / 2 + i)) - rising.begin()));
        });
      });
  cudaFree(tree_there);
}

}  // namespace held_out_17
