/// @file
/// See stream_order.hpp.
#include "simgpu/observe/stream_order.hpp"

#include <algorithm>
#include <utility>

namespace simgpu::observe {

void StreamOrder::add_lane(Lane lane, int device, bool blocking, bool legacy) {
  LaneState& state = lanes_[lane];
  state.device = device;
  state.blocking = blocking;
  state.legacy = legacy;
}

StreamOrder::LaneState& StreamOrder::at(Lane lane) {
  return lanes_[lane];
}

void StreamOrder::remove_lane(Lane lane) {
  const auto it = lanes_.find(lane);
  if (it == lanes_.end()) return;
  it->second.gone = true;
  retire();
}

/// Brings @p state up to what its next piece of work comes after.
void StreamOrder::settle(Lane lane, LaneState& state) {
  state.clock.join(host_);
  if (const auto all = devices_.find(state.device); all != devices_.end()) state.clock.join(all->second);
  if (!state.blocking) return;
  for (auto& [other, its] : lanes_) {
    if (other == lane || its.device != state.device || !its.blocking) continue;
    // A legacy stream waits for all that block; they wait for what it had to do.
    if (state.legacy || its.legacy) {
      state.clock.join(its.clock);
      state.clock.raise(other, its.last);
    }
  }
}

Tick StreamOrder::begin(Lane lane) {
  LaneState& state = at(lane);
  settle(lane, state);
  state.last = next_++;
  state.clock.raise(lane, state.last);
  return state.last;
}

void StreamOrder::finish(Work work, const std::function<void(const Unordered&)>& found) {
  LaneState& state = at(work.lane);
  if (work.tick == 0) work.tick = state.last;
  if (work.touched.empty()) return;
  const bool flags = work.touched.fences;
  const Spans spans(work.touched);
  if (flags) hear(work, state);
  for (auto& [lane, other] : lanes_) {
    if (lane == work.lane || other.outstanding.empty()) continue;
    const Tick known = state.clock.of(lane);
    const auto first = std::partition_point(other.outstanding.begin(), other.outstanding.end(),
                                            [known](const Work& earlier) { return earlier.tick <= known; });
    const auto settled = static_cast<std::size_t>(first - other.outstanding.begin());
    for (std::size_t at = other.outstanding.size(); at-- > settled;) {
      if (other.spans[at].meets(spans)) compare(other.outstanding[at], work, found);
    }
  }
  if (flags) work.after = std::make_shared<const LaneClock>(state.clock);
  state.spans.push_back(spans);
  bytes_ += work.touched.footprint();
  ++count_;
  state.outstanding.push_back(std::move(work));
  make_room();
}

/// A flag that one kernel raises and another sees orders them, as far as can be told from outside; and who sees the other's comes after both.
void StreamOrder::hear(const Work& work, LaneState& state) {
  for (bool more = true; std::exchange(more, false);) {
    for (const auto& [lane, other] : lanes_) {
      if (lane == work.lane) continue;
      for (const Work& earlier : other.outstanding) {
        if (earlier.tick <= state.clock.of(lane) || !earlier.touched.fences) continue;
        if (!earlier.touched.strong_writes.meets(work.touched.strong_reads) &&
            !earlier.touched.strong_writes.meets(work.touched.strong_writes))
          continue;
        state.clock.raise(lane, earlier.tick);
        if (earlier.after) state.clock.join(*earlier.after);
        more = true;
      }
    }
  }
}

void StreamOrder::Span::add(const ByteSet& set) noexcept {
  if (set.empty()) return;
  begin = std::min(begin, set.begin());
  end = std::max(end, set.end());
}

StreamOrder::Spans::Spans(const Touched& touched) noexcept {
  reads.add(touched.reads);
  reads.add(touched.strong_reads);
  writes.add(touched.writes);
  writes.add(touched.strong_writes);
}

void compare(const Work& earlier, const Work& later, const std::function<void(const Unordered&)>& found) {
  const Touched &a = earlier.touched, &b = later.touched;
  const auto meet = [&](const ByteSet& of_earlier, const ByteSet& of_later, bool earlier_writes,
                        bool later_writes) {
    const auto address = of_earlier.meets(of_later);
    if (!address) return false;
    found({&earlier, &later, *address, earlier_writes, later_writes});
    return true;
  };
  // One finding a pair says enough.
  meet(a.writes, b.writes, true, true) || meet(a.writes, b.reads, true, false) ||
      meet(a.reads, b.writes, false, true) || meet(a.writes, b.strong_writes, true, true) ||
      meet(a.strong_writes, b.writes, true, true) || meet(a.writes, b.strong_reads, true, false) ||
      meet(a.strong_writes, b.reads, true, false) || meet(a.reads, b.strong_writes, false, true) ||
      meet(a.strong_reads, b.writes, false, true);
}

LaneClock StreamOrder::record(Lane lane) {
  LaneState& state = at(lane);
  settle(lane, state);
  return state.clock;
}

StreamOrder::Heard StreamOrder::heard_of(Lane lane) {
  Heard heard{.clock = record(lane)};
  const LaneState& state = at(lane);
  if (state.outstanding.empty()) return heard;
  const Work& last = state.outstanding.back();
  heard.of_kernel = last.kind == Work::Kind::kernel;
  if (last.tick != state.last || !heard.of_kernel || last.touched.fences) return heard;
  heard.clock.forget(lane);
  heard.clock.raise(lane, last.tick - 1);
  return heard;
}

void StreamOrder::wait(Lane lane, const LaneClock& clock) {
  // The wait is itself something that the stream does: in a legacy stream it comes after all blocking ones' work, and they go on
  // after it.
  LaneState& state = at(lane);
  settle(lane, state);
  state.clock.join(clock);
}

void StreamOrder::wait_for_device(Lane lane, int device) {
  LaneState& state = at(lane);
  settle(lane, state);
  for (const auto& [other, its] : lanes_) {
    if (other == lane || its.device != device) continue;
    state.clock.join(its.clock);
    state.clock.raise(other, its.last);
  }
}

void StreamOrder::device_waits(int device, Lane lane) {
  devices_[device].join(record(lane));
}

void StreamOrder::host_waits(Lane lane) {
  host_waits(record(lane));
}

void StreamOrder::host_waits(const LaneClock& clock) {
  host_.join(clock);
  retire();
}

void StreamOrder::host_waits_for_device(int device) {
  for (auto& [lane, state] : lanes_) {
    if (state.device != device) continue;
    host_.join(state.clock);
    host_.raise(lane, state.last);
  }
  retire();
}

Lane StreamOrder::branch(Lane of) {
  LaneState& parent = at(of);
  settle(of, parent);
  const Lane lane = next_branch_++;
  LaneState state;
  state.device = parent.device;
  state.blocking = false;  // the launch as a whole has waited
  state.clock = parent.clock;
  lanes_[lane] = std::move(state);
  return lane;
}

/// What the host has waited for comes before everything that will be: it need not be kept, nor lanes that hold nothing else.
void StreamOrder::retire() {
  for (auto it = lanes_.begin(); it != lanes_.end();) {
    const Lane lane = it->first;
    LaneState& state = it->second;
    const Tick known = host_.of(lane);
    while (!state.outstanding.empty() && state.outstanding.front().tick <= known) drop_oldest(state);
    it = state.gone && state.last <= known ? lanes_.erase(it) : std::next(it);
  }
  if (count_ != 0) return;
  // Nothing is outstanding: what clocks say of lanes that are no more can go.
  LaneClock host;
  for (const auto& [lane, state] : lanes_) host.raise(lane, host_.of(lane));
  host_ = std::move(host);
  devices_.clear();
  for (auto& [lane, state] : lanes_) state.clock = {};
}

void StreamOrder::make_room() {
  while (count_ > kMostWork || (bytes_ > kMostBytes && count_ > 1)) {
    LaneState* oldest = nullptr;
    for (auto& [lane, state] : lanes_) {
      if (state.outstanding.empty()) continue;
      if (oldest == nullptr || state.outstanding.front().tick < oldest->outstanding.front().tick)
        oldest = &state;
    }
    ++forgotten_;
    drop_oldest(*oldest);
  }
}

void StreamOrder::drop_oldest(LaneState& state) {
  const Work& oldest = state.outstanding.front();
  bytes_ -= oldest.touched.footprint();
  --count_;
  if (oldest.known) oldest.known();
  state.outstanding.pop_front();
  state.spans.pop_front();
}

}  // namespace simgpu::observe
