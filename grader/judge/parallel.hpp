/// @file
/// A loop over a range on all cores: filling and checking a gigabyte is the judge's only heavy work.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace course {

/// How many pieces of a loop run at the same time.
inline std::size_t cores() {
  static const std::size_t count = std::clamp(std::thread::hardware_concurrency(), 1u, 32u);  // from a file
  return count;
}

template <class Work>
void parallel_ranges(std::size_t total, std::size_t grain, const Work& work) {
  const std::size_t pieces =
      std::min(cores(), std::max<std::size_t>(1, total / std::max<std::size_t>(1, grain)));
  const std::size_t step = (total + pieces - 1) / std::max<std::size_t>(1, pieces);
  std::vector<std::thread> helpers;
  for (std::size_t piece = 1; piece < pieces; ++piece) {
    const std::size_t first = piece * step;
    if (first >= total) break;
    helpers.emplace_back([&work, first, count = std::min(step, total - first)] { work(first, count); });
  }
  work(std::size_t{0}, std::min(step, total));
  for (auto& helper : helpers) helper.join();
}

}  // namespace course
