/// @file
/// Atomics: pairs of classes counted, readings of a thousand stations, points drawn by depth, queues filled
/// by warps.
#include "held_out_4.hpp"

namespace held_out_4 {
namespace {

using Key = unsigned long long;

/// Two tables a block, for even warps and odd ones.
__global__ void __launch_bounds__(512)
    pairs_of_classes(const unsigned* a, const unsigned* b, unsigned* counts, std::size_t m) {
  __shared__ unsigned table[2][256];
  table[threadIdx.x / 256][threadIdx.x % 256] = 0;
  __syncthreads();
  unsigned* mine = table[threadIdx.x / 32 % 2];
  for (std::size_t i = global_index(); i < m; i += stride())
    atomicAdd(&mine[(a[i] >> 28) * 16 + (b[i] >> 28)], 1u);
  __syncthreads();
  if (threadIdx.x < 256) atomicAdd(&counts[threadIdx.x], table[0][threadIdx.x] + table[1][threadIdx.x]);
}
constexpr unsigned kStations = 1000;
__global__ void readings(const unsigned* in, unsigned* count, unsigned* highest, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned w = in[i], station = w % kStations;
  atomicAdd(&count[station], 1u);
  atomicMax(&highest[station], w >> 4);
}
__global__ void draw_points(const unsigned* in, Key* picture, unsigned pixels, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) atomicMin(&picture[place_of(in[i], pixels)], Key{in[m + i] >> 1} << 32 | i);
}
constexpr unsigned kQueues = 8;
/// The lanes that go to the same queue ask for places together.
__global__ void fill_queues(const unsigned* in, unsigned* queues, unsigned* ends, unsigned room,
                            std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned w = in[i], queue = w % kQueues, lane = threadIdx.x % 32;
  const unsigned alike = __match_any_sync(__activemask(), queue), leader = __ffs(alike) - 1;
  unsigned first = 0;
  if (lane == leader) first = atomicAdd(&ends[queue], static_cast<unsigned>(__popc(alike)));
  first = __shfl_sync(alike, first, leader);
  queues[queue * room + first + __popc(alike & ((1u << lane) - 1))] = w;
}

}  // namespace

void counters(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "16 x 16 pairs of classes counted", real(n),
      [&] { pairs_of_classes<<<s.sms * 4, 512>>>(s.words, s.words + n / 2, s.numbers(), n / 8); },
      [&] {
        std::vector<unsigned> counts(256);
        for (std::size_t i = 0; i < n / 8; ++i)
          ++counts[(word_of(i) >> 28) * 16 + (word_of(i + n / 2) >> 28)];
        return numbers(s, 256, [&](std::size_t c) { return counts[c]; });
      });
  s.run(
      "readings of a thousand stations", 12.0 * real(n / 128),
      [&] {
        readings<<<Set::blocks(n / 128), 256>>>(s.words, s.numbers(), s.numbers() + kStations, n / 128);
      },
      [&] {
        std::vector<unsigned> want(2 * kStations);
        for (std::size_t i = 0; i < n / 128; ++i) {
          const unsigned w = word_of(i), station = w % kStations;
          ++want[station], want[kStations + station] = std::max(want[kStations + station], w >> 4);
        }
        return numbers(s, 2 * kStations, [&](std::size_t k) { return want[k]; });
      });
  const unsigned pixels = as_number(n / 256);
  const std::size_t points = n / 128;
  auto* picture = reinterpret_cast<Key*>(s.out);
  s.run(
      "points drawn by depth", 16.0 * real(points) + 8.0 * pixels,
      [&] {
        cudaMemsetAsync(picture, 0xff, pixels * sizeof(Key));
        draw_points<<<Set::blocks(points), 256>>>(s.words, picture, pixels, points);
      },
      [&] {
        std::vector<Key> want(pixels, ~Key{0});
        for (std::size_t i = 0; i < points; ++i) {
          Key& pixel = want[place_of(word_of(i), pixels)];
          pixel = std::min(pixel, Key{word_of(points + i) >> 1} << 32 | i);
        }
        return taken(picture, pixels) == want;
      });
  const std::size_t m = n / 256;
  const unsigned each = as_number(m / 4);
  unsigned* ends = s.numbers() + n / 2;
  s.run(
      "eight queues filled by warps", 8.0 * real(m),
      [&] {
        cudaMemsetAsync(ends, 0, kQueues * 4);
        fill_queues<<<Set::blocks(m), 256>>>(s.words, s.numbers(), ends, each, m);
      },
      [&] {
        std::vector<unsigned> want[kQueues];
        for (std::size_t i = 0; i < m; ++i) want[word_of(i) % kQueues].push_back(word_of(i));
        for (unsigned q = 0; q < kQueues; ++q) {
          std::vector<unsigned> got = taken(s.numbers() + q * each, want[q].size());
          std::sort(got.begin(), got.end()), std::sort(want[q].begin(), want[q].end());
          if (got != want[q] || s.number(n / 2 + q) != want[q].size()) return false;
        }
        return true;
      });
}

}  // namespace held_out_4
