/// @file
/// How overlap_pipeline is graded: numbers up, a given kernel, numbers down, by the judge's own clock.
#include "overlap_pipeline.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "judge/exercise.hpp"

namespace {

using course::shape;

// Shares of the reference's speed: one after the other 0.39 (computed), with a light kernel 0.58 (H200); 1 MB chunks 0.81,
// 2 to 64 MB at least 0.88 (H200, light kernel).
constexpr double kPass = 0.71, kLimit = 0.95;

const course::gate kCopiesOverlap =
    course::idea(course::metrics::copy_overlap, course::at_least(0.5),
                 "a chunk can go up while the one before is scrambled and the one before that comes down");
const course::gate kCopiedUp =
    course::idea(course::metrics::copies_up, course::at_least(0.95), "copy the numbers to the device");
const course::gate kCopiedDown =
    course::idea(course::metrics::copies_down, course::at_least(0.95), "copy the numbers back to the host");
const course::gate kKernelsStayOnTheDevice = course::idea(
    course::metrics::link_bytes, course::at_most(0.05),
    "a kernel on host memory waits for the link at every access: copy engines are made for that");

/// One round of the given kernel.
constexpr std::uint32_t round_of(std::uint32_t x) {
  return (x ^ 0x9e3779b9u) * 0x85ebca6bu;
}

/// Rounds that take n numbers about as long as their way over the link takes. A round keeps a multiplier that has half as
/// many lanes as single-precision arithmetic busy for one step, and what stands around it costs an eighth more: 0.44 of the rate
/// (H200: with 0.5, numbers that came up in 4.85 ms were scrambled in 5.52 ms). The simulated GPU executes PTX, which spends three
/// instructions on it.
std::uint32_t rounds_of_a_transfer(const course::facts& device) {
  const double rounds_per_second = device.fma_per_second * (device.simulated ? 0.3 : 0.44);
  const double numbers_per_second = device.link_bytes_per_second / sizeof(std::uint32_t);
  return static_cast<std::uint32_t>(std::clamp(rounds_per_second / numbers_per_second, 1.0, 20'000.0));
}

/// @param sizes n and rounds; 0 rounds: as long as a transfer.
course::problem scrambled(const shape& sizes, const course::facts& device) {
  const std::size_t n = sizes[0];
  const auto rounds = sizes[1] > 0 ? static_cast<std::uint32_t>(sizes[1]) : rounds_of_a_transfer(device);
  course::problem p;
  const auto in =
      p.input<std::uint32_t>("in", n, {.filled_with = course::distinct, .place = course::place::pinned});
  const auto out = p.output<std::uint32_t>("out", n, {.place = course::place::pinned});
  const auto state = p.before(COURSE_FUNCTION(overlap_pipeline_setup), n);
  p.timed(COURSE_FUNCTION(overlap_pipeline_run), state, in, out, n, rounds);
  p.after(COURSE_FUNCTION(overlap_pipeline_teardown), state);
  p.before_launches_no_kernel();
  p.teardown_frees_all();
  const auto expected = [in, rounds](const course::host_inputs& inputs, std::size_t i) {
    std::uint32_t x = inputs[in][i];
    for (std::uint32_t k = 0; k < rounds; ++k) x = round_of(x);
    return x;
  };
  const auto affected = [](std::size_t i) -> course::index_range { return {i, 1}; };
  p.expects(out, course::each_element(expected, affected, {.operations = 2.0 * rounds}), course::exact());
  const auto bytes = static_cast<double>(n * sizeof(std::uint32_t));
  p.work({.read = bytes, .written = bytes, .by = course::road::kernels | course::road::copies});
  return p;
}

}  // namespace

COURSE_EXERCISE(overlap_pipeline) {
  return {
      .asks = scrambled,
      .size_names = {"n", "rounds"},
      .cases = {{0, 1},
                {1, 1},
                {15, 2},
                {16, 2},
                {17, 3},
                {31, 1},
                {32, 2},
                {33, 3},
                {255, 1},
                {256, 2},
                {257, 3},
                {1009, 5},
                {4099, 2},
                {16'384, 1},
                {16'385, 2},
                {100'003, 3},
                {524'287, 1}},
      .drawn =
          [](course::random_source& draw) {
            return shape{draw.between(2, 200'000), draw.between(1, 9)};
          },
      .hidden =
          [](course::random_source& draw) {
            return shape{draw.between(1'500'000, 2'500'000), draw.between(1, 9)};
          },
      .benchmarks = {{.on_sim = {400'009, 0},
                      .on_gpu =
                          [](std::size_t bytes, const course::facts&) {
                            // 256 MB each way at most: pinning more takes longer than all runs together.
                            return shape{std::min<std::size_t>(bytes / 8, 64u << 20) + 5, 0};
                          },
                      .clock = course::clock_kind::end_to_end,
                      .roof = course::roof_kind::link}},
      .gates = {course::pass(course::at_least(kPass)), course::limit(course::at_least(kLimit)),
                kCopiesOverlap, kCopiedUp, kCopiedDown, kKernelsStayOnTheDevice},
      .measures_link = true,
  };
}
