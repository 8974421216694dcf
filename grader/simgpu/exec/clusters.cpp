/// @file
/// The barrier of a cluster: every thread of all its blocks arrives, and may do other things before it waits.
#include "simgpu/exec/scoreboard.hpp"
#include "simgpu/exec/state.hpp"
#include "simgpu/exec/warp_clock.hpp"

namespace simgpu::exec {

void check_cluster_barrier(Cluster& cluster) {
  if (cluster.arrived == 0) return;
  u32 live = 0;
  for (const Block* b : cluster.blocks) live += b->live_threads;
  if (cluster.arrived < live) return;
  cluster.arrived = 0;
  ++cluster.generation;
  cluster.timeouts = 0;
  for (Block* b : cluster.blocks)
    if (b->async) b->async->proxy.barrier();
  const Warp& any = *cluster.blocks[0]->warps[0];
  // When all may go on. It stays until all have arrived at the next one, and so have left this one.
  if (any.clock) {
    cluster.latest = 0;
    for (const Block* b : cluster.blocks)
      for (u32 n = 0; n < b->warp_count; ++n)
        if (b->warps[n]->clock) cluster.latest = std::max(cluster.latest, b->warps[n]->clock->now());
    cluster.latest += any.machine->launch.clock.cluster_barrier;
  }
  for (observe::Observer* o : any.machine->observers) o->cluster_barrier(any.id);
}

void leave_cluster_barrier(Warp& w, u32 mask) {
  Cluster& cluster = *w.block->cluster;
  if (cluster.arrived == 0 && cluster.generation == 0) return;  // nobody has ever been there
  for (; mask; mask &= mask - 1) {
    u64& ticket = w.cluster_ticket[static_cast<u32>(__builtin_ctz(mask))];
    if (ticket == cluster.generation + 1) --cluster.arrived;
    ticket = 0;
  }
}

bool cluster_wait_over(const Warp& w, u32 mask) {
  for (; mask; mask &= mask - 1)
    if (w.cluster_ticket[static_cast<u32>(__builtin_ctz(mask))] > w.block->cluster->generation) return false;
  return true;
}

void cluster_barrier_instruction(Warp& w, const Ins& i, u32 mask) {
  Cluster& cluster = *w.block->cluster;
  const bool arrives = i.op == Op::barrier_cluster_arrive;
  for (u32 left = mask; left; left &= left - 1) {
    const u32 l = static_cast<u32>(__builtin_ctz(left));
    u64& ticket = w.cluster_ticket[l];
    if (arrives != (ticket == 0))
      return w.machine->fault(
          w, i, observe::FindingKind::illegal_instruction, l,
          Machine::who(w, l) +
              (arrives ? " arrives at the cluster barrier a second time without having waited for it; each "
                         "barrier_arrive() needs a barrier_wait() before the next."
                       : " waits for the cluster barrier without having arrived at it; call barrier_arrive() "
                         "first."));
    if (arrives) {
      ticket = cluster.generation + 1;
      w.met_cluster = true;
      ++cluster.arrived;
    }
  }
  if (arrives) {
    const bool relaxed = i.flags & lower::kTwo;
    for (observe::Observer* o : w.machine->observers) o->cluster_arrive(w.id, mask, relaxed);
    ++w.pc;
    check_cluster_barrier(cluster);
    return;
  }
  if (!cluster_wait_over(w, mask)) {
    --w.machine->executions[i.site];  // it will be executed again
    if (w.scoreboard) w.scoreboard->waits(i);
    return wait_here(w, mask);
  }
  if (w.clock) w.clock->wait_until(cluster.latest);
  for (u32 left = mask; left; left &= left - 1) w.cluster_ticket[static_cast<u32>(__builtin_ctz(left))] = 0;
  for (observe::Observer* o : w.machine->observers) o->cluster_wait(w.id, mask);
  ++w.pc;
}

}  // namespace simgpu::exec
