/// @file
/// How two_streams is graded: numbers up, a given kernel, numbers down, and an order that the device keeps by itself. No pass
/// gate: the program is to be repaired, not sped up.
#include "two_streams.cuh"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "judge/device_report.hpp"
#include "judge/exercise.hpp"

namespace {

using course::shape;

// One stream, events, graphs: sound programs wait 0 times, move each number once each way, and no kernel of theirs touches host
// memory. A wait for each half is 2 at least, and so are two synchronous copies less the last one's wait: 1.
const course::gate kHostDoesNotWait =
    course::idea(course::metrics::host_waits_between_copies, course::at_most(0),
                 "let the device keep the order: while the host waits or is waited for, it queues nothing");
// One look between two pieces of work is no wait, so a loop that launches something idle between its looks would count as none. Here
// nobody has anything to look at; a loop looks hundreds of times.
const course::metric kLooks{
    "looks",
    "calls",
    course::origin::calls,
    course::scope::total,
    course::when_nothing::inconclusive,
    "times that the host asks whether a stream or an event is done",
    [](const course::evidence& seen) -> course::reading {
      course::reading found{
          .value = seen.report.calls_of("cudaEventQuery") + seen.report.calls_of("cudaStreamQuery"),
          .cause = course::cause::no_overlap};
      found.sentence = fmt::format("the host asks {:.0f} times whether something is done", found.value);
      return found;
    }};
const course::gate kHardlyLooks = course::idea(
    kLooks, course::at_most(16), "asking again and again is waiting: let one stream wait for the other");
const course::gate kCopiedUp =
    course::idea(course::metrics::copies_up, course::at_least(0.95), "copy the numbers to the device");
const course::gate kCopiedDown =
    course::idea(course::metrics::copies_down, course::at_least(0.95), "copy the numbers back to the host");
// None at all: a flag of four bytes that the host watches is a wait too.
const course::gate kKernelsStayOnTheDevice =
    course::idea(course::metrics::link_bytes, course::at_most(0),
                 "a kernel on host memory needs no copies, or tells the host to go on; both leave the "
                 "question of the order open");

/// One number, as the given kernel encodes it.
constexpr std::uint32_t encoded(std::uint32_t x, std::uint32_t key) {
  return (x ^ key) * 0x9e3779b1u + 1u;
}

/// One run: numbers in page-locked memory, and what they are to become.
struct run {
  course::input_handle<std::uint32_t> in;
  course::output_handle<std::uint32_t> out;
  std::uint32_t key;
};
run add_run(course::problem& p, const char* in, const char* out, std::size_t n, std::uint32_t key) {
  return {p.input<std::uint32_t>(in, n, {.filled_with = course::distinct, .place = course::place::pinned}),
          p.output<std::uint32_t>(out, n, {.place = course::place::pinned}), key};
}
void expect_encoded(course::problem& p, const run& one) {
  const auto expected = [in = one.in, key = one.key](const course::host_inputs& inputs, std::size_t i) {
    return encoded(inputs[in][i], key);
  };
  const auto affected = [](std::size_t i) -> course::index_range { return {i, 1}; };
  p.expects(one.out, course::each_element(expected, affected), course::exact());
}

/// @param sizes n and the key.
/// @param again the state has served another run before, and the judge has waited for it: that run's events say nothing of this one.
course::problem numbers_of(const shape& sizes, bool again) {
  const std::size_t n = sizes[0];
  const auto key = static_cast<std::uint32_t>(sizes[1]);
  course::problem p;
  const run now = add_run(p, "in", "out", n, key);
  const auto state = p.before(COURSE_FUNCTION(two_streams_setup), n);
  if (again) {
    const run earlier = add_run(p, "in_before", "out_before", n, ~key);
    p.before(COURSE_FUNCTION(two_streams_run), state, earlier.in, earlier.out, n, earlier.key);
    expect_encoded(p, earlier);
  } else {
    p.before_launches_no_kernel();
  }
  p.timed(COURSE_FUNCTION(two_streams_run), state, now.in, now.out, n, now.key);
  p.after(COURSE_FUNCTION(two_streams_teardown), state);
  p.teardown_frees_all();
  expect_encoded(p, now);
  // By the given kernel: copies have gates of their own.
  const auto bytes = static_cast<double>(n * sizeof(std::uint32_t));
  p.work({.read = bytes, .written = bytes, .by = course::road::kernels});
  return p;
}

course::problem encoded_numbers(const shape& sizes) {
  return numbers_of(sizes, false);
}
course::problem encoded_once_more(const shape& sizes) {
  return numbers_of(sizes, true);
}

}  // namespace

COURSE_EXERCISE(two_streams) {
  return {
      .asks = encoded_numbers,
      .size_names = {"n", "key"},
      .cases = {{1009, 77},
                {0, 1},
                {1, 5},
                {2, 6},
                {3, 0},
                {31, 7},
                {32, 8},
                {33, 9},
                {255, 11},
                {256, 12},
                {257, 13},
                {511, 14},
                {512, 15},
                {513, 16},
                {4099, 17},
                {16'384, 18},
                {100'003, 19},
                {524'287, 20}},
      .also = {{.name = "second run of a state",
                .asks = encoded_once_more,
                .cases = {{1009, 3}, {300'007, 4}}}},
      .drawn =
          [](course::random_source& draw) {
            const std::size_t n = draw.between(4, 200'000);
            return shape{n, draw.between(1, 1u << 30)};
          },
      .hidden =
          [](course::random_source& draw) {
            const std::size_t n = draw.between(1'500'000, 2'500'000);
            return shape{n, draw.between(1, 1u << 30)};
          },
      .benchmarks = {{.on_sim = {1'000'003, 21},
                      .on_gpu =
                          [](std::size_t bytes, const course::facts&) {
                            // 256 MB each way at most: pinning more takes longer than all runs together.
                            return shape{std::min<std::size_t>(bytes / 8, 64u << 20) + 5, 21};
                          },
                      .clock = course::clock_kind::end_to_end,
                      .roof = course::roof_kind::link}},
      .gates = {kHostDoesNotWait, kHardlyLooks, kCopiedUp, kCopiedDown, kKernelsStayOnTheDevice},
  };
}
