/// @file
/// Ways that part by what is read: a Julia set, searches in sorted pieces, rows left when their word is
/// found, levels of a graph over all of its nodes.
#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

constexpr unsigned kWidth = 512;
/// Each rounding is written down, so that the host comes to the same.
__host__ __device__ __forceinline__ unsigned julia(float x, float y) {
  unsigned steps = 0;
  while (steps < 250 && fmaf(x, x, y * y) < 4.0f) {
    const float next = fmaf(x, x, fmaf(-y, y, -0.8f));
    y = fmaf(2.0f * x, y, 0.156f);
    x = next;
    ++steps;
  }
  return steps;
}
__host__ __device__ __forceinline__ float across(unsigned x) {
  return fmaf(static_cast<float>(x), 3.0f / kWidth, -1.5f);
}
__host__ __device__ __forceinline__ float along(unsigned y, float step) {
  return fmaf(static_cast<float>(y), step, -1.0f);
}
__global__ void draw_julia(unsigned* out, float step) {
  const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  out[y * std::size_t{kWidth} + x] = julia(across(x), along(y, step));
}
constexpr unsigned kPiece = 4096;
/// A piece holds 4096 rising words: word k is between 2^20 k and 2^20 (k + 1).
__global__ void find_in_pieces(const unsigned* pieces, const unsigned* queries, unsigned* out, unsigned count,
                               std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned query = queries[i];
  const unsigned* piece = pieces + place_of(scrambled(query), count) * std::size_t{kPiece};
  unsigned low = 0, high = kPiece;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (piece[middle] < query)
      low = middle + 1;
    else
      high = middle;
  }
  out[i] = low;
}
__host__ __device__ __forceinline__ unsigned rising(unsigned word, std::size_t i) {
  return static_cast<unsigned>(i % kPiece) << 20 | word >> 12;
}
__global__ void make_pieces(const unsigned* words, unsigned* out, std::size_t m) {
  for (std::size_t i = global_index(); i < m; i += stride()) out[i] = rising(words[i], i);
}
constexpr unsigned kRow = 512;
/// Where a row's first multiple of 64 is: 32 words are looked at together.
__global__ void find_by_warps(const unsigned* in, unsigned* out, std::size_t rows) {
  const std::size_t row = global_index() / 32;
  if (row >= rows) return;
  const unsigned lane = threadIdx.x % 32;
  unsigned at = kRow;
  for (unsigned k = 0; k < kRow; k += 32) {
    const unsigned hits = __ballot_sync(~0u, in[row * kRow + k + lane] % 64 == 0);
    if (hits != 0) {
      at = k + static_cast<unsigned>(__ffs(static_cast<int>(hits))) - 1;
      break;
    }
  }
  if (lane == 0) out[row] = at + 1;
}
constexpr unsigned kEdges = 8;
__global__ void begin_levels(unsigned* level, unsigned nodes) {
  const unsigned v = static_cast<unsigned>(global_index());
  if (v < nodes) level[v] = v % 4096 == 0 ? 1 : 0;
}
__global__ void next_level(const unsigned* edges, unsigned* level, unsigned now, unsigned nodes) {
  const unsigned v = static_cast<unsigned>(global_index());
  if (v >= nodes || level[v] != now) return;
  for (unsigned k = 0; k < kEdges; ++k) {
    const unsigned to = place_of(edges[v * std::size_t{kEdges} + k], nodes);
    if (level[to] == 0) atomicCAS(&level[to], 0u, now + 1);
  }
}

}  // namespace

void branches(Set& s) {
  const std::size_t n = s.n;
  const unsigned height = as_number(n / 128 / kWidth / 8 * 8);
  const float step = 2.0f / static_cast<float>(height);
  s.run(
      "julia set", 4.0 * kWidth * height,
      [&] { draw_julia<<<dim3(kWidth / 32, height / 8), dim3(32, 8)>>>(s.numbers(), step); },
      [&] {
        return numbers(s, std::size_t{kWidth} * height, [&](std::size_t i) {
          return julia(across(as_number(i % kWidth)), along(as_number(i / kWidth), step));
        });
      });
  const unsigned pieces = as_number(n / 32 / kPiece);
  unsigned* sorted = room<unsigned>(pieces * std::size_t{kPiece});
  make_pieces<<<s.sms * 4, 256>>>(s.words, sorted, pieces * std::size_t{kPiece});
  const std::size_t queries = n / 64;
  s.run(
      "searches in sorted pieces of 4096", 8.0 * real(queries),
      [&] {
        find_in_pieces<<<Set::blocks(queries), 256>>>(sorted, s.words + n / 2, s.numbers(), pieces, queries);
      },
      [&] {
        return numbers(s, queries, [&](std::size_t i) {
          const unsigned query = word_of(n / 2 + i);
          const std::size_t first = place_of(scrambled(query), pieces) * std::size_t{kPiece};
          unsigned k = 0;
          while (k < kPiece && rising(word_of(first + k), k) < query) ++k;
          return k;
        });
      });
  cudaFree(sorted);
  const std::size_t rows = n / 2 / kRow;
  s.run(
      "first multiple of 64 in rows, a warp each", (4.0 * 80 + 4) * real(rows),
      [&] { find_by_warps<<<Set::blocks(rows, 8), 256>>>(s.words, s.numbers(), rows); },
      [&] {
        return numbers(s, rows, [](std::size_t row) {
          unsigned k = 0;
          while (k < kRow && word_of(row * kRow + k) % 64 != 0) ++k;
          return k + 1;
        });
      });
  const unsigned nodes = as_number(n / 256);
  s.run(
      "five levels of a graph, all nodes asked", nodes * (4.0 * kEdges + 5 * 4.0),
      [&] {
        begin_levels<<<Set::blocks(nodes), 256>>>(s.numbers(), nodes);
        for (unsigned now = 1; now <= 5; ++now)
          next_level<<<Set::blocks(nodes), 256>>>(s.words, s.numbers(), now, nodes);
      },
      [&] {
        std::vector<unsigned> level(nodes);
        for (unsigned v = 0; v < nodes; v += 4096) level[v] = 1;
        for (unsigned now = 1; now <= 5; ++now)
          for (unsigned v = 0; v < nodes; ++v)
            for (unsigned k = 0; level[v] == now && k < kEdges; ++k) {
              unsigned& to = level[place_of(word_of(v * std::size_t{kEdges} + k), nodes)];
              if (to == 0) to = now + 1;
            }
        return taken(s.numbers(), nodes) == level;
      });
}

}  // namespace held_out_5
