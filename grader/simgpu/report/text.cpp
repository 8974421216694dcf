/// @file
/// The report that a person reads: what a kernel costs, what bounds it, and which lines waste what.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>

#include "simgpu/report/chart.hpp"
#include "simgpu/report/groups.hpp"
#include "simgpu/report/names.hpp"
#include "simgpu/report/report.hpp"
#include "simgpu/report/units.hpp"

namespace simgpu::report {
namespace {

class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}
  std::string bold(std::string_view text) const { return wrap("1", text); }
  std::string red(std::string_view text) const { return wrap("1;31", text); }
  std::string yellow(std::string_view text) const { return wrap("33", text); }
  std::string green(std::string_view text) const { return wrap("32", text); }

 private:
  std::string wrap(const char* code, std::string_view text) const {
    return on_ ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
  }
  bool on_;
};

std::string dim_text(const observe::Dim3& dim) {
  if (dim.y == 1 && dim.z == 1) return fmt::format("{}", dim.x);
  return dim.z == 1 ? fmt::format("{} x {}", dim.x, dim.y) : fmt::format("{} x {} x {}", dim.x, dim.y, dim.z);
}

std::string place_text(const std::string& file, std::uint32_t line) {
  if (file.empty() && line == 0) return "unknown line";
  const std::string name = file.empty() ? "line" : file.substr(file.find_last_of('/') + 1);
  return line == 0 ? name : fmt::format("{}:{}", name, line);
}

std::string bound_text(const std::string& bound) {
  if (bound == "dram") return "device memory (DRAM)";
  if (bound == "l2") return "the L2 cache";
  if (bound == "l1tex") return "the L1 and shared-memory pipe";
  if (bound == "issue") return "instruction issue";
  if (bound == "latency") return "latency: too few bytes in flight to hide it";
  if (bound == "launch") return "launch overhead";
  if (bound == "block launch") return "the rate at which blocks start and end";
  if (bound == "atomics") return "atomics that meet on one address";
  if (bound == "page faults") return "page faults on managed memory";
  if (bound == "host link") return "the link to host memory";
  return bound;
}

std::string limiter_text(const std::string& limiter) {
  if (limiter == "threads") return "the threads an SM can hold";
  if (limiter == "blocks") return "the blocks an SM can hold";
  if (limiter == "registers") return "registers";
  if (limiter == "grid") return "the grid, which has no more blocks";
  return limiter;
}

// What a line wastes, in quarter wavefronts of the L1 pipe (a sector is a quarter of one), to rank unlike
// wastes.
std::uint64_t waste_of(const SiteReport& site) {
  const std::uint64_t excess_sectors = site.sectors - std::min(site.sectors, site.ideal_sectors);
  const std::uint64_t excess_wavefronts = site.wavefronts - std::min(site.wavefronts, site.ideal_wavefronts);
  // Below one in a hundred (the odd edge of an array) both figures would print alike.
  const auto counts = [](std::uint64_t excess, std::uint64_t all) {
    return excess >= all / 100 ? excess : 0;
  };
  switch (site.memory) {
    case observe::Memory::global:
      return counts(excess_sectors, site.sectors);
    case observe::Memory::shared:
    case observe::Memory::constant:
      return counts(excess_wavefronts, site.wavefronts) * 4;
    case observe::Memory::local:
      return std::max<std::uint64_t>(site.sectors, 1);
    case observe::Memory::texture:  // its layout is not known well enough to blame a line
    case observe::Memory::param:
      return 0;
  }
  return 0;
}

double per_request(const SiteReport& site, std::uint64_t count) {
  return static_cast<double>(count) / static_cast<double>(std::max<std::uint64_t>(site.requests, 1));
}

// "32.0 sectors (4.0)": what a request of the line costs, and the fewest that could do.
std::string cost_text(const SiteReport& site) {
  switch (site.memory) {
    case observe::Memory::shared:
    case observe::Memory::constant:
      return fmt::format("{:4.1f} {} ({:.1f})", per_request(site, site.wavefronts),
                         site.memory == observe::Memory::shared ? "wavefronts" : "passes    ",
                         per_request(site, site.ideal_wavefronts));
    case observe::Memory::global:
    case observe::Memory::local:
      return fmt::format("{:4.1f} sectors    ({:.1f})", per_request(site, site.sectors),
                         per_request(site, site.ideal_sectors));
    case observe::Memory::texture:
      return fmt::format("{:4.1f} sectors", per_request(site, site.sectors));
    case observe::Memory::param:
      break;
  }
  return {};
}

// What is wrong with a line of which waste_of() is not 0.
std::string waste_text(const SiteReport& site) {
  switch (site.memory) {
    case observe::Memory::global:
      return fmt::format(
          "{} of the bytes moved are used",
          percent_text(static_cast<double>(site.ideal_sectors) / static_cast<double>(site.sectors)));
    case observe::Memory::shared:
      return fmt::format("bank conflicts: {:.1f} excess wavefronts a request",
                         per_request(site, site.wavefronts - site.ideal_wavefronts));
    case observe::Memory::constant:
      return "different words are read one after the other; one would be free";
    case observe::Memory::local:
      return fmt::format("{} through local memory: an array that does not fit registers",
                         bytes_text(static_cast<double>(site.sectors) * 32));
    case observe::Memory::texture:
    case observe::Memory::param:
      break;
  }
  return {};
}

std::string count_text(std::uint64_t count) {
  constexpr std::uint64_t kWritten = 100'000;  // larger counts are rounded
  if (count < kWritten) return fmt::format("{}", count);
  const auto number = static_cast<double>(count);
  return count < 10'000'000 ? fmt::format("{:.0f}k", number / 1e3) : fmt::format("{:.0f}M", number / 1e6);
}

class Writer {
 public:
  Writer(const Report& report, const TextOptions& options)
      : report_(report), options_(options), paint_(options.colour) {}

  std::string run() {
    header();
    const std::vector<Group> groups = group_launches(report_.launches);
    if (groups.empty()) line("No kernel was launched.\n");
    kernels(groups);
    if (const std::string chart = timeline_chart(report_.timeline); !chart.empty()) text_ += chart + '\n';
    findings();
    footer();
    return std::move(text_);
  }

 private:
  void line(std::string_view words) { text_ += words, text_ += '\n'; }
  void item(std::string_view name, std::string_view words) { line(fmt::format("  {:<10} {}", name, words)); }

  void header() {
    const DeviceReport& device = report_.device;
    text_ += paint_.bold(device.name.empty() ? "Simulated GPU" : device.name);
    text_ += fmt::format(": {} SMs", device.sm_count);
    if (device.slice > 1)
      text_ += fmt::format("; rates in [brackets] are for the whole card, {} times as large", device.slice);
    text_ += ". Times are modelled, counts are exact.\n\n";
  }

  // The longest ones whole, in order of their first launch; before them, if there are many, who took how much.
  void kernels(const std::vector<Group>& groups) {
    constexpr std::size_t kFewKernels = 3;
    std::vector<const Group*> longest;
    double all_seconds = 0, shown_seconds = 0;
    for (const Group& group : groups) {
      longest.push_back(&group);
      all_seconds += group.sum.seconds;
    }
    std::stable_sort(longest.begin(), longest.end(),
                     [](const Group* a, const Group* b) { return a->sum.seconds > b->sum.seconds; });
    if (longest.size() > options_.kernels) longest.resize(options_.kernels);
    for (const Group* group : longest) shown_seconds += group->sum.seconds;
    if (groups.size() > kFewKernels && all_seconds > 0) {
      line(paint_.bold("Kernels by modelled time"));
      for (const Group* group : longest) {
        line(fmt::format("  {:>7} {:>10}  {:>7} launch{}  {}", percent_text(group->sum.seconds / all_seconds),
                         time_text(group->sum.seconds), count_text(group->launches),
                         group->launches == 1 ? "  " : "es", shortened_name(group->first->mangled)));
      }
      text_ += '\n';
    }
    std::sort(longest.begin(), longest.end());  // as they lie in `groups`
    for (const Group* group : longest) kernel(*group);
    if (longest.size() < groups.size()) {
      line(fmt::format(
          "And {} more kernels or shapes, {} of the kernels' time; SIMGPU_REPORT=json:FILE has them all.\n",
          groups.size() - longest.size(),
          percent_text(all_seconds > 0 ? 1 - shown_seconds / all_seconds : 0)));
    }
  }

  void kernel(const Group& group) {
    const LaunchReport& first = *group.first;
    line(paint_.bold(shortened_name(first.mangled)) +
         (group.launches > 1 ? fmt::format("   {} launches", group.launches) : std::string()));
    shape(first);
    if (group.failed != 0) {
      item("failed", paint_.red(group.launches == 1
                                    ? "stopped at an error (below); figures cover what ran until then"
                                    : fmt::format("{} launches stopped at an error (below)", group.failed)));
    }
    times(group);
    item("occupancy", occupancy_text(group));
    lines(group);
    text_ += '\n';
  }

  std::string occupancy_text(const Group& group) const {
    const TimingReport& timing = group.sum;
    const std::uint32_t fit = timing.resident_blocks_per_sm;
    if (timing.occupancy_limiter == "grid") {
      return fmt::format("{}: the grid has only {} block{} for {} SMs; {} would fit on each",
                         percent_text(timing.occupancy), group.first->grid.count(),
                         group.first->grid.count() == 1 ? "" : "s", report_.device.sm_count, fit);
    }
    std::string words = fmt::format("{}: {} block{} on each SM at a time", percent_text(timing.occupancy),
                                    fit, fit == 1 ? "" : "s");
    if (!timing.occupancy_limiter.empty()) words += ", limited by " + limiter_text(timing.occupancy_limiter);
    return words;
  }

  void shape(const LaunchReport& launch) {
    std::string words = fmt::format("grid {}, block {}", dim_text(launch.grid), dim_text(launch.block));
    const std::uint64_t shared = std::uint64_t{launch.static_shared_bytes} + launch.dynamic_shared_bytes;
    if (shared != 0) words += fmt::format(", {} B shared memory per block", shared);
    if (launch.registers) words += fmt::format(", {} registers per thread", *launch.registers);
    item("shape", words);
    if (launch.spill_bytes.value_or(0) != 0) {
      item("spills",
           paint_.yellow(fmt::format("{} bytes per thread did not fit registers and go through local memory",
                                     *launch.spill_bytes)));
    }
  }

  void times(const Group& group) {
    const TimingReport& sum = group.sum;
    std::string words = time_text(sum.seconds);
    if (group.launches > 1) {
      words += fmt::format(" in all, {} each", time_text(sum.seconds / static_cast<double>(group.launches)));
    }
    if (!sum.bound_by.empty()) words += ", bound by " + bound_text(sum.bound_by);
    item("time", words);
    if (sum.seconds <= 0) return;
    const double rate = group.dram_bytes / sum.seconds;
    words = rate_text(rate);
    if (report_.device.slice > 1) words += fmt::format(" [{}]", rate_text(rate * report_.device.slice));
    if (report_.device.copy_bytes_per_second > 0) {
      words += fmt::format(", {} of the roof (what the best copy reaches)",
                           percent_text(rate / report_.device.copy_bytes_per_second));
    }
    item("DRAM", words);
    words.clear();
    for (const auto& [name, seconds] : {std::pair{"DRAM", sum.dram_seconds},
                                        {"L2", sum.l2_seconds},
                                        {"L1 and shared", sum.l1tex_seconds},
                                        {"issue", sum.issue_seconds},
                                        {"latency", sum.latency_seconds},
                                        {"launch", sum.launch_seconds}}) {
      words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name, percent_text(seconds / sum.seconds));
    }
    item("each alone", words);
  }

  // Source lines, the most wasteful first, then the most costly.
  void lines(const Group& group) {
    std::vector<const SiteReport*> sites;
    for (const SiteReport& site : group.sites) {
      if (site.requests != 0 && !cost_text(site).empty()) sites.push_back(&site);
    }
    if (sites.empty()) return;
    const auto cost = [](const SiteReport& site) { return std::max(site.sectors, 4 * site.wavefronts); };
    std::stable_sort(sites.begin(), sites.end(), [&](const SiteReport* a, const SiteReport* b) {
      const std::uint64_t wa = waste_of(*a), wb = waste_of(*b), ca = cost(*a), cb = cost(*b);
      return std::tie(wb, cb, a->file, a->line) < std::tie(wa, ca, b->file, b->line);
    });
    const bool wasteful = waste_of(*sites.front()) != 0;
    if (!wasteful) item("waste", paint_.green("none: every access takes the fewest sectors and wavefronts"));
    const auto what = [](const SiteReport& site) {
      return fmt::format("{} {} {}", place_text(site.file, site.line), name_of(site.memory),
                         name_of(site.kind));
    };
    const std::size_t shown = std::min(sites.size(), options_.lines_per_launch);
    constexpr std::string_view kHeading = "lines, the most wasteful first";
    std::size_t width = wasteful ? kHeading.size() - 2 : 0;
    for (std::size_t i = 0; i < shown; ++i) width = std::max(width, what(*sites[i]).size());
    line(fmt::format("  {:<{}}  {:>8}   each (the fewest possible)", kHeading, width + 2, "requests"));
    for (std::size_t i = 0; i < shown; ++i) {
      const SiteReport& site = *sites[i];
      std::string words =
          fmt::format("    {:<{}}  {:>8}  {}", what(site), width, count_text(site.requests), cost_text(site));
      if (waste_of(site) != 0)
        words = fmt::format("{:<{}}   {}", words, width + 40, paint_.yellow(waste_text(site)));
      line(words);
    }
    if (shown < sites.size()) line(fmt::format("    and {} more", sites.size() - shown));
  }

  void findings() {
    if (report_.findings.empty()) return;
    const auto errors = static_cast<std::size_t>(std::count_if(
        report_.findings.begin(), report_.findings.end(), [](const auto& f) { return !f.warning; }));
    const std::size_t warnings = report_.findings.size() - errors;
    line(paint_.bold(fmt::format("Findings: {} error{}, {} warning{}", errors, errors == 1 ? "" : "s",
                                 warnings, warnings == 1 ? "" : "s")));
    for (const observe::Finding& finding : report_.findings) one_finding(finding);
    text_ += '\n';
  }

  void one_finding(const observe::Finding& finding) {
    std::string kind = observe::name_of(finding.kind);
    std::replace(kind.begin(), kind.end(), '_', ' ');
    std::string head = finding.warning ? paint_.yellow("warning: " + kind) : paint_.red("error: " + kind);
    if (finding.line != 0 || !finding.file.empty()) head += " at " + place_text(finding.file, finding.line);
    if (!finding.kernel.empty()) head += " in " + shortened_name(finding.kernel);
    if (finding.occurrences > 1) head += fmt::format(", {} times", finding.occurrences);
    line("  " + head);
    line("    " + finding.message);
  }

  void footer() {
    const CopyReport& copies = report_.copies;
    if (copies.host_to_device_bytes + copies.device_to_host_bytes + copies.device_to_device_bytes != 0) {
      line(fmt::format("Copies: {} to the device, {} back, {} within it.",
                       bytes_text(static_cast<double>(copies.host_to_device_bytes)),
                       bytes_text(static_cast<double>(copies.device_to_host_bytes)),
                       bytes_text(static_cast<double>(copies.device_to_device_bytes))));
    }
    if (!report_.unsupported.empty()) {
      std::string names;
      for (const std::string& name : report_.unsupported) names += (names.empty() ? "" : ", ") + name;
      line(paint_.yellow("Not simulated, answered with cudaErrorNotSupported: " + names + "."));
    }
    line(fmt::format("Modelled time in all: {}.", time_text(report_.elapsed_seconds)));
  }

  const Report& report_;
  const TextOptions& options_;
  Paint paint_;
  std::string text_;
};

}  // namespace

std::string to_text(const Report& report, const TextOptions& options) {
  return Writer(report, options).run();
}

}  // namespace simgpu::report
