/// @file
/// How vector_add is graded: sums of two arrays, bit for bit, with every sector used.
#include "vector_add.cuh"

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "judge/exercise.hpp"

namespace {

using course::shape;

constexpr std::size_t kAlignment = 128;  // bytes, of all three arrays

course::problem sums(const shape& sizes, const course::values& filled_with) {
  const std::size_t n = sizes[0];
  const course::buffer_options addends{.filled_with = filled_with, .alignment = kAlignment};
  course::problem p;
  const auto a = p.input<float>("a", n, addends);
  const auto b = p.input<float>("b", n, addends);
  const auto c = p.output<float>("c", n, {.alignment = kAlignment});
  p.timed(COURSE_FUNCTION(vector_add_run), a, b, c, n, course::stream);
  const auto expected = [a, b](const course::host_inputs& inputs, std::size_t i) {
    return inputs[a][i] + inputs[b][i];
  };
  const auto affected = [](std::size_t i) -> course::index_range { return {i, 1}; };
  p.expects(c, course::each_element(expected, affected), course::exact());
  return p;
}

course::problem of_distinct(const shape& sizes) {
  return sums(sizes, course::distinct);
}
course::problem of_extremes(const shape& sizes) {
  return sums(sizes, course::extremes);
}

// Where an addition shows how it rounds to nothing: zeros of both signs (-0 + -0 is -0, and + 0 makes +0 of it), and floats below
// 2^-126, which come out as 0 where denormals are flushed. Around 2^-126 addends are normal and their sum is not.
course::values zeros_and_denormals() {
  return course::values_of([](std::uint64_t, std::uint64_t random) {
    const double sign = random >> 40 & 1 ? -1 : 1;
    switch (random & 3) {
      case 0:
        return sign * 0.0;
      case 1:
        return sign * std::ldexp(static_cast<double>(1 + (random >> 8 & 0x7f)), -149);
      case 2:
        return sign * std::ldexp(static_cast<double>(random >> 8 & 0x7f'ffff), -149);
      default:
        return sign * std::ldexp(static_cast<double>(0x80'0000 + (random >> 8 & 0x7f'ffff)), -149);
    }
  });
}
course::problem of_zeros_and_denormals(const shape& sizes) {
  return sums(sizes, zeros_and_denormals());
}

// Shares of the reference, same run, on an H200 (stand-alone kernels): one element a thread 0.79, one float4 a thread
// 1.00. One block that walks the array: below 0.01 (computed).
constexpr double kPass = 0.60;
constexpr double kLimit = 0.95;
constexpr double kLeastSectorUse = 0.98;

}  // namespace

COURSE_EXERCISE(vector_add) {
  using course::at_least;
  return {
      .asks = of_distinct,
      .size_names = {"n"},
      // First a size of several blocks, in whose last one threads are left over.
      .cases = course::join({{1009}}, course::join(course::around(256),
                                                   course::join(course::around(1024),
                                                                {{2}, {3}, {4}, {5}, {70'001}, {300'007}}))),
      .also = {{.name = "zeros, huge and tiny values",
                .asks = of_extremes,
                .cases = {{33}, {1025}, {5003}, {131'072}}},
               {.name = "zeros of both signs, and below 2^-126",
                .asks = of_zeros_and_denormals,
                .cases = {{257}, {5003}}}},
      .drawn = [](course::random_source& draw) { return shape{draw.between(2, 100'000)}; },
      // Above 65,535 blocks of 32 threads.
      .hidden = [](course::random_source& draw) { return shape{draw.between(2'200'000, 3'000'000)}; },
      .benchmarks = {{.on_sim = {2'500'005},
                      .on_gpu =
                          [](std::size_t bytes, const course::facts&) {
                            return shape{bytes / (3 * sizeof(float)) / 4096 * 4096 + 5};
                          }}},
      .gates = {course::pass(at_least(kPass)), course::limit(at_least(kLimit)),
                course::idea(course::metrics::sector_use, at_least(kLeastSectorUse),
                             "neighbouring lanes take neighbouring elements: then a warp's request fills the "
                             "sectors that it touches")},
  };
}
