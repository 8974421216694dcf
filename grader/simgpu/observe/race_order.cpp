/// @file
/// See race_order.hpp.
#include "simgpu/observe/race_order.hpp"

#include <algorithm>

namespace simgpu::observe {
namespace {

constexpr std::size_t kMostReleases = 8;  // of one block; beyond it the oldest two become one
constexpr std::uint32_t kMostActors = 1u << 26;

}  // namespace

bool RaceOrder::begin_launch() {
  const bool enough = next_actor() < ~0u / 2;
  floor_ = enough ? next_actor() : 1;
  actors_.clear();
  releases_.clear();
  published_.clear();
  finished_.clear();
  signals_.clear();
  now_ = 1;
  last_grid_barrier_ = 0;
  exhausted_ = false;
  return enough;
}

void RaceOrder::begin_block(BlockClock& block, std::uint64_t block_linear, std::uint32_t warps) {
  block.block = static_cast<std::uint32_t>(block_linear);
  block.last_barrier = 0;
  block.fenced = false;
  block.known = block.signalled = 0;
  WarpClock fresh;
  fresh.clock = ++now_;
  block.warps.assign(warps, fresh);
}

void RaceOrder::barrier(BlockClock& block) {
  block.last_barrier = ++now_;
  if (!anything_published() && !block.fenced) return;
  for (const WarpClock& w : block.warps) {
    block.known = std::max(block.known, w.known);
    block.signalled = std::max(block.signalled, w.signalled);
  }
  for (WarpClock& w : block.warps) {
    w.known = block.known;
    w.signalled = block.signalled;
    w.fence_before_barrier = w.gpu_fence;
    w.block_fence_before_barrier = w.block_fence;
  }
}

void RaceOrder::grid_barrier() {
  last_grid_barrier_ = ++now_;
}

void RaceOrder::warp_sync(BlockClock& block, std::uint32_t warp) {
  // A warp that has touched nothing since its last event needs no new time.
  WarpClock& w = block.warps[warp];
  if (w.actor == 0) return;
  w.clock = ++now_;
  w.actor = 0;
}

void RaceOrder::fence(BlockClock& block, std::uint32_t warp, bool gpu_wide) {
  WarpClock& w = block.warps[warp];
  block.fenced = true;
  w.clock = ++now_;
  w.actor = 0;
  w.block_fence = w.clock;
  w.barrier_at_block_fence = block.last_barrier;
  if (gpu_wide) {
    w.gpu_fence = w.clock;
    w.barrier_at_gpu_fence = block.last_barrier;
  }
}

void RaceOrder::release(BlockClock& block, std::uint32_t warp, std::uint64_t word, bool is_fence,
                        bool gpu_wide) {
  if (is_fence) fence(block, warp, gpu_wide);
  if (!block.fenced) return;
  publish(block, warp, true);
  publish(block, warp, false);
  published_[word] = now_;
}

void RaceOrder::publish(BlockClock& block, std::uint32_t warp, bool gpu_wide) {
  const WarpClock& me = block.warps[warp];
  const Time barrier = gpu_wide ? me.barrier_at_gpu_fence : me.barrier_at_block_fence;
  const Time fence = gpu_wide ? me.gpu_fence : me.block_fence;
  std::vector<Time> until(block.warps.size());
  Time latest = 0;
  for (std::size_t i = 0; i < until.size(); ++i) {
    const WarpClock& w = block.warps[i];
    until[i] = std::max(barrier, gpu_wide ? w.fence_before_barrier : w.block_fence_before_barrier);
    if (i == warp) until[i] = std::max(until[i], fence);
    latest = std::max(latest, until[i]);
  }
  if (latest == 0) return;
  std::vector<Release>& list = releases_[block.block];
  for (const Release& r : list) {
    if (r.gpu_wide == gpu_wide && r.until == until) return;  // known since earlier already
  }
  if (list.size() >= kMostReleases) {
    // The first two become one that claims more than either: what the later covers, from the time of the
    // earlier.
    for (std::size_t i = 0; i < until.size(); ++i)
      list[1].until[i] = std::max(list[0].until[i], list[1].until[i]);
    list[1].time = list[0].time;
    list[1].gpu_wide = list[0].gpu_wide || list[1].gpu_wide;
    list.erase(list.begin());
  }
  list.push_back({++now_, gpu_wide, std::move(until)});
}

void RaceOrder::signal(const BlockClock& block, std::uint64_t word) {
  if (block.last_barrier == 0) return;
  std::vector<Signal>& list = finished_[block.block];
  if (list.empty() || list.back().until != block.last_barrier) {
    if (list.size() >= kMostReleases) {
      list[1].time = list[0].time;  // claims more than either, as in publish()
      list.erase(list.begin());
    }
    list.push_back({++now_, block.last_barrier});
  }
  signals_[word] = now_;
}

void RaceOrder::acquire(BlockClock& block, std::uint32_t warp, std::uint64_t word) {
  if (!signals_.empty()) {
    const auto signal = signals_.find(word);
    Time& signalled = block.warps[warp].signalled;
    if (signal != signals_.end()) signalled = std::max(signalled, signal->second);
  }
  if (published_.empty()) return;
  const auto it = published_.find(word);
  if (it == published_.end()) return;
  Time& known = block.warps[warp].known;
  known = std::max(known, it->second);
}

std::uint32_t RaceOrder::new_actor(BlockClock& block, std::uint32_t warp, Time clock) {
  if (actors_.size() >= kMostActors) {
    // Too many to remember: all accesses so far are taken to be ordered. Races from here on are found as
    // before.
    exhausted_ = exhausted_ || next_actor() > ~0u - 2 * kMostActors;
    if (!exhausted_) floor_ = next_actor();
    actors_.clear();
  }
  WarpClock& w = block.warps[warp];
  w.clock = clock;
  w.actor = next_actor();
  actors_.push_back({block.block, warp, clock});
  return w.actor;
}

bool RaceOrder::published(const Actor& earlier, Time known, bool same_block) const noexcept {
  if (known == 0) return false;
  const auto it = releases_.find(earlier.block);
  if (it == releases_.end()) return false;
  return std::any_of(it->second.begin(), it->second.end(), [&](const Release& r) {
    return r.time <= known && (same_block || r.gpu_wide) && earlier.clock < r.until[earlier.warp];
  });
}

bool RaceOrder::read_is_over(std::uint32_t earlier, const BlockClock& block,
                             std::uint32_t warp) const noexcept {
  const Time signalled = block.warps[warp].signalled;
  if (signalled == 0) return false;
  const Actor& a = at(earlier);
  const auto it = finished_.find(a.block);
  return it != finished_.end() && std::any_of(it->second.begin(), it->second.end(), [&](const Signal& s) {
           return s.time <= signalled && a.clock < s.until;
         });
}

Relation RaceOrder::relation(std::uint32_t earlier, const BlockClock& block,
                             std::uint32_t warp) const noexcept {
  if (earlier < floor_ || exhausted_) return Relation::ordered;
  const Actor& a = at(earlier);
  const bool same_block = a.block == block.block;
  const WarpClock& w = block.warps[warp];
  if (a.clock < last_grid_barrier_) return Relation::ordered;
  if (same_block) {
    if (a.warp == warp) return a.clock < clock_of(block, w) ? Relation::ordered : Relation::same_warp;
    if (a.clock < block.last_barrier) return Relation::ordered;
  }
  return published(a, w.known, same_block) ? Relation::ordered : Relation::racing;
}

}  // namespace simgpu::observe
