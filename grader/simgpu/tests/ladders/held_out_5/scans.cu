/// @file
/// Running sums: doubling between two buffers, up and down a padded tree, rows by a warp, and all in one pass
/// whose warps look back over 32 tiles at once.
#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

__global__ void doubling(const float* in, float* out) {
  __shared__ float sums[2][512];
  const unsigned t = threadIdx.x;
  unsigned now = 0;
  sums[0][t] = in[global_index()];
  __syncthreads();
  for (unsigned d = 1; d < 512; d *= 2) {
    sums[1 - now][t] = t >= d ? sums[now][t] + sums[now][t - d] : sums[now][t];
    now = 1 - now;
    __syncthreads();
  }
  out[global_index()] = sums[now][t];
}
constexpr unsigned kTree = 1024;
__device__ __forceinline__ unsigned padded(unsigned i) {
  return i + i / 32;
}
/// What comes before each of 1024, by 512 threads.
__global__ void up_and_down(const float* in, float* out) {
  __shared__ float tree[kTree + kTree / 32];
  const unsigned t = threadIdx.x;
  const std::size_t base = blockIdx.x * std::size_t{kTree};
  tree[padded(t)] = in[base + t], tree[padded(t + 512)] = in[base + t + 512];
  unsigned offset = 1;
  for (unsigned d = kTree / 2; d > 0; d /= 2, offset *= 2) {
    __syncthreads();
    if (t < d) tree[padded(offset * (2 * t + 2) - 1)] += tree[padded(offset * (2 * t + 1) - 1)];
  }
  if (t == 0) tree[padded(kTree - 1)] = 0;
  for (unsigned d = 1; d < kTree; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < d) {
      float &left = tree[padded(offset * (2 * t + 1) - 1)], &right = tree[padded(offset * (2 * t + 2) - 1)];
      const float before = left;
      left = right, right += before;
    }
  }
  __syncthreads();
  out[base + t] = tree[padded(t)], out[base + t + 512] = tree[padded(t + 512)];
}
constexpr unsigned kScansRow = 768;
__global__ void rows_by_warps(const float* in, float* out, std::size_t rows) {
  const std::size_t row = global_index() / 32;
  if (row >= rows) return;
  const unsigned lane = threadIdx.x % 32;
  float before = 0;
  for (unsigned k = lane; k < kScansRow; k += 32) {
    float v = in[row * kScansRow + k];
    for (unsigned d = 1; d < 32; d *= 2) {
      const float up = __shfl_up_sync(~0u, v, d);
      if (lane >= d) v += up;
    }
    v += before;
    out[row * kScansRow + k] = v;
    before = __shfl_sync(~0u, v, 31);
  }
}
constexpr unsigned kScansTile = 1024;
constexpr unsigned long long kOwn = 1ull << 32, kAll = 2ull << 32;
/// @p state of a tile: its own sum, or that of all up to it, with a mark above. Tiles are taken in order.
__global__ void __launch_bounds__(256)
    looking_back(const uint4* in, uint4* out, unsigned long long* state, unsigned* next) {
  __shared__ unsigned tile, of_warp[8], before;
  const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
  if (t == 0) tile = atomicAdd(next, 1u);
  __syncthreads();
  const std::size_t at = tile * std::size_t{kScansTile / 4} + t;
  uint4 v = in[at];
  v = make_uint4(v.x & 15, v.y & 15, v.z & 15, v.w & 15);
  v.y += v.x, v.z += v.y, v.w += v.z;
  unsigned sum = v.w;
  for (unsigned d = 1; d < 32; d *= 2) {
    const unsigned up = __shfl_up_sync(~0u, sum, d);
    if (lane >= d) sum += up;
  }
  if (lane == 31) of_warp[warp] = sum;
  __syncthreads();
  unsigned earlier = sum - v.w, total = 0;
  for (unsigned w = 0; w < 8; ++w) {
    if (w < warp) earlier += of_warp[w];
    total += of_warp[w];
  }
  if (warp == 0) {
    unsigned long long* mine = state + tile;
    if (lane == 0) atomicExch(mine, tile == 0 ? kAll | total : kOwn | total);
    unsigned sum_before = 0;
    for (int last = static_cast<int>(tile) - 1; last >= 0; last -= 32) {
      const int from = last - static_cast<int>(lane);
      unsigned long long seen = kAll;
      do {
        if (from >= 0) seen = *reinterpret_cast<volatile unsigned long long*>(state + from);
      } while (__any_sync(~0u, seen == 0));
      const unsigned whole = __ballot_sync(~0u, seen >= kAll);
      const unsigned first = whole != 0 ? static_cast<unsigned>(__ffs(static_cast<int>(whole))) - 1 : 31;
      sum_before += __reduce_add_sync(~0u, lane <= first ? static_cast<unsigned>(seen) : 0u);
      if (whole != 0) break;
    }
    if (lane == 0) {
      before = sum_before;
      if (tile != 0) atomicExch(mine, kAll | (sum_before + total));
    }
  }
  __syncthreads();
  earlier += before;
  out[at] = make_uint4(v.x + earlier, v.y + earlier, v.z + earlier, v.w + earlier);
}
double sum_from(std::size_t first, std::size_t end) {
  double sum = 0;
  for (std::size_t k = first; k < end; ++k) sum += float_of(k);
  return sum;
}

}  // namespace

void scans(Set& s) {
  const std::size_t n = s.n, m = n / 16;
  s.run(
      "running sums of 512 between two buffers", 8.0 * real(m),
      [&] { doubling<<<as_number(m / 512), 512>>>(s.in, s.out); },
      [&] { return floats(s, m, [](std::size_t i) { return sum_from(i / 512 * 512, i + 1); }); });
  s.run(
      "sums before each of 1024, up and down a tree", 8.0 * real(m),
      [&] { up_and_down<<<as_number(m / kTree), 512>>>(s.in, s.out); },
      [&] {
        return floats(s, m / kTree * kTree, [](std::size_t i) { return sum_from(i / kTree * kTree, i); });
      });
  const std::size_t rows = m / kScansRow;
  s.run(
      "running sums of rows of 768, a warp each", 8.0 * kScansRow * real(rows),
      [&] { rows_by_warps<<<Set::blocks(rows, 4), 128>>>(s.in, s.out, rows); },
      [&] {
        return floats(s, rows * kScansRow,
                      [](std::size_t i) { return sum_from(i / kScansRow * kScansRow, i + 1); });
      });
  const unsigned tiles = as_number(m / kScansTile);
  auto* state = room<unsigned long long>(tiles + 1);
  s.run(
      "running sums whose warps look back", 8.0 * kScansTile * tiles,
      [&] {
        cudaMemsetAsync(state, 0, (tiles + 1) * std::size_t{8});
        looking_back<<<tiles, 256>>>(reinterpret_cast<uint4*>(s.words), reinterpret_cast<uint4*>(s.out),
                                     state, reinterpret_cast<unsigned*>(state + tiles));
      },
      [&] {
        const auto got = taken(s.numbers(), tiles * std::size_t{kScansTile});
        unsigned sum = 0;
        for (std::size_t i = 0; i < got.size(); ++i)
          if (got[i] != (sum += word_of(i) & 15)) return false;
        return true;
      });
  cudaFree(state);
}

}  // namespace held_out_5
