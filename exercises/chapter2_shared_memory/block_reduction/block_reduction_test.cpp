/// @file
/// How block_reduction is graded: one sum, its cases, its gates.
#include "block_reduction.cuh"

#include <fmt/format.h>

#include <cmath>

#include "judge/device_report.hpp"
#include "judge/exercise.hpp"

namespace {

using course::shape;

// Of the sum of magnitudes. Single precision with a thousand values a partial sum is off by 4e-8 of it, half precision by 1.6e-4. Six million
// elements in blocks of 256, added up by atomics, are off by 3e-6 in the mean, and were by 1.01e-5 once; in blocks of 32 by 8e-6 in the mean.
constexpr double kOfMagnitudes = 5e-5;

template <class Within>
course::problem sum(const shape& sizes, const course::values& filled_with, Within within) {
  const std::size_t n = sizes[0];
  course::problem p;
  const auto in =
      p.input<float>("in", n, {.filled_with = filled_with, .poked_with = course::spikes, .alignment = 16});
  const auto out = p.output<float>("out", 1, {.alignment = 4});
  p.timed(COURSE_FUNCTION(block_reduction_run), in, out, n, course::stream);
  p.expects(out, course::sum_of(in, n), within(in, n));
  p.work({.written = 0});  // one number, which blocks may add up in any way
  return p;
}

course::problem of_ordinary(const shape& sizes) {
  constexpr double kMeanMagnitude = 1.5;
  return sum(sizes, course::signed_one_sided, [](auto, std::size_t n) {
    return course::absolute(kOfMagnitudes * kMeanMagnitude * static_cast<double>(n));
  });
}

course::problem of_extremes(const shape& sizes) {
  return sum(sizes, course::extremes, [](auto in, std::size_t n) {
    return course::within([in, n](const course::host_inputs& inputs, std::size_t) {
      double magnitudes = 0;
      for (std::size_t i = 0; i < n; ++i) magnitudes += std::abs(static_cast<double>(inputs[in][i]));
      return kOfMagnitudes * magnitudes;
    });
  });
}

// What threads of a block take from its shared memory that others brought there. Some blocks are watched, and their share
// holds for all.
const course::metric kHandedOver{
    "shared_exchanged_per_block",
    "B per block",
    course::origin::counters,
    course::scope::total,
    course::when_nothing::missed,
    "bytes taken from shared memory that another thread had brought there, of a block that touches data",
    [](const course::evidence& seen) {
      double loaded = 0;
      for (const auto& launch : seen.report.launches()) {
        for (const auto& site : launch.sites)
          loaded += site.memory == "shared" && site.kind == "load" ? site.bytes_requested : 0;
      }
      const double watched = seen.report.counter("simgpu__shared_bytes_watched.sum"),
                   exchanged = seen.report.counter("simgpu__shared_bytes_exchanged.sum"),
                   blocks = seen.report.counter("simgpu__blocks_touching_global.sum");
      course::reading found{.value = watched > 0 && blocks > 0 ? exchanged / watched * loaded / blocks : 0,
                            .counted = blocks > 0,
                            .cause = course::cause::off_the_idea};
      found.sentence = fmt::format(
          "a block takes {:.3g} bytes from shared memory that another thread had stored there", found.value);
      return found;
    }};
// A float, less what atomics leave uncertain: of two warps, one takes what the other has stored.
constexpr double kLeastHandedOver = 2;

// A block whose warps each bring their own sum to the result, or leave it anywhere outside, has brought nothing together, whatever it shows
// around in its tile. One warp speaks for a block; where the last block adds up, one warp of it.
const course::metric kSpeakers{
    "warps_writing_per_block",
    "warps",
    course::origin::counters,
    course::scope::total,
    course::when_nothing::missed,
    "warps that write to global memory, by stores or atomics, over blocks that touch data",
    [](const course::evidence& seen) {
      const double writing = seen.report.counter("simgpu__warps_writing_global.sum"),
                   blocks = seen.report.counter("simgpu__blocks_touching_global.sum");
      course::reading found{.value = blocks > 0 ? writing / blocks : 0,
                            .counted = blocks > 0,
                            .cause = course::cause::off_the_idea};
      found.sentence = fmt::format("{:.2g} warps of a block write to global memory", found.value);
      return found;
    }};
constexpr double kMostSpeakers = 1.5;  // of two warps, one

}  // namespace

// Shares of the reference's speed on an H200: one element a thread 0.20, a grid-stride loop with a tree 0.57 (plain), four loads in
// flight 1.00. Atomics a block: one where a block adds its sum (and one more draws a ticket), 256 where each thread adds its own.
COURSE_EXERCISE(block_reduction) {
  using namespace course;
  return {
      .asks = of_ordinary,
      .size_names = {"n"},
      .cases =
          join(around(256), {{3}, {1009}, {1023}, {1025}, {65'537}, {600'011}, {1'000'003}, {1'048'576}}),
      .also = {{.name = "zeros, huge and tiny values",
                .asks = of_extremes,
                .cases = {{33}, {257}, {5003}, {262'144}}}},
      .drawn = [](random_source& draw) { return shape{draw.between(2, 300'000)}; },
      .hidden = [](random_source& draw) { return shape{draw.between(2'000'000, 3'000'000)}; },
      .benchmarks = {{.on_sim = {6'000'005},
                      .on_gpu = [](std::size_t bytes,
                                   const facts&) { return shape{bytes / sizeof(float) + 5}; }}},
      .gates = {pass(at_least(0.45)), limit(at_least(0.85)),
                idea(metrics::global_atomics_per_block, at_most(2.0),
                     "bring a block's sums together in shared memory; then one thread adds one number to the "
                     "result"),
                idea(metrics::block_threads, at_least(64),
                     "blocks of one warp need no shared memory: give a block at least 64 threads, and let "
                     "its warps meet in a tile"),
                idea(metrics::shared_stores_per_warp, at_least(0.9),
                     "each warp hands its part to the block through shared memory"),
                idea(kHandedOver, at_least(kLeastHandedOver),
                     "what a warp hands in, somebody of another warp must take and add: a tile that nobody "
                     "reads brings nothing together"),
                idea(kSpeakers, at_most(kMostSpeakers),
                     "let one warp speak for the block: the others hand their sums to it, and write nothing "
                     "themselves"),
                idea(metrics::shared_serial_loads, at_most(40),
                     "let half of the threads add the other half's sums, then half of those: one thread that "
                     "adds up "
                     "the whole tile keeps all others waiting")},
  };
}
