/// @file
/// How hot_table is graded: look-ups in a table beside a stream, and what the program does to keep the table in L2.
#include "hot_table.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "judge/exercise.hpp"

namespace {

using course::shape;

using element = course::vec<unsigned, 4>;
constexpr std::size_t kPacket = 16;      // elements
constexpr std::size_t kAlignment = 128;  // bytes, of all three arrays

std::size_t packets_of(std::size_t n) {
  return (n + kPacket - 1) / kPacket;
}

std::uint32_t joined(const element& one) {
  return one[0] ^ one[1] ^ one[2] ^ one[3];
}

course::problem check_words(const shape& sizes) {
  const std::size_t n = sizes[0], entries = sizes[1];
  course::problem p;
  const auto in = p.input<element>("in", n, {.alignment = kAlignment});
  // One table for all buffer sets: a stream has one window. It changes from case to case, never between set-up and tear-down.
  const auto table =
      p.input<std::uint32_t>("table", entries, {.alignment = kAlignment, .common = true, .fixed = true});
  const auto out = p.output<std::uint32_t>("out", packets_of(n), {.alignment = kAlignment});
  p.before(COURSE_FUNCTION(hot_table_setup), table, entries, course::stream);
  p.timed(COURSE_FUNCTION(hot_table_run), in, n, table, entries, out, course::stream);
  p.after(COURSE_FUNCTION(hot_table_teardown), course::stream);
  p.before_launches_no_kernel();
  p.teardown_frees_all();
  const auto expected = [in, table, n, entries](const course::host_inputs& inputs, std::size_t packet) {
    const element* const first = inputs[in] + packet * kPacket;
    std::uint32_t words = 0;
    for (std::size_t k = 0; k < std::min(kPacket, n - packet * kPacket); ++k) words ^= joined(first[k]);
    return words ^ inputs[table][(*first)[0] % entries];
  };
  const auto affected = [in](std::size_t buffer, std::size_t index) -> course::index_range {
    if (buffer == in.index) return {index / kPacket, 1};
    return {0, SIZE_MAX};  // the table: any packet may have looked there
  };
  p.expects(out, course::each_element(expected, affected, {.operations = 2.0 * kPacket}), course::exact());
  // A short stream does not look at all of the table.
  const std::size_t looked_up = std::min(entries, packets_of(n)) * sizeof(std::uint32_t);
  p.work({.read = static_cast<double>(n * sizeof(element) + looked_up)});
  return p;
}

// A quarter of L2, and no power of two.
std::size_t entries_of(std::size_t l2_bytes) {
  return l2_bytes / 4 / sizeof(std::uint32_t) - 3;
}
constexpr std::size_t kSimulatedL2 = std::size_t{5} << 20;

}  // namespace

// Shares of the reference's speed on an H200 (stand-alone kernels, a table of 16 MB): no hint 0.85, a window 0.945, a hint 1.00. So
// the clock cannot tell a program with a cure from one without, and the gate on speed is there for sanity only. Bytes read from DRAM
// over stream and table: 1.13, 0.98, 0.98.
COURSE_EXERCISE(hot_table) {
  using namespace course;
  return {
      .asks = check_words,
      .size_names = {"n", "entries"},
      .cases = {{1009, 300},   {0, 7},         {1, 1},          {2, 3},          {15, 16},
                {16, 5},       {17, 1000},     {31, 33},        {32, 1024},      {33, 1009},
                {255, 4096},   {256, 31},      {257, 65'536},   {511, 40},       {512, 4093},
                {513, 8192},   {1024, 12'289}, {4099, 100'003}, {65'537, 1},     {100'000, 2},
                {5003, 1'023}, {20'011, 4096}, {150'001, 1500}, {40'961, 70'001}},
      .drawn =
          [](random_source& draw) {
            return shape{draw.between(1, 100'000), draw.between(1, 50'000)};
          },
      .hidden =
          [](random_source& draw) {
            return shape{draw.between(1'000'000, 1'500'000), draw.between(200'000, 300'000)};
          },
      .benchmarks = {{.on_sim = {1'400'003, entries_of(kSimulatedL2)},
                      .on_gpu =
                          [](std::size_t bytes, const facts& device) {
                            return shape{bytes / sizeof(element) + 5, entries_of(device.l2_bytes)};
                          }}},
      .gates =
          {pass(at_least(0.60)),
           any_of(idea(metrics::hinted_stream, at_least(0.95),
                       "each element passes once, and the cache does not know: say so in the load, or open a "
                       "window over the table"),
                  idea(metrics::persisting_window, between(0.5, 1.25))),
           any_of(idea(metrics::hinted_elsewhere, at_most(0.05),
                       "the table is needed again and again: give the hint to the stream alone"),
                  idea(metrics::persisting_window, between(0.5, 1.25)))},
  };
}
