/// @file
/// See metrics.hpp. Each metric: how it is counted, and the sentence for whoever misses a gate on it.
#include "judge/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "judge/device_report.hpp"
#include "judge/explain.hpp"
#include "judge/problem.hpp"
#include "records/json_fields.hpp"
#include "records/quantities.hpp"

namespace course {

std::string_view name_of(origin which) {
  switch (which) {
    case origin::counters:
      return "counters";
    case origin::compiler:
      return "ptxas";
    case origin::occupancy:
      return "occupancy";
    case origin::calls:
      return "calls";
    case origin::speed:
      break;
  }
  return "speed";
}

std::string_view name_of(scope which) {
  switch (which) {
    case scope::total:
      return "total";
    case scope::worst_launch:
      return "worst launch";
    case scope::worst_line:
      break;
  }
  return "worst line";
}

std::string_view name_of(when_nothing which) {
  switch (which) {
    case when_nothing::met:
      return "met";
    case when_nothing::missed:
      return "missed";
    case when_nothing::inconclusive:
      break;
  }
  return "inconclusive";
}

namespace metrics {
namespace {

constexpr double kSector = 32;  // bytes
const reading kNothing{.counted = false};

// Value over what is needed; a need of nothing leaves nothing to count.
reading over(double value, double needed) {
  if (!(needed > 0)) return kNothing;
  return {.value = value / needed};
}

reading with(reading found, std::string_view why, std::string sentence, location at = {}) {
  found.cause = why;
  found.sentence = std::move(sentence);
  found.at = std::move(at);
  return found;
}

// Takes over sentence and place of the largest waste of a kind.
reading with_waste(reading found, const evidence& seen, std::string_view kind) {
  auto why = explain_waste(seen.report, seen.asked, kind);
  return with(std::move(found), kind, std::move(why.sentence), why.at);
}

double read_of(const evidence& seen) {
  return seen.asked.bytes_read();
}
double written_of(const evidence& seen) {
  return seen.asked.bytes_written();
}
double outputs_of(const evidence& seen) {
  return static_cast<double>(seen.asked.output_elements());
}
double counted(const evidence& seen, std::string_view name) {
  return seen.report.counter(name);
}

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

double shared_bytes_of(const evidence& seen, std::string_view kind) {
  double bytes = 0;
  for (const auto& launch : seen.report.launches()) {
    for (const auto& site : launch.sites) {
      if (site.memory == "shared" && site.kind == kind) bytes += site.bytes_requested;
    }
  }
  return bytes;
}

// By lanes or by the copy engine: a bulk load stores to shared memory, a bulk store loads from it.
double through_shared(const evidence& seen) {
  return std::min(shared_bytes_of(seen, "store") + counted(seen, "simgpu__bulk_bytes_load.sum"),
                  shared_bytes_of(seen, "load") + counted(seen, "simgpu__bulk_bytes_store.sum"));
}

double excess_of(const evidence& seen, std::string_view kind) {
  double excess = 0;
  for (const auto& launch : seen.report.launches()) {
    for (const auto& site : launch.sites) {
      if (site.memory != "shared" || site.kind != kind) continue;
      excess += std::max(0.0, site.wavefronts - site.ideal_wavefronts);
    }
  }
  return excess / shared_requests_that_count(seen.report, seen.asked, kind);
}

bool is_own(const evidence& seen, const std::string& file) {
  const auto dot = file.find('.');
  return file.substr(0, dot) == seen.exercise;
}

// Kernels of the toolkit's libraries; one that is given a functor loads on the hand-in's lines and is not its kernel.
bool is_of_a_library(std::string_view kernel) {
  return kernel.starts_with("cub::") || kernel.starts_with("thrust::");
}

// The launch that comes off worst by @p value, of those that touch data.
template <class Value>
reading worst_of_launches(const evidence& seen, bool largest, const Value& value) {
  reading found = kNothing;
  for (const auto& launch : seen.report.launches()) {
    if (!launch.touches_data()) continue;
    const double here = value(launch);
    if (!found.counted || (largest ? here > found.value : here < found.value)) found = {.value = here};
  }
  return found;
}

// Of launched kernels, from ptxas's report; unknown for one makes it unknown for all.
template <class Figure>
reading by_ptxas(const evidence& seen, Figure figure, const char* what) {
  reading found = kNothing;
  for (const auto& launch : seen.report.launches()) {
    const std::optional<double>& value = launch.*figure;
    if (!value) return kNothing;
    if (!found.counted || *value > found.value) {
      found = {.value = *value};
      found.sentence =
          fmt::format("{} keeps {:.0f} bytes a thread in local memory ({})", launch.kernel, *value, what);
    }
  }
  if (found.counted) {
    auto why = explain_waste(seen.report, seen.asked, cause::local_memory);
    if (!why.sentence.empty()) found.sentence += ": " + why.sentence;
    found.at = why.at;
    found.cause = cause::local_memory;
  }
  return found;
}

reading off(reading found, std::string sentence) {
  return with(std::move(found), cause::off_the_idea, std::move(sentence));
}

std::string share_text(double value) {
  return number_text(value) + " of what the task asks for";
}

}  // namespace

// The judge fills in the speed: it has the clock, this has the counts.
const metric speed{
    "speed",      "of the baseline",          origin::speed,
    scope::total, when_nothing::inconclusive, "speed as a share of the baseline's in the same run",
    nullptr};

// --- global memory -------------------------------------------------------------------------------------------------------------

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
const metric hinted_loads{
    "hinted_loads",
    "share",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "share of the required bytes that are loaded with a streaming or evict-first hint",
    [](const evidence& seen) {
      auto found = over(counted(seen, "simgpu__hinted_bytes_op_ld.sum"), read_of(seen));
      return off(found, fmt::format("{:.0f} % of the bytes are loaded with a hint", 100 * found.value));
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
      return off(
          found,
          fmt::format(
              "{:.0f} % of the stream is loaded with a hint that it may go first, and {}", 100 * found.value,
              window.counted ? window.sentence : "no window over the table is in force for every launch"));
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
      return off(found,
                 fmt::format("{:.0f} % of the look-ups say that they will not be needed again: the hint "
                             "belongs to the stream alone",
                             100 * found.value));
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

// --- shared memory -------------------------------------------------------------------------------------------------------------

const metric excess_wavefronts{"excess_wavefronts",
                               "wavefronts per request",
                               origin::counters,
                               scope::total,
                               when_nothing::met,
                               "shared-memory wavefronts beyond the fewest, over the requests that the "
                               "method needs; loads and stores apart, the worse",
                               [](const evidence& seen) {
                                 // Loads and stores apart: a tile is filled and read about equally often, and the clean half must not hide the other.
                                 const double worst =
                                     std::max(excess_of(seen, "load"), excess_of(seen, "store"));
                                 if (shared_bytes_of(seen, "load") + shared_bytes_of(seen, "store") == 0)
                                   return kNothing;
                                 return with_waste({.value = worst}, seen, cause::bank_conflicts);
                               }};
const metric shared_through{
    "shared_through",
    "share",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "the lesser of bytes brought to and taken from shared memory, over the bytes to be read",
    [](const evidence& seen) {
      auto found = over(through_shared(seen), read_of(seen));
      return off(found, fmt::format("{:.0f} % of the input goes through shared memory", 100 * found.value));
    }};
const metric shared_of_loads{
    "shared_of_loads",
    "share of loads",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "the lesser of bytes brought to and taken from shared memory, over the bytes that kernels load",
    [](const evidence& seen) {
      auto found = over(through_shared(seen), seen.report.bytes_loaded_by_kernels());
      return off(found,
                 fmt::format("{:.0f} % of what is loaded from global memory goes through shared memory",
                             100 * found.value));
    }};
const metric shared_loads{
    "shared_loads",
    "x required",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "bytes loaded from shared memory, over the bytes to be read",
    [](const evidence& seen) {
      auto found = over(shared_bytes_of(seen, "load"), read_of(seen));
      return off(found, fmt::format("{} is loaded from shared memory", share_text(found.value)));
    }};
const metric shared_load_bytes_per_output{
    "shared_load_bytes_per_output",
    "B per output",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "bytes loaded from shared memory for each output",
    [](const evidence& seen) {
      auto found = over(shared_bytes_of(seen, "load"), outputs_of(seen));
      return off(found,
                 fmt::format("{} bytes of shared memory are read for each output", count_text(found.value)));
    }};
const metric shared_exchanged{
    "shared_exchanged",
    "share",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "bytes taken from shared memory that another thread had brought there, over the bytes to be read",
    [](const evidence& seen) {
      // Some blocks are watched, and their share holds for all. What the copy engine takes, threads have brought.
      const double watched = counted(seen, "simgpu__shared_bytes_watched.sum");
      const double share = watched > 0 ? counted(seen, "simgpu__shared_bytes_exchanged.sum") / watched : 0;
      auto found = over(share * shared_bytes_of(seen, "load") + counted(seen, "simgpu__bulk_bytes_store.sum"),
                        read_of(seen));
      return off(found,
                 fmt::format("{} of what threads take from shared memory they had stored there themselves",
                             percent_text(1 - share)));
    }};
const metric shared_serial_loads{
    "shared_serial_loads",
    "elements",
    origin::counters,
    scope::worst_launch,
    when_nothing::met,
    "elements of 4 bytes that a few lanes of a warp, fewer than 8, load from shared memory one after the "
    "other, of a block",
    [](const evidence& seen) -> reading {
      // A tree's last steps, or one lane that adds up a sum for each warp, stay below 32; one lane that adds up a tile does not.
      constexpr double kFewLanes = 8;
      double worst = 0;
      location at;
      for (const auto& launch : seen.report.launches()) {
        const double blocks = launch.counter("simgpu__blocks_touching_global.sum");
        if (!(blocks > 0)) continue;
        double elements = 0, most = 0;
        location there;
        for (const auto& site : launch.sites) {
          if (site.memory != "shared" || site.kind != "load" || !(site.requests > 0)) continue;
          const double lanes = site.lanes / site.requests;
          if (lanes >= kFewLanes) continue;
          const double of_site = site.bytes_requested / lanes / 4 / blocks;
          elements += of_site;
          if (of_site > most) most = of_site, there = {site.file, site.line};
        }
        if (elements > worst) worst = elements, at = there;
      }
      return with(
          {.value = worst}, cause::off_the_idea,
          fmt::format("a few lanes load {} elements of shared memory one after the other, in each block",
                      count_text(worst)),
          at);
    }};
const metric shared_stores_per_warp{
    "shared_stores_per_warp",
    "share of warps",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "warps that store to shared memory, over warps that touch data",
    [](const evidence& seen) {
      auto found = over(counted(seen, "simgpu__warps_storing_shared.sum"),
                        counted(seen, "simgpu__warps_touching_global.sum"));
      return off(found,
                 fmt::format("{:.0f} % of the warps store anything to shared memory", 100 * found.value));
    }};
const metric shared_writes_per_warp{
    "shared_writes_per_warp",
    "per warp",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "requests that store to shared memory or add to it, over warps that touch data",
    [](const evidence& seen) {
      double requests = 0;
      for (const auto& launch : seen.report.launches()) {
        for (const auto& site : launch.sites)
          requests += site.memory == "shared" && site.kind != "load" ? site.requests : 0;
      }
      auto found = over(requests, counted(seen, "simgpu__warps_touching_global.sum"));
      return off(found, fmt::format("a warp writes {} times to shared memory", count_text(found.value)));
    }};
const metric shared_updates{
    "shared_updates",
    "per byte",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "lanes of shared-memory atomics, and bytes loaded from shared memory, over the bytes to be read",
    [](const evidence& seen) {
      auto found = over(counted(seen, "simgpu__shared_atomic_lanes.sum") + shared_bytes_of(seen, "load"),
                        read_of(seen));
      return off(found, fmt::format("{} accesses to counters in shared memory for each byte of input",
                                    count_text(found.value)));
    }};
const metric shared_bytes{"shared_bytes",
                          "B",
                          origin::counters,
                          scope::total,
                          when_nothing::met,
                          "bytes that lanes load from and store to shared memory, by atomics too",
                          [](const evidence& seen) -> reading {
                            double bytes = 0;
                            for (const auto& launch : seen.report.launches()) {
                              for (const auto& site : launch.sites)
                                bytes += site.memory == "shared" ? site.bytes_requested : 0;
                            }
                            return off({.value = bytes},
                                       fmt::format("{:.0f} bytes go through shared memory", bytes));
                          }};
const metric launched_shared_bytes{
    "launched_shared_bytes",
    "B per block",
    origin::occupancy,
    scope::worst_launch,
    when_nothing::missed,
    "static and dynamic shared memory of a block",
    [](const evidence& seen) {
      auto found = worst_of_launches(seen, true, [](const kernel_launch& one) { return one.shared_bytes; });
      return off(found, fmt::format("a block takes {:.0f} bytes of shared memory", found.value));
    }};

// --- registers and local memory ------------------------------------------------------------------------------------------------

const metric local_bytes{"local_bytes",
                         "B",
                         origin::counters,
                         scope::total,
                         when_nothing::met,
                         "bytes of local memory that lanes load and store",
                         [](const evidence& seen) {
                           const double bytes = counted(seen, "simgpu__local_bytes_requested_op_ld.sum") +
                                                counted(seen, "simgpu__local_bytes_requested_op_st.sum");
                           return with_waste({.value = bytes}, seen, cause::local_memory);
                         }};
const metric stack_frame{"stack_frame",
                         "B per thread",
                         origin::compiler,
                         scope::worst_launch,
                         when_nothing::inconclusive,
                         "stack frame of launched kernels, as ptxas -v says",
                         [](const evidence& seen) {
                           return by_ptxas(seen, &kernel_launch::stack_frame_bytes,
                                           "a stack frame, says ptxas -v");
                         }};
const metric spills{"spills",
                    "B per thread",
                    origin::compiler,
                    scope::worst_launch,
                    when_nothing::inconclusive,
                    "registers that launched kernels spill, as ptxas -v says",
                    [](const evidence& seen) {
                      return by_ptxas(seen, &kernel_launch::spill_bytes, "spilled registers, says ptxas -v");
                    }};

// --- constant and texture memory -----------------------------------------------------------------------------------------------

const metric constant_passes{
    "constant_passes",
    "passes per request",
    origin::counters,
    scope::worst_line,
    when_nothing::met,
    "passes of a request to constant memory: different words that its lanes ask for",
    [](const evidence& seen) {
      reading found = kNothing;
      for (const auto& site : sites_by_line(seen.report)) {
        if (site.memory != "constant" || site.requests == 0) continue;
        const double passes = site.wavefronts / site.requests;
        if (!found.counted || passes > found.value) {
          found = with(
              {.value = passes}, cause::constant_passes,
              fmt::format("{} asks for {} different words a request: constant memory serves one at a time",
                          place_of(site), count_text(passes)),
              {site.file, site.line});
        }
      }
      return found;
    }};
const metric constant_words_per_warp{
    "constant_words_per_warp",
    "words per warp",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "words of 4 bytes that a lane asks constant memory for, over warps that touch data",
    [](const evidence& seen) {
      double words = 0;
      for (const auto& site : sites_by_line(seen.report)) {
        if (site.memory == "constant" && site.lanes > 0)
          words += site.requests * site.bytes_requested / site.lanes / 4;
      }
      auto found = over(words, counted(seen, "simgpu__warps_touching_global.sum"));
      return off(found, fmt::format("a warp asks constant memory for {} words", count_text(found.value)));
    }};
const metric filtered_fetches_per_output{
    "filtered_fetches_per_output",
    "fetches per output",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "texture fetches with linear filter, for each output",
    [](const evidence& seen) {
      auto found = over(counted(seen, "simgpu__texture_fetches_filtered.sum"), outputs_of(seen));
      return off(found, fmt::format("{} filtered fetches an output: let the texture unit do the "
                                    "interpolation, once for each output",
                                    count_text(found.value)));
    }};
const metric texels_by_hand{
    "texels_by_hand",
    "x required",
    origin::counters,
    scope::total,
    when_nothing::met,
    "bytes that kernels load from memory as large as an image, or fetch from textures without linear filter, "
    "over the bytes to be read",
    [](const evidence& seen) {
      // A table of a number for each row or column is no image.
      constexpr double kTableOfImage = 1.0 / 64, kTexel = 4, kOfGather = 4;
      double bytes = kTexel * (counted(seen, "simgpu__texture_fetches_point.sum") +
                               counted(seen, "simgpu__texture_fetches_surface.sum") +
                               kOfGather * counted(seen, "simgpu__texture_fetches_gather.sum"));
      for (const auto& launch : seen.report.launches()) {
        for (const auto& one : launch.buffers)
          bytes += one.bytes >= kTableOfImage * read_of(seen) ? one.loaded_bytes - one.fetched_bytes : 0;
      }
      auto found = over(bytes, read_of(seen));
      return off(found, fmt::format("kernels read {} times the image past the texture unit's filter",
                                    count_text(found.value)));
    }};

// --- asynchronous copies -------------------------------------------------------------------------------------------------------

namespace {
reading moved(const evidence& seen, double bytes, double needed, const char* how) {
  (void)seen;
  auto found = over(bytes, needed);
  return off(found, fmt::format("{:.0f} % of the bytes come by {}", 100 * found.value, how));
}
}  // namespace

const metric async_loads{"async_loads",
                         "share",
                         origin::counters,
                         scope::total,
                         when_nothing::missed,
                         "bytes loaded by cp.async, bulk or tensor copies, over the bytes to be read",
                         [](const evidence& seen) {
                           return moved(seen,
                                        counted(seen, "simgpu__async_copy_bytes.sum") +
                                            counted(seen, "simgpu__bulk_bytes_load.sum"),
                                        read_of(seen), "asynchronous copies");
                         }};
const metric bulk_loads{"bulk_loads",
                        "share",
                        origin::counters,
                        scope::total,
                        when_nothing::missed,
                        "bytes loaded by bulk or tensor copies, over the bytes to be read",
                        [](const evidence& seen) {
                          return moved(seen, counted(seen, "simgpu__bulk_bytes_load.sum"), read_of(seen),
                                       "bulk copies");
                        }};
const metric bulk_stores{"bulk_stores",
                         "share",
                         origin::counters,
                         scope::total,
                         when_nothing::missed,
                         "bytes stored by bulk or tensor copies, over the bytes to be written",
                         [](const evidence& seen) {
                           return moved(seen, counted(seen, "simgpu__bulk_bytes_store.sum"), written_of(seen),
                                        "bulk stores");
                         }};
const metric tensor_loads{"tensor_loads",
                          "share",
                          origin::counters,
                          scope::total,
                          when_nothing::missed,
                          "bytes loaded by tensor copies, over the bytes to be read",
                          [](const evidence& seen) {
                            return moved(seen, counted(seen, "simgpu__tensor_bytes_load.sum"), read_of(seen),
                                         "tensor copies");
                          }};
const metric tensor_stores{"tensor_stores",
                           "share",
                           origin::counters,
                           scope::total,
                           when_nothing::missed,
                           "bytes stored by tensor copies, over the bytes to be written",
                           [](const evidence& seen) {
                             return moved(seen, counted(seen, "simgpu__tensor_bytes_store.sum"),
                                          written_of(seen), "tensor stores");
                           }};
namespace {
// Launches without tensor copies have no map to look at: how much comes by them is another metric.
reading least_of_maps(const evidence& seen, std::string_view counter) {
  reading found = kNothing;
  for (const auto& launch : seen.report.launches()) {
    if (launch.counter("simgpu__tensor_bytes_load.sum") == 0) continue;
    const double here = launch.counter(counter);
    if (!found.counted || here < found.value) found = {.value = here};
  }
  return found;
}
}  // namespace
const metric tensor_swizzle{"tensor_swizzle",
                            "B",
                            origin::counters,
                            scope::worst_launch,
                            when_nothing::missed,
                            "swizzle of the tensor maps that are loaded through",
                            [](const evidence& seen) {
                              auto found = least_of_maps(seen, "simgpu__tensor_swizzle_bytes_load.min");
                              return off(found,
                                         fmt::format("the tensor map swizzles by {:.0f} bytes", found.value));
                            }};
const metric tensor_row{"tensor_row",
                        "B",
                        origin::counters,
                        scope::worst_launch,
                        when_nothing::missed,
                        "bytes of a box's innermost row",
                        [](const evidence& seen) {
                          auto found = least_of_maps(seen, "simgpu__tensor_row_bytes_load.min");
                          return off(found, fmt::format("a row of the box has {:.0f} bytes", found.value));
                        }};
const metric completions_per_barrier{
    "completions_per_barrier",
    "phases",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "phases that an mbarrier completes, on average over the bytes that come by it",
    [](const evidence& seen) {
      auto found = over(counted(seen, "simgpu__mbarrier_byte_completions.sum"),
                        counted(seen, "simgpu__mbarrier_expect_bytes.sum"));
      return off(found, fmt::format("a barrier completes {} phase(s)", count_text(found.value)));
    }};
const metric inits_per_barrier{
    "inits_per_barrier",
    "inits",
    origin::counters,
    scope::worst_launch,
    when_nothing::missed,
    "inits of the mbarrier that has the most, in one block",
    [](const evidence& seen) {
      auto found = worst_of_launches(
          seen, true, [](const kernel_launch& one) { return one.counter("simgpu__mbarrier_inits.max"); });
      return off(found, fmt::format("a barrier is initialised {:.0f} times in a block", found.value));
    }};
const metric repeated_inits{
    "repeated_inits",
    "inits",
    origin::counters,
    scope::total,
    when_nothing::met,
    "initialisations of an mbarrier that nobody has used since the one before",
    [](const evidence& seen) -> reading {
      const double inits = counted(seen, "simgpu__mbarrier_inits_repeated.sum");
      return off({.value = inits},
                 fmt::format("barriers are initialised {:.0f} times more than they need", inits));
    }};
const metric async_bytes_in_flight{
    "async_bytes_in_flight",
    "B per block",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "mean bytes that a block has on their way, by asynchronous copies, while it works on a tile",
    [](const evidence& seen) {
      auto found = over(counted(seen, "simgpu__async_bytes_outstanding.sum"),
                        counted(seen, "simgpu__async_waits.sum"));
      return with(
          found, cause::latency,
          fmt::format("{} bytes are on their way while a tile is worked on", count_text(found.value)));
    }};
const metric async_tiles_in_flight{
    "async_tiles_in_flight",
    "copies",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "mean asynchronous copies that a block has on their way while it works on a tile",
    [](const evidence& seen) {
      auto found = over(counted(seen, "simgpu__async_copies_outstanding.sum"),
                        counted(seen, "simgpu__async_waits.sum"));
      return with(
          found, cause::latency,
          fmt::format("{} copies are on their way while a tile is worked on", count_text(found.value)));
    }};

namespace {
// What a block has in its own shared memory, or takes from a neighbour's: by bulk copies (a multicast lands in several blocks), cp.async,
// stores and remote loads. What lanes store into their own block's memory counts up to what they loaded, so that clean dummy stores
// deliver nothing.
double delivered(const evidence& seen) {
  const double remote_stores = counted(seen, "simgpu__remote_shared_bytes_op_st.sum");
  const double by_groups = counted(seen, "simgpu__async_copy_bytes.sum");
  const double own_stores = std::max(0.0, shared_bytes_of(seen, "store") - remote_stores);
  const double by_lanes = std::max(
      0.0, seen.report.bytes_loaded_by_kernels() - by_groups - counted(seen, "simgpu__bulk_bytes_load.sum"));
  return counted(seen, "simgpu__bulk_bytes_delivered.sum") +
         counted(seen, "simgpu__remote_shared_bytes_copied.sum") + by_groups + remote_stores +
         counted(seen, "simgpu__remote_shared_bytes_op_ld.sum") + std::min(own_stores, by_lanes);
}
}  // namespace

const metric delivered_to_shared{
    "delivered_to_shared",
    "x required",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "bytes that land in a block's shared memory, or that it reads in a neighbour's, over the bytes to be "
    "read",
    [](const evidence& seen) {
      auto found = over(delivered(seen), read_of(seen));
      return off(found, fmt::format("{} times the bytes to be read reach the blocks' shared memory",
                                    count_text(found.value)));
    }};
const metric loads_of_delivered{
    "loads_of_delivered",
    "share",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "bytes that kernels ask of L2, over the bytes that land in shared memory or are read in a neighbour's",
    [](const evidence& seen) {
      auto found = over(seen.report.bytes_loaded_by_kernels(), delivered(seen));
      return off(found, fmt::format("{} bytes are asked of L2 for each byte that a block gets",
                                    count_text(found.value)));
    }};

// --- geometry ------------------------------------------------------------------------------------------------------------------

const metric block_threads{
    "block_threads",
    "threads",
    origin::occupancy,
    scope::worst_launch,
    when_nothing::missed,
    "threads of a block that touches data: the smallest",
    [](const evidence& seen) {
      auto found = worst_of_launches(seen, false,
                                     [](const kernel_launch& one) { return static_cast<double>(one.block); });
      return with(found, cause::small_blocks, fmt::format("a block has {:.0f} threads", found.value));
    }};
const metric blocks{"blocks",
                    "blocks",
                    origin::occupancy,
                    scope::worst_launch,
                    when_nothing::missed,
                    "blocks of the largest launch",
                    [](const evidence& seen) {
                      auto found = worst_of_launches(
                          seen, true, [](const kernel_launch& one) { return static_cast<double>(one.grid); });
                      return off(found, fmt::format("the grid has {:.0f} blocks", found.value));
                    }};
const metric threads_per_output{
    "threads_per_output",
    "threads per output",
    origin::occupancy,
    scope::total,
    when_nothing::missed,
    "threads launched, over outputs",
    [](const evidence& seen) {
      double threads = 0;
      for (const auto& launch : seen.report.launches())
        threads += static_cast<double>(launch.grid) * static_cast<double>(launch.block);
      auto found = over(threads, outputs_of(seen));
      return off(found, fmt::format("{} threads are launched for each output", count_text(found.value)));
    }};
const metric lanes_per_load{
    "lanes_per_load",
    "lanes",
    origin::counters,
    scope::worst_line,
    when_nothing::missed,
    "lanes of a load request to global or shared memory, worst line",
    [](const evidence& seen) {
      reading found = kNothing;
      for (const auto& site : sites_by_line(seen.report)) {
        if (site.kind != "load" || site.requests == 0 || (site.memory != "global" && site.memory != "shared"))
          continue;
        const double lanes = site.lanes / site.requests;
        if (found.counted && lanes <= found.value) continue;
        found = with({.value = lanes}, cause::off_the_idea,
                     fmt::format("{} asks with {} lanes at a time", place_of(site), count_text(lanes)),
                     {site.file, site.line});
      }
      return found;
    }};

// --- calls of the runtime --------------------------------------------------------------------------------------------------------

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
                                          fmt::format("{:.0f} kernel(s) are launched", count));
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
      return with(found, cause::no_overlap,
                  fmt::format("during {:.0f} % of the copies' time something else works", 100 * found.value));
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
            fmt::format("of the managed bytes {:.0f} % are prefetched, but nothing makes the kernel wait for "
                        "that: put the prefetch into the kernel's stream, or let the stream wait for it",
                        100 * over(named, read_of(seen)).value));
      return off(
          found,
          fmt::format("{:.0f} % of the managed bytes are prefetched or mapped before the kernel needs them",
                      100 * found.value));
    }};

}  // namespace metrics

const std::vector<const metric*>& all_metrics() {
  using namespace metrics;
  static const std::vector<const metric*> all{&speed,
                                              &sector_use,
                                              &sector_use_loads,
                                              &sector_use_stores,
                                              &load_sectors,
                                              &load_sectors_per_fma,
                                              &load_bytes_per_fma,
                                              &load_bytes,
                                              &store_bytes,
                                              &dram_bytes,
                                              &dram_read_bytes,
                                              &l2_read_sectors,
                                              &rows_at_sectors,
                                              &load_requests_per_warp_of_outputs,
                                              &own_lines,
                                              &hinted_loads,
                                              &hinted_stream,
                                              &hinted_elsewhere,
                                              &loads_elsewhere,
                                              &persisting_window,
                                              &loads_in_flight,
                                              &link_bytes,
                                              &link_bytes_per_output,
                                              &global_atomics_per_block,
                                              &global_atomics_per_byte,
                                              &excess_wavefronts,
                                              &shared_through,
                                              &shared_of_loads,
                                              &shared_loads,
                                              &shared_load_bytes_per_output,
                                              &shared_exchanged,
                                              &shared_serial_loads,
                                              &shared_stores_per_warp,
                                              &shared_writes_per_warp,
                                              &shared_updates,
                                              &shared_bytes,
                                              &launched_shared_bytes,
                                              &local_bytes,
                                              &stack_frame,
                                              &spills,
                                              &constant_passes,
                                              &constant_words_per_warp,
                                              &filtered_fetches_per_output,
                                              &texels_by_hand,
                                              &async_loads,
                                              &bulk_loads,
                                              &bulk_stores,
                                              &tensor_loads,
                                              &tensor_stores,
                                              &tensor_swizzle,
                                              &tensor_row,
                                              &completions_per_barrier,
                                              &inits_per_barrier,
                                              &repeated_inits,
                                              &async_bytes_in_flight,
                                              &async_tiles_in_flight,
                                              &delivered_to_shared,
                                              &loads_of_delivered,
                                              &block_threads,
                                              &blocks,
                                              &threads_per_output,
                                              &lanes_per_load,
                                              &kernel_launches,
                                              &copies_up,
                                              &copies_down,
                                              &copy_calls,
                                              &left_allocated,
                                              &copy_overlap,
                                              &host_waits_between_copies,
                                              &prefetched_or_advised};
  return all;
}

}  // namespace course
