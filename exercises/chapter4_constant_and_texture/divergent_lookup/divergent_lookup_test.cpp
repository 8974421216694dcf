/// @file
/// How divergent_lookup is graded: bytes looked up in a table of 256 bytes, in no order that helps.
#include "divergent_lookup.cuh"

#include <cstddef>
#include <cstdint>

#include "judge/exercise.hpp"

namespace {

using course::shape;

// Shares of the reference's speed on an H200, random pixels (stand-alone kernels): the table in constant memory 0.067, in
// shared memory 0.96, in shared memory with byte loads 0.19, left in global memory 1.00.
constexpr double kPass = 0.80, kLimit = 0.95;
// Random pixels ask for about 25 different words of constant memory a request.
constexpr double kMostPasses = 2;

course::problem look_up(const shape& sizes) {
  const std::size_t n = sizes[0];
  course::problem p;
  const auto table = p.input<std::uint8_t>("table", 256);
  const auto in = p.input<std::uint8_t>("in", n);
  const auto out = p.output<std::uint8_t>("out", n);
  p.timed(COURSE_FUNCTION(divergent_lookup_run), table, in, out, n, course::stream);
  const auto expected = [table, in](const course::host_inputs& inputs, std::size_t i) {
    return inputs[table][inputs[in][i]];
  };
  const auto affected = [table](std::size_t buffer, std::size_t index) -> course::index_range {
    // An entry of the table shows everywhere: a part that is long enough to hold that pixel.
    return buffer == table.index ? course::index_range{0, 4096} : course::index_range{index, 1};
  };
  p.expects(out, course::each_element(expected, affected), course::exact());
  p.work({.read = static_cast<double>(n)});
  return p;
}

shape drawn(course::random_source& draw) {
  return {draw.between(2, 100'000)};
}

shape hidden(course::random_source& draw) {
  return {draw.between(3'000'000, 4'000'000)};
}

// n bytes in and n out; never a multiple of a block's.
shape timed(std::size_t bytes, const course::facts&) {
  return {bytes / 2 / 4096 * 4096 + 1237};
}

}  // namespace

COURSE_EXERCISE(divergent_lookup) {
  return {
      .asks = look_up,
      .size_names = {"n"},
      .cases = course::join(course::around(16),
                            course::join(course::around(4096), {{64}, {255}, {1009}, {65'537}, {1'100'003}})),
      .drawn = drawn,
      .hidden = hidden,
      .benchmarks = {{.on_sim = {10'001'237},
                      .on_gpu = timed,
                      .modelled_time_decides = false,
                      .modelled_time_refuses = 0.5}},
      .gates = {course::pass(course::at_least(kPass)), course::limit(course::at_least(kLimit)),
                course::idea(
                    course::metrics::constant_passes, course::at_most(kMostPasses),
                    "lanes that look up different things need a memory that serves different words at "
                    "a time")},
  };
}
