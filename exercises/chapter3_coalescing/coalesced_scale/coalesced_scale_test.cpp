/// @file
/// How coalesced_scale is graded: products of one array, bit for bit, with every sector used.
#include "coalesced_scale.cuh"

#include <cstddef>

#include "judge/exercise.hpp"

namespace {

using course::shape;

constexpr std::size_t kAlignment = 128;  // bytes, of both arrays

/// Another one for nearly every size, of both signs, never 0 or 1.
float factor_for(std::size_t n) {
  const auto part = static_cast<float>(n % 97) / 8.0f;
  return n % 2 == 0 ? part + 1.3f : -part - 0.7f;
}

course::problem products(const shape& sizes, const course::values& filled_with) {
  const std::size_t n = sizes[0];
  const float factor = factor_for(n);
  course::problem p;
  const auto in = p.input<float>("in", n, {.filled_with = filled_with, .alignment = kAlignment});
  const auto out = p.output<float>("out", n, {.alignment = kAlignment});
  p.timed(COURSE_FUNCTION(coalesced_scale_run), in, out, n, factor, course::stream);
  const auto expected = [in, factor](const course::host_inputs& inputs, std::size_t i) {
    return factor * inputs[in][i];
  };
  const auto affected = [](std::size_t i) -> course::index_range { return {i, 1}; };
  p.expects(out, course::each_element(expected, affected), course::exact());
  return p;
}

course::problem of_distinct(const shape& sizes) {
  return products(sizes, course::distinct);
}
course::problem of_extremes(const shape& sizes) {
  return products(sizes, course::extremes);
}

// Shares of the reference, same run, on an H200 (stand-alone kernels that copy): chunks of 32 to 1024 floats a thread
// 0.03 to 0.12, one float a thread 0.63, a striding grid of 8 x 256 threads an SM 0.72, one float4 a thread 1.00.
constexpr double kPass = 0.45;
constexpr double kLimit = 0.90;
// Bytes asked for over bytes of the sectors touched: chunks 0.125, chunks by float4 0.5, side by side 1.0.
constexpr double kLeastSectorUse = 0.98;

}  // namespace

COURSE_EXERCISE(coalesced_scale) {
  using namespace course;
  return {
      .asks = of_distinct,
      .size_names = {"n"},
      // First a size at which every thread has work, so that one who forgets the rest is not taken for idle.
      .cases =
          join({{70'001}}, join(around(256), join(around(1024), {{2}, {3}, {4}, {5}, {1009}, {300'007}}))),
      .also = {{.name = "zeros, huge and tiny values",
                .asks = of_extremes,
                .cases = {{33}, {1025}, {5003}, {131'072}}}},
      .drawn = [](random_source& draw) { return shape{draw.between(2, 100'000)}; },
      .hidden = [](random_source& draw) { return shape{draw.between(2'000'000, 2'500'000)}; },
      .benchmarks = {{.on_sim = {3'000'005},
                      .on_gpu =
                          [](std::size_t bytes, const facts&) {
                            return shape{bytes / (2 * sizeof(float)) / 4096 * 4096 + 5};
                          }}},
      .gates = {pass(at_least(kPass)), limit(at_least(kLimit)),
                idea(metrics::sector_use, at_least(kLeastSectorUse),
                     "let neighbouring lanes take neighbouring elements in the same turn, so that one "
                     "request wants all of its sectors")},
  };
}
