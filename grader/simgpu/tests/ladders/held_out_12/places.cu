/// @file
/// Where data lie: doubles picked within pages, floats dealt out in turn, triples turned in tiles, bytes
/// sliced into planes of bits, keys sought in a tree whose nodes a warp reads at once.
#include "held_out_12.hpp"

namespace held_out_12 {
namespace {

constexpr unsigned kPageOfDoubles = 8192, kPicks = 16384;
__global__ void pick_in_pages(const double* pages, const unsigned short* which, double* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = pages[i / kPicks * kPageOfDoubles + which[i] % kPageOfDoubles];
}

constexpr unsigned kHands = 48;
__global__ void deal_to_hands(const float* in, float* out, unsigned each) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kHands * each) out[i % kHands * each + i / kHands] = in[i];
}

constexpr unsigned kTriplesWide = 768, kTripleTile = 16;
__global__ void __launch_bounds__(256) turn_triples(const float3* in, float3* out, unsigned high) {
  __shared__ float3 tile[kTripleTile][kTripleTile + 1];
  const unsigned x0 = blockIdx.x * kTripleTile, y0 = blockIdx.y * kTripleTile;
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
  tile[ty][tx] = in[(y0 + ty) * kTriplesWide + x0 + tx];
  __syncthreads();
  out[(x0 + ty) * high + y0 + tx] = tile[tx][ty];
}

constexpr unsigned kPlanesOfByte = 8;
__global__ void __launch_bounds__(256)
    slice_bytes(const unsigned char* in, unsigned* planes, unsigned words_of_plane) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const unsigned v = in[i];
  unsigned mine = 0;
#pragma unroll
  for (unsigned k = 0; k < kPlanesOfByte; ++k) {
    const unsigned plane = __ballot_sync(~0u, v >> k & 1);
    if (lane == k) mine = plane;
  }
  if (lane < kPlanesOfByte) planes[lane * words_of_plane + i / 32] = mine;
}

constexpr unsigned kTreeLevels = 4, kNode = 32, kKeysApart = 16;
struct Tree {
  const unsigned* keys;  ///< all levels, the leaves first; a level has the greatest key of each node below
  unsigned first[kTreeLevels], count[kTreeLevels];
};
__host__ __device__ __forceinline__ unsigned key_of_leaf(std::size_t j) {
  return static_cast<unsigned>(j) * kKeysApart + word_of(j + 77) % kKeysApart;
}
/// Below the greatest key.
__host__ __device__ __forceinline__ unsigned sought_of(unsigned word, unsigned leaves) {
  return place_of(word, (leaves - 1) * kKeysApart);
}
/// A warp finds the first key that is not less.
__global__ void __launch_bounds__(128)
    seek_in_tree(Tree tree, const unsigned* words, unsigned* out, unsigned m) {
  const unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (i >= m) return;
  const unsigned sought = sought_of(words[i], tree.count[0]);
  unsigned node = 0;
#pragma unroll
  for (unsigned up = kTreeLevels; up-- > 0;) {
    const unsigned at = node * kNode + lane;
    const bool fits = at < tree.count[up] && tree.keys[tree.first[up] + at] >= sought;
    node = node * kNode + static_cast<unsigned>(__ffs(static_cast<int>(__ballot_sync(~0u, fits)))) - 1;
  }
  if (lane == 0) out[i] = node;
}

}  // namespace

void places(Set& s) {
  const std::size_t n = s.n;
  const unsigned picked = as_number(n / 32 / kPageOfDoubles * kPicks);
  s.run(
      "doubles picked within pages of 64 kB", 18.0 * picked,
      [&] {
        pick_in_pages<<<Set::blocks(picked), 256>>>(reinterpret_cast<const double*>(s.in),
                                                    reinterpret_cast<const unsigned short*>(s.words),
                                                    reinterpret_cast<double*>(s.out), picked);
      },
      [&] {
        return doubles(s, picked, [](std::size_t i) {
          const unsigned which = word_of(i / 2) >> (16 * (i % 2)) & 0xffff;
          return double_of(i / kPicks * kPageOfDoubles + which % kPageOfDoubles);
        });
      });
  const unsigned hand = as_number(n / 8 / kHands);
  s.run(
      "floats dealt to 48 hands in turn", 8.0 * kHands * hand,
      [&] { deal_to_hands<<<Set::blocks(std::size_t{kHands} * hand, 192), 192>>>(s.in, s.out, hand); },
      [&] {
        return floats(s, std::size_t{kHands} * hand,
                      [&](std::size_t i) { return double{float_of(i % hand * kHands + i / hand)}; });
      });
  const unsigned high = as_number(n / 24 / kTriplesWide / kTripleTile * kTripleTile);
  s.run(
      "triples of floats turned in tiles of 16 x 16", 24.0 * kTriplesWide * high,
      [&] {
        turn_triples<<<dim3(kTriplesWide / kTripleTile, high / kTripleTile),
                       dim3(kTripleTile, kTripleTile)>>>(reinterpret_cast<const float3*>(s.in),
                                                         reinterpret_cast<float3*>(s.out), high);
      },
      [&] {
        return floats(s, 3 * std::size_t{kTriplesWide} * high, [&](std::size_t i) {
          const std::size_t triple = i / 3;
          return double{float_of(3 * (triple % high * kTriplesWide + triple / high) + i % 3)};
        });
      });

  const unsigned sliced = as_number(n / 8 / 256 * 256), words_of_plane = sliced / 32;
  s.run(
      "bytes sliced into planes of bits by ballots", 2.0 * sliced,
      [&] {
        slice_bytes<<<sliced / 256, 256>>>(reinterpret_cast<const unsigned char*>(s.words), s.numbers(),
                                           words_of_plane);
      },
      [&] {
        return numbers(s, std::size_t{kPlanesOfByte} * words_of_plane, [&](std::size_t i) {
          unsigned want = 0;
          for (std::size_t b = 0; b < 32; ++b)
            want |= (byte_of(i % words_of_plane * 32 + b) >> (i / words_of_plane) & 1) << b;
          return want;
        });
      });

  const unsigned leaves = as_number(n / 128), sought = as_number(n / 256);
  std::vector<unsigned> keys(leaves);
  for (std::size_t j = 0; j < leaves; ++j) keys[j] = key_of_leaf(j);
  Tree tree{};
  tree.count[0] = leaves;
  for (unsigned up = 1; up < kTreeLevels; ++up) {
    tree.first[up] = as_number(keys.size());
    tree.count[up] = Set::blocks(tree.count[up - 1], kNode);
    for (unsigned j = 1; j <= tree.count[up]; ++j)
      keys.push_back(keys[tree.first[up - 1] + std::min(j * kNode, tree.count[up - 1]) - 1]);
  }
  unsigned* of_tree = kept(keys);
  tree.keys = of_tree;
  s.run(
      "keys sought in a tree of nodes of 32, a warp each", (128.0 * kTreeLevels + 8.0) * sought,
      [&] {
        seek_in_tree<<<Set::blocks(std::size_t{sought} * 32, 128), 128>>>(tree, s.words, s.numbers(), sought);
      },
      [&] {
        return numbers(s, sought, [&](std::size_t i) {
          const unsigned key = sought_of(word_of(i), leaves);
          return as_number(static_cast<std::size_t>(
              std::lower_bound(keys.begin(), keys.begin() + leaves, key) - keys.begin()));
        });
      });
  cudaFree(of_tree);
}

}  // namespace held_out_12
