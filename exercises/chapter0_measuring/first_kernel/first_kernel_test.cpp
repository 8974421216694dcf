/// @file
/// How first_kernel is graded: an array of the host, doubled; the calls and copies that it takes; what happens when a call fails.
#include "first_kernel.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "judge/device_report.hpp"
#include "judge/exercise.hpp"

namespace {

using course::shape;

// Twice of each is an int.
const course::values kHalfRange = course::values_of([](std::uint64_t, std::uint64_t random) {
  return static_cast<double>(static_cast<std::int64_t>(random >> 33) - (1 << 30));
});

/// A call of the runtime that fails, and the status that the function must then return.
constexpr course::failing_call kNoMemory{
    .name = "cudaMalloc", .nth = 1, .error = 2};  // cudaErrorMemoryAllocation
constexpr course::failing_call kNoCopyToDevice{
    .name = "cudaMemcpy", .nth = 1, .error = 999};  // cudaErrorUnknown
constexpr course::failing_call kNoCopyBack{.name = "cudaMemcpy", .nth = 2, .error = 999};
// A launch has two names: what <<<...>>> becomes, and the one that takes attributes.
constexpr int kNoResources = 701;  // cudaErrorLaunchOutOfResources
const course::failing_call kNoLaunch{.name = "cudaLaunchKernel", .nth = 1, .error = kNoResources};
const course::failing_call kNoLaunchEx{.name = "cudaLaunchKernelExC", .nth = 1, .error = kNoResources};

course::problem doubled(const shape& sizes, const std::vector<course::failing_call>& failing) {
  const std::size_t n = sizes[0];
  course::problem p;
  const auto host = p.in_out<int>(
      "host", n, {.filled_with = kHalfRange, .alignment = alignof(int), .place = course::place::pageable});
  const auto status = p.timed(COURSE_FUNCTION(first_kernel_run), host, n);
  const auto bytes = static_cast<double>(n * sizeof(int));
  p.work({.read = bytes, .written = bytes});
  // No buffer of this problem lies in device memory, so all that is there is the hand-in's.
  p.expects([](const course::observed& seen) -> std::string {
    const double left =
        seen.report != nullptr ? seen.report->figure({"allocations", "live_bytes"}).value_or(0) : 0;
    if (left <= 0) return {};
    return std::to_string(static_cast<std::size_t>(left)) +
           " bytes of device memory stay allocated when the function returns: free them on every way out.";
  });
  for (const auto& one : failing) {
    p.lets_fail(one);
    p.returns(status, one.error);
  }
  // Before any of the failures something has come back, so then all numbers are what they were.
  const int times = failing.empty() ? 2 : 1;
  const auto expected = [host, times](const course::host_inputs& inputs, std::size_t i) {
    return times * inputs[host][i];
  };
  const auto affected = [](std::size_t i) -> course::index_range { return {i, 1}; };
  p.expects(host, course::each_element(expected, affected), course::exact());
  return p;
}

course::problem all_goes_well(const shape& sizes) {
  return doubled(sizes, {});
}
course::problem no_memory(const shape& sizes) {
  return doubled(sizes, {kNoMemory});
}
course::problem no_copy_to_device(const shape& sizes) {
  return doubled(sizes, {kNoCopyToDevice});
}
course::problem no_copy_back(const shape& sizes) {
  return doubled(sizes, {kNoCopyBack});
}
course::problem no_launch(const shape& sizes) {
  return doubled(sizes, {kNoLaunch, kNoLaunchEx});
}

constexpr std::size_t kMostTimed = 1 << 24;  // ints: what is counted does not depend on it

shape timed_on_gpu(std::size_t bytes, const course::facts&) {
  return {std::min(bytes / (2 * sizeof(int)), kMostTimed) + 3};
}

constexpr double kMostCopies = 4;  // of both directions; one each way is enough, chunks are sound

}  // namespace

COURSE_EXERCISE(first_kernel) {
  using course::at_least, course::at_most, course::exactly, course::idea;
  namespace metrics = course::metrics;
  return {
      .asks = all_goes_well,
      .size_names = {"n"},
      .cases = course::join(course::around(256), {{1009}, {65'537}}),
      .also = {{.name = "cudaMalloc fails", .asks = no_memory, .cases = {{1000}}},
               {.name = "the copy to the device fails", .asks = no_copy_to_device, .cases = {{1000}}},
               {.name = "the launch fails", .asks = no_launch, .cases = {{1000}}},
               {.name = "the copy back fails", .asks = no_copy_back, .cases = {{1000}}}},
      .drawn = [](course::random_source& draw) { return shape{draw.between(2, 50'000)}; },
      .hidden = [](course::random_source& draw) { return shape{draw.between(1'000'000, 1'200'000)}; },
      .benchmarks = {{.on_sim = {200'003},
                      .on_gpu = timed_on_gpu,
                      .clock = course::clock_kind::end_to_end,
                      .roof = course::roof_kind::link,
                      .modelled_time_decides = false}},
      .gates = {idea(metrics::copies_up, exactly(1), "bring each number to the device once"),
                idea(metrics::copies_down, exactly(1), "bring each number back once"),
                idea(metrics::copy_calls, at_most(kMostCopies),
                     "a copy costs microseconds, however short it is: copy the whole array"),
                idea(metrics::kernel_launches, at_least(1), "let a kernel do the doubling"),
                idea(metrics::store_bytes, at_least(1), "let the kernel store every result"),
                idea(metrics::left_allocated, exactly(0),
                     "free what you have allocated, on every way out of the function")},
  };
}
