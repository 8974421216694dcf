/// @file
/// How bytes_in_flight is graded: a copy, bit for bit, by a grid that is given. Sizes carry the grid, so that cases can have odd ones.
#include "bytes_in_flight.cuh"

#include <cstddef>

#include "judge/exercise.hpp"

namespace {

using course::shape;

// Shares of the reference's speed on an H200, 512 threads an SM (stand-alone kernels): one float a turn 0.30, one
// float4 0.77, two float4 0.91, four float4 1.00 (0.933 of a copy's speed in a free launch).
constexpr double kPass = 0.85;
constexpr double kLimit = 0.97;

// Bytes a thread: two float4 or eight floats are 32. What is left after the last whole turn waits with fewer, and takes
// some tenths off the mean. One float4 is 16.
constexpr double kInFlight = 30;
// Bytes a block: as many for each thread, where it is left to asynchronous copies.
constexpr double kInFlightOfBlock = 512 * kInFlight;

/// The timed grid on the simulated GPU: as on_gpu gives it for the card, of which it has 11 of 132 multiprocessors.
constexpr std::size_t kSimBlocks = 11, kThreads = 512;

// One block an SM: few threads where few bytes in flight would do, or one element at a time would suffice.
constexpr double kStrongMemory = 20e9;  // bytes a second and SM
constexpr std::size_t kFewThreads = 128;

/// @param sizes n, blocks, threads. @param shift_dst, shift_src floats by which the arrays are moved off their alignment.
course::problem copy(const shape& sizes, std::size_t shift_dst, std::size_t shift_src) {
  const std::size_t n = sizes[0];
  // Four bytes are promised. The judge's arrays begin at multiples of 256 all the same, and a shift is one from there.
  const std::size_t alignment = shift_dst + shift_src == 0 ? sizeof(float) : 256;
  course::problem p;
  const auto dst = p.output<float>("dst", n, {.alignment = alignment, .shift = shift_dst});
  const auto src =
      p.input<float>("src", n, {.filled_with = course::distinct, .alignment = alignment, .shift = shift_src});
  p.timed(COURSE_FUNCTION(bytes_in_flight_run), dst, src, n, static_cast<unsigned int>(sizes[1]),
          static_cast<unsigned int>(sizes[2]), course::stream);
  const auto expected = [src](const course::host_inputs& inputs, std::size_t i) { return inputs[src][i]; };
  const auto affected = [](std::size_t i) -> course::index_range { return {i, 1}; };
  p.expects(dst, course::each_element(expected, affected), course::exact());
  return p;
}

course::problem aligned(const shape& sizes) {
  return copy(sizes, 0, 0);
}
// Off by one to three floats, both by as many.
course::problem shifted_alike(const shape& sizes) {
  const std::size_t by = 1 + sizes[0] % 3;
  return copy(sizes, by, by);
}
course::problem shifted_apart(const shape& sizes) {
  const std::size_t by = sizes[0] % 4;
  return copy(sizes, by, (by + 1 + sizes[0] / 4 % 3) % 4);
}

shape drawn(course::random_source& draw) {
  return {draw.between(1, 100'000), draw.between(1, 30), 32 * draw.between(1, 32)};
}

shape timed_on_gpu(std::size_t bytes, const course::facts& device) {
  const auto sms = static_cast<std::size_t>(device.sm_count);
  const bool strong = device.peak_dram_bytes_per_second > kStrongMemory * static_cast<double>(sms);
  return {bytes / (2 * sizeof(float)) + 5, sms, strong ? kThreads : kFewThreads};
}

}  // namespace

COURSE_EXERCISE(bytes_in_flight) {
  using course::at_least, course::exactly, course::idea;
  namespace metrics = course::metrics;
  return {
      .asks = aligned,
      .size_names = {"n", "blocks", "threads"},
      .cases = {{9'001, 2, 128},   {0, 11, 512},       {1, 11, 512},      {2, 1, 32},
                {3, 1, 32},        {4, 1, 32},         {5, 1, 32},        {31, 1, 32},
                {32, 1, 32},       {33, 1, 32},        {127, 1, 32},      {128, 1, 32},
                {129, 1, 32},      {511, 1, 32},       {512, 1, 32},      {513, 1, 32},
                {4095, 3, 96},     {4097, 3, 96},      {5632, 11, 512},   {5633, 11, 512},
                {22'527, 11, 512}, {22'531, 11, 512},  {45'056, 11, 512}, {90'111, 11, 512},
                {90'113, 11, 512}, {90'115, 11, 1024}, {70'001, 40, 256}, {100'003, 1, 1024}},
      .also = {{.name = "off by as many floats",
                .asks = shifted_alike,
                .cases = {{1, 1, 32}, {2, 1, 32}, {3, 1, 32}, {33, 1, 64}, {1024, 2, 128}, {70'001, 11, 512}},
                .drawn = drawn},
               {.name = "off by different numbers of floats",
                .asks = shifted_apart,
                .cases = {{1, 1, 32}, {5, 1, 32}, {34, 1, 64}, {1027, 2, 128}, {70'002, 11, 512}},
                .drawn = drawn}},
      .drawn = drawn,
      .hidden = [](course::random_source& draw) -> shape {
        return {draw.between(2'000'000, 3'000'000), draw.between(5, 20), 32 * draw.between(3, 16)};
      },
      .benchmarks = {{.on_sim = {3'000'005, kSimBlocks, kThreads}, .on_gpu = timed_on_gpu}},
      .gates = {course::pass(at_least(kPass)), course::limit(at_least(kLimit)),
                idea(metrics::kernel_launches, exactly(1),
                     "one launch of the grid that you are given does the work"),
                idea(metrics::blocks, exactly(kSimBlocks),
                     "launch the number of blocks that you are given: threads are rationed here"),
                idea(metrics::block_threads, exactly(kThreads),
                     "launch blocks of the size that you are given: threads are rationed here"),
                idea(metrics::load_bytes, course::at_most(1.05), "bytes that nobody needs fill no array"),
                course::any_of(idea(metrics::loads_in_flight, at_least(kInFlight),
                                    "let a thread ask for several values before it needs the first"),
                               idea(metrics::async_bytes_in_flight, at_least(kInFlightOfBlock)))},
  };
}
