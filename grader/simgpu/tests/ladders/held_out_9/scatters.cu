/// @file
/// Words read and written where data say. Atomics: views of pages, strengths added to rings around
/// centres. Gathers and stores: doubles of a great table, the inverse of a permutation, patches laid out as
/// columns. In shared memory: patterns of eight neighbours counted, runs merged by searches.
#include <numeric>

#include "held_out_9.hpp"

namespace held_out_9 {
namespace {

constexpr unsigned kPages = 3000;
/// Pages in the middle are seen more often.
__host__ __device__ __forceinline__ unsigned page_of(unsigned word) {
  return (ladder::place_of(word << 16, kPages) + ladder::place_of(word & 0xffff0000u, kPages)) / 2;
}
__global__ void count_views(const unsigned* views, unsigned* pages, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) atomicAdd(&pages[page_of(views[i])], 1u);
}

constexpr unsigned kRingPicture = 256, kRings = 722;
/// How far a pixel is from its picture's centre, in quarters.
__host__ __device__ __forceinline__ unsigned ring_of(unsigned i) {
  const float x = static_cast<float>(i % kRingPicture) - 127.5f,
              y = static_cast<float>(i / kRingPicture % kRingPicture) - 127.5f;
  return static_cast<unsigned>(4.0f * sqrtf(x * x + y * y));
}
__global__ void add_to_rings(const float* pictures, float* rings, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) atomicAdd(&rings[ring_of(i)], pictures[i]);
}

__global__ void doubles_by_index(const unsigned* words, const double* table, double* out, unsigned size,
                                 unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = table[ladder::place_of(words[i], size)];
}

__global__ void invert_permutation(const unsigned* places, unsigned* inverse, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) inverse[places[i]] = i;
}

constexpr unsigned kPatchSide = 64;
/// As convolutions become products: a row for each of nine places, a column for each pixel.
__global__ void patches_as_columns(const float* pictures, float* columns, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const int x = static_cast<int>(i % kPatchSide), y = static_cast<int>(i / kPatchSide % kPatchSide);
  const float* picture = pictures + i / (kPatchSide * kPatchSide) * (kPatchSide * kPatchSide);
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const int px = x + k % 3 - 1, py = y + k / 3 - 1;
    const bool is =
        px >= 0 && py >= 0 && px < static_cast<int>(kPatchSide) && py < static_cast<int>(kPatchSide);
    columns[static_cast<std::size_t>(k) * m + i] =
        is ? picture[py * static_cast<int>(kPatchSide) + px] : 0.0f;
  }
}

constexpr int kPatternWide = 1024;
/// A bit for each neighbour that is not darker; then how often each pattern is there.
__global__ void __launch_bounds__(256)
    count_patterns(const unsigned char* picture, unsigned* counts, int high) {
  __shared__ unsigned mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  const int pixels = kPatternWide * high;
  for (int i = static_cast<int>(global_index()); i < pixels; i += static_cast<int>(stride())) {
    const int x = i % kPatternWide, y = i / kPatternWide;
    if (x == 0 || y == 0 || x == kPatternWide - 1 || y == high - 1) continue;
    const unsigned char* p = picture + i;
    const unsigned middle = p[0];
    unsigned pattern = p[-kPatternWide - 1] >= middle ? 1 : 0;
    pattern |= p[-kPatternWide] >= middle ? 2 : 0;
    pattern |= p[-kPatternWide + 1] >= middle ? 4 : 0;
    pattern |= p[1] >= middle ? 8 : 0;
    pattern |= p[kPatternWide + 1] >= middle ? 16 : 0;
    pattern |= p[kPatternWide] >= middle ? 32 : 0;
    pattern |= p[kPatternWide - 1] >= middle ? 64 : 0;
    pattern |= p[-1] >= middle ? 128 : 0;
    atomicAdd(&mine[pattern], 1u);
  }
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}

constexpr unsigned kMerged = 1024;
/// Each thread looks for the place of its word in the run beside its own.
__global__ void __launch_bounds__(kMerged) sort_by_merges(const unsigned* in, unsigned* out) {
  __shared__ unsigned runs[2][kMerged];
  const unsigned t = threadIdx.x;
  const std::size_t base = blockIdx.x * std::size_t{kMerged};
  runs[0][t] = in[base + t];
  __syncthreads();
  unsigned now = 0;
  for (unsigned length = 1; length < kMerged; length *= 2) {
    const unsigned word = runs[now][t], begin = t / length * length, beside = begin ^ length;
    const bool left = begin < beside;
    unsigned low = 0, high = length;
    while (low < high) {
      const unsigned middle = (low + high) / 2, its = runs[now][beside + middle];
      // Of equal words the left run's are first.
      if (left ? its < word : its <= word)
        low = middle + 1;
      else
        high = middle;
    }
    runs[now ^ 1][(left ? begin : beside) + (t - begin) + low] = word;
    now ^= 1;
    __syncthreads();
  }
  out[base + t] = runs[now][t];
}

}  // namespace

void scatters(Set& s) {
  const std::size_t n = s.n;
  const unsigned views = as_number(n / 16);
  s.run(
      "views of 3000 pages counted", 4.0 * views,
      [&] {
        cudaMemsetAsync(s.out, 0, kPages * 4);
        count_views<<<Set::blocks(views), 256>>>(s.words, s.numbers(), views);
      },
      [&] {
        std::vector<unsigned> want(kPages);
        for (std::size_t i = 0; i < views; ++i) ++want[page_of(word_of(i))];
        return taken(s.numbers(), kPages) == want;
      });
  const unsigned ringed = as_number(n / 32);
  s.run(
      "strengths added to 722 rings around centres", 4.0 * ringed,
      [&] {
        cudaMemsetAsync(s.out, 0, kRings * 4);
        add_to_rings<<<Set::blocks(ringed), 256>>>(s.in, s.out, ringed);
      },
      [&] {
        std::vector<double> want(kRings);
        for (unsigned i = 0; i < ringed; ++i) want[ring_of(i)] += float_of(i);
        return floats(s, kRings, [&](std::size_t k) { return want[k]; });
      });

  const unsigned fetched = as_number(n / 32), size = as_number(n / 4);
  s.run(
      "doubles of a great table by number", 20.0 * fetched,
      [&] {
        doubles_by_index<<<Set::blocks(fetched), 256>>>(s.words, reinterpret_cast<const double*>(s.in),
                                                        reinterpret_cast<double*>(s.out), size, fetched);
      },
      [&] {
        return doubles(s, fetched, [&](std::size_t i) { return double_of(place_of(word_of(i), size)); });
      });
  const unsigned permuted = as_number(n / 32);
  std::vector<unsigned> places(permuted);
  std::iota(places.begin(), places.end(), 0u);
  for (unsigned i = permuted - 1; i > 0; --i) std::swap(places[i], places[place_of(word_of(i), i + 1)]);
  unsigned* d_places = kept(places);
  s.run(
      "inverse of a permutation", 8.0 * permuted,
      [&] { invert_permutation<<<Set::blocks(permuted), 256>>>(d_places, s.numbers(), permuted); },
      [&] { return Set::each(permuted, [&](std::size_t i) { return s.number(places[i]) == i; }); });
  cudaFree(d_places);
  const unsigned pixels = as_number(n / 32 / (kPatchSide * kPatchSide) * (kPatchSide * kPatchSide));
  s.run(
      "patches of 3 x 3 laid out as columns", 40.0 * pixels,
      [&] { patches_as_columns<<<Set::blocks(pixels), 256>>>(s.in, s.out, pixels); },
      [&] {
        return floats(s, std::size_t{9} * pixels, [&](std::size_t i) {
          const std::size_t k = i / pixels, pixel = i % pixels;
          const long x = static_cast<long>(pixel % kPatchSide + k % 3) - 1,
                     y = static_cast<long>(pixel / kPatchSide % kPatchSide + k / 3) - 1;
          if (x < 0 || y < 0 || x >= long{kPatchSide} || y >= long{kPatchSide}) return 0.0;
          const std::size_t picture = pixel / (kPatchSide * kPatchSide);
          return double{float_of((picture * kPatchSide + static_cast<std::size_t>(y)) * kPatchSide +
                                 static_cast<std::size_t>(x))};
        });
      });

  const int high = static_cast<int>(n / 16 / kPatternWide);
  s.run(
      "patterns of eight neighbours counted", 1.0 * kPatternWide * high,
      [&] {
        cudaMemsetAsync(s.out, 0, 1024);
        count_patterns<<<s.sms * 8, 256>>>(reinterpret_cast<const unsigned char*>(s.words), s.numbers(),
                                           high);
      },
      [&] {
        std::vector<unsigned> want(256);
        const auto at = [](int x, int y) { return byte_of(static_cast<std::size_t>(y * kPatternWide + x)); };
        constexpr int kAroundX[8] = {-1, 0, 1, 1, 1, 0, -1, -1}, kAroundY[8] = {-1, -1, -1, 0, 1, 1, 1, 0};
        for (int y = 1; y < high - 1; ++y)
          for (int x = 1; x < kPatternWide - 1; ++x) {
            unsigned pattern = 0;
            for (int k = 0; k < 8; ++k)
              if (at(x + kAroundX[k], y + kAroundY[k]) >= at(x, y)) pattern |= 1u << k;
            ++want[pattern];
          }
        return taken(s.numbers(), 256) == want;
      });
  const unsigned lists = as_number(n / 128 / kMerged);
  s.run(
      "1024 words sorted by merges of a block", 8.0 * kMerged * lists,
      [&] { sort_by_merges<<<lists, kMerged>>>(s.words, s.numbers()); },
      [&] {
        for (std::size_t list = 0; list < lists; list += 1 + lists / 9) {
          std::vector<unsigned> want(kMerged);
          for (std::size_t k = 0; k < kMerged; ++k) want[k] = word_of(list * kMerged + k);
          std::sort(want.begin(), want.end());
          if (taken(s.numbers() + list * kMerged, kMerged) != want) return false;
        }
        return true;
      });
}

}  // namespace held_out_9
