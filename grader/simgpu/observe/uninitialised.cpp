/// @file
/// See uninitialised.hpp. One bit for each byte, with a short cut for pages that are written in full.
#include "simgpu/observe/uninitialised.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "simgpu/observe/coalescing.hpp"
#include "simgpu/observe/coverage.hpp"
#include "simgpu/observe/page_table.hpp"
#include "simgpu/observe/race_report.hpp"
#include "simgpu/observe/shared_names.hpp"

namespace simgpu::observe {
namespace {

constexpr std::uint64_t kAround = 32;        // bytes: more than the padding of usual structs
constexpr std::uint64_t kMostAround = 128;   // of structs that lie at multiples of as much: a line
constexpr std::uint64_t kMostAligned = 256;  // of structs, when it comes to a copy to the host
constexpr std::uint64_t kMostPeriod = 4096;  // bytes of such a struct
constexpr std::uint64_t kMostLocalBits = 512ull
                                         << 20;  // local memory of one block, beyond which it is not checked

// Whether a source file is one of the CUDA toolkit's parallel algorithms.
bool is_of_toolkit(const std::string& file) {
  for (const char* part : {"/cccl/", "/thrust/system/cuda/", "/cub/"})
    if (file.find(part) != std::string::npos) return true;
  return false;
}

// Bytes around those of a lane of which some must have been written for the rest to be padding. Structs that are aligned to more than
// usual have more of it; their size is a multiple of that, and so is the distance of neighbouring lanes that copy one each, in pieces of
// 8 or 16 bytes. Smaller ones that lie as far apart, and single doubles, may be a column of a matrix.
std::uint64_t around(const Access& a) {
  const std::uint64_t* const at = a.address;
  const std::uint32_t rest = a.mask & (a.mask - 1);
  if (rest == 0 || a.bytes < 8 || (a.bytes == 8 && a.site->name.ends_with(".f64"))) return kAround;
  const std::uint64_t distance = at[std::countr_zero(rest)] - at[std::countr_zero(a.mask)];
  if (distance == 0) return kAround;
  return std::clamp(std::uint64_t{1} << std::countr_zero(distance), kAround, kMostAround);
}

// A set of bytes, as bits.
class WrittenBytes {
 public:
  void resize(std::uint64_t bytes) { bits_.assign((bytes + 63) / 64, 0); }
  std::uint64_t size() const noexcept { return bits_.size() * 64; }

  bool holds(std::uint64_t from, std::uint64_t count) const noexcept {
    if (count - 1 < 64 && (from + count - 1) / 64 < bits_.size()) {  // nearly always
      const std::uint64_t mask = ~0ull >> (64 - count), offset = from % 64;
      const std::uint64_t* const word = bits_.data() + from / 64;
      const bool begins = (~*word & mask << offset) == 0;
      return offset + count <= 64 ? begins : begins && (~word[1] & mask >> (64 - offset)) == 0;
    }
    bool all = true;
    for_words(from, count, [&](std::uint64_t w, std::uint64_t m) { all &= (bits_[w] & m) == m; });
    return all;
  }
  void add(std::uint64_t from, std::uint64_t count) noexcept {
    for_words(from, count, [&](std::uint64_t w, std::uint64_t m) { bits_[w] |= m; });
  }
  void remove(std::uint64_t from, std::uint64_t count) noexcept {
    for_words(from, count, [&](std::uint64_t w, std::uint64_t m) { bits_[w] &= ~m; });
  }

 private:
  template <class F>
  void for_words(std::uint64_t from, std::uint64_t count, F&& f) const noexcept {
    while (count > 0) {
      const std::uint64_t offset = from % 64, here = std::min<std::uint64_t>(count, 64 - offset);
      const std::uint64_t mask = (here == 64 ? ~0ull : (1ull << here) - 1) << offset;
      if (from / 64 < bits_.size()) f(from / 64, mask);
      from += here;
      count -= here;
    }
  }
  mutable std::vector<std::uint64_t> bits_;
};

// The written bytes of 4 KiB of device memory. Bits are kept only while some are written and some are not.
class WrittenPage {
 public:
  bool full() const noexcept { return missing_ == 0; }
  bool empty() const noexcept { return missing_ == kShadowPageBytes; }
  bool holds(std::uint32_t from, std::uint32_t count) const noexcept {
    if (full() || empty()) return full();
    bool all = true;
    for_words(from, count, [&](std::uint32_t w, std::uint64_t m) { all &= (bits_[w] & m) == m; });
    return all;
  }
  bool holds_any(std::uint32_t from, std::uint32_t count) const noexcept {
    if (full() || empty()) return full();
    bool any = false;
    for_words(from, count, [&](std::uint32_t w, std::uint64_t m) { any |= (bits_[w] & m) != 0; });
    return any;
  }
  /// Of 64 bytes, a bit for each that was written.
  std::uint64_t word(std::uint32_t from) const noexcept {
    return full() ? ~0ull : empty() ? 0 : bits_[from / 64];
  }
  /// Lanes side by side have written elements side by side here: an array, and no structs that a thread each has filled in.
  void add_row(std::uint32_t from, std::uint32_t count) {
    for (std::uint32_t part = from / kRowPart; part <= (from + count - 1) / kRowPart; ++part)
      rows_ = static_cast<std::uint16_t>(rows_ | 1u << part);
    add(from, count);
  }
  bool has_row(std::uint32_t at) const noexcept { return rows_ >> (at / kRowPart) & 1; }
  void add(std::uint32_t from, std::uint32_t count) {
    if (full()) return;
    if (count == kShadowPageBytes) {
      missing_ = 0;
    } else {
      if (!bits_) bits_ = std::make_unique<std::uint64_t[]>(kShadowPageBytes / 64);
      for_words(from, count, [&](std::uint32_t w, std::uint64_t m) {
        const std::uint64_t added = m & ~bits_[w];
        missing_ -= added == ~0ull ? 64 : static_cast<std::uint32_t>(std::popcount(added));
        bits_[w] |= m;
      });
    }
    if (full()) bits_.reset();
  }
  void remove(std::uint32_t from, std::uint32_t count) {
    if (empty()) return;
    if (full()) {
      bits_ = std::make_unique<std::uint64_t[]>(kShadowPageBytes / 64);
      std::fill_n(bits_.get(), kShadowPageBytes / 64, ~0ull);
    }
    for_words(from, count, [&](std::uint32_t w, std::uint64_t m) {
      missing_ += static_cast<std::uint32_t>(std::popcount(m & bits_[w]));
      bits_[w] &= ~m;
    });
    if (empty()) bits_.reset();
  }

 private:
  // Calls f(word, bits) for the words that hold these bytes.
  template <class F>
  static void for_words(std::uint32_t from, std::uint32_t count, F&& f) {
    for (const std::uint32_t end = from + count; from < end;) {
      const std::uint32_t here = std::min(end - from, 64 - from % 64);
      f(from / 64, (here == 64 ? ~0ull : (1ull << here) - 1) << (from % 64));
      from += here;
    }
  }
  static constexpr std::uint32_t kRowPart = kShadowPageBytes / 16;
  std::uint32_t missing_ = kShadowPageBytes;
  std::uint16_t rows_ = 0;  // by 256 bytes, at which allocations begin
  std::unique_ptr<std::uint64_t[]> bits_;
};

// A resident block's shared memory and its threads' local memory.
struct ResidentBytes {
  WrittenBytes shared, local;
};

}  // namespace

struct Uninitialised::Impl {
  Impl(const memory::DeviceMemory& mem, Findings& f, std::shared_ptr<PageTable<WrittenPage>> written)
      : memory(mem), findings(f), pages(std::move(written)), global(*pages) {}

  const memory::DeviceMemory& memory;
  Findings& findings;
  LaunchInfo launch;
  bool check_local = false;
  std::shared_ptr<PageTable<WrittenPage>>
      pages;  // of device memory; launches beside one another have them in common
  PageTable<WrittenPage>& global;
  CoverageMemo coverages;
  std::vector<std::vector<ResidentBytes>> residents;
  std::vector<Finding> found;
  std::map<std::tuple<std::uint32_t, Memory>, std::size_t> index;

  // The place that was asked for last: as a rule the next access is of the same warp.
  struct Latest {
    ResidentBytes* resident = nullptr;
    std::uint32_t sm = 0, slot = 0;
  };
  Latest latest;

  ResidentBytes& resident(const WarpId& w) {
    if (latest.resident == nullptr || latest.sm != w.sm || latest.slot != w.slot)
      latest = {&find_resident(w), w.sm, w.slot};
    return *latest.resident;
  }
  [[gnu::noinline]] ResidentBytes& find_resident(const WarpId& w) {
    if (w.sm >= residents.size()) residents.resize(w.sm + 1);
    if (w.slot >= residents[w.sm].size()) residents[w.sm].resize(w.slot + 1);
    return residents[w.sm][w.slot];
  }
  bool quick_global(const Access& a);
  bool quick_shared(const Access& a);
  void global_access(const Access& a);
  void shared_access(const Access& a);
  void local_access(const Access& a);
  void check_own(WrittenBytes& written, const Access& a, std::uint32_t lane, std::uint64_t offset,
                 std::uint64_t address);
  void check_global(const Access& a, std::uint32_t lane, std::uint64_t address, std::uint64_t bytes);
  void mark(std::uint64_t address, std::uint64_t bytes, bool row = false);
  std::optional<std::uint64_t> beyond_padding(std::uint64_t address, std::uint64_t bytes,
                                              std::uint64_t missing) const;
  std::uint64_t word(std::uint64_t address) const;
  bool ends_as_padding(std::uint64_t address, std::uint64_t period) const;
  void unmark(std::uint64_t address);
  bool any_written(std::uint64_t address, std::uint64_t bytes) const;
  // Whether the reader of bytes that nobody wrote is to be watched, rather than reported at once.
  bool wait_and_see(const Access& a) const {
    return a.unwritten != nullptr && index.find({a.site->id, a.memory}) == index.end();
  }
  template <class Holds>
  static void tell(const Access& a, std::uint32_t lane, Holds&& holds);
  void report(const Site& site, const WarpId& warp, std::uint32_t lane, Memory where, std::uint64_t address);
};

Uninitialised::Uninitialised(const memory::DeviceMemory& memory, Findings& findings)
    : impl_(std::make_unique<Impl>(memory, findings, std::make_shared<PageTable<WrittenPage>>())) {}
Uninitialised::Uninitialised(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
std::unique_ptr<Uninitialised> Uninitialised::beside() const {
  return std::unique_ptr<Uninitialised>(
      new Uninitialised(std::make_unique<Impl>(impl_->memory, impl_->findings, impl_->pages)));
}
Uninitialised::~Uninitialised() = default;

void Uninitialised::launch_begin(const LaunchInfo& info) {
  Impl& m = *impl_;
  m.launch = info;
  m.coverages.clear();
  m.residents.clear();
  m.latest = {};
  m.found.clear();
  m.index.clear();
  m.check_local = info.local_bytes > 0 && info.local_bytes * info.block.count() <= kMostLocalBits;
}

void Uninitialised::launch_end() {
  for (Finding& f : impl_->found) impl_->findings.add(std::move(f));
  impl_->found.clear();
  impl_->index.clear();
}

void Uninitialised::block_begin(const WarpId& warp) {
  Impl& m = *impl_;
  ResidentBytes& r = m.resident(warp);
  r.shared.resize(m.launch.shared_bytes);
  if (m.check_local) r.local.resize(m.launch.local_bytes * m.launch.block.count());
}

void Uninitialised::access(const Access& a) {
  if (a.mask == 0 || a.warp == nullptr) return;
  const bool stores_unwritten = a.kind == AccessKind::store && a.unwritten != nullptr;
  switch (a.memory) {
    case Memory::global:
      if (stores_unwritten || !impl_->quick_global(a)) impl_->global_access(a);
      break;
    case Memory::shared:
      if (stores_unwritten || !impl_->quick_shared(a)) impl_->shared_access(a);
      break;
    case Memory::local:
      impl_->local_access(a);
      break;
    case Memory::constant:
    case Memory::param:
    case Memory::texture:
      break;
  }
}

void Uninitialised::bulk_access(const BulkAccess& b) {
  Access a;
  a.site = b.site;
  a.warp = b.warp;
  a.kind = b.kind;
  a.mask = 1u << b.lane;
  std::array<std::uint64_t, kWarpLanes> address{};
  a.address = address.data();
  // A tile may reach past what has been written, into what nobody will look at: it is wrong if nothing was.
  bool any_written = false;
  for (std::size_t n = 0; n < b.span_count && !any_written && b.kind != AccessKind::store; ++n)
    any_written = impl_->any_written(b.spans[n].address, b.spans[n].bytes);
  for (std::size_t n = 0; n < b.span_count; ++n) {
    const BulkAccess::Span& span = b.spans[n];
    address[b.lane] = span.address;
    if (b.kind == AccessKind::store)
      impl_->mark(span.address, span.bytes);
    else if (!any_written && PageTable<WrittenPage>::holds(span.address + span.bytes) && b.bytes != 0)
      impl_->check_global(a, b.lane, span.address, span.bytes);
  }
}

void Uninitialised::shared_filled(const WarpId& owner, std::uint32_t offset, std::uint32_t bytes) {
  impl_->resident(owner).shared.add(offset, bytes);
}

void Uninitialised::mark_initialised(std::uint64_t address, std::uint64_t bytes) {
  impl_->mark(address, bytes);
}

void Uninitialised::copy_state(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
  Impl& m = *impl_;
  const memory::Allocation* source = m.memory.find(from);
  if (source == nullptr || source->kind != memory::AllocationKind::device) {
    m.mark(to, bytes);
    return;
  }
  // Piece by piece, each within one page of either side.
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t at = to + done;
    const auto read = static_cast<std::uint32_t>((from + done) % kShadowPageBytes);
    const auto written = static_cast<std::uint32_t>(at % kShadowPageBytes);
    const auto here = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(bytes - done, kShadowPageBytes - std::max(read, written)));
    const WrittenPage* page = m.global.find(from + done);
    if (page == nullptr || page->empty()) {
      if (WrittenPage* target = m.global.find(at)) target->remove(written, here);
    } else if (page->holds(read, here)) {
      m.mark(at, here);
    } else if (PageTable<WrittenPage>::holds(at)) {
      WrittenPage& target = m.global.at(at);
      for (std::uint32_t i = 0; i < here; ++i) {
        if (page->holds(read + i, 1)) {
          target.add(written + i, 1);
        } else {
          target.remove(written + i, 1);
        }
      }
    }
    done += here;
  }
}

void Uninitialised::forget(std::uint64_t address, std::uint64_t bytes) {
  // Pages are dropped whole; an edge page that another allocation shares is left, since its bits are that
  // one's too.
  const std::uint64_t first = (address + kShadowPageBytes - 1) / kShadowPageBytes;
  const std::uint64_t last = (address + bytes) / kShadowPageBytes;
  for (std::uint64_t page = first; page < last; ++page) impl_->global.drop(page * kShadowPageBytes);
}

std::optional<std::uint64_t> Uninitialised::first_uninitialised(std::uint64_t address,
                                                                std::uint64_t bytes) const {
  const memory::Allocation* a = impl_->memory.find(address);
  if (a == nullptr || a->kind != memory::AllocationKind::device) return std::nullopt;
  for (std::uint64_t at = address; at < address + bytes;) {
    const auto offset = static_cast<std::uint32_t>(at % kShadowPageBytes);
    const auto here =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(address + bytes - at, kShadowPageBytes - offset));
    const WrittenPage* page = impl_->global.find(at);
    if (page == nullptr) return at;
    if (!page->holds(offset, here)) {
      std::uint32_t i = 0;
      while (page->holds(offset + i, 1)) ++i;
      return at + i;
    }
    at += here;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Uninitialised::first_barren(std::uint64_t address, std::uint64_t bytes) const {
  static_assert(kShadowPageBytes % kAround == 0);
  const memory::Allocation* a = impl_->memory.find(address);
  if (a == nullptr || a->kind != memory::AllocationKind::device) return std::nullopt;
  const std::uint64_t end = address + bytes;
  for (std::uint64_t piece = address / kAround * kAround; piece < end;) {
    const WrittenPage* page = impl_->global.find(piece);
    if (page != nullptr && page->full()) {
      piece = (piece / kShadowPageBytes + 1) * kShadowPageBytes;
      continue;
    }
    if (page == nullptr || !page->holds_any(static_cast<std::uint32_t>(piece % kShadowPageBytes), kAround)) {
      return impl_->beyond_padding(address, bytes, std::max(piece, address));
    }
    piece += kAround;
  }
  return std::nullopt;
}

std::uint64_t Uninitialised::Impl::word(std::uint64_t address) const {
  const WrittenPage* page = global.find(address);
  return page == nullptr ? 0 : page->word(static_cast<std::uint32_t>(address % kShadowPageBytes));
}

// Whether a struct of so many bytes at this address may have just these bytes as members. Padding never comes first; it ends where what
// follows must begin, at a multiple of an alignment of which it is less.
bool Uninitialised::Impl::ends_as_padding(std::uint64_t address, std::uint64_t period) const {
  std::uint64_t gap = 0;
  for (std::uint64_t at = 0; at <= period; ++at) {
    const bool written = at == period || (word(address + at / 64 * 64) >> (at % 64) & 1) != 0;
    if (at == 0 && !written) return false;
    if (!written) {
      ++gap;
      continue;
    }
    const std::uint64_t aligned = std::bit_ceil(gap + 1);
    if (gap >= kAround && (aligned > kMostAligned || (address + at) % aligned != 0)) return false;
    gap = 0;
  }
  return true;
}

// Whether what nobody wrote in this range is the padding of an array of structs, of those that are aligned to 64 bytes or more: it has the
// same place in each of at least two elements, a place where padding can be, and each element was filled in by a thread for itself.
// Elements that were forgotten break the pattern, and so does what the lanes of a warp have left out of a row that they write together.
// @return nothing if it is; else an element that was forgotten between others, or else @p missing.
std::optional<std::uint64_t> Uninitialised::Impl::beyond_padding(std::uint64_t address, std::uint64_t bytes,
                                                                 std::uint64_t missing) const {
  if (address % 64 != 0 || bytes % 64 != 0) return missing;
  const auto of_row = [&](std::uint64_t at) {
    const WrittenPage* page = global.find(at);
    return page != nullptr && page->has_row(static_cast<std::uint32_t>(at % kShadowPageBytes));
  };
  for (std::uint64_t period = 64; period <= std::min(kMostPeriod, bytes / 2); period += 64) {
    if (bytes % period != 0 || !ends_as_padding(address, period)) continue;
    std::uint64_t at = address;  // behind what is as in the first element
    while (at < address + bytes && !of_row(at) && word(at) == word(address + (at - address) % period))
      at += 64;
    if (at == address + bytes) return std::nullopt;
    const std::uint64_t element = at - (at - address) % period;
    if (element > address + period && !any_written(element, period)) return element;
  }
  return missing;
}

void Uninitialised::unwritten_used(const UnwrittenUse& u) {
  // Some of the toolkit's algorithms compare what lies past the end of their own scratch memory, and then ignore it.
  if (u.memory != Memory::global && is_of_toolkit(u.load->file)) return;
  impl_->report(*u.load, *u.warp, u.lane, u.memory, u.address);
}

// Notes for the interpreter which bytes of a lane's part nobody wrote.
template <class Holds>
void Uninitialised::Impl::tell(const Access& a, std::uint32_t lane, Holds&& holds) {
  std::uint32_t missing = 0;
  for (std::uint32_t b = 0; b < a.bytes; ++b) missing |= static_cast<std::uint32_t>(!holds(b)) << b;
  a.unwritten->lanes |= 1u << lane;
  a.unwritten->bytes[lane] = missing;
}

bool Uninitialised::Impl::any_written(std::uint64_t address, std::uint64_t bytes) const {
  for (std::uint64_t at = address; at < address + bytes;) {
    const auto offset = static_cast<std::uint32_t>(at % kShadowPageBytes);
    const auto here =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(address + bytes - at, kShadowPageBytes - offset));
    const WrittenPage* page = global.find(at);
    if (page != nullptr && page->holds_any(offset, here)) return true;
    at += here;
  }
  return false;
}

void Uninitialised::Impl::unmark(std::uint64_t address) {
  if (!PageTable<WrittenPage>::holds(address)) return;
  const memory::Allocation* where = memory.find(address);
  if (where == nullptr || where->kind != memory::AllocationKind::device) return;
  global.at(address).remove(static_cast<std::uint32_t>(address % kShadowPageBytes), 1);
}

// @param row of lanes side by side.
void Uninitialised::Impl::mark(std::uint64_t address, std::uint64_t bytes, bool row) {
  for (std::uint64_t at = address; at < address + bytes;) {
    if (!PageTable<WrittenPage>::holds(at)) return;
    const auto offset = static_cast<std::uint32_t>(at % kShadowPageBytes);
    const auto here =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(address + bytes - at, kShadowPageBytes - offset));
    row ? global.at(at).add_row(offset, here) : global.at(at).add(offset, here);
    at += here;
  }
}

void Uninitialised::Impl::check_global(const Access& a, std::uint32_t lane, std::uint64_t address,
                                       std::uint64_t bytes) {
  for (std::uint64_t at = address; at < address + bytes;) {
    const auto offset = static_cast<std::uint32_t>(at % kShadowPageBytes);
    const auto here =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(address + bytes - at, kShadowPageBytes - offset));
    const WrittenPage* page = global.find(at);
    if (page == nullptr || !page->holds(offset, here)) {
      const memory::Allocation* where = memory.find(at);
      if (where != nullptr && where->kind == memory::AllocationKind::device) {
        if (wait_and_see(a)) {
          tell(a, lane, [&](std::uint32_t b) {
            const WrittenPage* p = global.find(address + b);
            return p != nullptr && p->holds(static_cast<std::uint32_t>((address + b) % kShadowPageBytes), 1);
          });
          const std::uint64_t piece = around(a);
          const std::uint64_t begin = address / piece * piece;
          const std::uint64_t end = (address + bytes + piece - 1) / piece * piece;
          a.unwritten->barren |= static_cast<std::uint32_t>(!any_written(begin, end - begin)) << lane;
          return;
        }
        std::uint32_t i = 0;
        while (page != nullptr && page->holds(offset + i, 1)) ++i;
        report(*a.site, *a.warp, lane, a.memory, at + i);
        mark(address, bytes);  // once is enough
      } else if (where != nullptr) {
        mark(where->base, where->bytes);  // a variable or host memory: never asked about again
      }
      return;
    }
    at += here;
  }
}

// A request of known shape, by stretches. @return false if something may have to be reported.
bool Uninitialised::Impl::quick_global(const Access& a) {
  const Coverage* cover = coverages.of(a);
  if (cover == nullptr) return false;
  const std::uint64_t from = a.first();
  const std::uint64_t low = from + static_cast<std::uint64_t>(cover->low);
  if (low > low + cover->span || !PageTable<WrittenPage>::holds(low + cover->span)) return false;
  const std::uint64_t first = low / kShadowPageBytes, last = (low + cover->span - 1) / kShadowPageBytes;
  if (last != first) return false;
  WrittenPage* page = global.find(low);
  if (page != nullptr && page->full()) return true;
  if (a.kind == AccessKind::store) {
    if (page == nullptr) page = &global.at(low);
    for (std::uint32_t i = 0; i < cover->count; ++i) {
      const Coverage::Stretch& s = cover->stretches[i];
      const auto at =
          static_cast<std::uint32_t>((from + static_cast<std::uint64_t>(s.offset)) % kShadowPageBytes);
      s.bytes > a.bytes ? page->add_row(at, s.bytes) : page->add(at, s.bytes);
    }
    return true;
  }
  if (page == nullptr) return false;
  bool all = true;
  for (std::uint32_t i = 0; i < cover->count; ++i) {
    const Coverage::Stretch& s = cover->stretches[i];
    all &= page->holds(
        static_cast<std::uint32_t>((from + static_cast<std::uint64_t>(s.offset)) % kShadowPageBytes),
        s.bytes);
  }
  return all;
}

bool Uninitialised::Impl::quick_shared(const Access& a) {
  const Coverage* cover = coverages.of(a);
  if (cover == nullptr) return false;
  ResidentBytes& r = resident(a.owner != nullptr ? *a.owner : *a.warp);
  const std::uint64_t from = a.first();
  if (a.kind == AccessKind::store) {
    for (std::uint32_t i = 0; i < cover->count; ++i) {
      const Coverage::Stretch& s = cover->stretches[i];
      r.shared.add(from + static_cast<std::uint64_t>(s.offset), s.bytes);
    }
    return true;
  }
  bool all = true;
  for (std::uint32_t i = 0; i < cover->count; ++i) {
    const Coverage::Stretch& s = cover->stretches[i];
    all &= r.shared.holds(from + static_cast<std::uint64_t>(s.offset), s.bytes);
  }
  return all;
}

void Uninitialised::Impl::global_access(const Access& a) {
  const bool reads = a.kind != AccessKind::store;
  const std::uint64_t* const at = a.address;
  std::uint64_t low = ~0ull, high = 0;
  for (std::uint32_t rest = a.mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = at[std::countr_zero(rest)];
    low = std::min(low, address);
    high = std::max(high, address);
  }
  if (!PageTable<WrittenPage>::holds(high + a.bytes)) return;
  if (!reads && a.unwritten != nullptr) {
    for (std::uint32_t rest = a.mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
      mark(at[lane], a.bytes);
      if ((a.unwritten->lanes >> lane & 1) == 0) continue;
      for (std::uint32_t bytes = a.unwritten->bytes[lane]; bytes != 0; bytes &= bytes - 1)
        unmark(at[lane] + static_cast<std::uint32_t>(std::countr_zero(bytes)));
    }
    return;
  }
  // Mostly all lanes lie on a page or two that are full.
  const std::uint64_t first = low / kShadowPageBytes, last = (high + a.bytes - 1) / kShadowPageBytes;
  if (last - first <= 3) {
    bool full = true;
    for (std::uint64_t p = first; p <= last && full; ++p) {
      const WrittenPage* page = global.find(p * kShadowPageBytes);
      full = page != nullptr && page->full();
    }
    if (full) return;
    // Next likely: they lie side by side.
    if (is_run(a.address, a.mask, a.bytes)) {
      const std::uint64_t span = std::uint64_t{kWarpLanes} * a.bytes;
      if (!reads) {
        mark(low, span, true);
        return;
      }
      if (first == last) {
        const WrittenPage* page = global.find(low);
        if (page != nullptr && page->holds(static_cast<std::uint32_t>(low % kShadowPageBytes),
                                           static_cast<std::uint32_t>(span))) {
          return;
        }
      }
    }
  }
  std::uint64_t before = 0;  // where the lane before ended
  for (std::uint32_t rest = a.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    if (reads) {
      check_global(a, lane, at[lane], a.bytes);
    } else {
      mark(at[lane], a.bytes, at[lane] == before);
      before = at[lane] + a.bytes;
    }
  }
}

// One lane's access to bytes of shared or local memory, which begin at @p offset of @p written and are reported as
// @p address.
void Uninitialised::Impl::check_own(WrittenBytes& written, const Access& a, std::uint32_t lane,
                                    std::uint64_t offset, std::uint64_t address) {
  if (a.kind == AccessKind::store) {
    written.add(offset, a.bytes);
    if (a.unwritten == nullptr || (a.unwritten->lanes >> lane & 1) == 0) return;
    for (std::uint32_t bytes = a.unwritten->bytes[lane]; bytes != 0; bytes &= bytes - 1)
      written.remove(offset + static_cast<std::uint32_t>(std::countr_zero(bytes)), 1);
  } else if (written.holds(offset, a.bytes)) {
    return;
  } else if (wait_and_see(a)) {
    tell(a, lane, [&](std::uint32_t b) { return written.holds(offset + b, 1); });
  } else {
    report(*a.site, *a.warp, lane, a.memory, address);
    written.add(offset, a.bytes);
  }
}

void Uninitialised::Impl::shared_access(const Access& a) {
  ResidentBytes& r = resident(a.owner != nullptr ? *a.owner : *a.warp);
  const bool reads = a.kind != AccessKind::store;
  if (is_run(a.address, a.mask, a.bytes)) {
    const std::uint64_t span = std::uint64_t{kWarpLanes} * a.bytes;
    if (!reads && a.unwritten == nullptr) {
      r.shared.add(a.address[0], span);
      return;
    }
    if (reads && r.shared.holds(a.address[0], span)) return;
  } else if (reads && is_broadcast(a.address, a.mask) && r.shared.holds(a.address[0], a.bytes)) {
    return;
  }
  std::uint64_t last = ~0ull;
  for (std::uint32_t rest = a.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t offset = a.address[lane];
    if (offset == last && a.unwritten == nullptr) continue;
    last = offset;
    check_own(r.shared, a, lane, offset, offset);
  }
}

void Uninitialised::Impl::local_access(const Access& a) {
  if (!check_local) return;
  ResidentBytes& r = resident(*a.warp);
  for (std::uint32_t rest = a.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t thread = a.warp->warp * std::uint64_t{kWarpLanes} + lane;
    if (a.address[lane] + a.bytes > launch.local_bytes) continue;  // not of this kernel's frame
    const std::uint64_t offset = thread * launch.local_bytes + a.address[lane];
    check_own(r.local, a, lane, offset, a.address[lane]);
  }
}

void Uninitialised::Impl::report(const Site& site, const WarpId& warp, std::uint32_t lane, Memory kind,
                                 std::uint64_t address) {
  const auto [it, is_new] = index.emplace(std::make_tuple(site.id, kind), found.size());
  if (!is_new) {
    ++found[it->second].occurrences;
    return;
  }
  Finding f;
  f.kind = FindingKind::uninitialised_read;
  f.kernel = launch.kernel;
  f.file = site.file;
  f.line = site.line;
  f.instruction = site.name;
  f.block = warp.block;
  f.thread = index_in(launch.block, warp.warp * std::uint64_t{kWarpLanes} + lane);
  f.memory = kind;
  f.address = address;
  const std::string who = fmt::format("Thread {} of block {} reads", text_of(f.thread), text_of(f.block));
  const std::string here = place_of(site, f.file);
  switch (kind) {
    case Memory::shared:
      f.message = fmt::format(
          "{} {} ({}), which no thread of its block wrote before: shared memory starts with whatever was "
          "there.",
          who, shared_element(launch, site, address), here);
      break;
    case Memory::local:
      f.message = fmt::format("{} a local variable at byte {} of its local memory ({}) that it never set.",
                              who, address, here);
      break;
    default: {
      const memory::Allocation* where = memory.find(address);
      const std::uint64_t offset = where != nullptr ? address - where->base : 0;
      f.message = fmt::format(
          "{} device memory that nobody wrote ({}): byte {} of an allocation of {} bytes. cudaMalloc "
          "does not clear memory; fill it with cudaMemset, cudaMemcpy or a kernel first.",
          who, here, offset, where != nullptr ? where->bytes : 0);
    }
  }
  found.push_back(std::move(f));
}

}  // namespace simgpu::observe
