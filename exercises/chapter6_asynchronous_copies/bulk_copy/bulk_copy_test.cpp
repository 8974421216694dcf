/// @file
/// How bulk_copy is graded: a copy, bit for bit, whose bytes go by bulk copies over barriers that are used again.
#include "bulk_copy.cuh"

#include <cstddef>

#include "judge/exercise.hpp"

namespace {

using course::shape;

// Shares of the reference's speed on an H200: one 8 KB buffer an SM 0.51, four of 16 KB 0.93.
constexpr double kPass = 0.75, kLimit = 0.95;

const course::gate kLoadedInBulk =
    course::idea(course::metrics::bulk_loads, course::at_least(0.99),
                 "let bulk_load() bring the bytes to shared memory; no thread needs to load them");
const course::gate kStoredInBulk =
    course::idea(course::metrics::bulk_stores, course::at_least(0.99),
                 "let bulk_store() send the bytes on from shared memory; no thread needs to store them");
const course::gate kBarriersUsedAgain = course::idea(
    course::metrics::completions_per_barrier, course::at_least(4),
    "give each block several tiles, and let one barrier serve them one after the other, phase by phase");

course::problem copy(const shape& sizes) {
  const std::size_t n = sizes[0];
  course::problem p;
  const auto dst = p.output<float>("dst", n, {.alignment = 16});
  const auto src = p.input<float>("src", n, {.filled_with = course::distinct, .alignment = 16});
  p.timed(COURSE_FUNCTION(bulk_copy_run), dst, src, n, course::stream);
  const auto expected = [src](const course::host_inputs& inputs, std::size_t i) { return inputs[src][i]; };
  const auto affected = [](std::size_t i) -> course::index_range { return {i, 1}; };
  p.expects(dst, course::each_element(expected, affected), course::exact());
  return p;
}

}  // namespace

COURSE_EXERCISE(bulk_copy) {
  return {
      .asks = copy,
      .size_names = {"n"},
      // Around 16 bytes, around tiles of 4, 8 and 16 KB; the last ones give every block of a small GPU several tiles.
      .cases = course::join(course::around(2048), {{2},
                                                   {3},
                                                   {4},
                                                   {5},
                                                   {7},
                                                   {1009},
                                                   {1023},
                                                   {1024},
                                                   {1025},
                                                   {4097},
                                                   {70'001},
                                                   {800'003},
                                                   {1'600'002}}),
      .drawn = [](course::random_source& draw) { return shape{draw.between(6, 100'000)}; },
      .hidden = [](course::random_source& draw) { return shape{draw.between(2'000'000, 3'000'000)}; },
      .benchmarks = {{.on_sim = {3'000'005},
                      .on_gpu = [](std::size_t bytes,
                                   const course::facts&) { return shape{bytes / (2 * sizeof(float)) + 5}; },
                      .modelled_time_decides = false}},
      .gates = {course::pass(course::at_least(kPass)), course::limit(course::at_least(kLimit)), kLoadedInBulk,
                kStoredInBulk, kBarriersUsedAgain},
  };
}
