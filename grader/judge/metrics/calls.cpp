/// @file
/// Metrics of calls of the runtime: launches, copies, what is left behind.
/// Each: how it is counted, and the sentence for whoever misses a gate on it.
#include <fmt/format.h>

#include <algorithm>

#include "judge/device_report.hpp"
#include "judge/metrics.hpp"
#include "judge/metrics/reading.hpp"
#include "records/quantities.hpp"

namespace course::metrics {

namespace {

// Copies in one direction, over what is required in it.
reading copied(const evidence& seen, const char* direction, double needed, const char* words) {
  auto found = over(seen.report.copied_bytes(direction), needed);
  return off(found, fmt::format("{} of the required bytes are copied {}", number_text(found.value), words));
}

reading of_figure(std::optional<double> value) {
  return value ? reading{.value = *value} : kNothing;
}

}  // namespace

const metric kernel_launches{"kernel_launches",
                             "launches",
                             origin::calls,
                             scope::total,
                             when_nothing::inconclusive,
                             "kernels launched in the timed calls",
                             [](const evidence& seen) -> reading {
                               const auto count = static_cast<double>(seen.report.launches().size());
                               return off({.value = count},
                                          count == 1 ? std::string("1 kernel is launched")
                                                     : fmt::format("{:.0f} kernels are launched", count));
                             }};
const metric copies_up{
    "copies_up",
    "share",
    origin::calls,
    scope::total,
    when_nothing::missed,
    "bytes copied from host to device, over the bytes to be read",
    [](const evidence& seen) { return copied(seen, "host_to_device", read_of(seen), "to the device"); }};
const metric copies_down{
    "copies_down",
    "share",
    origin::calls,
    scope::total,
    when_nothing::missed,
    "bytes copied from device to host, over the bytes to be written",
    [](const evidence& seen) { return copied(seen, "device_to_host", written_of(seen), "back"); }};
const metric copy_calls{"copy_calls",
                        "copies",
                        origin::calls,
                        scope::total,
                        when_nothing::inconclusive,
                        "copies made by the runtime, of any kind",
                        [](const evidence& seen) -> reading {
                          double count = 0;
                          for (const copy_group& one : seen.report.copy_groups()) count += one.copies;
                          return with({.value = count}, cause::latency,
                                      fmt::format("{:.0f} copies are made", count));
                        }};
const metric left_allocated{
    "left_allocated",
    "B",
    origin::calls,
    scope::total,
    when_nothing::inconclusive,
    "bytes that are still allocated when the timed calls have returned",
    [](const evidence& seen) -> reading {
      const auto after = seen.report.figure({"allocations", "live_bytes"}),
                 before = seen.before.figure({"allocations", "live_bytes"});
      if (!after || !before) return kNothing;
      const double left = std::max(0.0, *after - *before);
      return off({.value = left},
                 fmt::format("{:.0f} bytes are still allocated when the function returns", left));
    }};
const metric copy_overlap{
    "copy_overlap",
    "share",
    origin::calls,
    scope::total,
    when_nothing::missed,
    "share of the copies' time in which another engine works too",
    [](const evidence& seen) {
      auto found = over(seen.report.figure({"overlap", "overlapped_seconds"}).value_or(0),
                        seen.report.figure({"overlap", "copy_seconds"}).value_or(0));
      return with(
          found, cause::no_overlap,
          fmt::format("during {} of the copies' time something else works", whole_percent_text(found.value)));
    }};
const metric host_waits_between_copies{
    "host_waits_between_copies",
    "waits",
    origin::calls,
    scope::total,
    when_nothing::inconclusive,
    "times that the host waits between the first copy and the last, or that a stream waits for the host",
    [](const evidence& seen) {
      auto found = of_figure(seen.report.figure({"host_waits", "between_copies"}));
      found.value += seen.report.figure({"host_waits", "unasked_between_copies"}).value_or(0);
      return with(
          found, cause::no_overlap,
          fmt::format("the host waits {:.0f} times between the first copy and the last", found.value));
    }};
const metric prefetched_or_advised{
    "prefetched_or_advised",
    "share",
    origin::calls,
    scope::total,
    when_nothing::missed,
    "managed bytes prefetched, or mapped for the device by advice, before a kernel needs them, over the "
    "bytes "
    "to be read",
    [](const evidence& seen) {
      const double named = seen.report.figure({"managed", "covered_bytes"}).value_or(0) +
                           seen.before.figure({"managed", "covered_bytes"}).value_or(0);
      const double late = seen.report.figure({"managed", "late_bytes"}).value_or(0);
      auto found = over(std::max(0.0, named - late), read_of(seen));
      if (late > named / 2)
        return off(
            found,
            fmt::format("of the managed bytes {} are prefetched, but nothing makes the kernel wait for "
                        "that: put the prefetch into the kernel's stream, or let the stream wait for it",
                        whole_percent_text(over(named, read_of(seen)).value)));
      return off(found,
                 fmt::format("{} of the managed bytes are prefetched or mapped before the kernel needs them",
                             whole_percent_text(found.value)));
    }};

}  // namespace course::metrics
