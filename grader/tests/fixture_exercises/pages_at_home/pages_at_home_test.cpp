/// @file
/// Each timed call finds managed memory in the host's memory: a kernel that has said nothing meets a fault for every page.
#include "pages_at_home.cuh"

#include "judge/device_report.hpp"
#include "judge/exercise.hpp"

namespace {
const course::metric kFaulted{
    "faulted",
    "share",
    course::origin::calls,
    course::scope::total,
    course::when_nothing::missed,
    "bytes of pages that faults bring, over the required bytes read",
    [](const course::evidence& seen) -> course::reading {
      return {.value = seen.report.figure({"managed", "faulted_bytes"}).value_or(0) / seen.asked.bytes_read(),
              .cause = course::cause::off_the_idea};
    }};

course::problem copy(const course::shape& sizes) {
  using namespace course;
  problem p;
  const auto in = p.input<float>("in", sizes[0], {.filled_with = distinct, .place = place::managed});
  const auto out = p.output<float>("out", sizes[0]);
  p.before(COURSE_FUNCTION(pages_at_home_setup), in, sizes[0], stream);
  p.timed(COURSE_FUNCTION(pages_at_home_run), in, out, sizes[0], stream);
  p.expects(out,
            each_element([in](const host_inputs& inputs, std::size_t i) { return inputs[in][i]; },
                         [](std::size_t i) {
                           return index_range{i, 1};
                         }),
            exact());
  // On the simulated GPU the report is at hand in each case as well. Guards add pages.
  p.expects([n = sizes[0]](const observed& seen) -> std::string {
    if (seen.report == nullptr) return {};
    const double bytes = seen.report->figure({"managed", "faulted_bytes"}).value_or(0);
    return bytes >= 4.0 * static_cast<double>(n) ? "" : "The pages were not the host's.";
  });
  p.work({.read = 4.0 * static_cast<double>(sizes[0]), .written = 4.0 * static_cast<double>(sizes[0])});
  return p;
}
}  // namespace

COURSE_EXERCISE(pages_at_home) {
  return {.asks = copy,
          .size_names = {"n"},
          .cases = {{1}, {33}, {1009}, {100'003}},
          .benchmarks = {{.on_sim = {500'003}}},
          .gates = {course::idea(kFaulted, course::at_least(1))}};
}
