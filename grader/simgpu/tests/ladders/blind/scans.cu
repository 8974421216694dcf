/// @file
/// Running sums: in one pass over the array, within segments, within blocks; and runs counted.
#include "blind.hpp"

namespace blind {
namespace {

constexpr unsigned kScansTile = 2048;
constexpr unsigned long long kSum = 1ull << 62, kTotal = 2ull << 62;

/// A running sum in one pass: a tile publishes its own sum, then looks back for those before it until one knows its total.
__global__ void __launch_bounds__(256)
    scan_looking_back(const uint4* in, uint4* out, unsigned* next, unsigned long long* states) {
  __shared__ unsigned tile_shared, before_shared, sums[8];
  if (threadIdx.x == 0) tile_shared = atomicAdd(next, 1u);
  __syncthreads();
  const unsigned tile = tile_shared, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::size_t at = std::size_t{tile} * (kScansTile / 4) + threadIdx.x * 2;
  const uint4 words[2] = {in[at], in[at + 1]};
  unsigned v[8] = {words[0].x & 7, words[0].y & 7, words[0].z & 7, words[0].w & 7,
                   words[1].x & 7, words[1].y & 7, words[1].z & 7, words[1].w & 7};
#pragma unroll
  for (int k = 1; k < 8; ++k) v[k] += v[k - 1];
  unsigned up = v[7];
  for (unsigned d = 1; d < 32; d *= 2) {
    const unsigned left = __shfl_up_sync(~0u, up, d);
    if (lane >= d) up += left;
  }
  if (lane == 31) sums[warp] = up;
  __syncthreads();
  unsigned base = up - v[7], all = 0;
  for (unsigned w = 0; w < 8; ++w) {
    if (w < warp) base += sums[w];
    all += sums[w];
  }
  if (warp == 0) {
    volatile unsigned long long* state = states;
    if (lane == 0 && tile > 0) state[tile] = kSum | all;
    unsigned before = 0;
    for (int end = static_cast<int>(tile); end > 0; end -= 32) {
      const int mine = end - 1 - static_cast<int>(lane);
      unsigned long long seen = mine < 0 ? kTotal : 0;
      while (__any_sync(~0u, seen == 0))
        if (seen == 0) seen = state[mine];
      const unsigned totals = __ballot_sync(~0u, seen >= kTotal);
      const unsigned first = totals == 0 ? 32 : __ffs(static_cast<int>(totals)) - 1;
      before += __reduce_add_sync(~0u, lane <= first ? static_cast<unsigned>(seen) : 0);
      if (totals != 0) break;
    }
    if (lane == 0) state[tile] = kTotal | (before + all), before_shared = before;
  }
  __syncthreads();
  base += before_shared;
  out[at] = make_uint4(base + v[0], base + v[1], base + v[2], base + v[3]);
  out[at + 1] = make_uint4(base + v[4], base + v[5], base + v[6], base + v[7]);
}
/// Running sums that begin anew at each flag, and at each warp.
__global__ void scan_segments(const unsigned* flags, const float* in, float* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const unsigned lane = threadIdx.x % 32;
  const unsigned heads = __ballot_sync(~0u, (flags[i] & 7) == 0) | 1u;
  const unsigned head = 31 - __clz(static_cast<int>(heads & (~0u >> (31 - lane))));
  float v = in[i];
#pragma unroll
  for (unsigned d = 1; d < 32; d *= 2) {
    const float left = __shfl_up_sync(~0u, v, d);
    if (lane >= head + d) v += left;
  }
  out[i] = v;
}
__global__ void scan_by_doubling(const float* in, float* out) {
  __shared__ float line[2][128];
  const std::size_t i = blockIdx.x * std::size_t{128} + threadIdx.x;
  unsigned at = 0;
  line[0][threadIdx.x] = in[i];
  __syncthreads();
  for (unsigned d = 1; d < 128; d *= 2, at ^= 1) {
    float v = line[at][threadIdx.x];
    if (threadIdx.x >= d) v += line[at][threadIdx.x - d];
    line[at ^ 1][threadIdx.x] = v;
    __syncthreads();
  }
  out[i] = line[at][threadIdx.x];
}
/// How many elements of each warp's 32 differ from the one behind them in their highest two bits.
__global__ void count_ends_of_runs(const unsigned* in, unsigned* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const unsigned v = in[i] >> 30;
  unsigned next = __shfl_down_sync(~0u, v, 1);
  if (threadIdx.x % 32 == 31) next = i + 1 < n ? in[i + 1] >> 30 : 4;
  const unsigned ends = __ballot_sync(~0u, v != next);
  if (threadIdx.x % 32 == 0) out[i / 32] = __popc(static_cast<int>(ends));
}

}  // namespace

void scans(Set& s) {
  const std::size_t n = s.n;
  const std::size_t tiles = n / 2 / kScansTile;
  unsigned long long* states = nullptr;  // and behind them the next tile's number
  ladder::check(cudaMalloc(&states, (tiles + 1) * 8), "states");
  s.run(
      "scan in one pass", s.one,
      [&] {
        cudaMemsetAsync(states, 0, (tiles + 1) * 8);
        scan_looking_back<<<static_cast<unsigned>(tiles), 256>>>(
            reinterpret_cast<uint4*>(s.words), reinterpret_cast<uint4*>(s.out),
            reinterpret_cast<unsigned*>(states + tiles), states);
      },
      [&] {
        unsigned sum = 0;
        std::size_t done = 0;
        return Set::each(tiles * kScansTile, [&](std::size_t i) {
          if (i < done) done = 0, sum = 0;
          for (; done <= i; ++done) sum += word_of(done) & 7;
          return s.number(i) == sum;
        });
      });
  cudaFree(states);
  s.run(
      "scan of segments by warps", 3 * s.one,
      [&] { scan_segments<<<Set::blocks(n, 192), 192>>>(s.words, s.in, s.out, n); },
      [&] {
        return Set::each(n, [&](std::size_t i) {
          double sum = float_of(i);
          for (std::size_t k = i; k % 32 != 0 && (word_of(k) & 7) != 0; --k) sum += float_of(k - 1);
          return Set::near(s.value(i), sum);
        });
      });
  s.run(
      "scan of 128 by doubling", 2 * s.one,
      [&] { scan_by_doubling<<<static_cast<unsigned>(n / 128), 128>>>(s.in, s.out); },
      [&] {
        return Set::each(n, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = i / 128 * 128; k <= i; ++k) sum += float_of(k);
          return Set::near(s.value(i), sum);
        });
      });
  s.run(
      "ends of runs counted", s.one + s.one / 32,
      [&] { count_ends_of_runs<<<Set::blocks(n, 512), 512>>>(s.words, s.numbers(), n); },
      [&] {
        return Set::each(n / 32 - 1, [&](std::size_t w) {
          unsigned ends = 0;
          for (std::size_t k = 32 * w; k < 32 * w + 32; ++k) ends += word_of(k) >> 30 != word_of(k + 1) >> 30;
          return s.number(w) == ends;
        });
      });
}

}  // namespace blind
