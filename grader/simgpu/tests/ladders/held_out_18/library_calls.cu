/// @file
/// Calls of the toolkit's libraries: the first values of runs of equal keys, and how far rows spread by what a block does
/// together, both by cub.
#include <algorithm>
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/device/device_select.cuh>

#include "held_out_18.hpp"

namespace held_out_18 {
namespace {

constexpr unsigned kLongestOfKey = 23;

constexpr int kSpreadThreads = 256, kSpreadEach = 8;
constexpr unsigned kSpreadRow = kSpreadThreads * kSpreadEach;
/// The greatest of a row less its least.
__global__ void __launch_bounds__(kSpreadThreads) spreads_of_rows(const float* in, float* out) {
  using Load = cub::BlockLoad<float, kSpreadThreads, kSpreadEach, cub::BLOCK_LOAD_VECTORIZE>;
  using Reduce = cub::BlockReduce<float2, kSpreadThreads>;
  __shared__ typename Load::TempStorage of_load;
  __shared__ typename Reduce::TempStorage of_reduce;
  float v[kSpreadEach];
  Load(of_load).Load(in + std::size_t{blockIdx.x} * kSpreadRow, v);
  float2 bounds = make_float2(v[0], v[0]);
#pragma unroll
  for (int k = 1; k < kSpreadEach; ++k) {
    bounds.x = fminf(bounds.x, v[k]);
    bounds.y = fmaxf(bounds.y, v[k]);
  }
  bounds = Reduce(of_reduce).Reduce(
      bounds, [](const float2& a, const float2& b) { return make_float2(fminf(a.x, b.x), fmaxf(a.y, b.y)); });
  if (threadIdx.x == 0) out[blockIdx.x] = bounds.y - bounds.x;
}

}  // namespace

void library_calls(Set& s) {
  const std::size_t n = s.n;
  std::vector<unsigned> keys(n / 32), want_keys, want_values;
  for (std::size_t i = 0, left = 0; i < keys.size(); ++i, --left) {
    if (left == 0) {
      left = 1 + word_of(want_keys.size() + 211) % kLongestOfKey;
      want_keys.push_back(as_number(7 * want_keys.size() + 1));
      want_values.push_back(word_of(i));
    }
    keys[i] = want_keys.back();
  }
  unsigned *keys_there = kept(keys), *out_keys = s.numbers(), *out_values = out_keys + keys.size(),
           *out_count = out_values + keys.size();
  const auto count = static_cast<int>(keys.size());
  std::size_t bytes = 0;
  ladder::check(cub::DeviceSelect::UniqueByKey(nullptr, bytes, keys_there, s.words, out_keys, out_values,
                                               out_count, count),
                "cub");
  auto* space = room<unsigned char>(bytes);
  s.run(
      "first values of runs of equal keys by cub", 8.0 * real(keys.size()) + 8.0 * real(want_keys.size()),
      [&] {
        cub::DeviceSelect::UniqueByKey(space, bytes, keys_there, s.words, out_keys, out_values, out_count,
                                       count);
      },
      [&] {
        return taken(out_count, 1).front() == want_keys.size() &&
               taken(out_keys, want_keys.size()) == want_keys &&
               taken(out_values, want_values.size()) == want_values;
      });
  cudaFree(space), cudaFree(keys_there);

  const unsigned rows = as_number(n / 4 / kSpreadRow);
  s.run(
      "greatest less least of rows of 2048, loaded and joined by a block's cub",
      (4.0 * kSpreadRow + 4.0) * rows, [&] { spreads_of_rows<<<rows, kSpreadThreads>>>(s.in, s.out); },
      [&] {
        return same_everywhere<float>(s, rows, [](std::size_t row) {
          float least = float_of(row * kSpreadRow), greatest = least;
          for (std::size_t k = row * kSpreadRow; k < (row + 1) * kSpreadRow; ++k) {
            least = std::min(least, float_of(k));
            greatest = std::max(greatest, float_of(k));
          }
          return greatest - least;
        });
      });
}

}  // namespace held_out_18
