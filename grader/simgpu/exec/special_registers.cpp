/// @file
/// Special registers. Clocks are the warp's own (warp_clock.hpp): the same in every run.
#include "simgpu/exec/state.hpp"
#include "simgpu/exec/warp_clock.hpp"
#include "simgpu/lower/builder.hpp"

namespace simgpu::exec {
namespace {

/// The time of the card on which the launch runs. [cycles]
double time_of(Warp& w) {
  const Machine& m = *w.machine;
  return m.launch.clock.begin + w.clock->now() + static_cast<double>(m.clock_ahead);
}

u64 nanoseconds(double cycles, const ClockRates& rates) {
  return static_cast<u64>(cycles / rates.hz * 1e9);
}

}  // namespace

void read_special_register(Warp& w, const Ins& ins, u32 mask) {
  using lower::Special;
  const Machine& m = *w.machine;
  const Launch& launch = m.launch;
  const observe::Dim3 cluster = launch.cluster;
  const auto which = static_cast<Special>(ins.imm);
  u32 rows[32];
  const u32* from = rows;
  auto fill = [&](u32 v) {
    for (u32& r : rows) r = v;
  };
  u64 wide = 0;
  u64 clock = 0;
  if (lower::is_clock(which)) {
    const double time = time_of(w);
    clock = which >= Special::globaltimer ? nanoseconds(time, launch.clock) : static_cast<u64>(time);
  }
  switch (which) {
    case Special::tid_x:
    case Special::tid_y:
    case Special::tid_z:
      from = m.thread_rows.data() + 96 * w.id.warp +
             32 * (static_cast<u32>(which) - static_cast<u32>(Special::tid_x));
      break;
    case Special::ntid_x:
      fill(launch.block.x);
      break;
    case Special::ntid_y:
      fill(launch.block.y);
      break;
    case Special::ntid_z:
      fill(launch.block.z);
      break;
    case Special::ctaid_x:
      fill(w.id.block.x);
      break;
    case Special::ctaid_y:
      fill(w.id.block.y);
      break;
    case Special::ctaid_z:
      fill(w.id.block.z);
      break;
    case Special::nctaid_x:
      fill(launch.grid.x);
      break;
    case Special::nclusterid_x:
      fill(launch.grid.x / cluster.x);
      break;
    case Special::nctaid_y:
      fill(launch.grid.y);
      break;
    case Special::nclusterid_y:
      fill(launch.grid.y / cluster.y);
      break;
    case Special::nctaid_z:
      fill(launch.grid.z);
      break;
    case Special::nclusterid_z:
      fill(launch.grid.z / cluster.z);
      break;
    case Special::clusterid_x:
      fill(w.id.block.x / cluster.x);
      break;
    case Special::cluster_ctaid_x:
      fill(w.id.block.x % cluster.x);
      break;
    case Special::clusterid_y:
      fill(w.id.block.y / cluster.y);
      break;
    case Special::cluster_ctaid_y:
      fill(w.id.block.y % cluster.y);
      break;
    case Special::clusterid_z:
      fill(w.id.block.z / cluster.z);
      break;
    case Special::cluster_ctaid_z:
      fill(w.id.block.z % cluster.z);
      break;
    case Special::laneid:
      for (u32 l = 0; l < 32; ++l) rows[l] = l;
      break;
    case Special::warpid:
      fill(w.id.warp);
      break;
    case Special::nwarpid:
      fill(64);
      break;
    case Special::smid:
      fill(w.id.sm);
      break;
    case Special::nsmid:
      fill(launch.sm_count);
      break;
    case Special::lanemask_eq:
      for (u32 l = 0; l < 32; ++l) rows[l] = 1u << l;
      break;
    case Special::lanemask_le:
      for (u32 l = 0; l < 32; ++l) rows[l] = kFull >> (31 - l);
      break;
    case Special::lanemask_lt:
      for (u32 l = 0; l < 32; ++l) rows[l] = (1u << l) - 1;
      break;
    case Special::lanemask_ge:
      for (u32 l = 0; l < 32; ++l) rows[l] = kFull << l;
      break;
    case Special::lanemask_gt:
      for (u32 l = 0; l < 32; ++l) rows[l] = l == 31 ? 0 : kFull << (l + 1);
      break;
    case Special::clock:
      fill(static_cast<u32>(clock));
      break;
    case Special::clock_hi:
      fill(static_cast<u32>(clock >> 32));
      break;
    case Special::clock64:
      wide = clock;
      break;
    case Special::globaltimer:
      wide = clock;
      break;
    case Special::globaltimer_lo:
      fill(static_cast<u32>(clock));
      break;
    case Special::globaltimer_hi:
      fill(static_cast<u32>(clock >> 32));
      break;
    case Special::dynamic_smem_size:
      fill(launch.dynamic_shared_bytes);
      break;
    case Special::total_smem_size:
      fill(launch.kernel->static_shared_bytes + launch.dynamic_shared_bytes);
      break;
    case Special::reserved_smem_begin:
      fill(m.shared_bytes - lower::kReservedShared);
      break;
    case Special::reserved_smem_end:
      fill(m.shared_bytes);
      break;
    case Special::aggr_smem_size:
      fill(launch.kernel->static_shared_bytes + launch.dynamic_shared_bytes + lower::kReservedShared);
      break;
    case Special::reserved_smem_size:
      fill(lower::kReservedShared);
      break;
    case Special::cluster_nctaid_x:
      fill(cluster.x);
      break;
    case Special::cluster_nctaid_y:
      fill(cluster.y);
      break;
    case Special::cluster_nctaid_z:
      fill(cluster.z);
      break;
    case Special::cluster_ctarank:
      fill(w.block->rank);
      break;
    case Special::cluster_nctarank:
      fill(static_cast<u32>(cluster.count()));
      break;
    case Special::envreg1:
      fill(static_cast<u32>(m.grid_workspace >> 32));
      break;
    case Special::envreg2:
      fill(static_cast<u32>(m.grid_workspace));
      break;
    case Special::is_explicit_cluster:
      if (cluster.count() > 1)
        w.predicate(ins.d) |= mask;
      else
        w.predicate(ins.d) &= ~mask;
      return;
    default:
      fill(0);
      break;
  }
  if (ins.aux) {
    const bool is_wide = which == Special::clock64 || which == Special::globaltimer ||
                         which == Special::gridid || which == Special::current_graph_exec;
    u64* d = w.row<u64>(ins.d);
    for (u32 l = 0; l < 32; ++l)
      if (mask >> l & 1) d[l] = is_wide ? wide : from[l];
    return;
  }
  u32* d = w.row<u32>(ins.d);
  if (which == Special::clock64 || which == Special::globaltimer) fill(static_cast<u32>(wide));
  if (mask == kFull)
    std::memcpy(d, from, sizeof rows);
  else
    for (u32 l = 0; l < 32; ++l)
      if (mask >> l & 1) d[l] = from[l];
}

}  // namespace simgpu::exec
