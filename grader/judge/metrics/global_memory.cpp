/// @file
/// Metrics of global memory: sectors, bytes and requests, DRAM, the L2 and the link to the host.
/// Each: how it is counted, and the sentence for whoever misses a gate on it.
#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>
#include <numeric>

#include "judge/device_report.hpp"
#include "judge/explain.hpp"
#include "judge/metrics.hpp"
#include "judge/metrics/reading.hpp"
#include "judge/problem.hpp"
#include "records/json_fields.hpp"
#include "records/quantities.hpp"

namespace course::metrics {
namespace {

constexpr double kSector = 32;  // bytes

// Sectors beyond those that the bytes asked for would fill side by side, over all lines of a kind.
double wasted_sectors(const evidence& seen, std::string_view kind) {
  double wasted = 0;
  for (const auto& launch : seen.report.launches()) {
    for (const auto& site : launch.sites) {
      if (site.memory == "global" && site.kind == kind)
        wasted += std::max(0.0, site.sectors - site.ideal_sectors);
    }
  }
  return wasted;
}

reading use_of_sectors(const evidence& seen, std::string_view kind, double needed_bytes) {
  if (!(needed_bytes > 0)) return kNothing;
  const double needed = needed_bytes / kSector;
  auto found =
      with_waste({.value = needed / (needed + wasted_sectors(seen, kind))}, seen, cause::uncoalesced);
  if (!found.sentence.empty()) return found;
  // A sector more in each request is little to a clock, and may be much to a gate.
  auto why = explain_sectors(seen.report, kind);
  return with(std::move(found), cause::uncoalesced, std::move(why.sentence), why.at);
}

reading loads_use(const evidence& seen) {
  return use_of_sectors(seen, "load", read_of(seen));
}

reading stores_use(const evidence& seen) {
  return use_of_sectors(seen, "store", written_of(seen));
}

bool is_own(const evidence& seen, const std::string& file) {
  const auto dot = file.find('.');
  return file.substr(0, dot) == seen.exercise;
}

// Kernels of the toolkit's libraries; one that is given a functor loads on the hand-in's lines and is not its kernel.
bool is_of_a_library(std::string_view kernel) {
  return kernel.starts_with("cub::") || kernel.starts_with("thrust::");
}

}  // namespace

const metric sector_use_loads{
    "sector_use_loads", "share",
    origin::counters,   scope::total,
    when_nothing::met,  "bytes to be read, over these plus all sectors that loads fetch in vain",
    loads_use};
const metric sector_use_stores{
    "sector_use_stores", "share",
    origin::counters,    scope::total,
    when_nothing::met,   "bytes to be written, over these plus all sectors that stores fill partly",
    stores_use};
const metric sector_use{
    "sector_use",
    "share",
    origin::counters,
    scope::total,
    when_nothing::met,
    "the worse of loads and stores: required bytes, over these plus the sectors moved in vain",
    [](const evidence& seen) {
      auto loads = loads_use(seen), stores = stores_use(seen);
      if (!loads.counted) return stores;
      if (!stores.counted) return loads;
      return loads.value < stores.value ? loads : stores;
    }};
const metric load_sectors{
    "load_sectors",
    "x ideal",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "sectors loaded by any road, over those of the input read once",
    [](const evidence& seen) {
      auto found = over(seen.report.sectors_loaded_by_kernels(), read_of(seen) / kSector);
      found = with_waste(std::move(found), seen, cause::repeated_loads);
      return found.sentence.empty() ? with_waste(std::move(found), seen, cause::uncoalesced) : found;
    }};
namespace {
// What is asked for in FLOP, as multiply-adds; 0 of any other amount.
double fmas_of(const evidence& seen) {
  return seen.asked.unit() == "FLOP" ? seen.asked.amount() / 2 : 0;
}
}  // namespace

const metric load_sectors_per_fma{"load_sectors_per_fma",
                                  "sectors per FMA",
                                  origin::counters,
                                  scope::total,
                                  when_nothing::missed,
                                  "sectors loaded by any road, over the multiply-adds that the task asks for",
                                  [](const evidence& seen) {
                                    return with_waste(
                                        over(seen.report.sectors_loaded_by_kernels(), fmas_of(seen)), seen,
                                        cause::repeated_loads);
                                  }};
const metric load_bytes_per_fma{
    "load_bytes_per_fma",
    "B per FMA",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "bytes that lanes ask to load by any road, over the multiply-adds that the task asks for",
    [](const evidence& seen) {
      return with_waste(over(seen.report.bytes_loaded_by_kernels(), fmas_of(seen)), seen,
                        cause::repeated_loads);
    }};
const metric load_bytes{"load_bytes",
                        "x required",
                        origin::counters,
                        scope::total,
                        when_nothing::missed,
                        "bytes that kernels ask to load by any road, over the required ones",
                        [](const evidence& seen) {
                          return with_waste(over(seen.report.bytes_loaded_by_kernels(), read_of(seen)), seen,
                                            cause::repeated_loads);
                        }};
const metric store_bytes{"store_bytes",
                         "x required",
                         origin::counters,
                         scope::total,
                         when_nothing::missed,
                         "bytes that kernels store by any road, over the required ones",
                         [](const evidence& seen) {
                           auto found = over(seen.report.bytes_stored_by_kernels(), written_of(seen));
                           return off(found, fmt::format("the kernels store {}", share_text(found.value)));
                         }};
const metric dram_bytes{
    "dram_bytes",
    "x required",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "bytes over the memory bus, over the required ones",
    [](const evidence& seen) {
      return with_waste(over(counted(seen, "dram__bytes_read.sum") + counted(seen, "dram__bytes_write.sum"),
                             seen.asked.bytes_moved()),
                        seen, cause::extra_traffic);
    }};
const metric dram_read_bytes{"dram_read_bytes",
                             "x required",
                             origin::counters,
                             scope::total,
                             when_nothing::missed,
                             "bytes read over the memory bus, over the required bytes read",
                             [](const evidence& seen) {
                               return with_waste(over(counted(seen, "dram__bytes_read.sum"), read_of(seen)),
                                                 seen, cause::extra_traffic);
                             }};
const metric l2_read_sectors{"l2_read_sectors",
                             "x ideal",
                             origin::counters,
                             scope::total,
                             when_nothing::missed,
                             "sectors read from L2, over those of the input read once",
                             [](const evidence& seen) {
                               return with_waste(
                                   over(counted(seen, "lts__t_sectors_op_read.sum"), read_of(seen) / kSector),
                                   seen, cause::repeated_loads);
                             }};
const metric rows_at_sectors{
    "rows_at_sectors",
    "share",
    origin::calls,
    scope::total,
    when_nothing::missed,
    "share of the rows that begin at a sector's start, by the pitch that was returned",
    [](const evidence& seen) {
      reading found = kNothing;
      std::uint64_t chosen = 0;
      for (const auto& one : seen.asked.buffers()) {
        if (one.follows != follows_as::pitch || one.from_call >= seen.sizes.size()) continue;
        const std::uint64_t pitch = seen.sizes[one.from_call];
        // Multiples of the pitch meet a sector's start after kSector / gcd rows.
        const double share =
            static_cast<double>(std::gcd(pitch, static_cast<std::uint64_t>(kSector))) / kSector;
        if (!found.counted || share < found.value) found = {.value = share}, chosen = pitch;
      }
      return off(
          found,
          found.value < 1
              ? fmt::format("with a pitch of {} bytes, only one row of {:.0f} begins at a sector's start",
                            chosen, 1 / found.value)
              : std::string());
    }};
const metric load_requests_per_warp_of_outputs{
    "load_requests_per_32_outputs",
    "requests",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "global load requests for each 32 outputs",
    [](const evidence& seen) {
      auto found =
          over(32 * counted(seen, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), outputs_of(seen));
      return with(found, cause::repeated_loads,
                  fmt::format("{} load requests for each 32 outputs", count_text(found.value)));
    }};
const metric own_lines{
    "own_lines",
    "share",
    origin::counters,
    scope::total,
    when_nothing::met,
    "share of the loaded bytes that lines of the hand-in ask for; a library's kernels do not count",
    [](const evidence& seen) {
      double own = 0, all = 0;
      for (const auto& launch : seen.report.launches()) {
        const bool library = is_of_a_library(launch.kernel);
        for (const auto& site : launch.sites) {
          if (site.memory != "global" || site.kind != "load") continue;
          all += site.bytes_requested;
          own += !library && is_own(seen, site.file) ? site.bytes_requested : 0;
        }
        // Textures and bulk copies have no lines here: they are their kernel's.
        const double elsewhere = launch.counter("simgpu__texture_bytes_requested.sum") +
                                 launch.counter("simgpu__bulk_bytes_load.sum");
        all += elsewhere;
        own += library ? 0 : elsewhere;
      }
      return off(over(own, all),
                 "a library makes the loads: a fine answer elsewhere, but here the kernel is yours to write");
    }};
const metric hinted_loads{"hinted_loads",
                          "share",
                          origin::counters,
                          scope::total,
                          when_nothing::missed,
                          "share of the required bytes that are loaded with a streaming or evict-first hint",
                          [](const evidence& seen) {
                            auto found = over(counted(seen, "simgpu__hinted_bytes_op_ld.sum"), read_of(seen));
                            return off(found, fmt::format("{} of the bytes are loaded with a hint",
                                                          whole_percent_text(found.value)));
                          }};
namespace {
// The input that streams by: the largest one. Whatever else kernels load is what should stay in L2.
double stream_bytes(const evidence& seen) {
  double most = 0;
  for (const auto& one : seen.asked.buffers())
    if (one.is_read()) most = std::max(most, static_cast<double>(one.bytes()));
  return most;
}
bool is_stream(const evidence& seen, const buffer_traffic& one) {
  constexpr double kPadding = 65'536;  // alignment and guards
  const double wanted = stream_bytes(seen);
  return one.bytes >= wanted && one.bytes < wanted + kPadding;
}
}  // namespace

const metric hinted_stream{
    "hinted_stream",
    "share",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "share of the largest input's bytes that are loaded with a streaming or evict-first hint",
    [](const evidence& seen) {
      double hinted = 0;
      for (const auto& launch : seen.report.launches())
        for (const auto& one : launch.buffers) hinted += is_stream(seen, one) ? one.hinted_bytes : 0;
      auto found = over(hinted, stream_bytes(seen));
      const auto window = persisting_window.evaluate(seen);
      return off(found,
                 fmt::format("{} of the stream is loaded with a hint that it may go first, and {}",
                             whole_percent_text(found.value),
                             window.counted ? window.sentence
                                            : "no window over the table is in force for every launch"));
    }};
const metric hinted_elsewhere{
    "hinted_elsewhere",
    "share",
    origin::counters,
    scope::total,
    when_nothing::met,
    "share of the bytes loaded from elsewhere that have a streaming or evict-first hint",
    [](const evidence& seen) {
      double hinted = 0, loaded = 0;
      for (const auto& launch : seen.report.launches()) {
        for (const auto& one : launch.buffers) {
          if (is_stream(seen, one) || one.loaded_bytes == 0) continue;
          hinted += std::min(one.hinted_bytes, one.loaded_bytes);
          loaded += one.loaded_bytes;
        }
      }
      auto found = over(hinted, loaded);
      return off(found, fmt::format("{} of the look-ups say that they will not be needed again: the hint "
                                    "belongs to the stream alone",
                                    whole_percent_text(found.value)));
    }};
const metric loads_elsewhere{
    "loads_elsewhere",
    "x required",
    origin::counters,
    scope::total,
    when_nothing::met,
    "bytes that kernels load from memory other than the largest input's, over the required bytes read",
    [](const evidence& seen) {
      double loaded = 0;
      for (const auto& launch : seen.report.launches())
        for (const auto& one : launch.buffers) loaded += is_stream(seen, one) ? 0 : one.loaded_bytes;
      auto found = over(loaded, read_of(seen));
      return off(found, fmt::format("besides the largest input, kernels load {} times its bytes from "
                                    "other global memory",
                                    count_text(found.value)));
    }};
const metric persisting_window{
    "persisting_window",
    "x table",
    origin::calls,
    scope::total,
    when_nothing::missed,
    "bytes of L2 set aside, over those of the inputs but the largest, if a persisting window over memory of "
    "that "
    "size is in force for every launch",
    [](const evidence& seen) -> reading {
      double table = -stream_bytes(seen);
      for (const auto& one : seen.asked.buffers())
        table += one.is_read() ? static_cast<double>(one.bytes()) : 0;
      const auto& all = member_of(member_of(seen.report.raw(), "l2_persistence"), "windows");
      if (!(table > 0) || !all.is_array()) return kNothing;
      // Elsewhere than over the stream: a window of the table's size there keeps what nobody needs again.
      const auto is_looked_up = [&](double allocation) {
        for (const auto& launch : seen.report.launches()) {
          for (const auto& one : launch.buffers)
            if (one.allocation == allocation && one.loaded_bytes > 0 && !is_stream(seen, one)) return true;
        }
        return false;
      };
      double with_window = 0, working = 0;
      for (const auto& window : all) {
        const double bytes = number_of(window, "bytes");
        if (text_of(window, "hit") == "persisting" && bytes >= 0.95 * table && bytes <= 1.25 * table &&
            is_looked_up(number_of(window, "allocation")))
          with_window += number_of(window, "launches");
      }
      for (const auto& launch : seen.report.launches()) working += launch.touches_data();
      if (with_window == 0 || with_window < working) return kNothing;
      auto found = over(seen.report.figure({"l2_persistence", "limit_bytes"}).value_or(0), table);
      return off(found, fmt::format("a window is over the table, with {:.2f} times its size of L2 set aside",
                                    found.value));
    }};
const metric loads_in_flight{
    "loads_in_flight",
    "B per thread",
    origin::counters,
    scope::worst_launch,
    when_nothing::missed,
    "mean bytes that a thread has on their way when its warp first waits for one of them",
    [](const evidence& seen) {
      double bytes = 0, waits = 0;
      for (const auto& launch : seen.report.launches()) {
        bytes += launch.counter("simgpu__load_bytes_in_flight.sum");
        waits += launch.counter("simgpu__load_waiting_threads.sum");
      }
      auto found = over(bytes, waits);
      return with(
          found, cause::latency,
          fmt::format("a thread has {} bytes on their way when it first waits", count_text(found.value)));
    }};
const metric link_bytes{
    "link_bytes",
    "x required",
    origin::counters,
    scope::total,
    when_nothing::met,
    "bytes that kernels move over the host link, over the required ones",
    [](const evidence& seen) {
      double bytes = 0;
      for (const auto& launch : seen.report.launches()) {
        for (const auto& one : launch.buffers)
          bytes += one.memory == "mapped" ? one.loaded_bytes + one.stored_bytes + 4 * one.atomic_lanes : 0;
      }
      auto found = over(bytes, seen.asked.bytes_moved());
      return off(found,
                 fmt::format("kernels reach over the host link themselves: {}", share_text(found.value)));
    }};
// Pages of managed memory that move because somebody touched them are in no counter: only prefetches of them are.
const metric link_bytes_per_output{
    "link_bytes_per_output",
    "bytes per output",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "bytes over the host link, by kernels (whole sectors of 32 bytes), copies and prefetches, for each "
    "output element",
    [](const evidence& seen) {
      const double kernels = counted(seen, "simgpu__host_link_bytes_read.sum") +
                             counted(seen, "simgpu__host_link_bytes_write.sum");
      const double copies = seen.report.copied_bytes("host_to_device") +
                            seen.report.copied_bytes("device_to_host") +
                            seen.report.figure({"managed", "prefetched_to_device_bytes"}).value_or(0) +
                            seen.report.figure({"managed", "prefetched_to_host_bytes"}).value_or(0);
      auto found = over(kernels + copies, outputs_of(seen));
      return off(
          found,
          fmt::format("{} bytes cross the host link for each output, {} of them by copies and prefetches",
                      count_text(found.value), count_text(over(copies, outputs_of(seen)).value)));
    }};

namespace {
double blocks_at_work(const evidence& seen) {
  return counted(seen, "simgpu__blocks_touching_global.sum");
}
}  // namespace

const metric global_atomics_per_block{
    "global_atomics_per_block",
    "per block",
    origin::counters,
    scope::total,
    when_nothing::met,
    "lanes of global atomics, over blocks that touch data",
    [](const evidence& seen) {
      return with_waste(over(counted(seen, "simgpu__global_atomic_lanes.sum"), blocks_at_work(seen)), seen,
                        cause::atomics);
    }};
const metric global_atomics_per_byte{
    "global_atomics_per_byte",
    "per byte",
    origin::counters,
    scope::total,
    when_nothing::met,
    "lanes of global atomics, over the bytes to be read",
    [](const evidence& seen) {
      return with_waste(over(counted(seen, "simgpu__global_atomic_lanes.sum"), read_of(seen)), seen,
                        cause::atomics);
    }};

}  // namespace course::metrics
