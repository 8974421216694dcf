/// @file
/// See byte_set.hpp.
#include "simgpu/observe/byte_set.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace simgpu::observe {
namespace {

/// A page in more pieces than this keeps its bits.
constexpr std::size_t kMostRuns = ByteSet::kPageBytes / 64;
/// Pages that are kept for the next set. Addresses are never used twice, so a program that allocates for ever has ever more.
constexpr std::size_t kMostSetPages = 64 * 1024;

/// The first bit from @p at on that is @p set; all bits if there is none.
std::uint64_t next(const ByteSet::Bits& bits, std::uint64_t at, bool set) {
  while (at < ByteSet::kPageBytes) {
    std::uint64_t word = bits[at / 64];
    if (!set) word = ~word;
    word &= ~0ull << at % 64;
    if (word != 0) return at / 64 * 64 + static_cast<std::uint64_t>(std::countr_zero(word));
    at = (at / 64 + 1) * 64;
  }
  return ByteSet::kPageBytes;
}

/// The lowest address of @p page within @p run.
std::optional<std::uint64_t> meet(const ByteSet::Page& page, const ByteSet::Run& run) {
  const std::uint64_t base = page.number * ByteSet::kPageBytes;
  if (run.end <= base) return std::nullopt;
  const std::uint64_t from = std::max(run.begin, base) - base;
  const std::uint64_t to = std::min(run.end, base + ByteSet::kPageBytes) - base;
  if (from >= to) return std::nullopt;
  const std::uint64_t at = next(page.bits, from, true);
  return at < to ? std::optional(base + at) : std::nullopt;
}

bool comes_first(const ByteSet::Run& a, const ByteSet::Run& b) {
  return a.begin < b.begin;
}

std::optional<std::uint64_t> lower(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

/// The lowest address of @p pages in @p runs.
std::optional<std::uint64_t> meet(const std::vector<ByteSet::Page>& pages,
                                  const std::vector<ByteSet::Run>& runs) {
  auto page = pages.begin();
  auto run = runs.begin();
  while (page != pages.end() && run != runs.end()) {
    if (const auto found = meet(*page, *run)) return found;
    (page->number + 1) * ByteSet::kPageBytes < run->end ? static_cast<void>(++page)
                                                        : static_cast<void>(++run);
  }
  return std::nullopt;
}

}  // namespace

ByteSet ByteSet::of(std::uint64_t address, std::size_t width, std::size_t height, std::size_t depth,
                    std::size_t pitch, std::size_t slice) {
  ByteSet set;
  if (width == 0) return set;
  for (std::size_t z = 0; z < depth; ++z) {
    for (std::size_t y = 0; y < height; ++y) {
      const std::uint64_t row = address + z * slice + y * pitch;
      set.append(row, row + width);
    }
  }
  if (!std::is_sorted(set.runs_.begin(), set.runs_.end(), comes_first)) {
    std::vector<Run> runs = std::exchange(set.runs_, {});
    std::sort(runs.begin(), runs.end(), comes_first);
    for (const Run& run : runs) set.append(run.begin, run.end);
  }
  return set;
}

/// Joins a piece with the last one if it can.
void ByteSet::append(std::uint64_t begin, std::uint64_t end) {
  if (!runs_.empty() && begin <= runs_.back().end && begin >= runs_.back().begin) {
    runs_.back().end = std::max(runs_.back().end, end);
  } else {
    runs_.push_back({begin, end});
  }
}

std::uint64_t ByteSet::begin() const noexcept {
  std::uint64_t first = ~0ull;
  if (!runs_.empty()) first = runs_.front().begin;
  if (!pages_.empty()) {
    const Page& page = pages_.front();
    first = std::min(first, page.number * kPageBytes + next(page.bits, 0, true));
  }
  return empty() ? 0 : first;
}

std::uint64_t ByteSet::end() const noexcept {
  std::uint64_t last = 0;
  if (!runs_.empty()) last = runs_.back().end;
  if (!pages_.empty()) {
    const Page& page = pages_.back();
    for (std::size_t word = page.bits.size(); word-- > 0;) {
      if (page.bits[word] == 0) continue;
      const auto used = 64 - static_cast<std::uint64_t>(std::countl_zero(page.bits[word]));
      return std::max(last, page.number * kPageBytes + word * 64 + used);
    }
  }
  return last;
}

bool ByteSet::contains(std::uint64_t address) const noexcept {
  const auto run = std::upper_bound(runs_.begin(), runs_.end(), address,
                                    [](std::uint64_t a, const Run& r) { return a < r.begin; });
  if (run != runs_.begin() && address < std::prev(run)->end) return true;
  const std::uint64_t number = address / kPageBytes, bit = address % kPageBytes;
  const auto page = std::lower_bound(pages_.begin(), pages_.end(), number,
                                     [](const Page& p, std::uint64_t n) { return p.number < n; });
  return page != pages_.end() && page->number == number && (page->bits[bit / 64] >> bit % 64 & 1) != 0;
}

std::optional<std::uint64_t> ByteSet::meets(const ByteSet& other) const {
  if (empty() || other.empty() || begin() >= other.end() || other.begin() >= end()) return std::nullopt;
  std::optional<std::uint64_t> found = lower(meet(pages_, other.runs_), meet(other.pages_, runs_));
  for (auto a = runs_.begin(), b = other.runs_.begin(); a != runs_.end() && b != other.runs_.end();) {
    const std::uint64_t begin = std::max(a->begin, b->begin);
    if (begin < std::min(a->end, b->end)) {
      found = lower(found, begin);
      break;
    }
    a->end < b->end ? ++a : ++b;
  }
  for (auto a = pages_.begin(), b = other.pages_.begin(); a != pages_.end() && b != other.pages_.end();) {
    if (a->number != b->number) {
      a->number < b->number ? ++a : ++b;
      continue;
    }
    for (std::size_t word = 0; word < a->bits.size(); ++word) {
      if (const std::uint64_t both = a->bits[word] & b->bits[word]; both != 0) {
        return lower(found,
                     a->number * kPageBytes + word * 64 + static_cast<std::uint64_t>(std::countr_zero(both)));
      }
    }
    ++a, ++b;
  }
  return found;
}

void ByteCollector::find(Recent& recent, std::uint64_t address) {
  Page& page = pages_.at(address);
  const std::uint64_t number = address / ByteSet::kPageBytes;
  if (page.round != round_) {
    page.round = round_;
    page.whole = 0;
    page.ragged = false;
    numbers_.push_back(number);
  }
  recent = {number, &page};
}

void ByteCollector::add_parts(Page& page, std::uint64_t at, std::uint64_t end) {
  const std::uint64_t first = at / kLine, last = (end - 1) / kLine;
  for (const std::uint64_t line : {first, last}) {
    if ((page.whole >> line & 1) != 0) continue;
    if (!page.ragged) {
      page.ragged = true;
      if (page.bits == nullptr) page.bits = std::make_unique<ByteSet::Bits>();
      page.bits->fill(0);
    }
    const std::uint64_t from = std::max(at, line * kLine), to = std::min(end, (line + 1) * kLine);
    (*page.bits)[line] |= ones(from - line * kLine, to - line * kLine);
  }
}

void ByteCollector::add_pages(std::uint64_t address, std::uint64_t bytes) {
  while (bytes > 0) {
    const std::uint64_t at = address % ByteSet::kPageBytes;
    const std::uint64_t end = std::min(ByteSet::kPageBytes, at + bytes);
    add(page(address), at, end);
    address += end - at;
    bytes -= end - at;
  }
}

ByteSet ByteCollector::take() {
  std::sort(numbers_.begin(), numbers_.end());
  ByteSet set;
  std::vector<ByteSet::Run> pieces;
  for (const std::uint64_t number : numbers_) {
    const std::uint64_t base = number * ByteSet::kPageBytes;
    const Page& page = *pages_.find(base);
    if (!page.ragged) {
      for (std::uint64_t left = page.whole; left != 0;) {
        const auto from = static_cast<std::uint64_t>(std::countr_zero(left));
        const auto to = from + static_cast<std::uint64_t>(std::countr_one(left >> from));
        set.append(base + from * kLine, base + to * kLine);
        left &= ~ones(from, to);
      }
      continue;
    }
    ByteSet::Bits bits = *page.bits;
    for (std::uint64_t line = 0; line < bits.size(); ++line)
      if ((page.whole >> line & 1) != 0) bits[line] = ~0ull;
    pieces.clear();
    for (std::uint64_t at = next(bits, 0, true); at < ByteSet::kPageBytes && pieces.size() <= kMostRuns;) {
      const std::uint64_t end = next(bits, at, false);
      pieces.push_back({base + at, base + end});
      at = next(bits, end, true);
    }
    if (pieces.size() > kMostRuns) {
      set.pages_.push_back({number, bits});
    } else {
      for (const ByteSet::Run& piece : pieces) set.append(piece.begin, piece.end);
    }
  }
  numbers_.clear();
  recent_.fill({});
  ++round_;
  if (pages_.pages() > kMostSetPages) pages_.clear();
  return set;
}

}  // namespace simgpu::observe
