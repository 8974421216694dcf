/// @file
/// How block_reduction is graded: one sum, its cases, its gates.
#include "block_reduction.cuh"

#include "judge/exercise.hpp"

namespace {

using course::shape;

// Shares of the reference's bandwidth, same run. One element a thread reaches 0.20 on an H200, the plain
// solution 0.57, four loads in flight a thread 0.9 and more.
constexpr course::pass_gate kPass{.at_least = {0.45}};
constexpr course::limit_mark kLimit{.at_least = {0.85}};

const course::idea_gate kOneAtomicABlock{
    .name = "global_atomics_per_block",
    .measures = course::metrics::global_atomics_per_block,
    .at_most = 1.0,
    .lesson = "bring a block's sums together in shared memory; then one thread adds one number to the result",
};

// Small sums get values that all round down in half precision, which is then off by 1.6e-4, four times the tolerance. A long
// chain of single-precision additions would drop the same low parts, so larger sums get values whose rounding errors average
// out. At a gigabyte some remain: 270,000 atomic additions to one number are off by 1.3e-4 (H200). What a timed run must not do
// is skip values or remember an answer; each of the spikes that change between runs is 2.5e-3 of the sum or more.
constexpr std::size_t kLargestOneSided = 2'000, kLargestChecked = 2'000'000;  // elements
constexpr course::tolerance kChecked = course::relative(4e-5);
constexpr course::tolerance kTimed = course::relative(1e-3);

course::problem sum(const shape& sizes) {
  const std::size_t n = sizes[0];
  const auto& with = n <= kLargestOneSided ? course::one_sided : course::full_mantissa;
  course::problem p;
  const auto in =
      p.input<float>("in", n, {.filled_with = with, .alignment = 16, .poked_with = &course::spikes});
  const auto out = p.output<float>("out", 1, {.alignment = 4});
  p.runs(COURSE_FUNCTION(block_reduction_run), in, out, n, course::stream);
  p.expects(out, course::sum_of(in, n), n <= kLargestChecked ? kChecked : kTimed);
  p.moves(n * sizeof(float));
  return p;
}

}  // namespace

COURSE_EXERCISE(block_reduction) {
  return {
      .asks = sum,
      .size_names = {"n"},
      .cases = {{0},
                {1},
                {2},
                {3},
                {31},
                {32},
                {33},
                {255},
                {256},
                {257},
                {1009},
                {1023},
                {1025},
                {65'537},
                {600'011},
                {1'000'003}},
      .timed_on_sim = {6'000'005},
      .timed_on_gpu = [](std::size_t bytes) { return shape{bytes / sizeof(float) + 5}; },
      .gates = {.pass = kPass, .limit = kLimit, .ideas = {kOneAtomicABlock}},
  };
}
