/// @file
/// See races.hpp. The order of events is race_order.hpp's subject, the wording race_report.hpp's; here each
/// access is held against the shadow cells of its words.
#include "simgpu/observe/races.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "simgpu/observe/coalescing.hpp"
#include "simgpu/observe/coverage.hpp"
#include "simgpu/observe/race_lifetime.hpp"
#include "simgpu/observe/race_order.hpp"
#include "simgpu/observe/race_report.hpp"
#include "simgpu/observe/race_shadow.hpp"

namespace simgpu::observe {
namespace {

constexpr std::size_t kMostPages = 64 * 1024;  // kept from launch to launch: up to 1.5 GiB of cells
constexpr std::size_t kMostPagesInLaunch =
    512 * 1024;  // 2 GiB of device memory; what lies beyond is not checked
constexpr std::size_t kMostDoubtful = 64 * 1024;

// A block's clocks and the cells of its shared memory.
struct Resident {
  BlockClock clock;
  // Older actors touched shared memory before the block's last barrier, or belong to the block that was here
  // before.
  std::uint32_t floor = 0;
  std::uint32_t birth = 0;  // the floor when the block began: what threads of other blocks see
  std::vector<ShadowPage> shared;
  Lifetimes lifetimes;
};

bool is_strong(const Access& a) noexcept {
  return is_atomic(a.kind) || a.ordering != Ordering::weak;
}

Scope scope_of(const Access& a) noexcept {
  return a.ordering == Ordering::volatile_ ? Scope::sys : a.scope;
}

// Of a conflict with an atomic: who reads plainly.
const RaceParty& reader_of(const Conflict& c) noexcept {
  return c.now.kind == AccessKind::load ? c.now : c.earlier;
}

// A thread and a word.
struct ThreadWord {
  std::uint64_t thread = 0, word = 0;
  bool operator==(const ThreadWord&) const = default;
};
struct HashThreadWord {
  std::size_t operator()(const ThreadWord& t) const noexcept {
    return static_cast<std::size_t>((t.thread * 0x9E37'79B9'7F4A'7C15ull) ^
                                    (t.word * 0xC2B2'AE3D'27D4'EB4Full));
  }
};

}  // namespace

struct Races::Impl {
  explicit Impl(Findings& f) : findings(f) {}

  Findings& findings;
  LaunchInfo launch;
  std::uint32_t warps_per_block = 1;
  bool clusters = false;  // of several blocks
  RaceOrder order;
  RaceReport report;
  std::vector<std::vector<Resident>> residents;  // by SM, slot
  PageTable<ShadowPage> global;
  struct RecentPage {
    std::uint64_t number = ~0ull;
    ShadowPage* page = nullptr;
  };
  std::array<RecentPage, 64> recent_pages;  // of global memory, by page number
  CoverageMemo coverages;
  bool remote = false;  // some block has touched another's shared memory
  std::unordered_map<std::uint64_t, std::uint32_t> arrived_at_cluster;  // lanes, by thread_key()
  static std::uint64_t thread_key(std::uint64_t block, std::uint32_t warp) { return block << 8 | warp; }
  static std::uint64_t thread_key(const WarpId& w) { return thread_key(w.block_linear, w.warp); }
  std::vector<const Site*> sites;
  std::vector<bool> site_is_cas, site_sees;  // the latter: an atomic whose result is used
  std::unordered_map<std::uint32_t, std::uint32_t> copy_threads;  // who began a bulk copy, by actor
  Knowledge::Entry last_load;  // the copy into shared memory that was begun last
  std::unordered_set<const Site*> undefined_shuffles;

  // Volatile stores to shared memory by several lanes at once, of each place of a warp, since its actor is the same. Volatile accesses may be flags, which one
  // thread stores and others wait for. But a lane that reads what another stored by an instruction in which it stored itself does not wait
  // for it: it counts on lanes in lockstep. A fence in between speaks for flags again.
  struct StoredTogether {
    std::uint32_t site = 0, lanes = 0;
  };
  struct Together {
    std::uint32_t actor = 0;
    std::vector<StoredTogether> stores;
  };
  std::unordered_map<std::uint64_t, Together> stored_together;
  static std::uint64_t place_of(const WarpId& w) {
    return std::uint64_t{w.sm} << 32 | std::uint64_t{w.slot} << 16 | w.warp;
  }

  // Plain reads that conflict with atomics. `old = *p; do { ... atomicCAS(p, old, ...) } while (...)` reads
  // plainly and is right all the same, since the CAS tells it whether the value was still good. So a conflict
  // of this kind is held back until the reading thread tries a CAS on the word (then it is dropped), or the
  // launch ends (then it is reported).
  std::unordered_map<ThreadWord, std::vector<Conflict>, HashThreadWord> doubtful;
  std::vector<ThreadWord> doubtful_in_order;
  // Instructions that were found to read ahead of a CAS: a thread that needs none, since it sees that there is nothing to
  // change, reads there in the same way.
  std::unordered_set<const Site*> read_ahead;

  // The block that was asked for last: as a rule the next access is of the same warp.
  struct Latest {
    Resident* resident = nullptr;
    std::uint64_t block = 0;
    std::uint32_t sm = 0, slot = 0, warps = 0;
  };
  Latest latest;

  Resident& resident(const WarpId& w) {
    if (latest.resident != nullptr && latest.block == w.block_linear && latest.sm == w.sm &&
        latest.slot == w.slot && w.warp < latest.warps)
      return *latest.resident;
    Resident& r = find_resident(w);
    latest = {&r, w.block_linear, w.sm, w.slot, static_cast<std::uint32_t>(r.clock.warps.size())};
    return r;
  }
  [[gnu::noinline]] Resident& find_resident(const WarpId& w) {
    latest = {};
    if (w.sm >= residents.size()) residents.resize(w.sm + 1);
    auto& slots = residents[w.sm];
    if (w.slot >= slots.size()) slots.resize(w.slot + 1);
    Resident& r = slots[w.slot];
    // Robust against a caller that announced no block.
    if (r.clock.warps.size() <= w.warp || r.clock.block != static_cast<std::uint32_t>(w.block_linear))
      begin(w, r);
    return r;
  }

  void begin(const WarpId& w, Resident& r) {
    latest = {};
    order.begin_block(r.clock, w.block_linear, cluster_of(w), std::max(warps_per_block, w.warp + 1));
    r.floor = r.birth = order.next_actor();
    r.lifetimes.clear();
  }

  std::uint32_t cluster_of(const WarpId& w) const noexcept {
    const Dim3 &size = launch.cluster, &grid = launch.grid;
    return w.block.x / size.x +
           grid.x / size.x * (w.block.y / size.y + grid.y / size.y * (w.block.z / size.z));
  }
  std::uint32_t cluster_of(std::uint32_t block) const noexcept {
    WarpId w;
    w.block = index_in(launch.grid, block);
    return cluster_of(w);
  }

  // Words of shared memory are told from global ones, and those of each SM's slots from each other, by high bits.
  static std::uint64_t space_of(const WarpId& owner) {
    return 1ull << 63 | std::uint64_t{owner.sm} << 48 | std::uint64_t{owner.slot} << 32;
  }
  // Whether the address is of the shared memory that libraries keep for themselves.
  bool reserved(const Access& a, std::uint64_t address) const noexcept {
    return a.memory == Memory::shared && address >= launch.shared_bytes - launch.reserved_shared_bytes;
  }
  static const WarpId& owner_of(const Access& a) { return a.owner != nullptr ? *a.owner : *a.warp; }
  static std::uint64_t doubt_space(const Access& a) {
    return a.memory == Memory::shared ? 1ull << 63 | owner_of(a).block_linear << 32 : 0;
  }

  // One request, while it is being checked.
  struct Request {
    const Access& access;
    Resident& home;
    std::uint32_t warp = 0, floor = 0;
    Cell me{};               // as lane 0; of a bulk copy: as it stands
    std::uint32_t unit = 0;  // bytes of each lane, as a shift
    bool strong = false, atomic = false, writes = false;
    bool two_suffice = false;  // readers of a word: whoever writes now races with one of them
    bool copy = false;         // a bulk copy, begun by lane `issuer`
    std::uint32_t issuer = 0;
    std::uint32_t last_good = 0;                  // an actor that was found to be ordered before this request
    std::uint32_t last_mine = 0, last_other = 0;  // an actor of this warp; one of another
    bool read_only = false;                       // by a way that does not see what the kernel writes
    bool seen = false;  // of the earlier access in question: the last writer of the word has seen its value
  };
  void note_stored_together(const Request& q);
  bool counts_on_lockstep(const Request& q, Cell earlier, AccessKind earlier_kind, std::uint32_t lane) const;
  static std::uint32_t lane_at(const Request& q, std::uint32_t place) noexcept {
    return q.me.lane() + (place >> q.unit);
  }
  // Bytes side by side on one page, of lanes side by side.
  struct Stretch {
    std::uint32_t offset = 0, bytes = 0;  // in the page
    std::uint32_t place = 0;              // of the first byte in the request, counted from lane 0 [bytes]
    std::uint64_t address = 0;
    bool several = false;  // other lanes read the same
  };

  Request request_of(const Access& a);
  void copy_begins(const Site& site, const WarpId& by, std::uint32_t lane, const WarpId& owner,
                   std::uint32_t offset, std::uint32_t bytes, AccessKind kind);
  void know_site(const Site& site, AccessKind kind);
  void touches(const Access& a, const WarpId& owner);
  void end_cluster_phase(std::uint32_t cluster);
  ShadowPage* page_at(const Access& a, Resident& home, std::uint64_t address);
  bool has_two_readers(const Access& a, const Coverage& cover, std::uint64_t first);
  bool only_reads(Request& q, const Coverage& cover, std::uint64_t first);
  bool maybe_written(Request& q, const Coverage& cover, std::uint64_t first);
  void check_stretch(Request& q, std::uint64_t address, std::uint64_t bytes, std::uint32_t place,
                     bool several = false);
  void check(Request& q, ShadowPage& page, const Stretch& s);
  void check_word(Request& q, ShadowPage& page, std::uint32_t offset, std::uint32_t lane,
                  std::uint64_t address);
  void compare_all(Request& q, ShadowPage& page, const Stretch& s, ShadowPage::Plane plane, AccessKind kind);
  void compare_other_writers(Request& q, ShadowPage& page, const Stretch& s);
  void keep_other_writer(Request& q, ShadowPage& page, std::uint32_t cell, Cell writer, std::uint32_t lane);
  void note_readers(Request& q, ShadowPage& page, const Stretch& s);
  bool note_row(Request& q, ShadowPage& page, const Stretch& s);
  void note_reader(Request& q, ShadowPage& page, Cell& reader, std::uint32_t cell, Cell me);
  void compare(Request& q, Cell earlier, AccessKind earlier_kind, std::uint32_t lane, std::uint64_t address);
  void relate(Request& q, Cell earlier, AccessKind earlier_kind, std::uint32_t lane, std::uint64_t address);
  bool same_warp(Request& q, std::uint32_t actor);
  bool meant_for_each_other(const Request& q, Cell earlier) const;
  // What becomes of the two readers of a word when a third one comes: it is not noted; it takes the place of the first; the
  // first takes the place of the second, which is forgotten, or kept as one of more.
  enum class Room { none, at_once, moving_on, adding };
  Room room_for(Request& q, Cell reader, Cell other, std::uint32_t lane);
  bool comes_before(Request& q, Cell earlier, std::uint32_t lane);
  // Whether an atomic of a warp follows a plain write of its own that others may race with yet: they must find that one.
  bool hides_plain_write(Request& q, Cell writer) {
    return q.strong && writer.actor() >= q.floor && !writer.strong() && same_warp(q, writer.actor());
  }
  static bool of_this_request(const Request& q, Cell earlier, std::uint64_t address, std::uint64_t bytes);
  static bool writes_the_same(const Request& q, Cell earlier, std::uint32_t lane, std::uint64_t address);
  void flags(const Access& a, Resident& home);
  void settle_doubts(const Access& a);
};

Races::Races(Findings& findings) : impl_(std::make_unique<Impl>(findings)) {}
Races::~Races() = default;

void Races::launch_begin(const LaunchInfo& info) {
  Impl& m = *impl_;
  m.launch = info;
  m.warps_per_block = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (info.block.count() + 31) / 32));
  m.clusters = info.cluster.count() != 1;
  m.report.begin_launch(info);
  if (!m.order.begin_launch() || m.global.pages() > kMostPages) m.global.clear();
  m.recent_pages.fill({});
  m.coverages.clear();
  m.residents.clear();
  m.latest = {};
  m.sites.clear();
  m.site_is_cas.clear();
  m.site_sees.clear();
  m.copy_threads.clear();
  m.undefined_shuffles.clear();
  m.doubtful.clear();
  m.doubtful_in_order.clear();
  m.read_ahead.clear();
  m.stored_together.clear();
  m.remote = false;
  m.arrived_at_cluster.clear();
}

void Races::launch_end() {
  Impl& m = *impl_;
  for (const ThreadWord& key : m.doubtful_in_order) {
    const auto it = m.doubtful.find(key);
    if (it == m.doubtful.end()) continue;
    for (const Conflict& conflict : it->second)
      if (m.read_ahead.count(reader_of(conflict).site) == 0) m.report.add(conflict);
    m.doubtful.erase(it);
  }
  m.doubtful_in_order.clear();
  m.report.finish(m.findings);
}

void Races::block_begin(const WarpId& warp) {
  Impl& m = *impl_;
  m.latest = {};
  if (warp.sm >= m.residents.size()) m.residents.resize(warp.sm + 1);
  auto& slots = m.residents[warp.sm];
  if (warp.slot >= slots.size()) slots.resize(warp.slot + 1);
  m.begin(warp, slots[warp.slot]);
}

void Races::block_barrier(const WarpId& any) {
  Resident& r = impl_->resident(any);
  impl_->order.barrier(r.clock);
  r.floor = impl_->order.next_actor();
}

void Races::partial_barrier(const WarpId& any, std::uint32_t id, const BarrierPart* parts,
                            std::size_t count) {
  impl_->report.uses_named_barriers();
  impl_->order.partial_barrier(impl_->resident(any).clock, id, parts, count);
}

void Races::barrier_arrive(const WarpId& warp, std::uint32_t mask, std::uint32_t id) {
  impl_->order.barrier_arrive(impl_->resident(warp).clock, warp.warp, mask, id);
}

void Races::warp_sync(const WarpId& warp, std::uint32_t mask) {
  impl_->order.warp_sync(impl_->resident(warp).clock, warp.warp, mask);
}

void Races::warp_exchange(const WarpId& warp, std::uint32_t mask) {
  impl_->order.warp_exchange(impl_->resident(warp).clock, warp.warp, mask);
}

void Races::fence(const WarpId& warp, std::uint32_t mask, Scope scope) {
  impl_->order.fence(impl_->resident(warp).clock, warp.warp, mask, scope);
  if (!impl_->stored_together.empty()) impl_->stored_together.erase(Impl::place_of(warp));
}

// A buffer may be filled again only when all that took from it have said so to the thread that begins the copy, whoever came first here.
// The copy itself leaves nothing: see shared_filled().
void Races::shared_replaced(const Site& site, const WarpId& by, std::uint32_t lane, const WarpId& owner,
                            std::uint32_t offset, std::uint32_t bytes) {
  impl_->copy_begins(site, by, lane, owner, offset, bytes, AccessKind::store);
}

// And it may be copied away only when all that put something there have said so.
void Races::shared_copied(const Site& site, const WarpId& by, std::uint32_t lane, const WarpId& owner,
                          std::uint32_t offset, std::uint32_t bytes) {
  impl_->copy_begins(site, by, lane, owner, offset, bytes, AccessKind::load);
}

void Races::Impl::copy_begins(const Site& site, const WarpId& by, std::uint32_t lane, const WarpId& owner,
                              std::uint32_t offset, std::uint32_t bytes, AccessKind kind) {
  Access a;
  a.site = &site;
  a.warp = &by;
  if (owner.block_linear != by.block_linear) a.owner = &owner;
  a.kind = kind;
  a.memory = Memory::shared;
  a.bytes = 4;
  a.mask = 1u << lane;
  Request q = request_of(a);
  q.copy = true;
  q.issuer = lane;
  q.unit = 31;
  q.me = q.me.of_lane(lane);
  check_stretch(q, offset, bytes, 0);
}

// What threads did to these bytes before is no concern of who reads the copy; a copy that comes too early for those who touch its
// destination before they have waited for it is found by other means.
void Races::shared_filled(const WarpId& owner, std::uint32_t offset, std::uint32_t bytes) {
  Resident& r = impl_->resident(owner);
  for (std::uint64_t at = offset; at < std::uint64_t{offset} + bytes;) {
    const std::uint64_t number = at / kShadowPageBytes;
    const std::uint64_t end =
        std::min<std::uint64_t>(std::uint64_t{offset} + bytes, (number + 1) * kShadowPageBytes);
    if (number < r.shared.size()) {
      ShadowPage& page = r.shared[number];
      const std::uint64_t unit = page.by_byte() ? 1 : 4;
      const auto from = static_cast<std::uint32_t>(at % kShadowPageBytes);
      page.take_readers(from, static_cast<std::uint32_t>(end - at), [](const ShadowPage::Reader&) {});
      for (const ShadowPage::Plane plane : ShadowPage::kAll) {
        if (!page.has(plane)) continue;
        Cell* cells = page.cells(plane, from, static_cast<std::uint32_t>(end - at));
        for (std::uint64_t c = from / unit; c < ((end - 1) % kShadowPageBytes) / unit + 1; ++c)
          cells[c] = Cell();
      }
    }
    at = end;
  }
}

// Accesses to another block's shared memory, which have to be over when that block ends.
void Races::Impl::touches(const Access& a, const WarpId& owner) {
  if (owner.block_linear == a.warp->block_linear) return;
  Resident& home = resident(*a.warp);
  const std::uint64_t address = a.address != nullptr ? a.first() : 0;
  remote = true;
  resident(owner).lifetimes.touched(order,
                                    {order.actor(home.clock, a.warp->warp), a.mask, a.site, a.kind, address});
}

// A block's places become free with those of its cluster, so that its last view is there still.
void Races::block_end(const WarpId& block) {
  Impl& m = *impl_;
  Resident& r = m.resident(block);
  r.lifetimes.left_open(m.order, r.clock, [&](const Touch& touch) {
    const Actor& who = m.order.at(touch.actor);
    Conflict c;
    c.memory = Memory::shared;
    c.address = touch.address & ~3ull;
    c.sort = Conflict::Sort::may_have_ended;
    c.now = {touch.site, touch.kind, who.block,
             who.warp * kWarpLanes + static_cast<std::uint32_t>(std::countr_zero(touch.lanes))};
    c.earlier = {touch.site, touch.kind, block.block_linear, 0};
    m.report.add(c);
  });
  r.lifetimes.clear();
}

void Races::proxy_fence(const WarpId& warp, std::uint32_t mask) {
  impl_->order.proxy_fence(impl_->resident(warp).clock, warp.warp, mask);
}

void Races::mbarrier_made(const Site& site, const WarpId& by, std::uint32_t lane, const WarpId& owner,
                          std::uint32_t offset) {
  Impl& m = *impl_;
  if (site.id >= m.sites.size() || m.sites[site.id] == nullptr) m.know_site(site, AccessKind::store);
  BlockClock& block = m.resident(by).clock;
  m.resident(owner).lifetimes.made(offset, {m.order.actor(block, by.warp), lane, site.id});
}

void Races::mbarrier_used(const Site& site, const WarpId& by, std::uint32_t mask, const WarpId& owner,
                          std::uint32_t offset) {
  Impl& m = *impl_;
  Resident& home = m.resident(by);
  Resident& there = m.resident(owner);
  const bool remote = owner.block_linear != by.block_linear;
  // What a copy signals there it signals when it is done: who waits for the mbarrier has waited for that.
  if (remote && site.name.starts_with("mbarrier.")) {
    Access a;
    a.site = &site;
    a.warp = &by;
    a.kind = AccessKind::reduction;
    a.memory = Memory::shared;
    a.mask = mask;
    if (site.id >= m.sites.size() || m.sites[site.id] == nullptr) m.know_site(site, a.kind);
    m.touches(a, owner);
  }
  Made* const made = there.lifetimes.maker(offset);
  if (made == nullptr || made->told || made->actor < m.order.floor() || (!remote && made->actor < home.floor))
    return;
  const Actor& who = m.order.at(made->actor);
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    if (who.block == home.clock.block && who.warp == by.warp && made->lane == lane) continue;
    if (m.order.is_over(made->actor, made->lane, home.clock, by.warp, lane)) continue;
    Conflict c;
    c.memory = Memory::shared;
    c.address = offset;
    c.sort = Conflict::Sort::not_made_yet;
    c.same_warp = who.block == home.clock.block && who.warp == by.warp;
    c.now = {&site, AccessKind::load, by.block_linear, by.warp * kWarpLanes + lane};
    c.earlier = {m.sites[made->site], AccessKind::store, who.block, who.warp * kWarpLanes + made->lane};
    m.report.add(c);
    made->told = true;
    return;
  }
}

void Races::mbarrier_arrive(const WarpId& warp, std::uint32_t mask, const WarpId& owner, std::uint32_t offset,
                            bool relaxed) {
  Impl& m = *impl_;
  BlockClock& block = m.resident(warp).clock;
  View& coming = m.resident(owner).clock.mbarriers[offset].coming;
  if (relaxed)
    m.order.arrive_relaxed(coming, block, warp.warp, mask, m.clusters ? Scope::cluster : Scope::cta);
  else
    m.order.arrive(coming, block, warp.warp, mask);
}

void Races::mbarrier_phase(const WarpId& owner, std::uint32_t offset) {
  impl_->order.end_phase(impl_->resident(owner).clock.mbarriers[offset]);
}

void Races::mbarrier_wait(const WarpId& warp, std::uint32_t mask, const WarpId& owner, std::uint32_t offset,
                          bool relaxed) {
  Impl& m = *impl_;
  m.report.uses_mbarriers();
  BlockClock& block = m.resident(warp).clock;
  m.order.wait(m.resident(owner).clock.mbarriers[offset], block, warp.warp, mask, relaxed);
}

void Races::cluster_arrive(const WarpId& warp, std::uint32_t mask, bool relaxed) {
  Impl& m = *impl_;
  View& coming = m.order.of_cluster(m.cluster_of(warp)).coming;
  BlockClock& block = m.resident(warp).clock;
  if (relaxed) {
    m.order.arrive_relaxed(coming, block, warp.warp, mask, Scope::cluster);
    m.order.arrive_met(coming, block, warp.warp, mask);
  } else {
    m.order.arrive(coming, block, warp.warp, mask);
  }
  if (m.remote) m.arrived_at_cluster[Impl::thread_key(warp)] |= mask;
}

// Threads that have ended count as arrived.
void Races::Impl::end_cluster_phase(std::uint32_t cluster) {
  View& coming = order.of_cluster(cluster).coming;
  for (auto& slots : residents)
    for (Resident& r : slots) {
      if (r.clock.cluster != cluster) continue;
      for (std::uint32_t n = 0; n < r.clock.warps.size(); ++n) {
        std::uint32_t arrived = 0;
        if (const auto it = arrived_at_cluster.find(thread_key(r.clock.block, n));
            it != arrived_at_cluster.end()) {
          arrived = it->second;
          arrived_at_cluster.erase(it);
        }
        if (arrived != kAllLanes) order.arrive_met(coming, r.clock, n, ~arrived);
      }
    }
}

void Races::cluster_barrier(const WarpId& any) {
  Impl& m = *impl_;
  if (m.remote) m.end_cluster_phase(m.cluster_of(any));
  m.order.end_phase(m.order.of_cluster(m.cluster_of(any)));
}

void Races::cluster_wait(const WarpId& warp, std::uint32_t mask) {
  Impl& m = *impl_;
  m.order.wait(m.order.of_cluster(m.cluster_of(warp)), m.resident(warp).clock, warp.warp, mask);
}

void Races::used_from_nowhere(const Site& site, const Site& use, const WarpId& warp, std::uint32_t mask) {
  Impl& m = *impl_;
  if (!m.undefined_shuffles.insert(&site).second) return;
  Finding f;
  f.kind = FindingKind::undefined_shuffle;
  f.warning = true;
  f.kernel = m.launch.kernel;
  f.file = site.file;
  f.line = site.line;
  f.instruction = site.name;
  f.block = warp.block;
  f.thread =
      index_in(m.launch.block, warp.warp * kWarpLanes + static_cast<std::uint32_t>(std::countr_zero(mask)));
  f.message = fmt::format(
      "Thread {} asks at {} for the value of a lane that takes no part in this shuffle (it has ended, or the "
      "member mask "
      "does not name it): what comes is undefined, and {} depends on it. Let that lane take part, or do not "
      "use "
      "the value.",
      text_of(f.thread), place_of(site, f.file), place_of(use, f.file));
  m.findings.add(std::move(f));
}

void Races::Impl::know_site(const Site& site, AccessKind kind) {
  if (site.id >= sites.size()) {
    sites.resize(site.id + 1);
    site_is_cas.resize(site.id + 1);
    site_sees.resize(site.id + 1);
  }
  if (sites[site.id] != nullptr) return;
  sites[site.id] = &site;
  site_is_cas[site.id] = site.name.find(".cas") != std::string::npos;
  site_sees[site.id] = kind == AccessKind::atomic;
}

Races::Impl::Request Races::Impl::request_of(const Access& a) {
  Resident& home = resident(*a.warp);
  if (a.site->id >= sites.size() || sites[a.site->id] == nullptr) know_site(*a.site, a.kind);
  Request q{.access = a, .home = home};
  q.strong = is_strong(a);
  if (q.strong) flags(a, home);
  q.warp = a.warp->warp;
  q.atomic = is_atomic(a.kind);
  q.writes = a.kind != AccessKind::load;
  q.read_only = a.non_coherent;
  q.unit = static_cast<std::uint32_t>(std::countr_zero(std::uint32_t{a.bytes}));
  q.last_mine = order.actor(home.clock, q.warp);
  q.me = Cell(q.last_mine, a.site->id, q.strong, q.atomic, static_cast<std::uint32_t>(scope_of(a)));
  q.floor = order.floor();
  if (a.memory == Memory::shared) {
    // Blocks of a cluster reach into each other's: a barrier of one of them settles nothing.
    const bool alone = !clusters;
    const Resident& owner = a.owner != nullptr ? resident(*a.owner) : home;
    q.floor = std::max(q.floor, alone ? owner.floor : owner.birth);
    q.two_suffice = alone && !home.clock.partial;
  }
  return q;
}

void Races::Impl::note_stored_together(const Request& q) {
  Together& together = stored_together[place_of(*q.access.warp)];
  if (together.actor != q.me.actor()) together = {q.me.actor(), {}};
  for (StoredTogether& one : together.stores) {
    if (one.site != q.me.site()) continue;
    one.lanes |= q.access.mask;
    return;
  }
  together.stores.push_back({q.me.site(), q.access.mask});
}

bool Races::Impl::counts_on_lockstep(const Request& q, Cell earlier, AccessKind earlier_kind,
                                     std::uint32_t lane) const {
  if (stored_together.empty() || q.access.ordering != Ordering::volatile_ || q.writes || q.copy ||
      q.access.memory != Memory::shared || earlier_kind != AccessKind::store || earlier.atomic() ||
      earlier.actor() != q.me.actor())
    return false;
  const auto found = stored_together.find(place_of(*q.access.warp));
  return found != stored_together.end() && found->second.actor == earlier.actor() &&
         std::any_of(found->second.stores.begin(), found->second.stores.end(),
                     [&](const StoredTogether& one) {
                       return one.site == earlier.site() && (one.lanes >> lane & 1u) != 0;
                     });
}

void Races::access(const Access& a) {
  if ((a.memory != Memory::global && a.memory != Memory::shared) || a.mask == 0 || a.warp == nullptr) return;
  Impl& m = *impl_;
  const Coverage* cover = m.coverages.of(a);
  const std::uint64_t first = a.first();
  if (m.launch.reserved_shared_bytes != 0 && a.kind == AccessKind::load && m.reserved(a, first))
    m.order.takes_reserved(m.resident(*a.warp).clock, a.warp->warp);
  if (cover != nullptr && a.memory == Memory::shared && m.has_two_readers(a, *cover, first)) return;
  Impl::Request q = m.request_of(a);
  if (a.owner != nullptr) m.touches(a, *a.owner);
  const std::uint32_t step = a.bytes < 4 ? a.bytes : 4;
  if (cover != nullptr && a.memory == Memory::shared && m.only_reads(q, *cover, first)) return;
  if (cover != nullptr && first % step == 0 &&
      PageTable<ShadowPage>::holds(first + static_cast<std::uint64_t>(cover->low)) &&
      PageTable<ShadowPage>::holds(first + static_cast<std::uint64_t>(cover->low) + cover->span) &&
      (cover->distinct || (!q.writes && !m.maybe_written(q, *cover, first)))) {
    for (std::uint32_t i = 0; i < cover->count; ++i) {
      const Coverage::Stretch& s = cover->stretches[i];
      m.check_stretch(q, first + static_cast<std::uint64_t>(s.offset), s.bytes, s.lane * a.bytes, s.several);
    }
  } else if (step == 4 && is_run(a.address, a.mask, a.bytes) &&
             PageTable<ShadowPage>::holds(a.address[31] + a.bytes)) {
    m.check_stretch(q, a.address[0], kWarpLanes * a.bytes, 0);
  } else {
    const std::uint64_t* const at = a.address;
    const bool broadcast = !q.writes && is_broadcast(at, a.mask);
    for (std::uint32_t rest = a.mask; rest != 0;) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      const std::uint64_t address = at[lane];
      rest &= rest - 1;
      // Of neighbours that read one address, the first one stands for all.
      bool several = broadcast && rest != 0;
      if (broadcast) rest = 0;
      for (; !q.writes && rest != 0 && at[std::countr_zero(rest)] == address; rest &= rest - 1)
        several = true;
      if (PageTable<ShadowPage>::holds(address))
        m.check_stretch(q, address, a.bytes, lane * a.bytes, several);
    }
  }
  if (!m.doubtful.empty() && m.site_is_cas[a.site->id]) m.settle_doubts(a);
  if (a.ordering == Ordering::volatile_ && a.memory == Memory::shared && a.kind == AccessKind::store &&
      std::popcount(a.mask) > 1)
    m.note_stored_together(q);
}

// Texels are checked one by one, at the places where they lie.
void Races::texture(const TextureAccess& t) {
  if (t.place == nullptr || t.texels == 0 || t.site == nullptr) return;
  Impl& m = *impl_;
  Access a;
  a.site = t.site;
  a.warp = t.warp;
  a.kind = t.kind;
  a.bytes = t.bytes;
  a.mask = t.mask;
  a.non_coherent = !t.surface && t.kind == AccessKind::load;
  Impl::Request q = m.request_of(a);
  for (std::uint32_t n = 0; n < t.texels; ++n)
    if (PageTable<ShadowPage>::holds(t.place[n]))
      m.check_stretch(q, t.place[n], t.bytes, t.lane[n] * t.bytes);
}

// The copy engine reads and writes global memory on behalf of the thread that began the copy: it knows what that thread
// knows, and nobody knows of it before having waited for it.
void Races::bulk_access(const BulkAccess& b) {
  if (b.bytes == 0) return;  // a prefetch
  Impl& m = *impl_;
  Access a;
  a.site = b.site;
  a.warp = b.warp;
  a.kind = b.kind;
  a.mask = 1u << b.lane;
  Impl::Request q = m.request_of(a);
  const bool loads = b.kind == AccessKind::load;
  const std::uint32_t warp = loads ? kLoads : kCopies + q.warp;
  const std::uint32_t actor = m.order.begin_copy(q.home.clock, warp);
  const std::uint32_t lane = loads ? actor % kWarpLanes : b.lane;
  m.copy_threads[actor] = q.warp * kWarpLanes + b.lane;
  m.last_load = {q.home.clock.block, warp, 1u << lane, 0};
  q.copy = true;
  q.issuer = b.lane;
  q.unit = 31;
  q.me = Cell(actor, b.site->id, q.strong, q.atomic, static_cast<std::uint32_t>(Scope::gpu)).of_lane(lane);
  for (std::size_t n = 0; n < b.span_count; ++n)
    if (PageTable<ShadowPage>::holds(b.spans[n].address + b.spans[n].bytes))
      m.check_stretch(q, b.spans[n].address, b.spans[n].bytes, 0);
}

void Races::bulk_signals(const WarpId& owner, std::uint32_t offset) {
  Impl& m = *impl_;
  Knowledge::Entry entry = m.last_load;
  entry.until = m.order.event();
  m.resident(owner).clock.mbarriers[offset].copies.push_back(entry);
}

void Races::bulk_commit(const WarpId& warp, std::uint32_t mask) {
  Impl& m = *impl_;
  for (auto& groups = m.resident(warp).clock.groups; mask != 0; mask &= mask - 1)
    groups[warp.warp * kWarpLanes + static_cast<std::uint32_t>(std::countr_zero(mask))].push_back(
        m.order.event());
}

void Races::bulk_wait(const WarpId& warp, std::uint32_t mask, std::uint32_t pending) {
  Impl& m = *impl_;
  BlockClock& block = m.resident(warp).clock;
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    std::vector<Time>& groups = block.groups[warp.warp * kWarpLanes + lane];
    if (groups.size() <= pending) continue;
    const auto open = groups.end() - pending;
    m.order.learn(block, warp.warp, 1u << lane, {block.block, kCopies + warp.warp, 1u << lane, open[-1]});
    groups.erase(groups.begin(), open);
  }
}

// Whether only_reads() would do nothing for this access: each of its rows has two readers already, of other warps. As soon as two warps
// have read a row of a tile, that is so for all others' loads of it.
bool Races::Impl::has_two_readers(const Access& a, const Coverage& cover, std::uint64_t first) {
  constexpr std::uint32_t kRow = ShadowPage::kRowBytes;
  if (a.kind != AccessKind::load || a.ordering != Ordering::weak || a.owner != nullptr || a.bytes < 4 ||
      clusters || cover.stretches[0].bytes % kRow != 0)
    return false;
  Resident& home = resident(*a.warp);
  const std::uint64_t low = first + static_cast<std::uint64_t>(cover.low);
  const std::uint64_t number = low / kShadowPageBytes;
  if (home.clock.partial || number != (low + cover.span - 1) / kShadowPageBytes ||
      number >= home.shared.size())
    return false;
  const ShadowPage& page = home.shared[number];
  const std::uint32_t floor = std::max(order.floor(), home.floor);
  if (page.last_writer >= floor || page.by_byte() || !page.has(ShadowPage::kOtherReader)) return false;
  order.actor(home.clock, a.warp->warp);  // numbers are given out at the first access
  for (std::uint32_t i = 0; i < cover.count; ++i) {
    const Coverage::Stretch& s = cover.stretches[i];
    const auto offset =
        static_cast<std::uint32_t>((first + static_cast<std::uint64_t>(s.offset)) % kShadowPageBytes);
    if ((offset | s.bytes) % kRow != 0) return false;
    for (std::uint32_t row = offset / kRow; row < (offset + s.bytes) / kRow; ++row) {
      if (!page.is_whole(ShadowPage::kReader, row) || !page.is_whole(ShadowPage::kOtherReader, row))
        return false;
      const std::uint32_t reader = page.row(ShadowPage::kReader, row).cell.actor();
      if (reader < floor || page.row(ShadowPage::kOtherReader, row).cell.actor() < floor) return false;
      const Actor& who = order.at(reader);
      if (who.warp == a.warp->warp && who.block == home.clock.block) return false;  // it takes its own place
    }
  }
  return true;
}

// Plain loads from the block's own shared memory, of words on one page on which nobody has written since the last barrier: by far most
// accesses of kernels with tiles. What is left of the rule of races for them is that there is one more reader.
// @return false if it is no such access.
bool Races::Impl::only_reads(Request& q, const Coverage& cover, std::uint64_t first) {
  const Access& a = q.access;
  if (q.writes || q.strong || a.owner != nullptr || a.bytes < 4 || first % 4 != 0) return false;
  const std::uint64_t low = first + static_cast<std::uint64_t>(cover.low);
  const std::uint64_t number = low / kShadowPageBytes;
  if (number != (low + cover.span - 1) / kShadowPageBytes || number >= q.home.shared.size()) return false;
  ShadowPage& page = q.home.shared[number];
  if (page.last_writer >= q.floor || page.by_byte()) return false;
  for (std::uint32_t i = 0; i < cover.count; ++i) {
    const Coverage::Stretch& s = cover.stretches[i];
    const std::uint64_t at = first + static_cast<std::uint64_t>(s.offset);
    const auto offset = static_cast<std::uint32_t>(at % kShadowPageBytes);
    const std::uint32_t place = s.lane * a.bytes;
    if (s.bytes == 4) {  // of a tile's column: most words are read for the first time since the barrier
      Cell& reader = page.cells(ShadowPage::kReader, offset, 4)[offset / 4];
      if (reader.actor() < q.floor) {
        const Cell me = q.me.of_lane(lane_at(q, place));
        reader = s.several ? me.of_several() : me;
        continue;
      }
    }
    const std::uint32_t step =
        (offset | s.bytes) % ShadowPage::kRowBytes == 0 ? ShadowPage::kRowBytes : s.bytes;
    for (std::uint32_t in = 0; in < s.bytes; in += step)
      note_readers(q, page, {offset + in, step, place + in, at + in, s.several});
  }
  return true;
}

// Whether anything on these pages was written that is not of the past.
bool Races::Impl::maybe_written(Request& q, const Coverage& cover, std::uint64_t first) {
  const std::uint64_t low = first + static_cast<std::uint64_t>(cover.low);
  const std::uint64_t from = low / kShadowPageBytes, to = (low + cover.span - 1) / kShadowPageBytes;
  if (to - from > 8) return true;
  for (std::uint64_t number = from; number <= to; ++number) {
    const ShadowPage* page = page_at(q.access, q.home, number * kShadowPageBytes);
    if (page != nullptr && page->last_writer >= q.floor) return true;
  }
  return false;
}

// Lanes that lie side by side, mostly on one page. @param place of the first byte in the request, counted from lane 0.
void Races::Impl::check_stretch(Request& q, std::uint64_t address, std::uint64_t bytes, std::uint32_t place,
                                bool several) {
  constexpr std::uint32_t kRow = ShadowPage::kRowBytes;
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t at = address + done;
    const auto offset = static_cast<std::uint32_t>(at % kShadowPageBytes);
    const auto here =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes - done, kShadowPageBytes - offset));
    if (ShadowPage* page = page_at(q.access, q.home, at)) {
      if (q.access.bytes < 4) page->split();
      if (here == 4 && q.writes && !page->by_byte()) {
        check_word(q, *page, offset, lane_at(q, place + static_cast<std::uint32_t>(done)), at);
        done += here;
        continue;
      }
      const bool rows = (offset | here) % kRow == 0 && !page->by_byte();
      const std::uint32_t step = rows ? kRow : here;
      if (!q.writes && page->last_writer < q.floor) {  // all that check() would do
        for (std::uint32_t in = 0; in < here; in += step)
          note_readers(q, *page,
                       {offset + in, step, place + static_cast<std::uint32_t>(done) + in, at + in, several});
        done += here;
        continue;
      }
      for (std::uint32_t in = 0; in < here; in += step)
        check(q, *page, {offset + in, step, place + static_cast<std::uint32_t>(done) + in, at + in, several});
    }
    done += here;
  }
}

// @return the page's cells; nullptr if there are too many pages already.
ShadowPage* Races::Impl::page_at(const Access& a, Resident& home, std::uint64_t address) {
  if (a.memory == Memory::global) {
    const std::uint64_t page = address / kShadowPageBytes;
    RecentPage& recent = recent_pages[page % recent_pages.size()];
    if (recent.number == page) return recent.page;
    ShadowPage* const found =
        global.pages() >= kMostPagesInLaunch ? global.find(address) : &global.at(address);
    if (found != nullptr) recent = {page, found};
    return found;
  }
  const std::uint64_t number = address / kShadowPageBytes;
  std::vector<ShadowPage>& pages = a.owner != nullptr ? resident(*a.owner).shared : home.shared;
  if (number >= pages.size()) pages.resize(number + 1);
  return &pages[number];
}

// Atomic and volatile accesses may be flags.
void Races::Impl::flags(const Access& a, Resident& home) {
  if (a.address == nullptr) return;
  RaceOrder::Strong s;
  s.reads = a.kind == AccessKind::load || a.kind == AccessKind::atomic;
  s.writes = a.kind != AccessKind::load;
  s.replaces = a.kind == AccessKind::store;
  s.ordering = a.ordering;
  s.scope = scope_of(a);
  s.signals = s.replaces && a.memory == Memory::global && s.scope != Scope::cta;
  const bool releases = s.writes && (a.ordering == Ordering::release || a.ordering == Ordering::acq_rel);
  if (!order.anything_to_pass_on(home.clock) && !releases && !s.signals) return;
  if (order.crowded()) return order.strong(home.clock, a.warp->warp, a.mask, s);
  const std::uint64_t space = a.memory == Memory::shared ? space_of(owner_of(a)) : 0;
  for (std::uint32_t rest = a.mask; rest != 0;) {
    s.word = a.address[std::countr_zero(rest)] / 4 | space;
    std::uint32_t lanes = 0;  // with this word, one after the other
    for (; rest != 0 && (a.address[std::countr_zero(rest)] / 4 | space) == s.word; rest &= rest - 1)
      lanes |= rest & (0u - rest);
    order.strong(home.clock, a.warp->warp, lanes, s);
  }
}

void Races::Impl::settle_doubts(const Access& a) {
  const std::uint64_t space = doubt_space(a);
  for (std::uint32_t rest = a.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t thread = a.warp->block_linear * 1024 + a.warp->warp * 32 + lane;
    for (std::uint32_t b = 0; b < a.bytes; b += 4) {
      const auto it = doubtful.find({thread, (a.address[lane] + b) / 4 | space});
      if (it == doubtful.end()) continue;
      for (const Conflict& conflict : it->second) read_ahead.insert(reader_of(conflict).site);
      doubtful.erase(it);
    }
  }
}

bool Races::Impl::same_warp(Request& q, std::uint32_t actor) {
  if (actor == q.last_mine) return true;
  if (actor == q.last_other) return false;
  const Actor& a = order.at(actor);
  const bool same = a.warp == q.warp && a.block == q.home.clock.block;
  (same ? q.last_mine : q.last_other) = actor;
  return same;
}

// Whether the scopes of two strong accesses hold both threads.
bool Races::Impl::meant_for_each_other(const Request& q, Cell earlier) const {
  const std::uint32_t narrower = std::min(q.me.scope(), earlier.scope());
  if (narrower >= static_cast<std::uint32_t>(Scope::gpu)) return true;
  const std::uint32_t block = order.at(earlier.actor()).block;
  return block == q.home.clock.block || (narrower == static_cast<std::uint32_t>(Scope::cluster) &&
                                         cluster_of(block) == q.home.clock.cluster);
}

// Whether the earlier writer is a lane of this very instruction.
bool Races::Impl::of_this_request(const Request& q, Cell earlier, std::uint64_t address,
                                  std::uint64_t bytes) {
  const Access& a = q.access;
  if (q.copy || earlier.actor() != q.me.actor() || earlier.site() != q.me.site() ||
      (a.mask >> earlier.lane() & 1) == 0)
    return false;
  const std::uint64_t from = a.address != nullptr ? a.address[earlier.lane()] : 0;
  return address >= from && address + bytes <= from + a.bytes;
}

// Whether the store of @p lane leaves the word at @p address (or its byte, where less is stored) as the earlier writer
// has made it.
bool Races::Impl::writes_the_same(const Request& q, Cell earlier, std::uint32_t lane, std::uint64_t address) {
  const Access& a = q.access;
  if (a.values == nullptr) return false;
  std::array<std::byte, 32> mine{}, there{};
  a.values->stored(lane, mine.data());
  const std::uint64_t offset = address - a.address[lane];
  const std::uint64_t bytes = std::min<std::uint64_t>(a.bytes < 4 ? 1 : 4, a.bytes - offset);
  if (of_this_request(q, earlier, address, bytes)) {  // it has not written yet
    a.values->stored(earlier.lane(), there.data());
    return std::memcmp(mine.data() + offset, there.data() + (address - a.address[earlier.lane()]), bytes) ==
           0;
  }
  a.values->present(lane, there.data());
  return std::memcmp(mine.data() + offset, there.data() + offset, bytes) == 0;
}

// Nearly always an earlier access is empty, known to be ordered, or the lane's own.
inline void Races::Impl::compare(Request& q, Cell earlier, AccessKind earlier_kind, std::uint32_t lane,
                                 std::uint64_t address) {
  const std::uint32_t actor = earlier.actor();
  if (actor < q.floor) return;
  if (q.read_only) return relate(q, earlier, earlier_kind, lane, address);
  if (actor == q.last_good) return;
  if (actor == q.me.actor() && (q.copy || (earlier.lane() == lane && !earlier.several()))) return;
  relate(q, earlier, earlier_kind, lane, address);
}

void Races::Impl::relate(Request& q, Cell earlier, AccessKind earlier_kind, std::uint32_t lane,
                         std::uint64_t address) {
  using Sort = Conflict::Sort;
  const std::uint32_t actor = earlier.actor();
  const bool lockstep = counts_on_lockstep(q, earlier, earlier_kind, lane);
  const bool both_strong = q.strong && earlier.strong() && !lockstep;
  if (both_strong && meant_for_each_other(q, earlier)) return;
  const std::uint32_t mine = q.copy ? q.issuer : lane;
  const bool of_warp = same_warp(q, actor);
  if (q.copy && of_warp && q.access.memory == Memory::shared) return;  // lanes that go together as a rule
  std::uint32_t theirs = earlier.lane();
  const bool own = of_warp && theirs == mine && !earlier.several();
  const bool copies_in = q.copy && !q.writes;
  if (own && !q.read_only && !copies_in) return;
  if (of_warp && theirs == mine && !own) theirs = order.other_lane(actor, q.home.clock, q.warp, mine);
  bool whole = false;
  const Relation relation = own && !q.read_only
                                ? Relation::ordered
                                : order.relation(actor, theirs, q.home.clock, q.warp, mine, whole);
  // The copy engine reads global memory by a way of its own, which sees ordinary writes of its kernel behind a fence for it.
  const bool unseen = q.copy && !q.writes && earlier_kind == AccessKind::store &&
                      q.access.memory == Memory::global && order.at(actor).warp < kCopies &&
                      !order.is_shown_to_copies(actor, theirs);
  if (relation == Relation::ordered && !q.read_only && !unseen) {
    if (whole) q.last_good = actor;
    return;
  }
  if (earlier_kind == AccessKind::load && q.writes &&
      order.read_is_over(actor, theirs, q.home.clock, q.warp, mine))
    return;
  if (of_warp && earlier_kind == AccessKind::load && q.writes && reserved(q.access, address) &&
      order.exchanged_since(actor, theirs, q.home.clock, q.warp, mine))
    return;

  const Access& a = q.access;
  const Actor& other = order.at(actor);
  const bool of_copy = other.warp >= kCopies;
  Conflict c;
  c.memory = a.memory;
  c.address = address & ~3ull;
  c.same_warp = of_warp;
  c.both_write = of_warp && earlier_kind == AccessKind::load && a.kind == AccessKind::store && !q.copy &&
                 a.address != nullptr && (a.mask >> theirs & 1) != 0 && address >= a.address[theirs] &&
                 address < a.address[theirs] + a.bytes;
  c.now = {a.site, a.kind, a.warp->block_linear, q.warp * kWarpLanes + mine, q.copy};
  c.earlier = {sites[earlier.site()], earlier.atomic() ? AccessKind::atomic : earlier_kind, other.block,
               of_copy ? copy_threads[actor] : other.warp * kWarpLanes + theirs, of_copy};
  const bool stores =
      earlier_kind == AccessKind::store && a.kind == AccessKind::store && !earlier.atomic() && !of_copy;
  if (unseen && (own || relation == Relation::ordered))
    c.sort = Sort::no_proxy_fence;
  else if (own || relation == Relation::ordered)
    c.sort = Sort::read_only;
  else if (relation == Relation::presumed)
    c.sort = Sort::presumed;
  else if (q.seen && other.block != q.home.clock.block)
    c.sort = Sort::presumed;
  else if (both_strong)
    c.sort = Sort::narrow_scope;
  else if (stores && writes_the_same(q, earlier, lane, address))
    c.sort = Sort::same_value;
  else if (stores && of_this_request(q, earlier, address, 1))
    c.sort = Sort::one_instruction;
  // Which of its lanes wins is open then, and does not matter.
  if (c.sort == Sort::same_value && of_this_request(q, earlier, address, 1)) return;
  // See `doubtful`.
  const bool now_reads = a.kind == AccessKind::load && !q.strong && earlier.atomic();
  const bool earlier_read = earlier_kind == AccessKind::load && !earlier.strong() && q.atomic;
  if ((now_reads || earlier_read) && c.sort != Sort::read_only && c.sort != Sort::no_proxy_fence &&
      doubtful.size() < kMostDoubtful) {
    const RaceParty& reader = now_reads ? c.now : c.earlier;
    const ThreadWord key{reader.block * 1024 + reader.thread, address / 4 | doubt_space(a)};
    auto& list = doubtful[key];
    if (list.empty()) doubtful_in_order.push_back(key);
    if (list.size() < 4) list.push_back(c);
    return;
  }
  report.add(c);
}

// The rule of races: an access must come after the last write to the place, and a write after the reads since then, too.
// Whoever comes after this write comes after those reads as well.
inline void Races::Impl::check(Request& q, ShadowPage& page, const Stretch& s) {
  if (page.last_writer >= q.floor) {
    compare_all(q, page, s, ShadowPage::kWriter, AccessKind::store);
    if (page.has(ShadowPage::kOtherWriter)) compare_other_writers(q, page, s);
  }
  if (!q.writes) return note_readers(q, page, s);
  const std::uint32_t shift = page.by_byte() ? 0 : 2, cell = s.offset >> shift, count = s.bytes >> shift;
  const std::uint32_t row = s.offset / ShadowPage::kRowBytes;
  const bool whole_row =
      s.bytes == ShadowPage::kRowBytes && s.offset % s.bytes == 0 && shift == 2 && !q.strong;
  for (const ShadowPage::Plane plane : {ShadowPage::kReader, ShadowPage::kOtherReader}) {
    if (!page.has(plane)) continue;
    compare_all(q, page, s, plane, AccessKind::load);
    if (whole_row)
      page.set_row(plane, row, Cell(), 0);
    else
      std::fill_n(page.cells(plane, s.offset, s.bytes) + cell, count, Cell());
  }
  page.take_readers(s.offset, s.bytes, [&](const ShadowPage::Reader& r) {
    const std::uint32_t from = std::max<std::uint32_t>(r.offset, s.offset);
    const std::uint32_t to = std::min<std::uint32_t>(r.offset + r.bytes, s.offset + s.bytes);
    for (std::uint32_t at = from; at < to; at += 1u << shift)
      compare(q, r.of_byte(at), AccessKind::load, lane_at(q, s.place + (at - s.offset)),
              s.address + (at - s.offset));
  });
  if (whole_row) {
    page.set_row(ShadowPage::kWriter, row, q.me.of_lane(lane_at(q, s.place)), q.unit - 2);
  } else {
    Cell* const writers = page.cells(ShadowPage::kWriter, s.offset, s.bytes) + cell;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t lane = lane_at(q, s.place + (i << shift));
      if (writers[i].atomic() && q.atomic) keep_other_writer(q, page, cell + i, writers[i], lane);
      if (!hides_plain_write(q, writers[i])) writers[i] = q.me.of_lane(lane);
    }
  }
  page.last_writer = q.me.actor();
  page.forget_well_read(row, (s.offset + s.bytes - 1) / ShadowPage::kRowBytes);
}

// The same for one word that @p lane writes: of atomics, and of stores that lie apart. The general way takes them twice as long.
inline void Races::Impl::check_word(Request& q, ShadowPage& page, std::uint32_t offset, std::uint32_t lane,
                                    std::uint64_t address) {
  const std::uint32_t cell = offset / 4;
  Cell& writer = page.cells(ShadowPage::kWriter, offset, 4)[cell];
  if (page.last_writer >= q.floor) {
    compare(q, writer, AccessKind::store, lane, address);
    if (q.atomic) {
      if (writer.atomic() && writer.actor() != q.me.actor()) keep_other_writer(q, page, cell, writer, lane);
    } else if (page.has(ShadowPage::kOtherWriter))
      compare_other_writers(q, page, {offset, 4, (lane - q.me.lane()) << q.unit, address});
  }
  for (const ShadowPage::Plane plane : {ShadowPage::kReader, ShadowPage::kOtherReader}) {
    if (!page.has(plane)) continue;
    Cell& reader = page.cells(plane, offset, 4)[cell];
    compare(q, reader, AccessKind::load, lane, address);
    reader = Cell();
  }
  page.take_readers(offset, 4, [&](const ShadowPage::Reader& r) {
    compare(q, r.of_byte(offset), AccessKind::load, lane, address);
  });
  if (!hides_plain_write(q, writer)) writer = q.me.of_lane(lane);
  page.last_writer = q.me.actor();
  const std::uint32_t row = offset / ShadowPage::kRowBytes;
  page.forget_well_read(row, row);
}

// An atomic is about to hide another warp's, which it need not come after: two of them are kept, of different blocks if there are any. Whoever
// comes after one of them only races with the other. What it has seen, it does come after: by its result and a fence, or when it
// compares and swaps.
void Races::Impl::keep_other_writer(Request& q, ShadowPage& page, std::uint32_t cell, Cell writer,
                                    std::uint32_t lane) {
  if (writer.actor() < q.floor) return;
  const std::uint32_t unit = page.by_byte() ? 1 : 4, block = q.home.clock.block;
  if (q.two_suffice && q.access.kind != AccessKind::atomic && page.has(ShadowPage::kOtherWriter)) {  // mostly
    const Cell kept = page.cells(ShadowPage::kOtherWriter, unit * cell, 1)[cell];
    if (kept.actor() >= q.floor && !same_warp(q, kept.actor())) return;
  }
  if (same_warp(q, writer.actor())) return;
  const std::uint32_t mine = q.copy ? q.issuer : lane;
  const auto seen = [&] {
    if (q.access.kind != AccessKind::atomic) return false;
    const std::uint32_t theirs = order.at(writer.actor()).block;
    return site_is_cas[q.me.site()] ||
           order.has_fenced(q.home.clock, q.warp, mine, theirs,
                            theirs == block || !clusters ? theirs : cluster_of(theirs));
  };
  if (seen()) {
    if (page.has(ShadowPage::kOtherWriter))
      page.cells(ShadowPage::kOtherWriter, unit * cell, 1)[cell] = Cell();
    return;
  }
  Cell& other = page.cells(ShadowPage::kOtherWriter, unit * cell, 1)[cell];
  if (other.actor() >= q.floor && !same_warp(q, other.actor())) {
    if (q.two_suffice) return;
    const bool nearer = order.at(other.actor()).block == block && order.at(writer.actor()).block != block;
    if (!nearer && (!q.home.clock.partial || !comes_before(q, other, lane))) return;
  }
  if (!q.home.clock.partial || !comes_before(q, writer, lane)) other = writer;
}

// Holds a plain access against atomics that later ones have hidden; a write hides them for good.
void Races::Impl::compare_other_writers(Request& q, ShadowPage& page, const Stretch& s) {
  if (q.atomic || (q.strong && !q.writes)) return;
  const std::uint32_t shift = page.by_byte() ? 0 : 2, cell = s.offset >> shift, count = s.bytes >> shift;
  Cell* const others = page.cells(ShadowPage::kOtherWriter, s.offset, s.bytes) + cell;
  std::uint32_t latest = 0;
  for (std::uint32_t i = 0; i < count; ++i) latest = std::max(latest, others[i].actor());
  if (latest < q.floor) return;
  const Cell* const writers = page.cells(ShadowPage::kWriter, s.offset, s.bytes) + cell;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (others[i].actor() < q.floor) continue;
    q.seen = writers[i].atomic() && site_sees[writers[i].site()];
    if (!q.strong)
      compare(q, others[i], AccessKind::store, lane_at(q, s.place + (i << shift)),
              s.address + (std::uint64_t{i} << shift));
    if (q.writes) others[i] = Cell();
  }
  q.seen = false;
}

inline void Races::Impl::compare_all(Request& q, ShadowPage& page, const Stretch& s, ShadowPage::Plane plane,
                                     AccessKind kind) {
  const std::uint32_t shift = page.by_byte() ? 0 : 2, cell = s.offset >> shift, count = s.bytes >> shift;
  if (s.bytes == ShadowPage::kRowBytes && s.offset % s.bytes == 0) {
    if (page.is_whole(plane, s.offset / s.bytes)) {
      const ShadowPage::Row r = page.row(plane, s.offset / s.bytes);
      const std::uint32_t actor = r.cell.actor();
      if (actor < q.floor || (actor == q.last_good && !q.read_only)) return;
      if (!q.read_only && actor == q.me.actor() && !r.cell.several() &&
          r.cell.lane() == (lane_at(q, s.place) & 31) && r.per_lane == q.unit - 2)
        return;  // each lane's own
      for (std::uint32_t w = 0; w < count; ++w)
        compare(q, r.of_word(w), kind, lane_at(q, s.place + 4 * w), s.address + 4ull * w);
      return;
    }
  }
  const Cell* const cells = page.cells(plane, s.offset, s.bytes) + cell;
  // Most hold cells of the past, or one actor's only; then one look is enough.
  std::uint32_t latest = 0;
  for (std::uint32_t i = 0; i < count; ++i) latest = std::max(latest, cells[i].actor());
  if (latest < q.floor) return;
  for (std::uint32_t i = 0; i < count; ++i)
    compare(q, cells[i], kind, lane_at(q, s.place + (i << shift)), s.address + (std::uint64_t{i} << shift));
}

bool Races::Impl::comes_before(Request& q, Cell earlier, std::uint32_t lane) {
  bool whole;
  return order.relation(earlier.actor(), earlier.lane(), q.home.clock, q.warp, q.copy ? q.issuer : lane,
                        whole) == Relation::ordered;
}

// The latest readers of two different warps are kept: @p reader, and @p other before it.
inline Races::Impl::Room Races::Impl::room_for(Request& q, Cell reader, Cell other, std::uint32_t lane) {
  const std::uint32_t before = reader.actor();
  if (before < q.floor || before == q.me.actor() || same_warp(q, before)) return Room::at_once;
  // In shared memory two readers since the last barrier are as good as any two others: whoever writes now races with at
  // least one of them.
  if (q.two_suffice && other.actor() >= q.floor) return Room::none;
  if (!q.home.clock.partial) return Room::moving_on;
  // Whoever will be known to come after this read will come after that one, too.
  if (comes_before(q, reader, lane)) return Room::at_once;
  return other.actor() < q.floor || comes_before(q, other, lane) ? Room::moving_on : Room::adding;
}

inline void Races::Impl::note_reader(Request& q, ShadowPage& page, Cell& reader, std::uint32_t cell,
                                     Cell me) {
  if (reader.actor() == me.actor() && (reader.lane() != me.lane() || reader.several())) me = me.of_several();
  if (reader.actor() >= q.floor && reader.actor() != me.actor()) {
    const std::uint32_t unit = page.by_byte() ? 1 : 4;
    Cell& other = page.cells(ShadowPage::kOtherReader, unit * cell, 1)[cell];
    const Room room = room_for(q, reader, other, me.lane());
    if (room == Room::none) return;
    if (room == Room::adding)
      page.add_reader({other, static_cast<std::uint16_t>(unit * cell), static_cast<std::uint16_t>(unit), 31});
    if (room != Room::at_once) other = reader;
  }
  reader = me;
}

// note_readers() for a row that cells stand for as a whole. @return false if there are none.
[[gnu::always_inline]] inline bool Races::Impl::note_row(Request& q, ShadowPage& page, const Stretch& s) {
  if (s.bytes != ShadowPage::kRowBytes || s.offset % s.bytes != 0 || page.by_byte()) return false;
  const std::uint32_t row = s.offset / ShadowPage::kRowBytes, per_lane = q.unit - 2;
  if (!page.is_whole(ShadowPage::kReader, row) || !page.is_whole(ShadowPage::kOtherReader, row)) return false;
  const ShadowPage::Row reader = page.row(ShadowPage::kReader, row);
  Cell me = q.me.of_lane(lane_at(q, s.place));
  if (s.several ||
      (reader.cell.actor() == me.actor() &&
       (reader.cell.lane() != me.lane() || reader.per_lane != per_lane || reader.cell.several())))
    me = me.of_several();
  if (const std::uint32_t before = reader.cell.actor(); before >= q.floor && before != me.actor()) {
    const ShadowPage::Row other = page.row(ShadowPage::kOtherReader, row);
    const Room room = room_for(q, reader.cell, other.cell, me.lane());
    if (room == Room::none) return true;
    if (room == Room::adding)
      page.add_reader({other.cell, static_cast<std::uint16_t>(s.offset), static_cast<std::uint16_t>(s.bytes),
                       other.per_lane + 2});
    if (room != Room::at_once) page.set_row(ShadowPage::kOtherReader, row, reader.cell, reader.per_lane);
  }
  page.set_row(ShadowPage::kReader, row, me, per_lane);
  return true;
}

[[gnu::always_inline]] inline void Races::Impl::note_readers(Request& q, ShadowPage& page, const Stretch& s) {
  if (note_row(q, page, s)) return;
  const std::uint32_t shift = page.by_byte() ? 0 : 2, cell = s.offset >> shift, count = s.bytes >> shift;
  const auto me = [&](std::uint32_t i) {
    const Cell c = q.me.of_lane(lane_at(q, s.place + (i << shift)));
    return s.several ? c.of_several() : c;
  };
  Cell* const readers = page.cells(ShadowPage::kReader, s.offset, s.bytes) + cell;
  std::uint32_t latest = 0;
  for (std::uint32_t i = 0; i < count; ++i) latest = std::max(latest, readers[i].actor());
  if (latest < q.floor) {
    for (std::uint32_t i = 0; i < count; ++i) readers[i] = me(i);
    return;
  }
  const std::uint32_t in_row = ShadowPage::kRowBytes >> shift;  // cells
  if (q.two_suffice && page.has(ShadowPage::kOtherReader)) {
    // All cells may have two readers since the last barrier already.
    bool well_read = true;
    for (std::uint32_t row = cell / in_row; row <= (cell + count - 1) / in_row; ++row)
      well_read &= page.well_read(row) >= q.floor;
    if (well_read) return;
    const Cell* others = page.cells(ShadowPage::kOtherReader, s.offset, s.bytes) + cell;
    std::uint32_t earliest = ~0u;
    for (std::uint32_t i = 0; i < count; ++i)
      earliest = std::min(earliest, std::min(readers[i].actor(), others[i].actor()));
    if (earliest >= q.floor) {
      if (cell % in_row == 0 && count == in_row) page.set_well_read(cell / in_row, earliest);
      return;
    }
  }
  for (std::uint32_t i = 0; i < count; ++i) note_reader(q, page, readers[i], cell + i, me(i));
}

}  // namespace simgpu::observe
