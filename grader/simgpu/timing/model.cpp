/// @file
/// The formula of the timing model.
///
/// Each resource alone would need some time for the launch's work. If the others were free, the largest of those would be
/// the kernel's time. In truth work waits in one queue after the other, and near balance the waits add up: loaded latency.
/// A square sum of the parts describes that well (measured: bandwidth against bytes in flight and against occupancy), with
/// DRAM's own part taken at a slightly better rate, because the ceiling itself was measured with such a sum inside it.
#include "simgpu/timing/model.hpp"

#include <algorithm>
#include <cmath>

namespace simgpu::timing {
namespace {

double dram_seconds(const Device& device, const ModelConstants& c, const Work& work) {
  const double bytes = work.dram_read_bytes + work.dram_write_bytes;
  if (bytes <= 0) return 0;
  const double mix = std::min(work.dram_read_bytes, work.dram_write_bytes) / bytes;
  return bytes / (device.dram_one_way() * (1 - c.mix_penalty * mix));
}

double l2_seconds(const Device& device, const ModelConstants& c, const Work& work) {
  const double sectors = work.l2_read_sectors + work.l2_write_sectors + 2 * work.atomic_sectors;
  const double stream = 32 * sectors / (c.l2_bytes_per_cycle_sm * device.sm_count);
  // Stores that fill whole lines stream; those that touch a line here and there are handled line by line.
  const double scattered = work.scattered_share * (c.scattered_sector_cycles * work.store_sectors_max_sm +
                                                   c.scattered_line_cycles * work.store_lines_max_sm);
  return device.seconds(std::max(stream, scattered));
}

double l1tex_seconds(const Device& device, const ModelConstants& c, const Work& work) {
  const double data = work.data_wavefronts_max_sm + c.lsu_request_cycles * work.global_requests_max_sm;
  return device.seconds(std::max(data, work.tag_wavefronts_max_sm));
}

double issue_seconds(const Device& device, const Work& work) {
  // Warp instructions a clock and SM by pipe: 4 schedulers; FP32 on 128 lanes, FP64 and integer on 64, special and conversions on 16.
  const double share = work.instructions > 0 ? work.instructions_max_sm / work.instructions : 0;
  const double slots = work.instructions_max_sm / 4;
  const double pipe = std::max({work.fp32 / 4, work.fp64 / 2, work.integer / 2, (work.special + work.conversion) / 0.5});
  return device.seconds(std::max(slots, pipe * share));
}

/// Time that the blocks' own dependences need, each SM holding its resident blocks, when memory is unloaded.
double latency_seconds(const Device& device, const ModelConstants& c, const Work& work) {
  if (work.samples.empty() || work.blocks == 0) return 0;
  double cycles = 0;
  for (const SampledBlock& s : work.samples) {
    const double to_l2 = std::max(0.0, s.cycles_at_l2 - s.cycles_at_l1) * work.l1_miss_share;
    const double stretch =
        (c.dram_latency_cycles - c.sampled_l2_cycles) / (c.sampled_dram_cycles - c.sampled_l2_cycles);
    const double to_dram = std::max(0.0, s.cycles_at_dram - s.cycles_at_l2) * stretch * work.l2_miss_share;
    cycles += s.cycles_at_l1 + to_l2 + to_dram;
  }
  const double block = device.seconds(cycles / static_cast<double>(work.samples.size()));
  const double turnover = block + c.block_turnover_seconds + c.warp_turnover_seconds * work.warps_per_block;
  const double per_sm = std::ceil(static_cast<double>(work.blocks) / device.sm_count);
  const double waves = std::max(1.0, per_sm / work.resident_blocks_per_sm);
  // Blocks start as others end, so many waves blur into a stream; a few keep their steps.
  const double steps = waves + (std::ceil(waves) - waves) * std::exp(-(waves - 1) / 4);
  return steps * turnover;
}

}  // namespace

const ModelConstants& model_constants() noexcept {
  static const ModelConstants constants;
  return constants;
}

std::string_view name_of(Bound bound) noexcept {
  switch (bound) {
    case Bound::dram: return "dram";
    case Bound::l2: return "l2";
    case Bound::l1tex: return "l1tex";
    case Bound::issue: return "issue";
    case Bound::latency: return "latency";
    case Bound::block_launch: return "block launch";
    case Bound::atomics: return "atomics";
    case Bound::link: return "host link";
    case Bound::launch: return "launch";
  }
  return "launch";
}

KernelTime kernel_time(const Device& device, const Work& work) {
  const ModelConstants& c = model_constants();
  KernelTime t;
  t.launch = device.launch_seconds;
  t.dram = dram_seconds(device, c, work);
  t.l2 = l2_seconds(device, c, work);
  t.l1tex = l1tex_seconds(device, c, work);
  t.issue = issue_seconds(device, work);
  t.latency = latency_seconds(device, c, work);
  t.block_launch = std::ceil(static_cast<double>(work.blocks) / device.sm_count) * c.block_start_interval;
  t.atomics = work.atomics_on_one_address / (c.atomic_same_address_hz / device.slice);
  t.link = work.host_link_bytes / (c.host_link_hz / device.slice);

  const double soft = std::sqrt(std::pow(t.dram / c.soft_dram, 2) + t.l2 * t.l2 + t.l1tex * t.l1tex +
                                t.issue * t.issue + t.latency * t.latency);
  struct Part {
    Bound bound;
    double seconds;
  };
  const Part parts[] = {{Bound::dram, t.dram},       {Bound::l2, t.l2},
                        {Bound::l1tex, t.l1tex},     {Bound::issue, t.issue},
                        {Bound::latency, t.latency}, {Bound::block_launch, t.block_launch},
                        {Bound::atomics, t.atomics}, {Bound::link, t.link},
                        {Bound::launch, t.launch}};
  double hardest = 0;
  for (const Part& part : parts) {
    if (part.seconds > hardest) hardest = part.seconds, t.bound = part.bound;
  }
  const double hard = std::max({t.dram, t.block_launch, t.atomics, t.link});
  t.total = t.launch + std::max(hard, soft);
  return t;
}

}  // namespace simgpu::timing
