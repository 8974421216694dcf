/// @file
/// One thing after the other: a tree gone down by searches, lists of nodes that threads follow, a
/// generator's steps in one warp. What one warp does takes as long on a slice, so it is counted whole.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

constexpr unsigned kDepth = 16;
/// Nodes of a full tree: the key of node k is what lies there; left and right are 2 k + 1 and 2 k + 2.
__global__ void down_a_tree(const unsigned* keys, const unsigned* queries, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned query = queries[i];
  unsigned node = 0;
  for (unsigned level = 0; level < kDepth; ++level) node = 2 * node + (query < keys[node] ? 1 : 2);
  out[i] = node;
}
struct Node {
  unsigned next, value;
};
__host__ __device__ __forceinline__ unsigned next_node(unsigned i, unsigned places) {
  return (i * 1103515245u + 12345u) & (places - 1);
}
__global__ void make_nodes(Node* nodes, unsigned places) {
  for (std::size_t i = global_index(); i < places; i += stride())
    nodes[i] = {next_node(static_cast<unsigned>(i), places), ladder::word_of(i)};
}
/// A list is followed eight nodes far by each thread, from another node each.
__global__ void follow_lists(const Node* nodes, unsigned* out, unsigned places, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  unsigned at = ladder::scrambled(static_cast<unsigned>(i)) & (places - 1), sum = 0;
  for (int k = 0; k < 8; ++k) {
    const Node node = nodes[at];
    sum ^= node.value + static_cast<unsigned>(k);
    at = node.next;
  }
  out[i] = sum;
}
__global__ void steps_of_a_generator(unsigned* out, unsigned steps) {
  unsigned v = threadIdx.x + 1;
#pragma unroll 8
  for (unsigned k = 0; k < steps; ++k) v = v * 747796405u + (v >> 9);
  out[threadIdx.x] = v;
}

}  // namespace

void chains(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "down a tree of sixteen levels", 8.0 * real(n / 64),
      [&] { down_a_tree<<<Set::blocks(n / 64), 256>>>(s.words, s.words + n / 2, s.numbers(), n / 64); },
      [&] {
        return numbers(s, n / 64, [n](std::size_t i) {
          unsigned node = 0;
          for (unsigned level = 0; level < kDepth; ++level)
            node = 2 * node + (word_of(n / 2 + i) < word_of(node) ? 1 : 2);
          return node;
        });
      });
  unsigned places = 1;
  while (2 * std::size_t{places} <= n / 4) places *= 2;
  Node* nodes = room<Node>(places);
  make_nodes<<<s.sms * 8, 256>>>(nodes, places);
  s.run(
      "lists of nodes followed eight far", 8.0 * 8 * real(n / 128),
      [&] { follow_lists<<<Set::blocks(n / 128), 256>>>(nodes, s.numbers(), places, n / 128); },
      [&] {
        return numbers(s, n / 128, [places](std::size_t i) {
          unsigned at = scrambled(as_number(i)) & (places - 1), sum = 0;
          for (unsigned k = 0; k < 8; ++k, at = next_node(at, places)) sum ^= word_of(at) + k;
          return sum;
        });
      });
  cudaFree(nodes);
  s.run_whole(
      "8192 steps of a generator, one warp", 4.0 * 8192,
      [&] { steps_of_a_generator<<<1, 32>>>(s.numbers(), 8192); },
      [&] {
        return numbers(s, 32, [](std::size_t i) {
          unsigned v = as_number(i) + 1;
          for (int k = 0; k < 8192; ++k) v = v * 747796405u + (v >> 9);
          return v;
        });
      });
}

}  // namespace held_out_6
