/// @file
/// Implementation of shared_load_order.hpp.
#include "simgpu/exec/shared_load_order.hpp"

#include <algorithm>

namespace simgpu::exec {
namespace {

constexpr double kAhead = 14;  // instructions

struct Load {
  Pending pending;
  std::size_t place = 0;  // before that one of the others
};

}  // namespace

void place_shared_loads(std::vector<Pending>& stretch) {
  if (stretch.empty()) return;
  const auto [least, most] =
      std::minmax_element(stretch.begin(), stretch.end(),
                          [](const Pending& a, const Pending& b) { return a.step.number < b.step.number; });
  const std::uint32_t begin = least->step.number, end = most->step.number + 1;
  constexpr std::size_t kNobody = ~std::size_t{0};
  std::vector<std::size_t> place(end - begin, kNobody), first_use(end - begin, kNobody),
      loaded(end - begin, 0);
  std::vector<Pending> others;
  std::vector<Load> loads;
  for (const Pending& p : stretch) {
    if (p.shared == Pending::Shared::load) {
      loads.push_back({p});
      continue;
    }
    place[p.step.number - begin] = others.size();
    for (const std::uint32_t n : p.step.after)
      if (n >= begin && n < end) first_use[n - begin] = std::min(first_use[n - begin], others.size());
    others.push_back(p);
  }
  if (loads.empty() || others.empty()) return;
  std::sort(loads.begin(), loads.end(),
            [](const Load& a, const Load& b) { return a.pending.step.number < b.pending.step.number; });

  const auto ahead = static_cast<std::size_t>(kAhead * static_cast<double>(others.size()) /
                                              static_cast<double>(stretch.size()));
  std::size_t before = 0;        // others that the text has before the load
  std::size_t behind_store = 0;  // ... and the place behind the last store among them
  std::uint32_t seen = begin;
  std::size_t group_use = kNobody,
              last_group_use = kNobody;  // where this group of loads is used first, and the one before
  std::uint32_t group_used = 0;          // the number of that step
  for (Load& load : loads) {
    const Step& step = load.pending.step;
    for (; seen < step.number; ++seen) {
      const std::size_t at = place[seen - begin];
      if (at == kNobody) continue;
      ++before;
      if (others[at].shared == Pending::Shared::store) behind_store = std::max(behind_store, at + 1);
    }
    const std::size_t use = first_use[step.number - begin];
    if (group_use != kNobody && group_used < step.number) {  // the text has used the group before this load
      last_group_use = group_use;
      group_use = kNobody;
    }
    std::size_t earliest = behind_store;
    for (const std::uint32_t n : step.after)
      if (n >= begin && n < end)
        earliest = std::max(earliest, place[n - begin] != kNobody ? place[n - begin] + 1 : loaded[n - begin]);
    std::size_t wanted = before;
    if (use != kNobody) {
      wanted = use > ahead ? use - ahead : 0;
      if (last_group_use != kNobody) wanted = std::min(wanted, last_group_use + 1);
      if (group_use == kNobody || use < group_use) group_use = use, group_used = others[use].step.number;
    }
    load.place = loaded[step.number - begin] = std::min(use, std::max(earliest, std::min(before, wanted)));
  }
  std::stable_sort(loads.begin(), loads.end(),
                   [](const Load& a, const Load& b) { return a.place < b.place; });

  stretch.clear();
  auto next = loads.begin();
  for (std::size_t n = 0; n <= others.size(); ++n) {
    for (; next != loads.end() && next->place == n; ++next) stretch.push_back(next->pending);
    if (n < others.size()) stretch.push_back(others[n]);
  }
}

}  // namespace simgpu::exec
