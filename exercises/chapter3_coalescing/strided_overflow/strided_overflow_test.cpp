/// @file
/// How strided_overflow is graded: strided gathers, one of them from an array of more than 4 GiB whose pages nobody
/// touches. No pass gate: the program is to be repaired, not sped up.
#include "strided_overflow.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "judge/exercise.hpp"

namespace {

using course::shape;

// Of the largest array only each 2^25th byte exists for us. All are in reach of one block, and the last four lie beyond 2^32: in 32
// bits their indices wrap round to those of the first four, which differ.
constexpr std::size_t kLargeStride = std::size_t{1} << 25;
constexpr std::size_t kLargeN = 131 * kLargeStride + 5;
constexpr double kRoom = 1.25;  // of device memory: the array and what else there is

course::problem strided_gather(std::size_t n, std::size_t stride, bool spread) {
  const std::size_t count = n / stride + (n % stride != 0 ? 1 : 0);
  course::problem p;
  const auto in = spread ? p.input<std::uint8_t>("in", count, {.alignment = 128, .spread = stride})
                         : p.input<std::uint8_t>("in", n, {.alignment = 128});
  const auto out = p.output<std::uint8_t>("out", count, {.alignment = 128});
  p.timed(COURSE_FUNCTION(strided_overflow_run), in, out, n, stride, course::stream);
  const std::size_t step = spread ? 1 : stride;  // between elements gathered, as the judge holds them
  const auto expected = [in, step](const course::host_inputs& inputs, std::size_t k) {
    return inputs[in][k * step];
  };
  const auto affected = [step](std::size_t i) -> course::index_range {
    return {i / step, i % step == 0 ? std::size_t{1} : std::size_t{0}};
  };
  p.expects(out, course::each_element(expected, affected), course::exact());
  p.work({.read = static_cast<double>(count), .written = static_cast<double>(count)});
  return p;
}

course::problem of_shape(const shape& sizes) {
  return strided_gather(sizes[0], sizes[1], false);
}

// A card with less memory gets as much of it as there is room for.
course::problem of_large(const shape& sizes, const course::facts& device) {
  const auto room = static_cast<std::size_t>(static_cast<double>(device.free_bytes) / kRoom);
  return strided_gather(std::min(sizes[0], room), sizes[1], true);
}

}  // namespace

COURSE_EXERCISE(strided_overflow) {
  using namespace course;
  return {
      .asks = of_shape,
      .size_names = {"n", "stride"},
      // The mistake of the starter shows first where an array of ordinary length meets a large stride.
      .cases = {{10'007, 7},   {0, 1},
                {0, 5},        {1, 1},
                {1, 2},        {2, 1},
                {2, 2},        {31, 1},
                {32, 3},       {33, 2},
                {33, 33},      {33, 34},
                {255, 1},      {256, 1},
                {257, 1},      {512, 2},
                {513, 2},      {1000, 999},
                {1000, 1000},  {1000, 1001},
                {1023, 32},    {1024, 32},
                {1025, 32},    {65'537, 2},
                {300'007, 33}, {1'000'003, 4099},
                {300'007, 1},  {5, std::size_t{1} << 40}},
      .also = {{.name = "an array of more than 4 GiB", .asks = of_large, .cases = {{kLargeN, kLargeStride}}}},
      .drawn =
          [](random_source& draw) {
            return shape{draw.between(2, 200'000), draw.between(1, 50)};
          },
      .hidden =
          [](random_source& draw) {
            return shape{draw.between(3'000'000, 4'000'000), draw.between(2, 5)};
          },
      .benchmarks = {{.on_sim = {6'600'013, 33},
                      .on_gpu =
                          [](std::size_t bytes, const facts&) {
                            return shape{bytes / 4 + 13, 33};
                          }}},
      .gates = {idea(
          metrics::threads_per_output, at_most(1.1),
          "a strided walk needs a thread for each element that it gathers, not for each that it passes")},
  };
}
