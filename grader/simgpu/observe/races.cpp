/// @file
/// See races.hpp. The order of events is race_order.hpp's subject, the wording race_report.hpp's; here each
/// access is held against the shadow cells of its words.
#include "simgpu/observe/races.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "simgpu/observe/coalescing.hpp"
#include "simgpu/observe/coverage.hpp"
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
};

bool is_strong(const Access& a) noexcept {
  return a.kind == AccessKind::atomic || a.kind == AccessKind::reduction || a.ordering != Ordering::weak;
}

bool is_atomic(AccessKind kind) noexcept {
  return kind == AccessKind::atomic || kind == AccessKind::reduction;
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
  std::vector<const Site*> sites;
  std::vector<bool> site_is_cas;

  // Plain reads that conflict with atomics. `old = *p; do { ... atomicCAS(p, old, ...) } while (...)` reads
  // plainly and is right all the same, since the CAS tells it whether the value was still good. So a conflict
  // of this kind is held back until the reading thread tries a CAS on the word (then it is dropped), or the
  // launch ends (then it is reported).
  std::unordered_map<ThreadWord, std::vector<Conflict>, HashThreadWord> doubtful;
  std::vector<ThreadWord> doubtful_in_order;
  // Instructions that were found to read ahead of a CAS: a thread that needs none, since it sees that there is nothing to
  // change, reads there in the same way.
  std::unordered_set<const Site*> read_ahead;

  Resident& resident(const WarpId& w) {
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
    order.begin_block(r.clock, w.block_linear, std::max(warps_per_block, w.warp + 1));
    r.floor = r.birth = order.next_actor();
  }

  // Words of shared memory are told from global ones, and those of each SM's slots from each other, by high bits.
  static std::uint64_t space_of(const WarpId& owner) {
    return 1ull << 63 | std::uint64_t{owner.sm} << 48 | std::uint64_t{owner.slot} << 32;
  }
  static const WarpId& owner_of(const Access& a) { return a.owner != nullptr ? *a.owner : *a.warp; }
  static std::uint64_t doubt_space(const Access& a) {
    return a.memory == Memory::shared ? 1ull << 63 | owner_of(a).block_linear << 32 : 0;
  }

  // One request, while it is being checked.
  struct Request {
    const Access& access;
    Resident& home;
    std::uint32_t warp = 0, actor = 0, floor = 0;
    bool strong = false, atomic = false, writes = false, in_shared = false;
    std::uint32_t last_good = 0;                  // an actor that was found to be ordered before this request
    std::uint32_t last_mine = 0, last_other = 0;  // an actor of this warp; one of another
  };

  ShadowPage* page_at(const Access& a, Resident& home, std::uint64_t address);
  void check_word(Request& q, ShadowPage& page, std::uint32_t cell, std::uint32_t lane,
                  std::uint64_t address);
  bool maybe_written(Request& q, const Coverage& cover, std::uint64_t first);
  void check_stretch(Request& q, std::uint64_t address, std::uint32_t bytes, std::uint32_t lane);
  void check_run(Request& q, ShadowPage& page, std::uint32_t offset, std::uint32_t bytes, std::uint32_t place,
                 std::uint64_t address);
  bool check_row(Request& q, ShadowPage& page, std::uint32_t row, std::uint32_t lane, std::uint64_t address);
  void check_cells(Request& q, ShadowPage& page, std::uint32_t offset, std::uint32_t bytes, std::uint32_t place,
                   std::uint64_t address);
  void note_reader(Request& q, ShadowPage& page, Cell& reader, std::uint32_t cell, Cell me);
  void compare(Request& q, Cell earlier, AccessKind earlier_kind, std::uint32_t lane, std::uint64_t address);
  bool same_warp(Request& q, std::uint32_t actor);
  // Whether an atomic of a warp follows a plain write of its own that others may race with yet: they must find that one.
  bool hides_plain_write(Request& q, Cell writer) {
    return q.strong && writer.actor() >= q.floor && !writer.strong() && same_warp(q, writer.actor());
  }
  static bool writes_the_same(const Access& a, Cell earlier, bool same_actor, std::uint32_t lane,
                              std::uint64_t address);
  void flags(const Access& a, Resident& home);
  void settle_doubts(const Access& a);
};

Races::Races(Findings& findings) : impl_(std::make_unique<Impl>(findings)) {}
Races::~Races() = default;

void Races::launch_begin(const LaunchInfo& info) {
  Impl& m = *impl_;
  m.launch = info;
  m.warps_per_block = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (info.block.count() + 31) / 32));
  m.report.begin_launch(info);
  if (!m.order.begin_launch() || m.global.pages() > kMostPages) m.global.clear();
  m.recent_pages.fill({});
  m.coverages.clear();
  m.residents.clear();
  m.sites.clear();
  m.site_is_cas.clear();
  m.doubtful.clear();
  m.doubtful_in_order.clear();
  m.read_ahead.clear();
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
  if (warp.sm >= m.residents.size()) m.residents.resize(warp.sm + 1);
  auto& slots = m.residents[warp.sm];
  if (warp.slot >= slots.size()) slots.resize(warp.slot + 1);
  m.begin(warp, slots[warp.slot]);
}

void Races::block_end(const WarpId&) {}

void Races::block_barrier(const WarpId& warp, std::uint32_t) {
  Resident& r = impl_->resident(warp);
  impl_->order.barrier(r.clock);
  r.floor = impl_->order.next_actor();
}

void Races::warp_sync(const WarpId& warp, std::uint32_t) {
  impl_->order.warp_sync(impl_->resident(warp).clock, warp.warp);
}

void Races::fence(const WarpId& warp, std::uint32_t, Scope scope) {
  impl_->order.fence(impl_->resident(warp).clock, warp.warp, scope != Scope::cta);
}

void Races::grid_barrier() {
  impl_->order.grid_barrier();
}

// Blocks of other clusters are taken to have met as well: rather a race missed than a false alarm.
void Races::cluster_barrier(const WarpId&) {
  impl_->order.grid_barrier();
}

// What threads did to these bytes before is no concern of who reads the copy; a copy that comes too early is found by
// other means, since its destination must not be touched until it has been waited for.
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
      for (const ShadowPage::Plane plane :
           {ShadowPage::kWriter, ShadowPage::kReader, ShadowPage::kOtherReader}) {
        if (!page.has(plane)) continue;
        Cell* cells = page.cells(plane, from, static_cast<std::uint32_t>(end - at));
        for (std::uint64_t c = from / unit; c < ((end - 1) % kShadowPageBytes) / unit + 1; ++c) cells[c] = Cell();
      }
    }
    at = end;
  }
}

void Races::mbarrier_arrive(const WarpId& warp, const WarpId& owner, std::uint32_t offset, Scope) {
  Impl& m = *impl_;
  m.order.release(m.resident(warp).clock, warp.warp, offset / 4 | Impl::space_of(owner), true, true);
}

void Races::mbarrier_wait(const WarpId& warp, const WarpId& owner, std::uint32_t offset) {
  Impl& m = *impl_;
  m.order.acquire(m.resident(warp).clock, warp.warp, offset / 4 | Impl::space_of(owner));
}

void Races::access(const Access& a) {
  if ((a.memory != Memory::global && a.memory != Memory::shared) || a.mask == 0 || a.warp == nullptr) return;
  Impl& m = *impl_;
  Resident& home = m.resident(*a.warp);
  if (a.site->id >= m.sites.size()) {
    m.sites.resize(a.site->id + 1);
    m.site_is_cas.resize(a.site->id + 1);
  }
  if (m.sites[a.site->id] == nullptr) {
    m.sites[a.site->id] = a.site;
    m.site_is_cas[a.site->id] = a.site->name.find(".cas") != std::string::npos;
  }

  Impl::Request q{.access = a, .home = home};
  q.strong = is_strong(a);
  if (q.strong) m.flags(a, home);
  q.warp = a.warp->warp;
  q.actor = m.order.actor(home.clock, q.warp);
  q.atomic = is_atomic(a.kind);
  q.writes = a.kind != AccessKind::load;
  q.last_mine = q.actor;
  const bool in_shared = a.memory == Memory::shared;
  q.floor = in_shared ? std::max(home.floor, m.order.floor()) : m.order.floor();
  if (in_shared && a.owner != nullptr) q.floor = std::max(m.resident(*a.owner).birth, m.order.floor());
  q.in_shared = in_shared && a.owner == nullptr;

  const std::uint32_t step = a.bytes < 4 ? a.bytes : 4;
  const Coverage* cover = m.coverages.of(a);
  const std::uint64_t first = a.address[std::countr_zero(a.mask)];
  if (cover != nullptr && first % step == 0 &&
      PageTable<ShadowPage>::holds(first + static_cast<std::uint64_t>(cover->low)) &&
      PageTable<ShadowPage>::holds(first + static_cast<std::uint64_t>(cover->low) + cover->span) &&
      (cover->distinct || (!q.writes && !m.maybe_written(q, *cover, first)))) {
    for (std::uint32_t i = 0; i < cover->count; ++i) {
      const Coverage::Stretch& s = cover->stretches[i];
      m.check_stretch(q, first + static_cast<std::uint64_t>(s.offset), s.bytes, s.lane);
    }
  } else if (step == 4 && is_run(a.address, a.mask, a.bytes) &&
             PageTable<ShadowPage>::holds(a.address[31] + a.bytes)) {
    m.check_stretch(q, a.address[0], kWarpLanes * a.bytes, 0);
  } else {
    ShadowPage* page = nullptr;
    std::uint64_t page_number = ~0ull;
    // Of a broadcast, one lane stands for all: the last, as if they had come one after the other.
    const std::uint32_t lanes = !q.writes && is_broadcast(a.address, a.mask) ? 1u << 31 : a.mask;
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      std::uint64_t address = a.address[lane];
      if (!PageTable<ShadowPage>::holds(address)) continue;
      // Of neighbours that read one address, the last one stands for all.
      const std::uint32_t later = rest & (rest - 1);
      if (!q.writes && later != 0 && a.address[std::countr_zero(later)] == address) continue;
      for (std::uint32_t done = 0; done < a.bytes; done += step, address += step) {
        if (address / kShadowPageBytes != page_number) {
          page_number = address / kShadowPageBytes;
          page = m.page_at(a, home, address);
          if (step < 4 && page != nullptr) page->split();
        }
        if (page == nullptr) continue;
        const auto offset = static_cast<std::uint32_t>(address % kShadowPageBytes);
        if (!page->by_byte()) {
          m.check_word(q, *page, offset / 4, lane, address);
        } else {
          for (std::uint32_t b = 0; b < step; ++b) m.check_word(q, *page, offset + b, lane, address + b);
        }
      }
    }
  }
  if (!m.doubtful.empty() && m.site_is_cas[a.site->id]) m.settle_doubts(a);
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

// Lanes from @p lane on that lie side by side; mostly on one page.
void Races::Impl::check_stretch(Request& q, std::uint64_t address, std::uint32_t bytes, std::uint32_t lane) {
  const Access& a = q.access;
  for (std::uint32_t done = 0; done < bytes;) {
    const std::uint64_t at = address + done;
    const auto offset = static_cast<std::uint32_t>(at % kShadowPageBytes);
    const std::uint32_t here = std::min<std::uint32_t>(bytes - done, kShadowPageBytes - offset);
    if (ShadowPage* page = page_at(a, q.home, at)) {
      if (a.bytes < 4) page->split();
      if (here == 4 && !page->by_byte())
        check_word(q, *page, offset / 4, lane + done / a.bytes, at);
      else
        check_run(q, *page, offset, here, lane * a.bytes + done, at);
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
  const bool acquires = a.kind == AccessKind::load || a.kind == AccessKind::atomic;
  const bool releases = a.kind != AccessKind::load;
  const bool is_fence = a.ordering == Ordering::release || a.ordering == Ordering::acq_rel;
  const bool signals = a.kind == AccessKind::store && a.memory == Memory::global && a.scope != Scope::cta;
  if (!order.anything_published() && !home.clock.fenced && !is_fence && !signals) return;
  const std::uint64_t space = a.memory == Memory::shared ? space_of(owner_of(a)) : 0;
  bool fence = is_fence && releases;
  std::uint64_t last = ~0ull;
  for (std::uint32_t rest = a.mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t word = a.address[std::countr_zero(rest)] / 4 | space;
    if (word == last) continue;
    last = word;
    if (acquires) order.acquire(home.clock, a.warp->warp, word);
    if (releases) order.release(home.clock, a.warp->warp, word, fence, a.scope != Scope::cta);
    if (signals) order.signal(home.clock, word);
    fence = false;
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

// Whether the store of @p lane leaves the word at @p address (or its byte, where less is stored) as the earlier writer
// has made it. Many threads setting one flag are no race that anybody could notice.
bool Races::Impl::writes_the_same(const Access& a, Cell earlier, bool same_actor, std::uint32_t lane,
                                  std::uint64_t address) {
  std::array<std::byte, 32> mine{}, there{};
  a.values->stored(lane, mine.data());
  const std::uint64_t offset = address - a.address[lane];
  const std::uint64_t bytes = std::min<std::uint64_t>(a.bytes < 4 ? 1 : 4, a.bytes - offset);
  // A lane of this very request has not written yet.
  const std::uint32_t other = earlier.lane();
  const std::uint64_t from = a.address[other];
  if (same_actor && earlier.site() == a.site->id && (a.mask >> other & 1) && address >= from &&
      address + bytes <= from + a.bytes) {
    a.values->stored(other, there.data());
    return std::memcmp(mine.data() + offset, there.data() + (address - from), bytes) == 0;
  }
  a.values->present(lane, there.data());
  return std::memcmp(mine.data() + offset, there.data() + offset, bytes) == 0;
}

// Inlined into check_word(): nearly always an earlier access is empty, known to be ordered, or the lane's
// own.
inline void Races::Impl::compare(Request& q, Cell earlier, AccessKind earlier_kind, std::uint32_t lane,
                                 std::uint64_t address) {
  const std::uint32_t actor = earlier.actor();
  if (actor < q.floor || actor == q.last_good) return;
  if (actor == q.actor && earlier.lane() == lane) return;
  if (q.strong && earlier.strong()) return;
  const Relation relation = order.relation(actor, q.home.clock, q.warp);
  if (relation == Relation::ordered) {
    q.last_good = actor;
    return;
  }
  if (relation == Relation::same_warp && earlier.lane() == lane) return;
  if (relation == Relation::racing && earlier_kind == AccessKind::load && q.writes &&
      order.read_is_over(actor, q.home.clock, q.warp)) {
    return;
  }

  const Access& a = q.access;
  if (earlier_kind == AccessKind::store && a.kind == AccessKind::store && !earlier.atomic() &&
      a.values != nullptr && writes_the_same(a, earlier, actor == q.actor, lane, address))
    return;

  const Actor& other = order.at(actor);
  Conflict c;
  c.memory = a.memory;
  c.address = address & ~3ull;
  c.same_warp = relation == Relation::same_warp;
  c.now = {a.site, a.kind, a.warp->block_linear, q.warp * kWarpLanes + lane};
  c.earlier = {sites[earlier.site()], earlier.atomic() ? AccessKind::atomic : earlier_kind, other.block,
               other.warp * kWarpLanes + earlier.lane()};
  // See `doubtful`.
  const bool now_reads = a.kind == AccessKind::load && !q.strong && earlier.atomic();
  const bool earlier_read = earlier_kind == AccessKind::load && !earlier.strong() && q.atomic;
  if ((now_reads || earlier_read) && doubtful.size() < kMostDoubtful) {
    const RaceParty& reader = now_reads ? c.now : c.earlier;
    const std::uint64_t space = doubt_space(a);
    const ThreadWord key{reader.block * 1024 + reader.thread, address / 4 | space};
    auto& list = doubtful[key];
    if (list.empty()) doubtful_in_order.push_back(key);
    if (list.size() < 4) list.push_back(c);
    return;
  }
  report.add(c);
}

// Keeps the latest readers of two different warps.
inline void Races::Impl::note_reader(Request& q, ShadowPage& page, Cell& reader, std::uint32_t cell,
                                     Cell me) {
  const std::uint32_t before = reader.actor();
  if (before >= q.floor && before != q.actor && !same_warp(q, before)) {
    Cell& other = page.cells(ShadowPage::kOtherReader, page.by_byte() ? cell : 4 * cell, 1)[cell];
    // In shared memory two readers since the last barrier are as good as any two others: whoever writes now
    // races with at least one of them.
    if (q.in_shared && other.actor() >= q.floor) return;
    other = reader;
  }
  reader = me;
}

inline void Races::Impl::check_word(Request& q, ShadowPage& page, std::uint32_t cell, std::uint32_t lane,
                                    std::uint64_t address) {
  const Cell me(q.actor, q.access.site->id, lane, q.strong, q.atomic);
  const std::uint32_t offset = page.by_byte() ? cell : 4 * cell;
  if (page.last_writer >= q.floor) {
    compare(q, page.cells(ShadowPage::kWriter, offset, 1)[cell], AccessKind::store, lane, address);
  }
  if (!q.writes) {
    note_reader(q, page, page.cells(ShadowPage::kReader, offset, 1)[cell], cell, me);
    return;
  }
  for (const ShadowPage::Plane plane : {ShadowPage::kReader, ShadowPage::kOtherReader}) {
    if (!page.has(plane)) continue;
    Cell& reader = page.cells(plane, offset, 1)[cell];
    compare(q, reader, AccessKind::load, lane, address);
    reader = Cell();  // whoever comes after this write comes after that read
  }
  Cell& writer = page.cells(ShadowPage::kWriter, offset, 1)[cell];
  if (!hides_plain_write(q, writer)) writer = me;
  page.last_writer = q.actor;
  page.well_read[offset / ShadowPage::kRowBytes] = 0;
}

// check_word() for bytes side by side, from @p offset in the page on; @p place is the first one's place in the request,
// counted from lane 0. [bytes]
void Races::Impl::check_run(Request& q, ShadowPage& page, std::uint32_t offset, std::uint32_t bytes,
                            std::uint32_t place, std::uint64_t address) {
  if (offset % ShadowPage::kRowBytes == 0 && bytes % ShadowPage::kRowBytes == 0 && q.access.bytes >= 4 &&
      !page.by_byte() && !(q.writes && q.strong)) {
    for (std::uint32_t done = 0; done < bytes; done += ShadowPage::kRowBytes)
      if (!check_row(q, page, (offset + done) / ShadowPage::kRowBytes, (place + done) / q.access.bytes, address + done))
        check_cells(q, page, offset + done, ShadowPage::kRowBytes, place + done, address + done);
    return;
  }
  check_cells(q, page, offset, bytes, place, address);
}

// check_word() for a whole row, of which @p lane has the first word. @return false if its cells must be looked at.
bool Races::Impl::check_row(Request& q, ShadowPage& page, std::uint32_t row, std::uint32_t lane, std::uint64_t address) {
  const auto per_lane = static_cast<std::uint32_t>(std::countr_zero(q.access.bytes / 4u));
  const Cell me(q.actor, q.access.site->id, lane, q.strong, q.atomic);
  const std::uint32_t offset = row * ShadowPage::kRowBytes;
  constexpr std::uint32_t kWords = ShadowPage::kRowBytes / 4;
  const auto compare_all = [&](ShadowPage::Plane plane, AccessKind kind) {
    const ShadowPage::Row* r = page.row(plane, row);
    const Cell* cells = r != nullptr ? nullptr : page.cells(plane, offset, ShadowPage::kRowBytes) + offset / 4;
    if (r != nullptr) {
      const std::uint32_t actor = r->cell.actor();
      if (actor < q.floor || actor == q.last_good) return;
      if (actor == q.actor && r->cell.lane() == lane && r->per_lane == per_lane) return;  // each lane's own
    }
    for (std::uint32_t w = 0; w < kWords; ++w) {
      const Cell cell = r != nullptr ? r->of_word(w) : cells[w];
      if (cell.actor() != q.last_good) compare(q, cell, kind, lane + (w >> per_lane), address + 4ull * w);
    }
  };
  if (!q.writes) {
    const ShadowPage::Row* const reader = page.row(ShadowPage::kReader, row);
    const ShadowPage::Row* const other = page.row(ShadowPage::kOtherReader, row);
    if (reader == nullptr || other == nullptr) return false;
    if (page.last_writer >= q.floor) compare_all(ShadowPage::kWriter, AccessKind::store);
    const std::uint32_t before = reader->cell.actor();
    if (before >= q.floor && before != q.actor && !same_warp(q, before)) {
      if (q.in_shared && other->cell.actor() >= q.floor) return true;  // as in note_reader()
      page.set_row(ShadowPage::kOtherReader, row, reader->cell, reader->per_lane);
    }
    page.set_row(ShadowPage::kReader, row, me, per_lane);
    return true;
  }
  if (page.last_writer >= q.floor) compare_all(ShadowPage::kWriter, AccessKind::store);
  for (const ShadowPage::Plane plane : {ShadowPage::kReader, ShadowPage::kOtherReader}) {
    if (!page.has(plane)) continue;
    compare_all(plane, AccessKind::load);
    page.set_row(plane, row, Cell(), 0);
  }
  page.set_row(ShadowPage::kWriter, row, me, per_lane);
  page.last_writer = q.actor;
  page.well_read[row] = 0;
  return true;
}

// The same by cells.
void Races::Impl::check_cells(Request& q, ShadowPage& page, std::uint32_t offset, std::uint32_t bytes,
                              std::uint32_t place, std::uint64_t address) {
  const std::uint32_t site = q.access.site->id;
  const std::uint32_t unit = page.by_byte() ? 0 : 2;  // bytes of a cell, as a shift
  const std::uint32_t cell = offset >> unit, count = bytes >> unit, word = place >> unit;
  const std::uint32_t per_lane = static_cast<std::uint32_t>(std::countr_zero(std::uint32_t{q.access.bytes})) -
                                 unit;  // cells, as a shift
  // Most rows hold one actor's cells only; then one look is enough.
  const auto all_past = [&](const Cell* cells) {
    std::uint32_t latest = 0;
    for (std::uint32_t i = 0; i < count; ++i) latest = std::max(latest, cells[i].actor());
    return latest < q.floor;
  };
  const auto compare_all = [&](const Cell* cells, AccessKind kind) {
    if (all_past(cells)) return;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (cells[i].actor() == q.last_good) continue;
      compare(q, cells[i], kind, (word + i) >> per_lane, address + (std::uint64_t{i} << unit));
    }
  };
  if (page.last_writer >= q.floor) 
    compare_all(page.cells(ShadowPage::kWriter, offset, bytes) + cell, AccessKind::store);
  if (!q.writes) {
    Cell* readers = page.cells(ShadowPage::kReader, offset, bytes) + cell;
    if (all_past(readers)) {
      for (std::uint32_t i = 0; i < count; ++i) {
        readers[i] = Cell(q.actor, site, (word + i) >> per_lane, q.strong, q.atomic);
      }
      return;
    }
    const std::uint32_t in_row = ShadowPage::kRowBytes >> unit;  // cells
    if (q.in_shared && page.has(ShadowPage::kOtherReader)) {
      // All cells may have two readers since the last barrier already.
      bool well_read = true;
      for (std::uint32_t row = cell / in_row; row <= (cell + count - 1) / in_row; ++row)
        well_read &= page.well_read[row] >= q.floor;
      if (well_read) return;
      const Cell* others = page.cells(ShadowPage::kOtherReader, offset, bytes) + cell;
      std::uint32_t earliest = ~0u;
      for (std::uint32_t i = 0; i < count; ++i) {
        earliest = std::min(earliest, std::min(readers[i].actor(), others[i].actor()));
      }
      if (earliest >= q.floor) {
        if (cell % in_row == 0 && count == in_row) page.well_read[cell / in_row] = earliest;
        return;
      }
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      note_reader(q, page, readers[i], cell + i,
                  Cell(q.actor, site, (word + i) >> per_lane, q.strong, q.atomic));
    }
    return;
  }
  for (const ShadowPage::Plane plane : {ShadowPage::kReader, ShadowPage::kOtherReader}) {
    if (!page.has(plane)) continue;
    Cell* readers = page.cells(plane, offset, bytes) + cell;
    compare_all(readers, AccessKind::load);
    std::fill_n(readers, count, Cell());
  }
  Cell* writers = page.cells(ShadowPage::kWriter, offset, bytes) + cell;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (hides_plain_write(q, writers[i])) continue;
    writers[i] = Cell(q.actor, site, (word + i) >> per_lane, q.strong, q.atomic);
  }
  page.last_writer = q.actor;
  for (std::uint32_t row = offset / ShadowPage::kRowBytes;
       row <= (offset + bytes - 1) / ShadowPage::kRowBytes; ++row) {
    page.well_read[row] = 0;
  }
}

}  // namespace simgpu::observe
