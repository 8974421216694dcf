/// @file
/// The formula of the timing model.
///
/// Each resource alone would need some time for the launch's work. If the others were free, the largest of those would be
/// the kernel's time. In truth a block's requests wait in one queue of memory after the other, and near balance the waits add
/// up: loaded latency. A sum of powers describes that well (measured: bandwidth against bytes in flight and occupancy), with
/// DRAM's own part taken at a slightly better rate, because the ceiling itself was measured with such a sum inside it. The pipes
/// of an SM overlap each other and memory: the same sum, with an exponent that leaves little but the longest.
#include "simgpu/timing/model.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>

namespace simgpu::timing {
namespace {

/// Of waits one after the other: their sum for an exponent of 1, the longest for a large one.
double sum_of_powers(std::initializer_list<double> waits, double exponent) {
  const double longest = std::max(waits);
  if (longest <= 0) return 0;
  double sum = 0;
  for (const double wait : waits) sum += std::pow(wait / longest, exponent);
  return longest * std::pow(sum, 1 / exponent);
}

double dram_seconds(const Device& device, const ModelConstants& c, const Work& work) {
  const double bytes = work.dram_read_bytes + work.dram_write_bytes;
  if (bytes <= 0) return 0;
  const double mix = std::min(work.dram_read_bytes, work.dram_write_bytes) / bytes;
  const double cost = bytes + c.isolated_access_bytes * work.dram_isolated_accesses +
                      c.row_opening_bytes * work.dram_row_openings;
  return cost / (device.dram_one_way() * (1 - c.mix_penalty * mix));
}

double l2_seconds(const Device& device, const ModelConstants& c, const Work& work) {
  const double sectors = work.l2_read_sectors + work.l2_write_sectors;
  constexpr double kSlicesPerSm = 96.0 / 132;  // of the card on which the rate was set
  const double slices = device.l2_slices() / device.sm_count / kSlicesPerSm;
  const double sector = 32 / (c.l2_bytes_per_cycle_sm * slices);
  // What atomics answer comes back sector by sector, and is short.
  const double stream = (sector * sectors + (device.l2_lone_sector_cycles - sector) * work.l2_lone_sectors +
                         c.atomic_reply_cycles * work.atomic_replies) /
                        device.sm_count;
  // Stores that fill whole lines stream; those that touch a line here and there are handled line by line.
  const double parts =
      (c.part_line_cycles * work.part_lines + c.part_sector_cycles * work.part_sectors) / device.l2_slices();
  return device.seconds(std::max({stream, parts, c.local_part_cycles * work.local_parts_max_sm}));
}

/// The pipe that shared and global memory go through. @param wavefronts all of them, or without those of shared memory.
double l1tex_seconds(const Device& device, const ModelConstants& c, const Work& work, double wavefronts) {
  const double passes = work.line_passes_max_sm > 0
                            ? work.line_passes_max_sm
                            : c.line_cycles * (work.load_lines_max_sm + work.store_lines_max_sm);
  const double data = wavefronts + passes;
  return device.seconds(std::max(
      {data, c.load_tag_cycles * work.load_tags_max_sm, c.fill_half_cycles * work.fill_halves_max_sm}));
}

/// Warps that go through a table, each at its own pace, find less of it the larger it is. Those of a few blocks that begin together go in
/// step, and find what the first of them has brought.
double uniform_miss_cycles(const Device& device, const ModelConstants& c, const Work& work) {
  const double bytes = work.uniform_bytes;
  if (bytes <= c.uniform_cache_bytes) return 0;
  const double blocks = static_cast<double>(work.blocks) / device.sm_count;
  const bool in_step = blocks <= std::min<double>(work.resident_blocks_per_sm, c.uniform_in_step_blocks);
  return work.uniform_pieces_max_sm * (in_step ? c.uniform_in_step_cycles : c.uniform_miss_cycles) *
         (1 - std::pow(c.uniform_cache_bytes / bytes, c.uniform_cache_exponent));
}

double issue_seconds(const Device& device, const Work& work) {
  // Warp instructions a clock and SM by pipe: 4 schedulers; FP32 on as many lanes as the card has, 64 of which multiply integers, too;
  // other integer instructions on 64; special functions and conversions between integers and floating point on 16.
  const double share = work.instructions > 0 ? work.instructions_max_sm / work.instructions : 0;
  const double slots = work.instructions_max_sm / 4;
  // Sums go to the integer units or to the multipliers, so that neither waits.
  const double balanced =
      std::min((work.integer + work.adder - work.multiply) / 2,
               ((work.integer + work.adder) * device.fp32_warps() - 2 * (work.fp32 + work.multiply)) /
                   (2 + device.fp32_warps()));
  const double moved = std::clamp(balanced, 0.0, work.adder);
  const double multiply = work.multiply + moved, integer = work.integer + work.adder - moved;
  const double pipe =
      std::max({(work.fp32 + multiply) / device.fp32_warps(), (work.fp32 + work.bank_waits + multiply) / 4,
                multiply / 2, work.fp64 / device.fp64_warps(), integer / 2,
                (work.special + work.conversion) / 0.5, work.tensor * device.tensor_cycles() / 4});
  return device.seconds(std::max(slots, pipe * share));
}

/// How often a block waits for memory, one wait after the other, as the scoreboard saw it.
double memory_levels(const ModelConstants& c, const Work& work) {
  double levels = 0;
  for (const SampledBlock& s : work.samples) levels += s.cycles_at_dram - s.cycles_at_l2;
  return levels / static_cast<double>(work.samples.size()) / (c.sampled_dram_cycles - c.sampled_l2_cycles);
}

/// Of the waits that a block's path holds, the share that really reach a level of memory.
/// @param waits in the path. At least one reaches it, if any request does.
/// @param sites share of the load instructions that reach it, @param sectors share of the sectors.
double waiting_share(const ModelConstants& c, double waits, double sites, double sectors) {
  const double at_least_one = waits > 1 ? 1 / waits : 1;
  return std::max(at_least_one, sites) * std::min(1.0, c.miss_weight * sectors);
}

/// Time that the blocks' own dependences need, each SM holding its resident blocks, when memory is unloaded.
double latency_seconds(const Device& device, const ModelConstants& c, const Work& work) {
  if (work.samples.empty() || work.blocks == 0) return 0;
  double cycles = 0;
  for (const SampledBlock& s : work.samples) {
    const double to_l2 = std::max(0.0, s.cycles_at_l2 - s.cycles_at_l1);
    const double to_dram = std::max(0.0, s.cycles_at_dram - s.cycles_at_l2);
    const double l2_step = c.sampled_l2_cycles - c.sampled_l1_cycles;
    const double dram_step = c.sampled_dram_cycles - c.sampled_l2_cycles;
    const double stretch = (c.dram_latency_cycles - c.sampled_l2_cycles) / dram_step;
    cycles +=
        s.cycles_at_l1 + to_l2 * waiting_share(c, to_l2 / l2_step, work.l1_miss_sites, work.l1_miss_share) +
        to_dram * stretch * waiting_share(c, to_dram / dram_step, work.l2_miss_sites, work.l2_miss_share);
  }
  cycles /= static_cast<double>(work.samples.size());
  const double wavefronts_of_block =
      work.data_wavefronts_max_sm * device.sm_count / static_cast<double>(work.blocks);
  const double block = device.seconds(cycles + c.burst * wavefronts_of_block);
  const double turnover = block + c.block_turnover_seconds + c.warp_turnover_seconds * work.warps_per_block;
  const double per_sm = std::ceil(static_cast<double>(work.blocks) / device.sm_count);
  const double waves = std::max(1.0, per_sm / work.resident_blocks_per_sm);
  // Blocks start as others end, so many waves blur into a stream; a few keep their steps.
  const double steps = waves + (std::ceil(waves) - waves) * std::exp(-(waves - 1) / 4);
  return steps * turnover;
}

/// A line of L2 is one line, however small the slice: it takes an N-th of the card's atomics in the time of all. But where there are many, and
/// each has as much to do as the next, they belong to a table that has shrunk with the slice: the card has more of them.
double busiest_atomic_seconds(const Device& device, const ModelConstants& c, const Work& work) {
  const double even = std::min(work.atomic_line_cycles, work.atomic_line_mean_cycles);
  const double alike =
      std::max(1.0, device.slice * std::min(1.0, c.fixed_atomic_lines / std::max(1.0, work.atomic_lines)));
  return device.seconds(device.slice * (work.atomic_line_cycles - even) + alike * even);
}

/// A warp that waits alone has memory idle while it does, and memory's time adds to its waiting; many fill it.
double queue_exponent(const ModelConstants& c, double warps) {
  const double filled = std::log2(std::max(1.0, warps)) / std::log2(c.queue_warps);
  return 1 + (c.queue_exponent - 1) * std::min(1.0, filled);
}

/// What a block waits for its own bursts of global accesses, beyond what a replay shows.
double burst_seconds(const Device& device, const ModelConstants& c, const Work& work) {
  const double per_sm = std::ceil(static_cast<double>(work.blocks) / device.sm_count);
  const double together = std::max(1.0, std::min<double>(work.resident_blocks_per_sm, per_sm));
  const double wavefronts = work.data_wavefronts_max_sm - work.shared_wavefronts_max_sm;
  return device.seconds(c.replayed_burst * wavefronts / together);
}

/// What the sampled blocks wait for results and each other, as they were replayed.
double alone_seconds(const Device& device, const ModelConstants& c, const Work& work) {
  return device.seconds(work.replayed_alone_cycles) + burst_seconds(device, c, work);
}

/// What an SM needs for its blocks, where they were replayed.
double sm_seconds(const Device& device, const ModelConstants& c, const Work& work, const KernelTime& t) {
  return std::max(
      {device.seconds(work.replayed_cycles), alone_seconds(device, c, work), t.l1tex, t.texture, t.issue});
}

/// All that overlaps with each other more or less: memory, the SM's own work, waiting. @param t has its parts.
/// @param sm sm_seconds(). @param l2 its own time, with what stands in its way.
double soft_seconds(const Device& device, const ModelConstants& c, const Work& work, const KernelTime& t,
                    double sm, double l2) {
  const double memory = std::hypot(t.dram / c.soft_dram, l2);
  const double l1_of_memory =
      l1tex_seconds(device, c, work, work.data_wavefronts_max_sm - work.shared_wavefronts_max_sm);
  if (work.replayed_cycles <= 0) {
    const double outside = sum_of_powers({memory, l1_of_memory, t.latency}, c.queue_exponent);
    const double inside = sum_of_powers({t.l1tex, t.constant, t.texture, t.issue}, c.pipe_exponent);
    return sum_of_powers({outside, inside}, c.pipe_exponent);
  }
  // Waiting for results adds to waiting for memory; waiting for a unit of the SM hides it. So does the L1's global side for what comes from L2: it is one
  // more queue on the way.
  const double on_the_way = work.l1_miss_share * l1_of_memory;
  const double waiting = std::min(1.0, std::max(t.latency, on_the_way) / sm);
  const double exponent =
      c.pipe_exponent + (queue_exponent(c, work.waiting_warps) - c.pipe_exponent) * waiting;
  const double soft = sum_of_powers({sum_of_powers({memory, sm}, exponent), t.constant}, c.pipe_exponent);
  // All wait for the slowest of those before them, and ask for nothing meanwhile.
  return work.looks_back ? std::max(soft, memory + t.latency) : soft;
}

}  // namespace

std::string_view name_of(Bound bound) noexcept {
  switch (bound) {
    case Bound::dram:
      return "dram";
    case Bound::l2:
      return "l2";
    case Bound::l1tex:
      return "l1tex";
    case Bound::constant:
      return "constant cache";
    case Bound::texture:
      return "texture unit";
    case Bound::issue:
      return "issue";
    case Bound::latency:
      return "latency";
    case Bound::block_launch:
      return "block launch";
    case Bound::atomics:
      return "atomics";
    case Bound::link:
      return "host link";
    case Bound::page_faults:
      return "page faults";
    case Bound::launch:
      return "launch";
  }
  return "launch";
}

double line_cycles_of(const LineCycles& line, double lines, double wavefronts) noexcept {
  constexpr double kWithin = 0.37;  // what a line takes that comes with a wavefront of its own
  if (lines <= 1) return line.first * lines;
  const double alone = std::clamp(wavefronts, 1.0, lines), beside = lines - alone;
  return line.first * (1 + kWithin * (alone - 1)) + line.second * std::min(beside, 1.0) +
         line.more * std::max(0.0, beside - 1);
}

double remote_load_cycles(const Device& device, double lines, double sectors) noexcept {
  return std::max(device.remote_line_cycles * lines, device.remote_sector_cycles * sectors);
}

KernelTime kernel_time(const Device& device, const Work& work, const ModelConstants& c) {
  KernelTime t;
  t.launch = device.launch_seconds;
  t.dram = dram_seconds(device, c, work);
  t.l2 = l2_seconds(device, c, work);
  t.l1tex = l1tex_seconds(device, c, work, work.data_wavefronts_max_sm);
  t.issue = issue_seconds(device, work);
  t.latency = latency_seconds(device, c, work);
  t.block_launch = std::ceil(static_cast<double>(work.blocks) / device.sm_count) * c.block_start_interval;
  t.constant = device.seconds(c.constant_pass_cycles * work.constant_passes_max_sm +
                              uniform_miss_cycles(device, c, work));
  t.texture = device.seconds(work.texture_cycles_max_sm);
  // All lines together have only so many units: as many as the sectors' rate stands for, each of which takes so long for a sector of lanes
  // at addresses of their own. They stand in the way of what else the L2 does.
  const double atomic_sectors = work.atomic_sectors / device.l2_atomic_sectors();
  const double atomic_units =
      std::max(atomic_sectors, work.atomic_cycles / c.atomic_sector_cycles / device.l2_atomic_sectors());
  t.atomics = std::max(busiest_atomic_seconds(device, c, work) + atomic_sectors, atomic_units);
  const double remote = device.seconds(work.remote_cycles_max_sm);
  const double written = device.seconds(c.write_sector_cycles * work.l2_write_sectors / device.l2_slices());
  t.link = work.host_link_bytes / (c.host_link_hz / device.slice);

  const bool loops = !work.samples.empty() && memory_levels(c, work) > c.loop_levels;
  const double dram = loops ? t.dram / c.loop_dram : t.dram;
  const double soft_dram = t.dram / c.soft_dram;
  const double sm = sm_seconds(device, c, work, t);
  if (work.replayed_cycles > 0) t.latency = std::min(sm, alone_seconds(device, c, work));
  const double soft = soft_seconds(device, c, work, t, sm, t.l2 + atomic_units);
  // Until the first blocks come to their atomics, nobody asks for any; the others come to theirs a little later.
  const double waves =
      std::max(1.0, static_cast<double>(work.blocks) / device.sm_count / work.resident_blocks_per_sm);
  const double atomics =
      t.atomics > 0
          ? sum_of_powers(
                {t.atomics, work.before_atomics * soft_seconds(device, c, work, t, sm, t.l2) / waves},
                c.late_atomics_exponent)
          : 0;

  struct Part {
    Bound bound;
    double seconds;
  };
  const Part hard_parts[] = {{Bound::dram, dram},       {Bound::block_launch, t.block_launch},
                             {Bound::atomics, atomics}, {Bound::l1tex, remote},
                             {Bound::l2, written},      {Bound::link, t.link}};
  const Part soft_parts[] = {{Bound::dram, soft_dram},    {Bound::l2, t.l2},
                             {Bound::l1tex, t.l1tex},     {Bound::constant, t.constant},
                             {Bound::texture, t.texture}, {Bound::issue, t.issue},
                             {Bound::latency, t.latency}};
  const auto largest = [](const auto& parts) {
    return *std::max_element(std::begin(parts), std::end(parts),
                             [](const Part& a, const Part& b) { return a.seconds < b.seconds; });
  };
  const Part hard = largest(hard_parts);
  t.total = t.launch + std::max(hard.seconds, soft);
  t.bound = soft > hard.seconds ? largest(soft_parts).bound : hard.bound;
  if (t.launch > std::max(hard.seconds, soft)) t.bound = Bound::launch;
  if (const double clock = t.launch + device.seconds(work.clock_cycles); clock > t.total) {
    t.total = clock;
    t.latency = clock - t.launch;
    t.bound = Bound::latency;
  }
  // At a barrier of the grid nobody has anything else to do.
  if (const double barriers = work.grid_barriers * device.host.grid_barrier; barriers > 0) {
    t.latency += barriers;
    t.total += barriers;
    if (t.latency > t.total / 2) t.bound = Bound::latency;
  }
  // Who asks for a page that is not there waits for it: nothing of that is hidden.
  if (work.fault_bytes > 0)
    t.page_faults = device.host.fault_start + device.host.fault_run * work.fault_runs * device.slice +
                    work.fault_bytes / (c.page_fault_hz / device.slice);
  if (t.page_faults > t.total) t.bound = Bound::page_faults;
  t.total += t.page_faults;
  return t;
}

Use use_of(const Device& device, const KernelTime& time, std::uint64_t blocks) noexcept {
  // Of a grid of few blocks some SMs know nothing.
  const double sms = std::min(1.0, static_cast<double>(blocks) / device.sm_count);
  const Use seconds = {time.dram, time.l2, time.l1tex * sms, time.issue * sms, time.atomics, time.link};
  Use use{};
  for (std::size_t i = 0; i < use.size(); ++i)
    use[i] = time.total > 0 ? std::clamp(seconds[i] / time.total, 0.0, 1.0) : 0;
  return use;
}

}  // namespace simgpu::timing
