/// @file
/// How event_timing is graded: the contract's own function launches the work, with the grader's events around each launch; the
/// figures that the hand-in makes of its own events are compared with these. No result depends on how fast the device is.
#include "event_timing.cuh"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include "judge/device_report.hpp"
#include "judge/exercise.hpp"

namespace {

using course::shape;

constexpr double kNear = 0.03;  // GB for GiB is 7.4 % off, a copy counted once 50 %

// Events of its own, not the grader's.
const course::metric kOwnEvents{
    "own_events",
    "events",
    course::origin::calls,
    course::scope::total,
    course::when_nothing::missed,
    "events that the hand-in records itself, those of the grader's watch left out",
    [](const course::evidence& seen) -> course::reading {
      const auto& launches = seen.report.launches();
      const auto ours = 2 * std::count_if(launches.begin(), launches.end(), [](const auto& one) {
                          return one.kernel.find("copy_again_and_again") != std::string::npos;
                        });
      const double own = seen.report.calls_of("cudaEventRecord") +
                         seen.report.calls_of("cudaEventRecordWithFlags") - static_cast<double>(ours);
      course::reading found{.value = std::max(0.0, own), .cause = course::cause::off_the_idea};
      found.sentence = fmt::format("{:.0f} events of your own are recorded", found.value);
      return found;
    }};

// A mistake, by the factor that it puts into a figure.
struct known_mistake {
  double factor;
  const char* advice;
};
constexpr std::array kOfRates = {known_mistake{0.5, "a copy reads and writes"},
                                 known_mistake{1e9 / (1 << 30), "GB is 10^9 bytes here, not 2^30"},
                                 known_mistake{1e-3, "the time is in milliseconds"},
                                 known_mistake{1e-6, "the time is in milliseconds, and GB is 10^9 bytes"},
                                 known_mistake{1e3, "10^3 too much: look at your units once more"},
                                 known_mistake{1e9, "that is bytes a second: GB is 10^9 of them"},
                                 known_mistake{0.25, "count bytes, four for each number, read and written"}};

bool is_near(double value, double expected) {
  return std::abs(value - expected) <= kNear * std::abs(expected);  // false for NaN
}

// What the grader's watch says of one run.
struct watch {
  double launches, first, least, most;
};

// @return an empty text, or what is wrong with the time.
std::string complaint_of_time(double value, const watch& saw) {
  if (!(saw.launches >= 1)) return "the work was not launched: let launch_work() do it.";
  if (saw.launches < 2)
    return "the work was launched only once, and its first launch warms up: launch it again, and take the "
           "time of a "
           "later one.";
  if (std::isnan(value)) return "milliseconds was not written.";
  if (value >= (1 - kNear) * saw.least && value <= (1 + kNear) * saw.most) return {};
  const std::string sentence = fmt::format("milliseconds is {:.4g}, and should be {:.4g}", value, saw.least);
  const auto because = [&](const char* reason) { return sentence + ": " + reason + "."; };
  if (is_near(value, saw.first)) return because("that is the first launch, which warms up");
  if (is_near(value * 1e3, saw.least)) return because("that is seconds");
  if (is_near(value, saw.least * 1e3)) return because("that is microseconds");
  for (int count = 2; count < saw.launches; ++count) {
    if (is_near(value, count * saw.least)) return because("that is the time of several launches");
  }
  if (is_near(value, (saw.first + (saw.launches - 1) * saw.least) / saw.launches))
    return because("the first launch, which warms up, is among those that you took the mean of");
  if (value < saw.least / 2)
    return because(
        "much less than a launch takes: both events belong on the work's stream, one before it and one "
        "behind it, and "
        "you have to wait for the second");
  return because(
      "record one event before a launch and one behind it, on the work's stream, with nothing between");
}

// @return an empty text, or what is wrong with the rate.
std::string complaint_of_rate(double value, double expected, double passes) {
  if (is_near(value, expected)) return {};
  if (std::isnan(value)) return "gigabytes_per_second was not written.";
  std::string sentence = fmt::format(
      "gigabytes_per_second is {:.4g}, and should be {:.4g} for the time that you took", value, expected);
  if (passes > 1 && is_near(value * passes, expected))
    return sentence + ": one launch copies each number `passes` times.";
  for (const auto& known : kOfRates) {
    if (is_near(value, known.factor * expected)) return sentence + ": " + known.advice + ".";
  }
  return sentence + ".";
}

/// Passes enough that a launch takes 2 ms at least on a card: whatever lies between two events is far below 3 % of that.
unsigned int passes_on(const course::facts& device, std::size_t n, unsigned int wanted) {
  if (device.simulated) return wanted;  // its clock has no noise
  constexpr double seconds = 3e-3, cycles_of_a_pass = 200, cache_over_dram = 4;
  const double by_latency = seconds * device.clock_hz / cycles_of_a_pass;
  const double by_bandwidth = seconds * cache_over_dram * device.peak_dram_bytes_per_second /
                              (2 * sizeof(float) * static_cast<double>(n));
  return std::max(wanted,
                  static_cast<unsigned int>(std::clamp(std::min(by_latency, by_bandwidth), 1.0, 1e6)));
}

// @param sizes n and passes.
course::problem timed_work(const shape& sizes, const course::facts& device) {
  const std::size_t n = sizes[0];
  const unsigned int passes = passes_on(device, n, static_cast<unsigned int>(sizes[1]));
  course::problem p;
  const auto in = p.input<float>("in", n, {.alignment = 128});
  const auto out = p.output<float>("out", n, {.alignment = 128});
  const auto milliseconds = p.figures<double>("milliseconds", 1);
  const auto rate = p.figures<double>("gigabytes_per_second", 1);
  const auto seen_by_grader = p.figures<double>("seen", 4);
  p.timed(COURSE_FUNCTION(event_timing_run), in, out, n, passes, milliseconds, rate, course::stream);
  p.after(COURSE_FUNCTION(event_timing_seen), seen_by_grader);
  p.expects([=](const course::observed& seen) -> std::string {
    const double* const saw = seen[seen_by_grader];
    auto sentence = complaint_of_time(seen[milliseconds][0], {saw[0], saw[1], saw[2], saw[3]});
    if (!sentence.empty()) return sentence;
    const double bytes = 2.0 * sizeof(float) * static_cast<double>(n) * passes;
    return complaint_of_rate(seen[rate][0], bytes / (seen[milliseconds][0] * 1e-3) * 1e-9, passes);
  });
  return p;
}

}  // namespace

COURSE_EXERCISE(event_timing) {
  using namespace course;
  return {
      .asks = timed_work,
      .size_names = {"n", "passes"},
      .cases = {{1009, 40},
                {1, 200},
                {31, 117},
                {32, 90},
                {33, 150},
                {255, 64},
                {256, 77},
                {257, 100},
                {4099, 31},
                {70'001, 5}},
      .drawn =
          [](random_source& draw) {
            return shape{draw.between(2, 20'000), draw.between(20, 60)};
          },
      .hidden =
          [](random_source& draw) {
            return shape{draw.between(800'000, 1'200'000), draw.between(2, 3)};
          },
      .benchmarks = {{.on_sim = {200'003, 7},
                      .on_gpu =
                          [](std::size_t, const facts&) {
                            return shape{1'000'003, 7};  // passes_on() makes it long
                          },
                      // No events of the judge's around the call: events are what is counted.
                      .clock = clock_kind::end_to_end,
                      .roof = roof_kind::none,
                      .modelled_time_decides = false}},
      .gates =
          {idea(metrics::kernel_launches, at_least(2),
                "launch the work once to warm up, and again to time it"),
           idea(kOwnEvents, at_least(2),
                "record two events of your own on the work's stream, one before a launch and one behind it")},
  };
}
