/// @file
/// Programs of several launches and small grids: a graph of fills and copies, ranks in lists by jumping
/// pointers, one block that solves a system.
#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

constexpr unsigned kList = 64;

__global__ void begin_ranks(const unsigned* next, uint2* nodes, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) nodes[i] = make_uint2(next[i], next[i] == i ? 0 : 1);
}
/// A node: whom it points to, and how many lie between.
__global__ void jump(const uint2* from, uint2* to, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const uint2 mine = from[i], its = from[mine.x];
  to[i] = make_uint2(its.x, mine.y + its.y);
}

constexpr int kUnknowns = 96;
/// Gauss and Jordan's way; the diagonal is heavy, so that rows stay where they are.
__global__ void __launch_bounds__(256) solve_by_one_block(const float* a, const float* b, float* x) {
  __shared__ float rows[kUnknowns][kUnknowns + 1];
  const int t = threadIdx.x;
  for (int k = t; k < kUnknowns * kUnknowns; k += 256) {
    const int r = k / kUnknowns, c = k % kUnknowns;
    rows[r][c] = a[k] + (r == c ? 800.0f : 0.0f);
  }
  if (t < kUnknowns) rows[t][kUnknowns] = b[t];
  __syncthreads();
  const int lane = t % 32, warp = t / 32;
  for (int pivot = 0; pivot < kUnknowns; ++pivot) {
    const float over = 1.0f / rows[pivot][pivot];
    for (int r = warp; r < kUnknowns; r += 8) {
      if (r == pivot) continue;
      const float factor = rows[r][pivot] * over;
      for (int c = pivot + 1 + lane; c <= kUnknowns; c += 32) rows[r][c] -= factor * rows[pivot][c];
    }
    __syncthreads();
  }
  if (t < kUnknowns) x[t] = rows[t][kUnknowns] / rows[t][t];
}

}  // namespace

void launches(Set& s) {
  const std::size_t n = s.n, piece = n / 64;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  ladder::check(cudaGraphCreate(&graph, 0), "graph");
  for (std::size_t k = 0; k < 6; ++k) {
    cudaGraphNode_t fill, copy;
    cudaMemsetParams what{};
    what.dst = s.out + 2 * k * piece;
    what.value = static_cast<unsigned>(1000 + k), what.elementSize = 4;
    what.width = piece / 2, what.height = 1;
    ladder::check(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &what), "fill");
    ladder::check(cudaGraphAddMemcpyNode1D(&copy, graph, &fill, 1, s.out + (2 * k + 1) * piece,
                                           s.out + 2 * k * piece, piece / 2 * 4, cudaMemcpyDeviceToDevice),
                  "copy");
  }
  ladder::check(cudaGraphInstantiate(&ready, graph, 0), "graph");
  s.run(
      "graph of six fills, each copied on", 12.0 * 6 * real(piece / 2),
      [&] { cudaGraphLaunch(ready, nullptr); },
      [&] {
        for (std::size_t k = 0; k < 6; ++k)
          for (const std::size_t i : {std::size_t{0}, piece / 4, piece / 2 - 1})
            if (s.number(2 * k * piece + i) != 1000 + k || s.number((2 * k + 1) * piece + i) != 1000 + k)
              return false;
        return s.number(piece / 2) == 0;
      });
  cudaGraphExecDestroy(ready), cudaGraphDestroy(graph);
  const unsigned m = as_number(n / 64 / kList * kList);
  std::vector<unsigned> order(m), next(m), want(m);
  for (unsigned i = 0; i < m; ++i) order[i] = i;
  for (unsigned i = m - 1; i > 0; --i) std::swap(order[i], order[place_of(word_of(i), i + 1)]);
  for (unsigned i = 0; i < m; ++i) {
    const bool last = i % kList == kList - 1;
    next[order[i]] = order[last ? i : i + 1];
    want[order[i]] = kList - 1 - i % kList;
  }
  unsigned* there = kept(next);
  uint2* nodes[2] = {room<uint2>(m), reinterpret_cast<uint2*>(s.out)};
  s.run(
      "ranks in lists by jumping pointers, seven launches", (12.0 + 6 * 24.0) * m,
      [&] {
        begin_ranks<<<Set::blocks(m), 256>>>(there, nodes[1], m);
        for (int step = 0; step < 6; ++step)
          jump<<<Set::blocks(m), 256>>>(nodes[(step + 1) % 2], nodes[step % 2], m);
      },
      [&] {
        const auto got = taken(nodes[1], m);
        for (std::size_t i = 0; i < m; ++i)
          if (got[i].y != want[i] || next[got[i].x] != got[i].x) return false;
        return true;
      });
  cudaFree(there), cudaFree(nodes[0]);
  s.run_whole(
      "one block solves a system of 96", 4.0 * kUnknowns * (kUnknowns + 2),
      [&] { solve_by_one_block<<<1, 256>>>(s.in, s.other, s.out); },
      [&] {
        // What comes out is put back in.
        const auto x = taken(s.out, kUnknowns);
        for (std::size_t r = 0; r < kUnknowns; ++r) {
          double sum = 800.0 * x[r];
          for (std::size_t c = 0; c < kUnknowns; ++c) sum += double{float_of(r * kUnknowns + c)} * x[c];
          if (!Set::near(sum, other_of(r))) return false;
        }
        return true;
      });
}

}  // namespace held_out_7
