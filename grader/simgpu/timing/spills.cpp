/// @file
/// What ptxas moved to local memory for lack of registers. PTX has no trace of it, so no counter holds it; the clock adds it here, as the
/// code's average over its run. A launch bound that spills 64 sums of a thread made a kernel 14 times slower on an H200.
#include <algorithm>

#include "simgpu/timing/model.hpp"

namespace simgpu::timing {

void add_spills(Work& work, const Device& device, const Spills& spills) {
  if (spills.bytes <= 0 || work.blocks == 0) return;
  const double sms = device.sm_count;
  const double per_sm = static_cast<double>(work.blocks) / sms;
  // A word of each lane is one request, of one line and four sectors; half of them load.
  const double warps = static_cast<double>(work.blocks) * work.warps_per_block;
  const double requests = spills.bytes / 4 * spills.passes * warps, loads = requests / 2;
  const double together = std::max(1.0, std::min<double>(work.resident_blocks_per_sm, per_sm));
  const double footprint = together * spills.threads_per_block * spills.frame_bytes;
  // What is passed again and again in turn is all there or, a little beyond the cache's size, not at all.
  const double missed =
      spills.l1_bytes <= 0 ? 1 : std::clamp(2 * (footprint / spills.l1_bytes - 0.8), 0.0, 1.0);
  work.data_wavefronts_max_sm += requests / sms;
  work.load_lines_max_sm += loads / sms;
  work.load_tags_max_sm += loads / sms;
  work.fill_halves_max_sm += 2 * loads * missed / sms;
  work.store_lines_max_sm += loads / sms;
  work.l2_write_sectors += 4 * loads;
  work.l2_read_sectors += 4 * loads * missed;
  work.instructions += requests;
  work.instructions_max_sm += requests / sms;
  // Of what the L2 cannot hold either, DRAM sees both ways. A place is stored anew by the next block in it: until then as much streams through the L2
  // as a wave of blocks moves, and takes it along. ("Spectra of sixteen points in 32 registers a thread", H200: 81 % of 140 MB of spills reach DRAM.)
  constexpr double kWrittenBack = 0.8;
  const auto part_beyond = [&](double bytes) {
    return std::clamp(2 * (bytes / static_cast<double>(device.l2_bytes) - 0.5), 0.0, 1.0);
  };
  const double waves = std::max(1.0, per_sm / together);
  const double a_wave = (work.dram_read_bytes + work.dram_write_bytes) / waves;
  const double beyond = part_beyond(footprint * sms);
  work.dram_read_bytes += 128 * loads * missed * beyond;
  work.dram_write_bytes +=
      128 * loads * std::max(beyond, kWrittenBack * part_beyond(footprint * sms + a_wave));
  if (work.replayed_cycles > 0) work.replayed_cycles += requests / sms;
}

}  // namespace simgpu::timing
