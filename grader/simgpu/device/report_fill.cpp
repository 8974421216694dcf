/// @file
/// Plain translation between rooms that do not know each other.
#include "simgpu/device/report_fill.hpp"

#include <algorithm>
#include <cmath>

#include "simgpu/observe/coalescing.hpp"
#include "simgpu/timing/replay.hpp"

namespace simgpu::device {
namespace {

double share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

/// Which load instructions wait for memory is not counted one by one, only how many sectors were found in a cache. Hits mostly
/// belong to whole instructions: the halo of a tile, the second pass over a row. So they are given to the instructions with the
/// fewest sectors first.
/// @return share of the global loads and texture fetches (instructions of the text, not executions) that @p hits do not
/// cover. [0, 1]
double uncovered_share(const observe::Traffic& traffic, double hits) {
  std::vector<double> sectors;
  for (const observe::SiteCounters& site : traffic.sites()) {
    const bool cached = site.memory == observe::Memory::global || site.memory == observe::Memory::texture;
    if (cached && site.kind == observe::AccessKind::load && site.sectors > 0) {
      sectors.push_back(static_cast<double>(site.sectors));
    }
  }
  if (sectors.empty()) return 1;  // all that waits is the copy engine
  std::sort(sectors.begin(), sectors.end());
  double uncovered = 0;
  for (const double n : sectors) {
    const double covered = std::min(n, hits);
    hits -= covered;
    uncovered += 1 - covered / n;
  }
  return share(uncovered, static_cast<double>(sectors.size()));
}

std::uint32_t owner_of(const Gpu& gpu, const memory::Allocation& allocation, const Facts* facts) {
  if (facts != nullptr) return static_cast<std::uint32_t>(facts->device);
  const auto variable = gpu.variables.find(allocation.base);
  return variable == gpu.variables.end() ? 0 : static_cast<std::uint32_t>(variable->second);
}

constexpr std::size_t kNone = ~std::size_t{0};

const char* memory_word(memory::AllocationKind kind) {
  switch (kind) {
    case memory::AllocationKind::pinned:
    case memory::AllocationKind::registered:
      return "mapped";
    case memory::AllocationKind::managed:
      return "managed";
    default:
      return "device";
  }
}

void add(report::RoadReport& to, const observe::RoadCounters& from) {
  to.requests += from.requests;
  to.lanes += from.lanes;
  to.bytes += from.bytes;
  to.sectors += from.sectors;
}

void add(report::BufferReport& to, const observe::BufferCounters& from) {
  to.bytes += from.allocation->bytes;
  add(to.load, from.load);
  add(to.store, from.store);
  add(to.atomic, from.atomic);
  add(to.texture, from.texture);
  add(to.surface_store, from.surface_store);
  add(to.bulk_load, from.bulk_load);
  add(to.bulk_store, from.bulk_store);
  add(to.tensor_load, from.tensor_load);
  add(to.tensor_store, from.tensor_store);
  to.async_bytes += from.async_bytes;
  to.hinted_bytes += from.hinted_bytes;
}

bool of_shared_atomics(const observe::SiteCounters& site) {
  return site.memory == observe::Memory::shared && observe::is_atomic(site.kind);
}

/// Cycles of the load-store unit that all executions of a site take. Integer atomics of shared memory have a unit that does one lane
/// of a bank a cycle; floating point, and anything of 64 bits but an exchange, is a loop of compare and swap, one turn for each lane of the
/// busiest address.
double wavefronts_of(const observe::SiteCounters& site, const timing::ModelConstants& c) {
  const auto wavefronts = static_cast<double>(site.wavefronts), requests = static_cast<double>(site.requests);
  if (site.memory == observe::Memory::local && site.kind == observe::AccessKind::store)
    return wavefronts + static_cast<double>(site.passes);
  // Bytes here and there are put into their sectors one by one.
  const bool bytes = site.bytes_requested < 4 * site.lanes;
  if (site.memory == observe::Memory::global && site.kind == observe::AccessKind::store && bytes)
    return std::max(wavefronts, c.partial_store_cycles * static_cast<double>(site.passes));
  if (!of_shared_atomics(site)) return wavefronts;
  const std::string_view name = site.site->name;
  const auto has = [name](std::string_view word) { return name.find(word) != std::string_view::npos; };
  const bool wide = (has(".u64") || has(".s64") || has(".b64")) && !has(".cas") && !has(".exch");
  const bool loops = wide || (has(".add.") && (has(".f32") || has(".f64") || has(".f16") || has(".bf16")));
  // Lanes that the compiler has made one of come as one.
  if (site.one_address) return (loops ? c.shared_loop_cycles : c.shared_atomic_cycles) * requests;
  if (!loops) return std::max(wavefronts, c.shared_atomic_cycles * requests);
  // Each turn loads and swaps: banks that meet cost both.
  const auto turns = static_cast<double>(site.turns), passes = static_cast<double>(site.passes),
             ideal = static_cast<double>(site.ideal_wavefronts);
  // Eight bytes are two words; of integers the loop takes no longer for it.
  return c.shared_loop_cycles * (wide ? requests : ideal) +
         c.shared_loop_turn_cycles * std::max(0.0, turns - requests) + 2 * std::max(0.0, passes - ideal);
}

/// Blocks of the cluster beyond the first that the lanes of one execution go to.
double parts_beyond_one(const observe::SiteCounters& site, double executions) {
  return executions > 0 ? std::max(0.0, static_cast<double>(site.requests) / executions - 1) : 0;
}

/// Sums of floats in another block's shared memory: each swap is a way there and back.
bool is_remote_loop(const observe::SiteCounters& site) {
  if (site.remote_requests == 0 || !of_shared_atomics(site)) return false;
  const std::string_view name = site.site->name;
  return name.find(".add") != std::string_view::npos && name.find(".f") != std::string_view::npos;
}

/// Cycles that all executions of a site take on the way from their SMs to the shared memory of other blocks.
double remote_cycles_of(const observe::SiteCounters& site, const timing::Device& device, double executions) {
  if (site.remote_requests == 0) return 0;
  const auto lines = static_cast<double>(site.remote_lines), lanes = static_cast<double>(site.remote_lanes);
  if (site.kind == observe::AccessKind::store) return device.remote_store_line_cycles * lines;
  if (site.kind == observe::AccessKind::load)
    return timing::remote_load_cycles(device, lines, static_cast<double>(site.remote_sectors));
  // Where a block's atomics come from several others, each line is nearly as slow as an address that others are at.
  constexpr double kOfTurn = 0.8;
  const double spread = kOfTurn * std::clamp(parts_beyond_one(site, executions), 0.0, 1.0);
  const double line = device.remote_line_cycles +
                      spread * std::max(0.0, device.remote_turn_cycles - device.remote_line_cycles);
  return line * lines + device.remote_lane_cycles * (lanes - lines) +
         device.remote_turn_cycles * static_cast<double>(site.remote_turns);
}

bool of_global(const observe::SiteCounters& site) {
  return site.memory == observe::Memory::global || site.memory == observe::Memory::local ||
         site.memory == observe::Memory::texture;
}
/// Textures have a unit of their own.
bool in_load_store_unit(const observe::SiteCounters& site) {
  return of_global(site) && site.memory != observe::Memory::texture;
}
constexpr double kTextureParts = 100;  // of a cycle, in which its unit's time is counted

/// Lines are counted by SM, sectors by instruction: what the lines of one are, as its part of the sectors says.
class Lines {
 public:
  explicit Lines(const observe::Traffic& traffic) {
    for (const observe::SmTraffic& sm : traffic.sms()) {
      loads_ += static_cast<double>(sm.load_lines);
      stores_ += static_cast<double>(sm.store_lines);
      busiest_ = std::max(busiest_, static_cast<double>(sm.load_lines + sm.store_lines));
    }
    for (const observe::SiteCounters& site : traffic.sites())
      if (in_load_store_unit(site))
        (site.kind == observe::AccessKind::store ? store_sectors_ : load_sectors_) +=
            static_cast<double>(site.sectors);
  }
  double of(const observe::SiteCounters& site) const {
    const auto sectors = static_cast<double>(site.sectors);
    return site.kind == observe::AccessKind::store ? share(stores_ * sectors, store_sectors_)
                                                   : share(loads_ * sectors, load_sectors_);
  }
  /// Part of all lines that are the busiest SM's.
  double busiest_part() const { return share(busiest_, loads_ + stores_); }

 private:
  double loads_ = 0, stores_ = 0, load_sectors_ = 0, store_sectors_ = 0, busiest_ = 0;
};

timing::LineCycles line_cycles_of(const observe::SiteCounters& site, const timing::ModelConstants& c) {
  const double hits = share(static_cast<double>(site.l1_hit_sectors), static_cast<double>(site.sectors));
  const bool by_fours = site.memory == observe::Memory::global && site.kind == observe::AccessKind::load;
  timing::LineCycles line;
  line.first = c.line_cycles + hits * (c.hit_line_cycles - c.line_cycles);
  if (by_fours) line.more += hits * (c.hit_more_line_cycles - line.more);
  return line;
}

/// What a launch leaves to be written back is in the L2 when it ends. If that had room enough for all, the next launch writes to the same lines, and
/// nothing goes to DRAM; if it had not, the next launch has to wait for what this one left. (An H100 keeps 22 to 24 of its 50 MB for that.)
double written_to_dram(const observe::Counters& c, const timing::Device& device) {
  constexpr double kFits = 0.43, kOverflows = 0.53;  // of the L2
  const auto left = static_cast<double>(c.dram_flushed_bytes), all = static_cast<double>(c.dram_write_bytes);
  const double part = all / static_cast<double>(device.l2_bytes);
  return all - left + left * std::clamp((part - kFits) / (kOverflows - kFits), 0.0, 1.0);
}

/// Do nearly all blocks look at what others have published, each at some words of its own? A few may look at what all have: the last one, which adds up.
bool looks_back(const observe::SiteCounters& site, const exec::Launch& launch) {
  return 5 * std::min(site.looks.blocks, site.looks.words) >= 4 * launch.grid.count();
}

/// Of what a warp with atomics of global memory executes, the part before the first of them. Of a long warp only the first steps were kept, and they
/// are a loop's turns: if there is none among them, they come at its end.
double before_atomics(const exec::Result& result, const observe::Traffic& traffic) {
  std::vector<bool> atomic(result.site_executions.size(), false);
  for (const observe::SiteCounters& site : traffic.sites())
    if (of_global(site) && site.site->id < atomic.size() && observe::is_atomic(site.kind))
      atomic[site.site->id] = true;
  double parts = 0, warps = 0;
  for (const exec::BlockTime& block : result.sampled_blocks)
    for (const exec::WarpTrace& warp : block.trace.warps) {
      const auto first = std::find_if(warp.steps.begin(), warp.steps.end(), [&](const exec::Step& s) {
        return s.site < atomic.size() && atomic[s.site];
      });
      const auto kept = static_cast<double>(warp.steps.size()), all = static_cast<double>(warp.instructions);
      if (first != warp.steps.end())
        parts += static_cast<double>(first - warp.steps.begin()) / std::max(kept, all), ++warps;
      else if (kept > 0 && all > kept)
        ++parts, ++warps;
    }
  return share(parts, warps);
}

/// The sampled blocks as one SM would run its share of the launch.
timing::Replayed replay(const exec::Launch& launch, const exec::Result& result,
                        const observe::Traffic& traffic, const timing::Device& device) {
  const timing::ModelConstants constants;
  timing::Replay in;
  in.own_floats = device.fp32_warps() > 2;
  in.fp64_cycles = 4 / device.fp64_warps();
  in.tensor_cycles = device.tensor_cycles();
  for (const exec::BlockTime& block : result.sampled_blocks) {
    bool kept = false;
    for (const exec::WarpTrace& warp : block.trace.warps) kept = kept || !warp.steps.empty();
    if (kept) in.blocks.push_back(&block.trace);
  }
  if (in.blocks.empty()) return {};
  const Lines lines(traffic);
  // What another instruction's access brings along (lower/joins.cpp) costs nothing.
  in.sites.assign(result.site_executions.size(),
                  {.wavefronts = 0, .lines = 0, .beyond_l1 = 0, .beyond_l2 = 0, .tags = 0});
  for (const observe::SiteCounters& site : traffic.sites()) {
    if (site.site->id >= in.sites.size()) continue;
    const auto executions = static_cast<double>(result.site_executions[site.site->id]);
    if (executions == 0) continue;
    timing::SiteCost& cost = in.sites[site.site->id];
    const auto sectors = static_cast<double>(site.sectors);
    cost.wavefronts = wavefronts_of(site, constants) / executions;
    if (site.memory == observe::Memory::shared && site.remote_requests != 0) {
      cost.remote = remote_cycles_of(site, device, executions) / executions;
      cost.remote_wait = device.remote_part_cycles * parts_beyond_one(site, executions);
      if (is_remote_loop(site)) {
        cost.remote_loop = true;
        cost.remote_wait +=
            std::max(0.0, device.remote_loop_cycles - device.remote_latency_cycles) +
            device.remote_loop_turn_cycles * share(static_cast<double>(site.remote_turns), executions);
      }
    }
    if (!of_global(site)) continue;
    if (looks_back(site, launch))
      cost.look_back = (site.looks.most_blocks > 1 ? constants.look_back_cycles
                                                   : constants.look_back_one_cycles * device.slice) *
                       share(static_cast<double>(site.looks.requests), executions);
    const bool texture = !in_load_store_unit(site);
    if (texture) cost.wavefronts = static_cast<double>(site.texture_cycles) / kTextureParts / executions;
    cost.lines = texture ? 0 : lines.of(site) / executions;
    cost.line = line_cycles_of(site, constants);
    // What the L1 has passes its tags four lines at once; what the L2 has to send comes line by line.
    const auto tags = static_cast<double>(site.tag_passes);
    cost.tags = site.kind == observe::AccessKind::load
                    ? (static_cast<double>(site.fills) +
                       tags * share(static_cast<double>(site.l1_hit_sectors), sectors)) /
                          executions
                    : tags / executions;
    if (site.memory == observe::Memory::global && site.kind == observe::AccessKind::load) {
      cost.beyond_l1 = std::min(1.0, static_cast<double>(site.beyond_l1_requests) / executions);
      cost.beyond_l2 = std::min(1.0, static_cast<double>(site.beyond_l2_requests) / executions);
      cost.of_host =
          share(static_cast<double>(site.host_requests), static_cast<double>(site.beyond_l2_requests));
      continue;
    }
    const auto misses = sectors - static_cast<double>(site.l1_hit_sectors);
    const auto far = misses - static_cast<double>(site.l2_hit_sectors);
    cost.beyond_l1 = std::min(1.0, constants.miss_weight * share(misses, sectors));
    cost.beyond_l2 = std::min(1.0, constants.miss_weight * share(far, sectors));
  }
  in.instructions_per_block = share(static_cast<double>(result.mix.warp_instructions + result.mix.off),
                                    static_cast<double>(launch.grid.count()));
  in.longest_warp =
      static_cast<double>(result.max_warp_instructions) *
      (1 + share(static_cast<double>(result.mix.off), static_cast<double>(result.mix.warp_instructions)));
  in.blocks_per_sm = (launch.grid.count() + launch.sm_count - 1) / std::max(1u, launch.sm_count);
  in.resident = launch.resident_blocks_per_sm;
  in.dram_latency = constants.dram_latency_cycles;
  in.host_latency = device.host.load_latency * device.clock_hz;
  in.l2_latency = constants.sampled_l2_cycles;
  in.l1_latency = constants.sampled_l1_cycles;
  in.remote_latency = device.remote_latency_cycles;
  in.fence_cycles = device.fence_cycles;
  in.shortest_block = device.remote_loop_turn_cycles * traffic.remote_loop_lanes();
  // A wait for one copy of several that are under way takes its part of the latency.
  const observe::Counters& c = traffic.counters();
  const double far =
      c.l2_read_sectors == 0
          ? 1
          : std::min(1.0, constants.miss_weight *
                              share(static_cast<double>(c.l2_read_sectors - c.l2_read_hit_sectors),
                                    static_cast<double>(c.l2_read_sectors)));
  in.copy_latency = (device.bulk_l2_latency_cycles +
                     far * std::max(0.0, constants.dram_latency_cycles - device.bulk_l2_latency_cycles)) /
                    (1 + share(static_cast<double>(c.async_copies_left), static_cast<double>(c.async_waits)));
  const double warps = static_cast<double>((launch.block.count() + 31) / 32);
  in.turnover = (constants.block_turnover_seconds + constants.warp_turnover_seconds * warps +
                 (launch.cluster.count() > 1 ? constants.cluster_turnover_seconds : 0)) *
                device.clock_hz;
  in.start_interval = constants.block_start_interval * device.clock_hz;
  in.first_interval = std::max(constants.first_block_cycles, constants.first_warp_cycles * warps);
  return timing::replay(in);
}

}  // namespace

timing::Work work_of(const exec::Launch& launch, const exec::Result& result, const observe::Traffic& traffic,
                     const timing::Device& device) {
  const observe::Counters& c = traffic.counters();
  timing::Work work;
  work.blocks = launch.grid.count();
  work.warps_per_block = static_cast<std::uint32_t>((launch.block.count() + 31) / 32);
  work.resident_blocks_per_sm = launch.resident_blocks_per_sm;
  work.dram_read_bytes = static_cast<double>(c.dram_read_bytes);
  work.dram_isolated_accesses = static_cast<double>(c.dram_isolated_accesses);
  work.dram_row_openings = static_cast<double>(traffic.dram_row_openings());
  work.dram_write_bytes = written_to_dram(c, device);
  work.host_link_bytes = traffic.link_bytes();
  work.l2_read_sectors = static_cast<double>(c.l2_read_sectors);
  work.l2_write_sectors = static_cast<double>(c.l2_write_sectors);
  for (const observe::SmTraffic& sm : traffic.sms())
    work.l2_lone_sectors += static_cast<double>(sm.lone_sectors);
  work.atomic_sectors = static_cast<double>(c.l2_atomic_sectors + c.l2_reduction_sectors);
  work.atomic_cycles = traffic.all_atomic_cycles();
  work.atomic_line_cycles = traffic.busiest_atomic_line_cycles();
  work.atomic_lines = static_cast<double>(traffic.atomic_units().count);
  work.atomic_line_mean_cycles = traffic.atomic_units().mean_cycles;
  work.atomic_replies = static_cast<double>(c.l2_atomic_sectors);
  if (work.atomic_sectors > 0) work.before_atomics = before_atomics(result, traffic);
  const double sms = std::max<double>(1, launch.sm_count);
  // Shared memory is not counted per SM; the busiest SM's share of all wavefronts stands for its share of those.
  double data = 0, all_data = 0;
  for (const observe::SmTraffic& sm : traffic.sms()) {
    const auto wavefronts = static_cast<double>(sm.data_wavefronts + sm.local_store_passes);
    data = std::max(data, wavefronts);
    all_data += wavefronts;
    const auto raise = [](double& most, std::uint64_t n) { most = std::max(most, static_cast<double>(n)); };
    work.part_lines += static_cast<double>(sm.part_lines);
    work.part_sectors += static_cast<double>(sm.part_sectors);
    raise(work.local_parts_max_sm, sm.local_store_passes);
    raise(work.store_lines_max_sm, sm.store_lines);
    raise(work.load_lines_max_sm, sm.load_lines);
    raise(work.load_tags_max_sm, sm.load_tags);
    raise(work.fill_halves_max_sm, sm.lone_sectors + (sm.fill_sectors - sm.lone_sectors) / 2);
    raise(work.constant_passes_max_sm, sm.constant_passes);
    raise(work.uniform_pieces_max_sm, sm.uniform_pieces);
    if (sm.uniform_pieces != 0) raise(work.uniform_bytes, sm.uniform_end - sm.uniform_begin);
    raise(work.texture_cycles_max_sm, sm.texture_cycles);
  }
  work.texture_cycles_max_sm /= kTextureParts;
  const double busiest = all_data > 0 ? data / all_data : 1 / sms;
  const timing::ModelConstants constants;
  double atomics = 0, atomic_wavefronts = 0, partial_stores = 0;
  for (const observe::SiteCounters& site : traffic.sites()) {
    if (site.memory == observe::Memory::global && site.kind == observe::AccessKind::store)
      partial_stores += wavefronts_of(site, constants) - static_cast<double>(site.wavefronts);
    if (!of_shared_atomics(site)) continue;
    atomics += wavefronts_of(site, constants);
    atomic_wavefronts += static_cast<double>(site.wavefronts);
  }
  // What all lanes of a warp jump over passes the load-store unit too; most of it is of shared memory.
  const double off = static_cast<double>(result.mix.off_memory) / sms;
  work.data_wavefronts_max_sm = data + off + busiest * (atomics - atomic_wavefronts + partial_stores);
  work.shared_wavefronts_max_sm =
      off + busiest * (static_cast<double>(c.shared_load_wavefronts + c.shared_store_wavefronts +
                                           c.async_copy_wavefronts) +
                       atomics);
  const Lines lines(traffic);
  for (const observe::SiteCounters& site : traffic.sites()) {
    const auto requests = static_cast<double>(site.requests);
    if (in_load_store_unit(site) && requests > 0)
      work.line_passes_max_sm +=
          lines.busiest_part() * requests *
          timing::line_cycles_of(line_cycles_of(site, constants), lines.of(site) / requests,
                                 static_cast<double>(site.wavefronts) / requests);
  }
  double asked = 0;
  for (const observe::SiteCounters& site : traffic.sites())
    if (site.memory == observe::Memory::shared && site.remote_requests != 0)
      asked += remote_cycles_of(site, device, static_cast<double>(result.site_executions[site.site->id]));
  // Blocks of one rank share SMs: those of a cluster lie on as many, side by side, and the next cluster's lie there again.
  const double ranks = static_cast<double>(launch.cluster.count());
  work.remote_cycles_max_sm =
      std::max(asked / sms, device.remote_served_line_cycles *
                                static_cast<double>(traffic.busiest_rank_served_lines()) * ranks / sms);
  work.instructions = static_cast<double>(result.mix.warp_instructions + result.mix.expanded);
  work.instructions_max_sm =
      exec::kSchedulers * static_cast<double>(result.max_warp_instructions_per_scheduler) *
      (1 +
       share(static_cast<double>(result.mix.expanded), static_cast<double>(result.mix.warp_instructions)));
  work.multiply = static_cast<double>(result.mix.multiply);
  work.adder = static_cast<double>(result.mix.adder);
  work.fp32 = static_cast<double>(result.mix.fp32);
  work.bank_waits = static_cast<double>(result.mix.bank_waits);
  work.fp64 = static_cast<double>(result.mix.fp64);
  work.tensor = static_cast<double>(result.mix.tensor);
  work.integer = static_cast<double>(result.mix.integer);
  work.special = static_cast<double>(result.mix.special);
  work.conversion = static_cast<double>(result.mix.conversion);
  // Textures wait in the same places; the copy engine's loads come from L2 and beyond.
  const auto loads = static_cast<double>(c.global_load_sectors + c.texture_sectors +
                                         c.bulk_load_bytes / observe::kSectorBytes);
  const auto l1_hits = static_cast<double>(c.global_load_hit_sectors + c.texture_hit_sectors);
  const auto l2_hits = static_cast<double>(c.l2_read_hit_sectors);
  work.l1_miss_share = share(loads - l1_hits, loads);
  work.l2_miss_share = share(static_cast<double>(c.l2_read_sectors) - l2_hits, loads);
  work.l1_miss_sites = uncovered_share(traffic, l1_hits);
  work.l2_miss_sites = uncovered_share(traffic, l1_hits + l2_hits);
  for (const exec::BlockTime& block : result.sampled_blocks) {
    work.samples.push_back({block.cycles_at_l1, block.cycles_at_l2, block.cycles_at_dram});
  }
  const double together =
      std::min<double>(work.resident_blocks_per_sm, std::ceil(static_cast<double>(work.blocks) / sms));
  const double copies = c.async_waits != 0 ? 1 + share(static_cast<double>(c.async_copies_left),
                                                       static_cast<double>(c.async_waits))
                                           : 0;
  work.waiting_warps = together * std::max(copies, share(static_cast<double>(c.touching_warps),
                                                         static_cast<double>(c.touching_blocks)));
  for (const observe::SiteCounters& site : traffic.sites())
    work.looks_back = work.looks_back || looks_back(site, launch);
  const timing::Replayed replayed = replay(launch, result, traffic, device);
  work.replayed_cycles = replayed.cycles;
  work.replayed_alone_cycles = replayed.alone;
  return work;
}

report::TimingReport timing_report(const timing::KernelTime& time, const timing::Occupancy& occupancy) {
  report::TimingReport out;
  out.seconds = time.total;
  out.bound_by = timing::name_of(time.bound);
  out.launch_seconds = time.launch;
  out.dram_seconds = time.dram;
  out.l2_seconds = time.l2;
  out.l1tex_seconds = time.l1tex;
  out.issue_seconds = time.issue;
  out.latency_seconds = time.latency;
  out.occupancy = occupancy.fraction;
  out.resident_blocks_per_sm = occupancy.blocks_per_sm;
  out.occupancy_limiter = timing::name_of(occupancy.limiter);
  return out;
}

std::vector<report::Counter> counters_of(const observe::Traffic& traffic, const exec::Result& result) {
  std::vector<report::Counter> out;
  for (const observe::CounterName& counter : observe::kCounterNames) {
    out.emplace_back(counter.name, traffic.counters().*counter.field);
  }
  std::uint64_t bytes = 0, threads = 0;
  for (const exec::BlockTime& block : result.sampled_blocks) {
    bytes += block.waiting_bytes;
    threads += block.waiting_threads;
  }
  out.emplace_back("simgpu__load_bytes_in_flight.sum", bytes);
  out.emplace_back("simgpu__load_waiting_threads.sum", threads);
  return out;
}

std::vector<report::SiteReport> sites_of(const observe::Traffic& traffic) {
  std::vector<report::SiteReport> out;
  for (const observe::SiteCounters& site : traffic.sites()) {
    report::SiteReport entry;
    entry.file = site.site->file;
    entry.line = site.site->line;
    entry.instruction = site.site->name;
    entry.memory = site.memory;
    entry.kind = site.kind;
    entry.requests = site.requests;
    entry.lanes = site.lanes;
    entry.bytes_requested = site.bytes_requested;
    entry.sectors = site.sectors;
    entry.ideal_sectors = site.ideal_sectors;
    entry.wavefronts = site.wavefronts;
    entry.ideal_wavefronts = site.ideal_wavefronts;
    entry.l1_hit_sectors = site.l1_hit_sectors;
    entry.l2_hit_sectors = site.l2_hit_sectors;
    entry.hinted_bytes = site.hinted_bytes;
    entry.hint = site.hint;
    entry.non_coherent = site.non_coherent;
    out.push_back(std::move(entry));
  }
  return out;
}

std::vector<report::BufferReport> buffers_of(const Gpu& gpu, const observe::Traffic& traffic,
                                             std::uint64_t& omitted) {
  std::vector<report::BufferReport> out;
  std::size_t heap = kNone;
  omitted = 0;
  for (const observe::BufferCounters& buffer : traffic.buffers()) {
    const memory::Allocation& allocation = *buffer.allocation;
    if (allocation.name == exec::kGridWorkspace) continue;  // the system's
    const Facts* facts = gpu.facts_of(allocation);
    const bool of_heap = facts != nullptr && facts->origin == Facts::Origin::heap;
    if (of_heap && heap != kNone) {
      add(out[heap], buffer);
      continue;
    }
    if (out.size() == report::kMostBuffers) {
      ++omitted;
      continue;
    }
    if (of_heap) heap = out.size();
    report::BufferReport& entry = out.emplace_back();
    entry.allocation = allocation.id;
    if (allocation.kind != memory::AllocationKind::registered && !of_heap) entry.base = allocation.base;
    entry.memory = memory_word(allocation.kind);
    entry.kind = gpu.kind_of(allocation);
    entry.name = allocation.name;
    entry.device = owner_of(gpu, allocation, facts);
    add(entry, buffer);
  }
  return out;
}

}  // namespace simgpu::device
