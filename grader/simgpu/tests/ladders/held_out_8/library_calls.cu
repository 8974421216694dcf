/// @file
/// Calls of cub and thrust: pairs sorted by a float, lengths of bytes made offsets, three colours counted in
/// one pass, words copied that fulfil a condition.
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/std/array>

#include <algorithm>

#include "held_out_8.hpp"

namespace held_out_8 {
namespace {

struct NearTheMiddle {
  __host__ __device__ bool operator()(unsigned w) const { return (w >> 28) >= 5 && (w >> 28) < 11; }
};

}  // namespace

void library_calls(Set& s) {
  const std::size_t n = s.n;
  std::size_t bytes = 0;
  void* space = nullptr;
  const std::size_t pairs = n / 128;
  float* sorted = s.out;
  unsigned* carried = s.numbers() + n / 2;
  cub::DeviceRadixSort::SortPairs(nullptr, bytes, s.in, sorted, s.words, carried, static_cast<int>(pairs));
  ladder::check(cudaMalloc(&space, bytes), "space");
  s.run(
      "words sorted by floats by cub", 16.0 * real(pairs),
      [&] {
        cub::DeviceRadixSort::SortPairs(space, bytes, s.in, sorted, s.words, carried,
                                        static_cast<int>(pairs));
      },
      [&] {
        std::vector<unsigned> order(pairs);
        for (std::size_t i = 0; i < pairs; ++i) order[i] = static_cast<unsigned>(i);
        std::stable_sort(order.begin(), order.end(),
                         [](unsigned a, unsigned b) { return float_of(a) < float_of(b); });
        const auto keys = taken(sorted, pairs);
        const auto words = taken(carried, pairs);
        for (std::size_t i = 0; i < pairs; ++i)
          if (keys[i] != float_of(order[i]) || words[i] != word_of(order[i])) return false;
        return true;
      });
  cudaFree(space);
  const std::size_t lengths = n / 8;
  const auto* length = reinterpret_cast<const unsigned char*>(s.words);
  cub::DeviceScan::ExclusiveSum(nullptr, bytes, length, s.numbers(), static_cast<int>(lengths));
  ladder::check(cudaMalloc(&space, bytes), "space");
  s.run(
      "lengths of a byte made offsets by cub", 5.0 * real(lengths),
      [&] { cub::DeviceScan::ExclusiveSum(space, bytes, length, s.numbers(), static_cast<int>(lengths)); },
      [&] {
        const auto got = taken(s.numbers(), lengths);
        unsigned sum = 0;
        for (std::size_t i = 0; i < lengths; ++i) {
          if (got[i] != sum) return false;
          sum += byte_of(i);
        }
        return true;
      });
  cudaFree(space);
  constexpr int kBins = 64;
  const int pixels = static_cast<int>(n / 16);
  const cuda::std::array<unsigned*, 3> colours{s.numbers(), s.numbers() + kBins, s.numbers() + 2 * kBins};
  const cuda::std::array<int, 3> levels{kBins + 1, kBins + 1, kBins + 1}, low{0, 0, 0}, high{256, 256, 256};
  cub::DeviceHistogram::MultiHistogramEven<4, 3>(nullptr, bytes, length, colours, levels, low, high, pixels);
  ladder::check(cudaMalloc(&space, bytes), "space");
  s.run(
      "three colours of pixels counted by cub", 4.0 * pixels,
      [&] {
        cub::DeviceHistogram::MultiHistogramEven<4, 3>(space, bytes, length, colours, levels, low, high,
                                                       pixels);
      },
      [&] {
        std::vector<unsigned> want(3 * kBins);
        for (std::size_t i = 0; i < static_cast<std::size_t>(pixels); ++i)
          for (std::size_t c = 0; c < 3; ++c) ++want[c * kBins + byte_of(4 * i + c) / 4];
        return taken(s.numbers(), 3 * kBins) == want;
      });
  cudaFree(space);
  const std::size_t words = n / 8;
  long kept_words = 0;
  s.run(
      "words near the middle copied by thrust", 5.5 * real(words),
      [&] {
        kept_words = thrust::copy_if(thrust::device, s.words, s.words + words, s.numbers(), NearTheMiddle()) -
                     s.numbers();
      },
      [&] {
        std::vector<unsigned> want;
        for (std::size_t i = 0; i < words; ++i)
          if (NearTheMiddle()(word_of(i))) want.push_back(word_of(i));
        return kept_words == static_cast<long>(want.size()) && taken(s.numbers(), want.size()) == want;
      });
}

}  // namespace held_out_8
