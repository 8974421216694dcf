/// @file
/// How pinned_upload is graded: numbers that the judge writes to the hand-in's own host memory, copied to the device.
#include "pinned_upload.cuh"

#include <algorithm>
#include <cstddef>
#include <string>

#include "judge/exercise.hpp"

namespace {

using course::shape;

// Shares of the reference's speed on an H200, stand-alone copies: ordinary memory 0.15, locked for each upload anew 0.20.
constexpr double kPass = 0.80, kLimit = 0.95;

// The call whose answer says how much is page-locked: the one after alloc.
constexpr std::size_t kLockedCall = 1;

/// No staging helps where this is missed: the numbers themselves must lie where the copy engine may read them.
const course::metric kPageLocked{
    "page_locked",
    "share",
    course::origin::calls,
    course::scope::total,
    course::when_nothing::missed,
    "bytes of the host memory that are page-locked before the first upload, over the bytes to be read",
    [](const course::evidence& seen) -> course::reading {
      if (seen.sizes.size() <= kLockedCall) return {.counted = false};
      const double locked = static_cast<double>(seen.sizes[kLockedCall]);
      course::reading found{.value = locked / seen.asked.bytes_read(), .cause = course::cause::off_the_idea};
      found.sentence =
          locked > 0 ? std::string() : std::string("the numbers lie in memory that is not page-locked");
      return found;
    }};

course::problem uploaded(const shape& sizes, bool locking_fails) {
  const std::size_t n = sizes[0];
  course::problem p;
  const auto memory = p.before(COURSE_FUNCTION(pinned_upload_alloc), n);
  const auto host = p.input<float>(
      "host", n,
      {.filled_with = course::distinct, .alignment = alignof(float), .place = course::place::pageable});
  p.lies_at(host, memory);
  const auto device = p.output<float>("device", n);
  const auto locked = p.before(COURSE_FUNCTION(pinned_upload_locked), memory, n);
  p.timed(COURSE_FUNCTION(pinned_upload_run), host, device, n, course::stream);
  p.after(COURSE_FUNCTION(pinned_upload_free), memory);
  const auto left = p.after(COURSE_FUNCTION(pinned_upload_locked), memory, n);
  p.before_launches_no_kernel();
  static_cast<void>(locked);
  p.answers_between(
      left, 0, 0, 1,
      "the memory is still page-locked after pinned_upload_free(): give it back by the call that "
      "belongs to the one it came from");
  if (locking_fails) {
    constexpr int no_memory = 2;  // cudaErrorMemoryAllocation
    for (const char* const call : {"cudaHostAlloc", "cudaMallocHost", "cudaHostRegister"})
      p.lets_fail({.name = call, .nth = 1, .error = no_memory});
  }
  const auto expected = [host](const course::host_inputs& inputs, std::size_t i) { return inputs[host][i]; };
  const auto affected = [](std::size_t i) -> course::index_range { return {i, 1}; };
  p.expects(device, course::each_element(expected, affected), course::exact());
  p.work({.read = static_cast<double>(n * sizeof(float)),
          .written = 0,
          .by = course::road::copies | course::road::kernels});
  return p;
}

course::problem all_goes_well(const shape& sizes) {
  return uploaded(sizes, false);
}
course::problem no_page_is_locked(const shape& sizes) {
  return uploaded(sizes, true);
}

constexpr std::size_t kMostTimed = 64u
                                   << 20;  // floats, 256 MB: locking more takes longer than all runs together

}  // namespace

COURSE_EXERCISE(pinned_upload) {
  using course::at_most, course::between, course::exactly, course::idea;
  namespace metrics = course::metrics;
  return {
      .asks = all_goes_well,
      .size_names = {"n"},
      // 1024 floats are a page of 4 KB.
      .cases = course::join(course::around(1024), {{1009}, {65'537}, {524'287}}),
      .also = {{.name = "no page can be locked", .asks = no_page_is_locked, .cases = {{1}, {33}, {100'003}}}},
      .drawn = [](course::random_source& draw) { return shape{draw.between(2, 200'000)}; },
      .hidden = [](course::random_source& draw) { return shape{draw.between(2'500'000, 3'500'000)}; },
      .benchmarks = {{.on_sim = {1'000'003},
                      .on_gpu =
                          [](std::size_t bytes, const course::facts&) {
                            return shape{std::min(bytes / sizeof(float), kMostTimed) + 5};
                          },
                      .clock = course::clock_kind::end_to_end,
                      .roof = course::roof_kind::link}},
      .gates =
          {course::pass(course::at_least(kPass)), course::limit(course::at_least(kLimit)),
           idea(kPageLocked, exactly(1),
                "the copy engine reads page-locked memory and no other: let the numbers lie there"),
           idea(metrics::copies_up, between(0.95, 1.05), "copy each number to the device once"),
           idea(
               metrics::link_bytes, at_most(0.05),
               "a kernel on host memory waits for the link at every access: a copy engine is made for that")},
      .measures_link = true,
  };
}
