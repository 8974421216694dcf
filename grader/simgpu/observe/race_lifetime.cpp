/// @file
/// See race_lifetime.hpp.
#include "simgpu/observe/race_lifetime.hpp"

namespace simgpu::observe {

void Lifetimes::clear() {
  made_.clear();
  touches_.clear();
}

Made* Lifetimes::maker(std::uint32_t offset) {
  const auto it = made_.find(offset);
  return it == made_.end() ? nullptr : &it->second;
}

void Lifetimes::touched(const RaceOrder& order, const Touch& touch) {
  if (!touches_.empty() && touches_.back().actor == touch.actor &&
      (touch.lanes & ~touches_.back().lanes) == 0)
    return;
  const Actor& who = order.at(touch.actor);
  std::erase_if(touches_, [&](Touch& earlier) {
    if (earlier.actor >= order.floor()) {
      const Actor& other = order.at(earlier.actor);
      if (other.block != who.block || other.warp != who.warp) return false;
    }
    earlier.lanes &= ~touch.lanes;
    return earlier.lanes == 0;
  });
  touches_.push_back(touch);
}

}  // namespace simgpu::observe
