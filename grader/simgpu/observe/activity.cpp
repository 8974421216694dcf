/// @file
/// See activity.hpp. Places are simulated residencies: one block after the other lives in each.
#include "simgpu/observe/activity.hpp"

#include <algorithm>
#include <bit>

namespace simgpu::observe {

void Activity::launch_begin(const LaunchInfo& info) {
  *this = Activity{};
  sms_ = std::max(1u, info.sm_count);
  blocks_ = info.grid.count();
  threads_ = info.block.count();
}

void Activity::block_begin(const WarpId& block) {
  const std::size_t index = index_of(block);
  if (index >= places_.size()) {
    places_.resize(index + 1);
    marks_.resize(index + 1);
  }
  marks_[index] = {};
  Place& place = places_[index];
  place.alive = true;
  place.barriers = 0;
  place.mbarriers.clear();
  place.waits.clear();
  place.unused.clear();
  place.handed_on.clear();
  place.landed = 0;
  place.landed_sum = {};
  place.announced = {};
  place.met_before = 0;
  place.met_between = false;
}

void Activity::block_end(const WarpId& block) {
  if (place_of(block) != nullptr) fold(index_of(block));
}

void Activity::fold(std::size_t index) {
  Place& place = places_[index];
  const Marks marks = marks_[index];
  place.alive = false;
  marks_[index] = {};
  const auto least = [](std::uint64_t& into, std::uint64_t value, bool first) {
    into = first ? value : std::min(into, value);
  };
  if (marks.touching != 0) {
    const auto warps = static_cast<std::uint64_t>(std::popcount(marks.touching));
    least(least_touching_warps_, warps, touching_blocks_ == 0);
    least(least_shared_loaded_, marks.shared_loaded, touching_blocks_ == 0);
    ++touching_blocks_;
    touching_warps_ += warps;
  }
  writing_warps_ += static_cast<std::uint64_t>(std::popcount(marks.writing));
  storing_warps_ += static_cast<std::uint64_t>(std::popcount(marks.storing));
  least(least_barriers_, place.barriers, folded_ == 0);
  ++folded_;
  barriers_ += place.barriers;
  most_barriers_ = std::max(most_barriers_, place.barriers);
  for (const Barrier& barrier : place.mbarriers) {
    least(least_phases_, barrier.phases, mbarriers_ == 0);
    ++mbarriers_;
    inits_ += barrier.inits;
    repeated_inits_ += barrier.repeated;
    most_inits_ = std::max(most_inits_, barrier.inits);
    phases_ += barrier.phases;
    byte_phases_ += barrier.bytes * barrier.phases;
  }
  std::uint64_t rounds = 0;
  for (const Waits& waits : place.waits) {
    if (waits.count == 0) continue;
    rounds = std::max(rounds, waits.count - 1);
    bytes_left_ += waits.sum.bytes;
    copies_left_ += waits.sum.copies;
  }
  waits_ += rounds;
  if (place.landed == 0) return;
  waits_ += place.landed - 1;
  bytes_left_ += place.landed_sum.bytes;
  copies_left_ += place.landed_sum.copies;
  for (const Barrier& barrier : place.mbarriers) {
    if (barrier.landed == 0 || barrier.offset == place.latest_landed) continue;
    bytes_left_ += barrier.left.bytes;
    copies_left_ += barrier.left.copies;
  }
  add_of_neighbours(place);
}

/// Warps that wait for nobody but their own copies go their own ways: while one works on what has come, the others wait for theirs. The
/// simulator lets a warp's copies land as soon as it waits, so it sees none of that. Hence for each phase one copy of each such
/// neighbour, as long as that had any. Not so where warps meet from phase to phase, at a block barrier or an mbarrier.
void Activity::add_of_neighbours(const Place& place) {
  if (place.met_between) return;
  for (const Barrier& barrier : place.mbarriers)
    if (barrier.waits == kSeveral && barrier.phases > 1) return;
  struct Own {
    std::uint64_t landed = 0, bytes = 0, phases = 0;
  };
  std::vector<Own> of_warp;
  for (const Barrier& barrier : place.mbarriers) {
    if (barrier.landed == 0 || barrier.waits >= kSeveral) continue;
    if (barrier.waits >= of_warp.size()) of_warp.resize(barrier.waits + 1);
    Own& own = of_warp[barrier.waits];
    own.landed += barrier.landed;
    own.bytes += barrier.bytes;
    own.phases += barrier.phases;
  }
  for (std::size_t one = 0; one < of_warp.size(); ++one) {
    for (std::size_t other = 0; other < of_warp.size(); ++other) {
      const Own& its = of_warp[other];
      if (other == one || its.phases == 0) continue;
      const std::uint64_t together = std::min(of_warp[one].landed, its.landed);
      copies_left_ += together;
      bytes_left_ += together * (its.bytes / its.phases);
    }
  }
}

void Activity::barrier_arrival(const WarpId&) {
  ++barrier_arrivals_;
}

void Activity::barrier(const WarpId& block) {
  Place* place = place_of(block);
  if (place == nullptr) return;
  ++place->barriers;
  // Others may use now what one has waited for. Who waits for another phase before they do may be nobody but a warp that waits for all;
  // if at the next barrier of the block still nothing was used, it was not.
  for (const Handed& handed : place->handed_on) {
    if (!handed.another) continue;
    Left& left = barrier_of(*place, handed.offset).left;
    left = {std::min(left.bytes, handed.left.bytes), std::min(left.copies, handed.left.copies)};
  }
  for (auto& of_warp : place->unused) {
    for (const std::uint32_t offset : of_warp) {
      const bool known = std::any_of(place->handed_on.begin(), place->handed_on.end(),
                                     [offset](const Handed& handed) { return handed.offset == offset; });
      if (!known) place->handed_on.push_back({.offset = offset});
    }
    of_warp.clear();
  }
}

Activity::Barrier& Activity::barrier_of(Place& place, std::uint32_t offset) {
  for (Barrier& barrier : place.mbarriers)
    if (barrier.offset == offset) return barrier;
  return place.mbarriers.emplace_back(Barrier{.offset = offset});
}

void Activity::mbarrier_init(const WarpId& owner, std::uint32_t offset) {
  Place* place = place_of(owner);
  if (place == nullptr) return;
  Barrier& barrier = barrier_of(*place, offset);
  ++barrier.inits;
  if (barrier.fresh) ++barrier.repeated;
  barrier.fresh = true;
}

void Activity::mbarrier_expect(const WarpId& owner, std::uint32_t offset, std::uint64_t bytes) {
  expected_bytes_ += bytes;
  Place* place = place_of(owner);
  if (place == nullptr) return;
  Barrier& barrier = barrier_of(*place, offset);
  barrier.bytes += bytes;
  barrier.fresh = false;
  place->announced.bytes += bytes;
  ++place->announced.copies;
  begun_ = true;
}

void Activity::mbarrier_phase(const WarpId& owner, std::uint32_t offset) {
  Place* place = place_of(owner);
  if (place == nullptr) return;
  Barrier& barrier = barrier_of(*place, offset);
  ++barrier.phases;
  barrier.fresh = false;
}

void Activity::landed(const WarpId& warp, std::uint64_t bytes_left, std::uint64_t copies_left) {
  Place* place = place_of(warp);
  if (place == nullptr) return;
  if (warp.warp >= place->waits.size()) place->waits.resize(warp.warp + 1);
  Waits& waits = place->waits[warp.warp];
  ++waits.count;
  waits.sum.bytes += waits.latest.bytes;
  waits.sum.copies += waits.latest.copies;
  waits.latest = {bytes_left, copies_left};
  waits.begun = {};
  note_most(*place);
}

void Activity::note_most(const Place& place) {
  std::uint64_t all = 0;
  for (const Waits& each : place.waits) all += each.latest.bytes;
  most_bytes_left_ = std::max(most_bytes_left_, all);
}

void Activity::begins_copies(const WarpId* warp, std::uint64_t bytes, std::uint64_t copies) {
  Place* place = warp != nullptr ? place_of(*warp) : nullptr;
  if (place == nullptr || warp->warp >= place->waits.size()) return;  // before its first wait
  Left& begun = place->waits[warp->warp].begun;
  begun.bytes += bytes;
  begun.copies += copies;
  begun_ = true;
}

void Activity::read_with_copies_begun(const WarpId& warp) {
  Place* place = place_of(warp);
  if (place == nullptr) return;
  if (warp.warp < place->unused.size()) place->unused[warp.warp].clear();
  place->handed_on.clear();
  if (place->landed != 0 && place->announced.copies != 0) {
    Barrier& barrier = barrier_of(*place, place->latest_passed);
    barrier.left.bytes += place->announced.bytes;
    barrier.left.copies += place->announced.copies;
    place->announced = {};
    most_bytes_left_ = std::max(most_bytes_left_, barrier.left.bytes);
  }
  if (warp.warp >= place->waits.size()) return;
  Waits& waits = place->waits[warp.warp];
  if (waits.count == 0 || waits.begun.copies == 0) return;
  waits.latest.bytes += waits.begun.bytes;
  waits.latest.copies += waits.begun.copies;
  waits.begun = {};
  note_most(*place);
}

void Activity::mbarrier_landed(const WarpId& owner, std::uint32_t offset) {
  Place* place = place_of(owner);
  if (place == nullptr) return;
  Barrier& barrier = barrier_of(*place, offset);
  place->landed_sum.bytes += barrier.left.bytes;
  place->landed_sum.copies += barrier.left.copies;
  barrier.left = {};
  for (auto& of_warp : place->unused) std::erase(of_warp, offset);
  std::erase_if(place->handed_on, [offset](const Handed& handed) { return handed.offset == offset; });
  ++barrier.landed;
  ++place->landed;
  place->met_between |= place->landed > 1 && place->barriers != place->met_before;
  place->met_before = place->barriers;
  place->latest_landed = offset;
}

void Activity::mbarrier_passed(const WarpId& warp, std::uint32_t offset, std::uint64_t bytes_left,
                               std::uint64_t copies_left) {
  Place* place = place_of(warp);
  if (place == nullptr) return;
  Barrier& barrier = barrier_of(*place, offset);
  if (barrier.waits != warp.warp) barrier.waits = barrier.waits == kNobody ? warp.warp : kSeveral;
  if (barrier.landed == 0) return;
  barrier.left = {bytes_left, copies_left};
  // Who waits for several phases before it uses any of them works on none until the last one is here.
  if (warp.warp >= place->unused.size()) place->unused.resize(warp.warp + 1);
  auto& unused = place->unused[warp.warp];
  for (const std::uint32_t earlier : unused) {
    Left& left = barrier_of(*place, earlier).left;
    left = {std::min(left.bytes, bytes_left), std::min(left.copies, copies_left)};
  }
  if (std::find(unused.begin(), unused.end(), offset) == unused.end()) unused.push_back(offset);
  for (Handed& handed : place->handed_on) {
    if (handed.offset == offset) continue;
    handed.left = {bytes_left, copies_left};
    handed.another = true;
  }
  begun_ = true;
  place->announced = {};
  place->latest_passed = offset;
  most_bytes_left_ = std::max(most_bytes_left_, bytes_left);
}

void Activity::launch_end(Counters& c) {
  for (std::size_t index = 0; index < places_.size(); ++index)
    if (places_[index].alive) fold(index);
  c.blocks = blocks_;
  c.threads = blocks_ * threads_;
  c.touching_blocks = touching_blocks_;
  c.touching_warps = touching_warps_;
  c.least_touching_warps = least_touching_warps_;
  c.least_shared_load_bytes = least_shared_loaded_;
  c.touching_block_threads = touching_blocks_ != 0 ? threads_ : 0;
  c.shared_storing_warps = storing_warps_;
  c.global_writing_warps = writing_warps_;
  c.block_barriers = barriers_;
  c.least_block_barriers = least_barriers_;
  c.most_block_barriers = most_barriers_;
  c.block_barrier_warps = barrier_arrivals_;
  c.mbarriers = mbarriers_;
  c.mbarrier_inits = inits_;
  c.most_mbarrier_inits = most_inits_;
  c.repeated_mbarrier_inits = repeated_inits_;
  c.mbarrier_arrivals = arrivals_;
  c.mbarrier_expected_bytes = expected_bytes_;
  c.mbarrier_byte_phases = byte_phases_;
  c.mbarrier_phases = phases_;
  c.least_mbarrier_phases = least_phases_;
  c.async_waits = waits_;
  c.async_bytes_left = bytes_left_;
  c.async_copies_left = copies_left_;
  c.most_async_bytes_left = most_bytes_left_;
}

}  // namespace simgpu::observe
