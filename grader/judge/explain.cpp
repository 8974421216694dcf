/// @file
/// See explain.hpp.
#include "judge/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "records/quantities.hpp"

namespace course {
namespace {

// One thing that costs more than it should. The cost is in bytes of data-path time, so that unlike wastes can
// be compared: a sector is 32 bytes, a shared-memory wavefront 128.
struct waste {
  std::string cause, sentence;
  location at;
  double cost = 0;
};

std::string sectors_of(const access_site& site) {
  const double requests = std::max(1.0, site.requests);
  return fmt::format("{} touches {} sectors per request where {} would do", place_of(site),
                     count_text(site.sectors / requests),
                     count_text(std::max(1.0, site.ideal_sectors / requests)));
}

std::vector<waste> find_wastes(const device_report& report, const problem& asked) {
  std::vector<waste> found;
  const auto sites = sites_by_line(report);
  double local_bytes = 0, loaded = 0, atomic_lanes = 0;
  const access_site *worst_load = nullptr, *worst_local = nullptr, *worst_atomic = nullptr;
  for (const auto& site : sites) {
    const double requests = std::max(1.0, site.requests);
    if (site.memory == "global") {
      const double excess = site.sectors - site.ideal_sectors;
      // A misaligned vector access touches one sector more: that is no lack of coalescing.
      if (excess > 0 && site.sectors > 1.3 * site.ideal_sectors) {
        found.push_back(
            {std::string(cause::uncoalesced), sectors_of(site), {site.file, site.line}, 32 * excess});
      }
      if (site.kind == "load") {
        loaded += site.bytes_requested;
        if (!worst_load || site.bytes_requested > worst_load->bytes_requested) worst_load = &site;
      } else if (site.kind != "store") {
        atomic_lanes += site.lanes;
        if (!worst_atomic || site.lanes > worst_atomic->lanes) worst_atomic = &site;
      }
    } else if (site.memory == "shared") {
      const double excess = site.wavefronts - site.ideal_wavefronts;
      if (excess > 0.1 * requests) {
        const double each = site.wavefronts / requests,
                     ideal = std::max(1.0, site.ideal_wavefronts / requests);
        // Over the same requests as the gate excess_wavefronts, so that both name one number.
        const double beyond = excess / shared_requests_that_count(report, asked, site.kind);
        found.push_back(
            {std::string(cause::bank_conflicts),
             fmt::format("{}: {}-way bank conflict: {} wavefronts per request beyond the {} that would do",
                         place_of(site), count_text(std::ceil(each / ideal)), number_text(beyond),
                         count_text(ideal)),
             {site.file, site.line},
             128 * excess});
      }
    } else if (site.memory == "local") {
      local_bytes += 32 * site.sectors;
      if (!worst_local || site.sectors > worst_local->sectors) worst_local = &site;
    }
  }
  if (worst_local && local_bytes > 0) {
    found.push_back(
        {std::string(cause::local_memory),
         fmt::format(
             "{} goes to local memory: an array indexed at run time, or registers that did not suffice",
             place_of(*worst_local)),
         {worst_local->file, worst_local->line},
         local_bytes});
  }
  const auto input = asked.bytes_read();
  if (worst_load && input > 0 && loaded > 1.5 * input) {
    found.push_back({std::string(cause::repeated_loads),
                     fmt::format("the kernels ask for {} times the bytes of the input; most of it by the {}",
                                 count_text(loaded / input), place_of(*worst_load)),
                     {worst_load->file, worst_load->line},
                     loaded - input});
  }
  const auto blocks = static_cast<double>(std::max<std::size_t>(1, report.blocks()));
  if (worst_atomic && atomic_lanes > 2 * blocks) {
    found.push_back({std::string(cause::atomics),
                     fmt::format("{} adds {} times a block to global memory: add up inside the block first",
                                 place_of(*worst_atomic), count_text(atomic_lanes / blocks)),
                     {worst_atomic->file, worst_atomic->line},
                     32 * atomic_lanes});
  }
  const double dram = report.counter("dram__bytes_read.sum") + report.counter("dram__bytes_write.sum");
  if (const auto needed = asked.bytes_moved(); needed > 0 && dram > 1.3 * needed) {
    // Sectors that lines fetch in vain come back from DRAM, in pairs: what they explain is theirs, and they have a place.
    double of_lines = 0;
    for (const auto& one : found) of_lines += one.cause == cause::uncoalesced ? 2 * one.cost : 0;
    found.push_back(
        {std::string(cause::extra_traffic),
         fmt::format("{} cross the memory bus where {} would do", size_text(dram), size_text(needed)),
         {},
         std::max(0.0, dram - needed - of_lines)});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const waste& a, const waste& b) { return a.cost > b.cost; });
  return found;
}

/// Copies to and from the host that take much of the time, beside kernels that also do, and hardly anything at the same time: whatever bounds
/// the kernels, that is what costs.
std::optional<explanation> explain_overlap(const device_report& report) {
  constexpr double kMuch = 0.25, kHardly = 0.5;
  const double all = report.modelled_seconds();
  const double copies = report.figure({"overlap", "copy_seconds"}).value_or(0);
  const double beside = report.figure({"overlap", "overlapped_seconds"}).value_or(0);
  double kernels = 0;
  for (const auto& launch : report.launches()) kernels += launch.seconds;
  if (!(all > 0) || copies < kMuch * all || kernels < kMuch * all || beside > kHardly * copies)
    return std::nullopt;
  explanation why;
  why.cause = cause::no_overlap;
  why.sentence = fmt::format(
      "copies take {} of the time and kernels {}, and during {} of the copies' time nothing else works: in "
      "chunks, on "
      "streams of their own, they can run side by side",
      percent_text(copies / all), percent_text(kernels / all), percent_text(1 - beside / copies));
  return why;
}

/// Of a program that launches nothing, or nothing that takes time.
explanation explain_copies(const device_report& report) {
  constexpr double short_copy = 64 << 10;  // bytes: takes about as long to start as to make
  explanation why;
  why.cause = cause::unknown_bottleneck;
  double copies = 0, bytes = 0, staged = 0;
  for (const copy_group& one : report.copy_groups()) {
    copies += one.copies;
    bytes += one.bytes;
    if (one.from == "pageable" || one.to == "pageable") staged += one.bytes;
  }
  if (copies <= 0) {
    why.sentence = "no kernel was launched";
  } else if (staged * 2 > bytes) {
    why.sentence = fmt::format(
        "{} are copied from or to memory that is not page-locked: a core of the CPU has to copy them as well",
        size_text(staged));
  } else if (copies > 4 && bytes / copies < short_copy) {
    why.cause = cause::latency;
    why.sentence = fmt::format("{:.0f} copies of {} each: they take longer to start than to make", copies,
                               size_text(bytes / copies));
  } else {
    why.sentence =
        fmt::format("{}, {} in all{}", copies == 1 ? "one copy" : fmt::format("{:.0f} copies", copies),
                    size_text(bytes), report.launches().empty() ? ", and no kernel" : "");
  }
  return why;
}

/// Copies to and from the host that take nearly all of the time: whatever a kernel wastes beside them, it is not that.
std::optional<explanation> explain_copying(const device_report& report) {
  constexpr double kNearlyAll = 0.75;
  const double all = report.modelled_seconds();
  const double copying = report.figure({"overlap", "copy_seconds"}).value_or(0);
  double kernels = 0;
  for (const auto& launch : report.launches()) kernels += launch.seconds;
  if (report.launches().empty() || !(all > 0) || copying < kNearlyAll * all ||
      kernels > (1 - kNearlyAll) * all)
    return std::nullopt;
  explanation why = explain_copies(report);
  why.sentence = fmt::format("copies take {} of the time: {}", percent_text(copying / all), why.sentence);
  return why;
}

/// What most of the instructions of a kernel are for, as far as its accesses tell. @param load where it loads most, if it does.
/// @param width bytes that a thread loads there.
std::string where_they_go(const kernel_launch& kernel, const access_site* load, double width) {
  constexpr double kWidest = 16, kForALoad = 20;  // an address, a bound, a loop: a load's own instructions
  double loads = 0, shared = 0;
  for (const auto& site : kernel.sites) {
    if (site.memory == "global" && site.kind == "load") loads += site.requests;
    if (site.memory == "shared") shared += site.requests;
  }
  if (!load || !(loads > 0)) return {};
  const double each = kernel.warp_instructions / loads;
  if (each <= kForALoad && width < kWidest)
    return fmt::format(": {} bytes a load; wider loads need fewer instructions", count_text(width));
  if (each <= kForALoad) return {};
  std::string text = fmt::format(": a warp executes {:.0f} for each load from memory", each);
  if (shared * 10 > kernel.warp_instructions)
    return text + fmt::format(
                      ", {:.0f} of them loads and stores of shared memory. What is used again can stay in "
                      "registers",
                      shared / loads);
  return text + ". Fewer steps for each value, or branches that keep a warp together, make it faster";
}

// What keeps more threads from being resident, as a part of a sentence.
std::string limiter_text(const std::string& limiter) {
  if (limiter.empty()) return "the launch";
  if (limiter == "grid") return "the grid: it has no more blocks";
  if (limiter == "threads") return "the threads an SM has room for";
  if (limiter == "blocks") return "the blocks an SM has room for";
  return limiter;
}

// The words of simgpu::timing::name_of for what no sentence of its own is made of.
std::string part_text(const std::string& part) {
  if (part == "dram") return "the way to and from device memory (DRAM)";
  if (part == "l2") return "the L2 cache";
  if (part == "l1tex") return "the SM's unit for L1 and shared memory";
  if (part == "constant cache" || part == "texture unit") return "the " + part;
  if (part == "host link") return "the link to the host's memory";
  return part;
}

explanation explain_bound(const device_report& report) {
  if (auto found = explain_overlap(report)) return *found;
  explanation why;
  why.cause = cause::unknown_bottleneck;
  const kernel_launch* longest = nullptr;
  for (const auto& launch : report.launches()) {
    if (!longest || launch.seconds > longest->seconds) longest = &launch;
  }
  if (!longest) return explain_copies(report);
  const access_site* load = nullptr;
  for (const auto& site : longest->sites) {
    if (site.memory == "global" && site.kind == "load" &&
        (!load || site.bytes_requested > load->bytes_requested))
      load = &site;
  }
  const double width = load && load->lanes > 0 ? load->bytes_requested / load->lanes : 0;
  if (load) why.at = {load->file, load->line};
  // A warp of one thread counts as a whole one: then the numbers themselves say more than the share.
  const auto seats =
      longest->occupancy_limiter == "grid" && longest->grid * longest->block < 1024
          ? fmt::format(
                "You launch {} block{} of {} thread{}, and the card has room for many thousands of threads",
                longest->grid, longest->grid == 1 ? "" : "s", longest->block, longest->block == 1 ? "" : "s")
          : fmt::format("{:.0f} % of the threads an SM can hold are resident (limited by {})",
                        100 * longest->occupancy, limiter_text(longest->occupancy_limiter));
  if (report.launches().size() > 4 && longest->seconds * 4 < report.modelled_seconds()) {
    why.cause = cause::latency;
    why.sentence = fmt::format("{} launches follow each other: their starts and ends cost more than the work",
                               report.launches().size());
  } else if (longest->bound_by == "latency" || longest->bound_by == "launch") {
    const bool few_threads = longest->occupancy < 0.4;
    why.cause = few_threads ? cause::occupancy : cause::latency;
    why.sentence = fmt::format("{} waits for memory most of the time: too few bytes are on their way. {}",
                               longest->kernel, seats);
    if (width > 0) why.sentence += fmt::format("; each load asks for {} bytes a thread", count_text(width));
  } else if (longest->bound_by == "page faults") {
    why.cause = cause::latency;
    why.sentence = fmt::format(
        "{} waits for pages: {} of managed memory come only when a thread asks for them, fault after fault",
        longest->kernel, size_text(report.figure({"managed", "faulted_bytes"}).value_or(0)));
  } else if (longest->bound_by == "issue") {
    why.cause = cause::instructions;
    why.sentence = fmt::format("{} is bound by its instructions, not by memory{}", longest->kernel,
                               where_they_go(*longest, load, width));
  } else if (longest->bound_by == "block launch") {
    why.cause = cause::small_blocks;
    why.sentence = fmt::format(
        "{} spends its time starting blocks: {} blocks of {} threads. Larger blocks, or fewer that do more "
        "each",
        longest->kernel, longest->grid, longest->block);
  } else if (longest->bound_by == "atomics") {
    why.cause = cause::atomics;
    for (const auto& site : longest->sites) {
      if (site.memory == "global" && site.kind != "load" && site.kind != "store")
        why.at = {site.file, site.line};
    }
    why.sentence = fmt::format("{} waits for its atomics: {} blocks of {} threads meet in one place",
                               longest->kernel, longest->grid, longest->block);
  } else if (!longest->bound_by.empty()) {
    why.sentence =
        fmt::format("what takes {} the longest is {}, and the rest of its work is not hidden behind that. {}",
                    longest->kernel, part_text(longest->bound_by), seats);
    if (width > 0) why.sentence += fmt::format("; each load asks for {} bytes a thread", count_text(width));
  } else {
    why.sentence = fmt::format("{}: {}", longest->kernel, seats);
  }
  return why;
}

explanation from_wastes(const std::vector<waste>& wastes) {
  explanation why{wastes.front().cause, wastes.front().at, wastes.front().sentence, {}};
  for (std::size_t i = 1; i < wastes.size() && i < 4; ++i) {
    if (wastes[i].cost > 0.1 * wastes.front().cost) why.more.push_back(wastes[i].sentence);
  }
  return why;
}

}  // namespace

explanation explain(const device_report& report, const problem& asked) {
  if (!report.present()) return {std::string(cause::unknown_bottleneck), {}, "no counts are at hand", {}};
  if (auto found = explain_copying(report)) return *found;
  auto wastes = find_wastes(report, asked);
  const auto floor = 0.1 * asked.bytes_moved();
  std::erase_if(wastes, [&](const waste& one) { return one.cost < floor; });
  return wastes.empty() ? explain_bound(report) : from_wastes(wastes);
}

explanation explain_waste(const device_report& report, const problem& asked, std::string_view cause) {
  auto wastes = find_wastes(report, asked);
  std::erase_if(wastes, [&](const waste& one) { return one.cause != cause; });
  return wastes.empty() ? explanation{std::string(cause), {}, {}, {}} : from_wastes(wastes);
}

explanation explain_sectors(const device_report& report, std::string_view kind) {
  explanation why{std::string(cause::uncoalesced), {}, {}, {}};
  double most = 0;
  for (const auto& site : sites_by_line(report)) {
    const double excess = site.sectors - site.ideal_sectors;
    if (site.memory != "global" || site.kind != kind || excess <= most) continue;
    most = excess;
    why.at = {site.file, site.line};
    why.sentence = sectors_of(site);
  }
  return why;
}

std::string place_of(const access_site& site) {
  // The profiler's word for an atomic whose result nobody uses would be taken for a sum of many numbers here.
  const std::string kind = site.kind == "reduction" ? "atomic" : site.kind;
  return site.line ? fmt::format("{} at {}:{}", kind, site.file, site.line) : kind + " of unknown line";
}

double shared_requests_that_count(const device_report& report, const problem& asked, std::string_view kind) {
  double made = 0;
  for (const auto& launch : report.launches()) {
    for (const auto& site : launch.sites) {
      if (site.memory == "shared" && site.kind == kind) made += site.requests;
    }
  }
  const double needed = asked.shared_requests();
  return std::max(1.0, needed > 0 ? std::min(needed, made) : made);
}

std::vector<access_site> sites_by_line(const device_report& report) {
  std::map<std::tuple<std::string, unsigned, std::string, std::string>, access_site> lines;
  for (const auto& launch : report.launches()) {
    for (const auto& site : launch.sites) {
      const auto [at, fresh] = lines.try_emplace({site.file, site.line, site.memory, site.kind}, site);
      if (!fresh) at->second += site;
    }
  }
  std::vector<access_site> sites;
  sites.reserve(lines.size());
  for (auto& [key, site] : lines) sites.push_back(std::move(site));
  return sites;
}

}  // namespace course
