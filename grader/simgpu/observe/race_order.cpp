/// @file
/// See race_order.hpp.
#include "simgpu/observe/race_order.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace simgpu::observe {
namespace {

constexpr std::uint32_t kMostActors = 1u << 26;
// Atomics of a launch whose lanes are told apart. It takes time, and beyond it all lanes of one learn of each other: more than is true, so
// no false alarm.
constexpr std::uint32_t kMostOneByOne = 16 * 1024;
// Likewise of a launch that raises very many flags: each holds what all before it have passed on, and to copy that at each atomic takes
// far longer than to simulate it. From then on all words are one flag, and it tells few threads apart: who has no fence is found as before,
// who waits for the wrong word no more.
constexpr std::uint32_t kManyRaised = 64 * 1024;
constexpr std::size_t kFewEntries = 12;
constexpr std::uint64_t kAnyWord = ~0ull;
constexpr std::size_t kMostExchanges = 64;
constexpr std::size_t kMostRecords = 4;  // of one word, by writers of different blocks

std::size_t level_of(Scope scope) noexcept {
  return std::min<std::size_t>(static_cast<std::size_t>(scope), kScopes - 1);
}

void join_into(Known& a, const Known& b) {
  a = joined(a, b);
}

}  // namespace

bool View::empty() const noexcept {
  return !knows && !presumed && !over && !met &&
         std::none_of(seen.begin(), seen.end(), [](const Known& k) { return bool(k); }) &&
         std::none_of(fenced.begin(), fenced.end(), [](const Fenced& f) { return f.any(); });
}

void View::join(const View& other) {
  join_into(knows, other.knows);
  join_into(presumed, other.presumed);
  join_into(over, other.over);
  join_into(met, other.met);
  for (std::size_t s = 0; s < kScopes; ++s) {
    join_into(seen[s], other.seen[s]);
    join_into(fenced[s].knows, other.fenced[s].knows);
  }
}

bool RaceOrder::begin_launch() {
  const bool enough = next_actor() < ~0u / 2;
  floor_ = enough ? next_actor() : 1;
  actors_.clear();
  flags_.clear();
  clusters_.clear();
  shown_to_copies_ = nullptr;
  one_by_one_ = raised_ = 0;
  joined_flags_ = false;
  now_ = 1;
  exhausted_ = false;
  return enough;
}

void RaceOrder::begin_block(BlockClock& block, std::uint64_t block_linear, std::uint32_t cluster,
                            std::uint32_t warps) {
  block.block = static_cast<std::uint32_t>(block_linear);
  block.cluster = cluster;
  block.last_barrier = 0;
  block.partial = block.aware = block.changed = false;
  block.arrived.clear();
  block.mbarriers.clear();
  block.groups.clear();
  WarpClock fresh;
  fresh.clock = fresh.synced = ++now_;
  block.warps.assign(warps, fresh);
}

Time RaceOrder::new_interval(WarpClock& w) {
  w.actor = 0;
  return w.clock = ++now_;
}

std::vector<LaneGroup>& RaceOrder::separate(BlockClock& block, std::uint32_t warp, std::uint32_t lanes) {
  block.aware = block.changed = true;
  std::vector<LaneGroup>& groups = block.warps[warp].groups;
  if (groups.empty()) groups.resize(1);
  for (std::size_t n = 0, count = groups.size(); n < count; ++n) {
    const std::uint32_t inside = groups[n].lanes & lanes;
    if (inside == 0 || inside == groups[n].lanes) continue;
    LaneGroup rest = groups[n];
    rest.lanes &= ~lanes;
    groups[n].lanes = inside;
    groups.push_back(std::move(rest));
  }
  return groups;
}

void RaceOrder::merge(WarpClock& w, std::uint32_t lanes, View view) {
  std::erase_if(w.groups, [&](const LaneGroup& g) { return (g.lanes & ~lanes) == 0; });
  w.groups.push_back({lanes, std::move(view)});
}

const View& RaceOrder::view_of(const WarpClock& w, std::uint32_t lane) noexcept {
  for (const LaneGroup& g : w.groups)
    if (g.lanes >> lane & 1) return g.view;
  static const View kNothing;
  return kNothing;
}

Known RaceOrder::fenced(const BlockClock& block, std::uint32_t warp, std::uint32_t lanes,
                        const View::Fenced& f) const {
  if (f.self == 0) return f.knows;
  auto all = f.knows ? std::make_shared<Knowledge>(*f.knows) : std::make_shared<Knowledge>();
  if (f.barrier != 0) all->add({block.block, kAllWarps, kAllLanes, f.barrier});
  if (f.sync > f.barrier) all->add({block.block, warp, kAllLanes, f.sync});
  all->add({block.block, warp, lanes, f.self});
  return all;
}

View RaceOrder::passed_on(const BlockClock& block, std::uint32_t warp, std::uint32_t lanes, const View& view,
                          Time until) const {
  View out = view;
  const WarpClock& w = block.warps[warp];
  auto all = view.knows ? std::make_shared<Knowledge>(*view.knows) : std::make_shared<Knowledge>();
  if (block.last_barrier != 0) all->add({block.block, kAllWarps, kAllLanes, block.last_barrier});
  if (w.synced > block.last_barrier) all->add({block.block, warp, kAllLanes, w.synced});
  all->add({block.block, warp, lanes, until});
  out.knows = std::move(all);
  for (View::Fenced& f : out.fenced) f = {.knows = fenced(block, warp, lanes, f)};
  return out;
}

void RaceOrder::barrier(BlockClock& block) {
  block.last_barrier = ++now_;
  if (!block.changed) return;
  View all;
  for (std::uint32_t n = 0; n < block.warps.size(); ++n)
    for (const LaneGroup& g : block.warps[n].groups) {
      View raw = g.view;  // that all did what they did before this barrier need not be said
      for (View::Fenced& f : raw.fenced) f = {.knows = fenced(block, n, g.lanes, f)};
      all.join(raw);
    }
  if (all.knows) {
    auto rest = std::make_shared<Knowledge>(*all.knows);
    rest->forget(block.block, block.last_barrier);
    all.knows = std::move(rest);
  }
  for (WarpClock& w : block.warps) w.groups.assign(1, {kAllLanes, all});
  block.changed = false;
}

void RaceOrder::partial_barrier(BlockClock& block, std::uint32_t id, const BarrierPart* parts,
                                std::size_t count) {
  block.partial = true;
  View all = std::exchange(block.arrived[id], View{});
  for (std::size_t n = 0; n < count; ++n) {
    const std::uint32_t warp = parts[n].warp.warp, lanes = parts[n].lanes;
    const Time until = new_interval(block.warps[warp]);
    for (const LaneGroup& g : separate(block, warp, lanes))
      if (g.lanes & lanes) all.join(passed_on(block, warp, g.lanes, g.view, until));
  }
  for (std::size_t n = 0; n < count; ++n) {
    WarpClock& w = block.warps[parts[n].warp.warp];
    merge(w, parts[n].lanes, all);
    if (parts[n].lanes == kAllLanes) w.synced = w.clock;
  }
}

void RaceOrder::barrier_arrive(BlockClock& block, std::uint32_t warp, std::uint32_t lanes, std::uint32_t id) {
  arrive(block.arrived[id], block, warp, lanes);
}

void RaceOrder::warp_sync(BlockClock& block, std::uint32_t warp, std::uint32_t lanes) {
  WarpClock& w = block.warps[warp];
  if (lanes == kAllLanes) {
    const bool touched = w.actor != 0 || w.synced != w.clock;
    if (touched) w.synced = new_interval(w);
    if (w.groups.size() <= 1) return;
    View all;
    for (const LaneGroup& g : w.groups) {
      View raw = g.view;
      for (View::Fenced& f : raw.fenced) f = {.knows = fenced(block, warp, g.lanes, f)};
      all.join(raw);
    }
    w.groups.assign(1, {kAllLanes, std::move(all)});
    return;
  }
  block.partial = true;
  const Time until = new_interval(w);
  View all;
  for (const LaneGroup& g : separate(block, warp, lanes))
    if (g.lanes & lanes) all.join(passed_on(block, warp, g.lanes, g.view, until));
  merge(w, lanes, std::move(all));
}

void RaceOrder::warp_exchange(BlockClock& block, std::uint32_t warp, std::uint32_t lanes) {
  WarpClock& w = block.warps[warp];
  if (w.took_reserved) {  // what is read from now on is told apart from what was read before
    std::erase_if(w.exchanges, [&](const LanesMet& e) { return (e.lanes & ~lanes) == 0; });
    w.exchanges.push_back({lanes, new_interval(w)});
    if (w.exchanges.size() > kMostExchanges) w.exchanges.erase(w.exchanges.begin());
    w.took_reserved = lanes != kAllLanes;
  }
  if (w.groups.size() <= 1) return;
  View all;
  for (const LaneGroup& g : w.groups)
    if (g.lanes & lanes) {
      join_into(all.knows, g.view.knows);
      join_into(all.presumed, g.view.presumed);
      join_into(all.over, g.view.over);
    }
  if (all.knows) {
    auto others = std::make_shared<Knowledge>(*all.knows);
    others->forget_warp(block.block, warp);
    all.knows = std::move(others);
  }
  if (all.empty()) return;
  for (LaneGroup& g : separate(block, warp, lanes))
    if (g.lanes & lanes) g.view.join(all);
}

void RaceOrder::fence(BlockClock& block, std::uint32_t warp, std::uint32_t lanes, Scope scope) {
  WarpClock& w = block.warps[warp];
  const Time sync = w.synced;
  const Time self = new_interval(w);
  const std::size_t level = level_of(scope);
  for (LaneGroup& g : separate(block, warp, lanes)) {
    if ((g.lanes & lanes) == 0) continue;
    for (std::size_t s = 0; s <= level; ++s) {
      if (!g.view.seen[s]) continue;
      block.partial = true;
      join_into(g.view.knows, std::exchange(g.view.seen[s], nullptr));
    }
    for (std::size_t s = 0; s <= level; ++s)
      g.view.fenced[s] = {g.view.knows, block.last_barrier, sync, self, false};
  }
}

void RaceOrder::proxy_fence(BlockClock& block, std::uint32_t warp, std::uint32_t lanes) {
  const Time until = new_interval(block.warps[warp]);
  const View nothing;
  const auto& groups = block.warps[warp].groups;
  if (groups.empty()) join_into(shown_to_copies_, passed_on(block, warp, lanes, nothing, until).knows);
  for (const LaneGroup& g : groups)
    if (g.lanes & lanes)
      join_into(shown_to_copies_, passed_on(block, warp, g.lanes & lanes, g.view, until).knows);
}

// @return the narrowest scope, as a level, that holds both the writer and this block.
std::size_t RaceOrder::needed(const Record& r, const BlockClock& block) noexcept {
  if (r.mixed) return kScopes - 1;
  return r.block == block.block ? 0 : r.cluster == block.cluster ? 1 : 2;
}

void RaceOrder::look(BlockClock& block, std::uint32_t warp, std::uint32_t lanes, const Strong& access,
                     const Flag& flag) {
  const bool acquires = access.ordering == Ordering::acquire || access.ordering == Ordering::acq_rel;
  block.partial |= acquires;
  const auto apply = [&](const Record& r, View& v) {
    const std::size_t level = needed(r, block);
    if (r.over) join_into(v.over, r.over);
    if (!r.knows || r.scope < level || level_of(access.scope) < level) return;
    if (v.last_seen == r.knows && !acquires) return;
    join_into(acquires ? v.knows : v.seen[level], r.knows);
    // A ticket: what the thread has behind a fence, it announces by the same atomic by which it sees the others'.
    if (access.writes && v.fenced[level].any() && (!v.fenced[level].used || access.by_this))
      join_into(v.presumed, r.knows);
    v.last_seen = r.knows;
  };
  for (LaneGroup& g : separate(block, warp, lanes))
    if (g.lanes & lanes)
      for (const Record& r : flag) apply(r, g.view);
}

void RaceOrder::note(Flag& flag, Record record) const {
  const std::size_t most = crowded() ? kFewEntries : Knowledge::kMostEntries;
  const auto same = std::find_if(flag.begin(), flag.end(), [&](const Record& r) {
    return r.scope == record.scope && (r.mixed || (r.block == record.block && !record.mixed));
  });
  if (same != flag.end()) {
    same->knows = joined(same->knows, record.knows, most);
    join_into(same->over, record.over);
    return;
  }
  if (flag.size() >= kMostRecords && record.scope == kScopes - 1) {
    for (Record& r : flag)
      if (r.scope == record.scope) {  // one stands for several blocks
        r.knows = joined(r.knows, record.knows, most);
        join_into(r.over, record.over);
        r.mixed = true;
        return;
      }
  }
  flag.push_back(std::move(record));
}

void RaceOrder::raise(BlockClock& block, std::uint32_t warp, std::uint32_t lanes, const Strong& access) {
  Flag fresh;
  // Reads of its own block before the last barrier, and those that it was told of: a look-back stops at the first block that
  // has added up all before it.
  Known over;
  if (access.signals) {
    if (block.last_barrier != 0) {
      auto own = std::make_shared<Knowledge>();
      own->add({block.block, kAllWarps, kAllLanes, block.last_barrier});
      over = std::move(own);
    }
    for (const LaneGroup& g : block.warps[warp].groups)
      if (g.lanes & lanes) join_into(over, g.view.over);
  }
  for (LaneGroup& g : block.warps[warp].groups) {
    const std::uint32_t mine = g.lanes & lanes;
    if (mine == 0) continue;
    const View::Fenced* wider = nullptr;
    for (std::size_t s = level_of(access.scope) + 1; s-- > 0;) {
      View::Fenced& f = g.view.fenced[s];
      f.used = true;
      if (!f.any() || (wider != nullptr && wider->knows == f.knows && wider->self == f.self)) continue;
      wider = &f;
      ++raised_;
      note(fresh,
           {fenced(block, warp, mine, f), nullptr, block.block, block.cluster, static_cast<std::uint8_t>(s)});
    }
  }
  if (over) note(fresh, {nullptr, over, block.block, block.cluster, static_cast<std::uint8_t>(kScopes - 1)});
  const auto it = flags_.find(access.word);
  if (it == flags_.end()) {
    if (!fresh.empty()) flags_.emplace(access.word, std::move(fresh));
    return;
  }
  // An atomic update passes on what was there before, too; a store does not.
  if (access.replaces) it->second.clear();
  for (Record& r : fresh) note(it->second, std::move(r));
}

bool RaceOrder::has_fenced(const WarpClock& w, std::uint32_t lanes, Scope scope) noexcept {
  return std::any_of(w.groups.begin(), w.groups.end(), [&](const LaneGroup& g) {
    return (g.lanes & lanes) != 0 && g.view.fenced[level_of(scope)].any();
  });
}

bool RaceOrder::crowded() const noexcept {
  return raised_ > kManyRaised;
}

void RaceOrder::join_flags() {
  Flag all;
  for (auto& [word, flag] : flags_)
    for (Record& r : flag) note(all, std::move(r));
  flags_.clear();
  flags_.emplace(kAnyWord, std::move(all));
  joined_flags_ = true;
}

void RaceOrder::strong(BlockClock& block, std::uint32_t warp, std::uint32_t lanes, const Strong& of_word) {
  Strong access = of_word;
  if (crowded()) {
    if (!joined_flags_) join_flags();
    access.word = kAnyWord;
    access.replaces = false;
  }
  const bool releases = access.ordering == Ordering::release || access.ordering == Ordering::acq_rel;
  const auto see = [&](std::uint32_t who) {
    const auto it = flags_.find(access.word);
    if (it != flags_.end() && !it->second.empty()) look(block, warp, who, access, it->second);
  };
  // Lanes of an atomic come to their word one after the other, and each sees what those before it have put there: the last of all threads
  // that draw a ticket learns of its own warp's, too.
  if (access.reads && access.writes && !std::has_single_bit(lanes) &&
      (releases || has_fenced(block.warps[warp], lanes, access.scope))) {
    if (releases) fence(block, warp, lanes, access.scope);
    if (++one_by_one_ > kMostOneByOne || crowded()) {
      see(lanes);
      raise(block, warp, lanes, access);
      access.by_this = true;
      see(lanes);
      return;
    }
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const std::uint32_t lane = rest & (0u - rest);
      see(lane);
      raise(block, warp, lane, access);
    }
    return;
  }
  if (access.reads) see(lanes);
  if (!access.writes) return;
  if (releases) fence(block, warp, lanes, access.scope);
  raise(block, warp, lanes, access);
}

void RaceOrder::arrive(View& coming, BlockClock& block, std::uint32_t warp, std::uint32_t lanes) {
  block.partial = true;
  const Time until = new_interval(block.warps[warp]);
  for (const LaneGroup& g : separate(block, warp, lanes))
    if (g.lanes & lanes) coming.join(passed_on(block, warp, g.lanes & lanes, g.view, until));
}

void RaceOrder::arrive_relaxed(View& coming, BlockClock& block, std::uint32_t warp, std::uint32_t lanes,
                               Scope scope) {
  block.partial = true;
  for (const LaneGroup& g : block.warps[warp].groups)
    if (g.lanes & lanes)
      join_into(coming.knows, fenced(block, warp, g.lanes & lanes, g.view.fenced[level_of(scope)]));
}

void RaceOrder::arrive_met(View& coming, BlockClock& block, std::uint32_t warp, std::uint32_t lanes) {
  block.partial = true;
  const Time until = new_interval(block.warps[warp]);
  for (const LaneGroup& g : separate(block, warp, lanes)) {
    if ((g.lanes & lanes) == 0) continue;
    join_into(coming.met, passed_on(block, warp, g.lanes & lanes, g.view, until).knows);
    join_into(coming.met, g.view.met);
  }
}

void RaceOrder::end_phase(Meeting& meeting) {
  if (!meeting.copies.empty()) {
    auto all = meeting.coming.knows ? std::make_shared<Knowledge>(*meeting.coming.knows)
                                    : std::make_shared<Knowledge>();
    for (const Knowledge::Entry& copy : meeting.copies) all->add(copy);
    meeting.coming.knows = std::move(all);
    meeting.copies.clear();
  }
  meeting.ended = std::exchange(meeting.coming, View{});
}

void RaceOrder::wait(Meeting& meeting, BlockClock& block, std::uint32_t warp, std::uint32_t lanes,
                     bool relaxed) {
  if (meeting.ended.empty()) return;
  block.partial = true;
  for (LaneGroup& g : separate(block, warp, lanes))
    if (g.lanes & lanes) {
      if (relaxed)
        join_into(g.view.seen[0], meeting.ended.knows);
      else
        g.view.join(meeting.ended);
    }
}

std::uint32_t RaceOrder::begin_copy(BlockClock& block, std::uint32_t warp) {
  make_room();
  const std::uint32_t number = next_actor();
  actors_.push_back({block.block, warp, ++now_});
  return number;
}

void RaceOrder::learn(BlockClock& block, std::uint32_t warp, std::uint32_t lanes,
                      const Knowledge::Entry& entry) {
  block.partial = true;
  auto news = std::make_shared<Knowledge>();
  news->add(entry);
  for (LaneGroup& g : separate(block, warp, lanes))
    if (g.lanes & lanes) join_into(g.view.knows, news);
}

// Too many actors to remember: all accesses so far are taken to be ordered. Races from here on are found as before.
void RaceOrder::make_room() {
  if (actors_.size() < kMostActors) return;
  exhausted_ = exhausted_ || next_actor() > ~0u - 2 * kMostActors;
  if (!exhausted_) floor_ = next_actor();
  actors_.clear();
}

std::uint32_t RaceOrder::new_actor(BlockClock& block, std::uint32_t warp, Time clock) {
  make_room();
  WarpClock& w = block.warps[warp];
  w.clock = clock;
  w.actor = next_actor();
  actors_.push_back({block.block, warp, clock});
  return w.actor;
}

Relation RaceOrder::relation(std::uint32_t earlier, std::uint32_t earlier_lane, const BlockClock& block,
                             std::uint32_t warp, std::uint32_t lane, bool& whole) const noexcept {
  whole = true;
  if (earlier < floor_ || exhausted_) return Relation::ordered;
  const Actor& a = at(earlier);
  const WarpClock& w = block.warps[warp];
  if (a.block == block.block && a.warp < kCopies) {
    if (a.clock < block.last_barrier) return Relation::ordered;
    if (a.warp == warp && a.clock < w.synced) return Relation::ordered;
  }
  const View& view = view_of(w, lane);
  const std::uint32_t known = view.knows ? view.knows->lanes(a.block, a.warp, a.clock) : 0;
  whole = known == kAllLanes && w.groups.size() <= 1;
  if (known >> earlier_lane & 1) return Relation::ordered;
  if (view.presumed && (view.presumed->lanes(a.block, a.warp, a.clock) >> earlier_lane & 1))
    return Relation::presumed;
  return Relation::racing;
}

std::uint32_t RaceOrder::other_lane(std::uint32_t earlier, const BlockClock& block, std::uint32_t warp,
                                    std::uint32_t lane) const noexcept {
  const Actor& a = at(earlier);
  const View& view = view_of(block.warps[warp], lane);
  const std::uint32_t known = view.knows ? view.knows->lanes(a.block, a.warp, a.clock) & ~(1u << lane) : 0;
  return known != 0 ? static_cast<std::uint32_t>(std::countr_zero(known)) : (lane + 1) % 32;
}

std::uint32_t RaceOrder::known_to_any(std::uint32_t earlier, const BlockClock& block) const noexcept {
  const Actor& a = at(earlier);
  std::uint32_t known = 0;
  for (const WarpClock& w : block.warps)
    for (const LaneGroup& g : w.groups)
      for (const Known* some : {&g.view.knows, &g.view.met})
        if (*some) known |= (*some)->lanes(a.block, a.warp, a.clock);
  return known;
}

bool RaceOrder::is_over(std::uint32_t earlier, std::uint32_t earlier_lane, const BlockClock& block,
                        std::uint32_t warp, std::uint32_t lane) const noexcept {
  bool whole;
  if (relation(earlier, earlier_lane, block, warp, lane, whole) != Relation::racing) return true;
  const Actor& a = at(earlier);
  const View& view = view_of(block.warps[warp], lane);
  return view.met && (view.met->lanes(a.block, a.warp, a.clock) >> earlier_lane & 1);
}

bool RaceOrder::has_fenced(const BlockClock& mine, std::uint32_t warp, std::uint32_t lane,
                           std::uint32_t block, std::uint32_t cluster) const noexcept {
  const std::size_t level = block == mine.block ? 0 : cluster == mine.cluster ? 1 : 2;
  return view_of(mine.warps[warp], lane).fenced[level].any();
}

bool RaceOrder::read_is_over(std::uint32_t earlier, std::uint32_t earlier_lane, const BlockClock& block,
                             std::uint32_t warp, std::uint32_t lane) const noexcept {
  const View& view = view_of(block.warps[warp], lane);
  const Actor& a = at(earlier);
  return view.over && (view.over->lanes(a.block, a.warp, a.clock) >> earlier_lane & 1);
}

bool RaceOrder::exchanged_since(std::uint32_t earlier, std::uint32_t earlier_lane, const BlockClock& block,
                                std::uint32_t warp, std::uint32_t lane) const noexcept {
  const Actor& a = at(earlier);
  const std::uint32_t both = 1u << earlier_lane | 1u << lane;
  return a.block == block.block && a.warp == warp &&
         std::any_of(block.warps[warp].exchanges.begin(), block.warps[warp].exchanges.end(),
                     [&](const LanesMet& e) { return (e.lanes & both) == both && a.clock < e.until; });
}

}  // namespace simgpu::observe
