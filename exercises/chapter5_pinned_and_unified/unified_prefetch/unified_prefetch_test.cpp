/// @file
/// How unified_prefetch is graded: readings in managed memory that the host has filled, the largest of each part, and a count that
/// the host makes. The judge's own clock; pages are the host's again before each run.
#include "unified_prefetch.cuh"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "judge/device_report.hpp"
#include "judge/exercise.hpp"

namespace {

using course::shape;

// Shares of the reference's speed, by the judge on an H200. Faults on demand have 0.15 to 0.29, a copy out of managed memory 0.23, and one
// that is prefetched besides 0.75 to 0.78 (an idea gate refuses that one anyhow). Plain has 0.92, sound prefetches 0.75 (in many chunks) to 0.92. On the
// simulated GPU the results' pages, 1.6 % of all, cost 9 % if they come by faults: plain leaves them, the reference does not.
constexpr double kPass = 0.80, kLimit = 0.95;

// SetAccessedBy is as sound as a prefetch: the kernel reaches the pages where they are, at 51 GB/s. Making the mappings costs as much
// again (H200: 0.48 of the reference), so there it is sound and too slow; the modelled clock takes no time for them.
const course::gate kSaid = course::idea(course::metrics::prefetched_or_advised, course::at_least(0.95),
                                        "the driver cannot know what the kernel will touch: name the "
                                        "readings, all bytes of them, before the launch");
// A copy out of managed memory into an array of one's own is a copy like any other, and one kernel that loads them once is enough.
// The results may be copied: they are 1.6 % of the readings.
const course::metric kManagedLoads{
    "managed_loads",
    "x required",
    course::origin::counters,
    course::scope::total,
    course::when_nothing::missed,
    "bytes that kernels load from managed memory, over the required bytes read",
    [](const course::evidence& seen) -> course::reading {
      double loaded = 0;
      for (const auto& launch : seen.report.launches())
        for (const auto& one : launch.buffers) loaded += one.memory == "managed" ? one.loaded_bytes : 0;
      course::reading found{.value = loaded / std::max(1.0, seen.asked.bytes_read()),
                            .cause = course::cause::off_the_idea};
      found.sentence =
          fmt::format("kernels load {:.2g} of the readings' bytes from managed memory", found.value);
      return found;
    }};
const course::metric kCopiedOut{
    "copied_out",
    "x required",
    course::origin::calls,
    course::scope::total,
    course::when_nothing::met,
    "bytes that the runtime copies from managed memory, over the required bytes read",
    [](const course::evidence& seen) -> course::reading {
      double copied = 0;
      for (const auto& one : seen.report.copy_groups()) copied += one.from == "managed" ? one.bytes : 0;
      course::reading found{.value = copied / std::max(1.0, seen.asked.bytes_read()),
                            .cause = course::cause::off_the_idea};
      found.sentence =
          fmt::format("{:.2g} of the readings' bytes are copied out of managed memory", found.value);
      return found;
    }};
const course::gate kLoadsThemThere =
    course::idea(kManagedLoads, course::at_least(0.95),
                 "let the kernel load the readings themselves: one pointer for both sides is the point");
const course::gate kCopiesNone =
    course::idea(kCopiedOut, course::at_most(0.05),
                 "leave the readings where they are: pages move without a copy of yours");

/// The level is another one from size to size; about every second part has a peak above it.
float level_for(std::size_t n) {
  return 0.976f + 0.001f * static_cast<float>(n % 4);
}

/// Uniform in [-1, 1), and one of 256 is the level itself: a tenth of the parts peak at it, and a peak that is not above it is no alarm.
course::values with_the_level(float level) {
  return course::values_of([level](std::uint64_t, std::uint64_t random) {
    if (random % 256 == 0) return double{level};
    return static_cast<double>(random >> 40) * 0x1p-23 - 1;
  });
}

/// @param again another run, of few readings, has been made before: what is remembered of it is of no use to this one.
course::problem peaks_and_alarms_of(const shape& sizes, bool again) {
  const std::size_t n = sizes[0], parts = (n + part_readings - 1) / part_readings;
  const float level = level_for(n);
  course::problem p;
  const auto readings =
      p.input<float>("readings", n, {.filled_with = with_the_level(level), .place = course::place::managed});
  const auto peaks = p.output<float>("peaks", parts, {.place = course::place::managed});
  const auto alarms = p.figures<std::uint32_t>("alarms", 1);
  if (again) {
    constexpr std::size_t few = 3 * part_readings;
    const auto earlier = p.input<float>("readings_before", few, {.place = course::place::managed});
    const auto earlier_peaks =
        p.output<float>("peaks_before", few / part_readings, {.place = course::place::managed});
    const auto earlier_alarms = p.figures<std::uint32_t>("alarms_before", 1);
    p.before(COURSE_FUNCTION(unified_prefetch_run), earlier, earlier_peaks, few, level, earlier_alarms,
             course::stream);
  }
  p.timed(COURSE_FUNCTION(unified_prefetch_run), readings, peaks, n, level, alarms, course::stream);
  const auto expected = [readings, n](const course::host_inputs& inputs, std::size_t part) {
    const float* const first = inputs[readings] + part * part_readings;
    return *std::max_element(first, first + std::min(part_readings, n - part * part_readings));
  };
  const auto affected = [](std::size_t i) -> course::index_range { return {i / part_readings, 1}; };
  p.expects(peaks, course::each_element(expected, affected, {.operations = part_readings}), course::exact());
  // The peaks themselves are checked above.
  p.expects([=](const course::observed& seen) -> std::string {
    const float* const all = seen[peaks];
    const auto above = std::count_if(all, all + parts, [level](float peak) { return peak > level; });
    const std::uint32_t said = seen[alarms][0];
    if (said == static_cast<std::uint32_t>(above)) return {};
    return fmt::format("alarms is {}, and {} of the {} peaks are above {}.", said, above, parts, level);
  });
  p.work({.read = 4.0 * static_cast<double>(n), .written = 4.0 * static_cast<double>(parts)});
  return p;
}

course::problem peaks_and_alarms(const shape& sizes) {
  return peaks_and_alarms_of(sizes, false);
}
course::problem once_more(const shape& sizes) {
  return peaks_and_alarms_of(sizes, true);
}

}  // namespace

COURSE_EXERCISE(unified_prefetch) {
  return {
      .asks = peaks_and_alarms,
      .size_names = {"n"},
      .cases = course::join(course::around(part_readings), {{2},
                                                            {1009},
                                                            {1024},  // a page
                                                            {1025},
                                                            {16'384},
                                                            {16'387},
                                                            {100'003},
                                                            {524'288},  // 2 MiB
                                                            {524'289},
                                                            {700'001},
                                                            {1'500'007}}),
      .drawn = [](course::random_source& draw) { return shape{draw.between(3, 300'000)}; },
      .hidden = [](course::random_source& draw) { return shape{draw.between(1'600'000, 2'500'000)}; },
      .benchmarks =
          {{.asks = once_more,
            .on_sim = {2'400'011},
            .on_gpu =
                [](std::size_t bytes, const course::facts& device) {
                  // 128 MiB at most, for the pages of each run have to be sent home before the next, and a quarter of what is
                  // free: pages that push each other out are another matter.
                  return shape{std::min({bytes / 4, std::size_t{32} << 20, device.free_bytes / 16}) + 5};
                },
            .clock = course::clock_kind::end_to_end,
            .roof = course::roof_kind::link}},
      .gates = {course::pass(course::at_least(kPass)), course::limit(course::at_least(kLimit)), kSaid,
                kLoadsThemThere, kCopiesNone},
      .measures_link = true,
  };
}
