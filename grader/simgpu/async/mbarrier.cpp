/// @file
/// See mbarrier.hpp.
#include "simgpu/async/mbarrier.hpp"

#include <algorithm>

namespace simgpu::async {
namespace {

constexpr std::uint64_t kMagic = 2ull << 62;  // neither zero, nor 0xCD... as fresh shared memory is filled
constexpr unsigned kCountBits = 20;
constexpr std::uint64_t kCountMask = (1u << kCountBits) - 1;
constexpr std::uint64_t kPhaseMask = (1ull << 41) - 1;

}  // namespace

std::uint64_t Mbarrier::image() const noexcept {
  return kMagic | (phase & 1) << 61 | (static_cast<std::uint64_t>(bytes) & 0x1F'FFFF) << 40 |
         std::uint64_t{expected} << kCountBits | pending;
}

std::uint64_t Mbarrier::token() const noexcept {
  return kMagic | (phase & kPhaseMask) << kCountBits | pending;
}
bool Mbarrier::is_token(std::uint64_t token) noexcept {
  return token >> 62 == kMagic >> 62;
}
std::uint64_t Mbarrier::phase_of(std::uint64_t token) noexcept {
  return token >> kCountBits & kPhaseMask;
}
std::uint32_t Mbarrier::pending_of(std::uint64_t token) noexcept {
  return static_cast<std::uint32_t>(token & kCountMask);
}
bool Mbarrier::ended(std::uint64_t token) const noexcept {
  return phase_of(token) < phase;
}

bool Mbarrier::arrive(std::uint32_t count) noexcept {
  if (count > pending) return false;
  pending -= count;
  end_phase_if_complete();
  return true;
}

bool Mbarrier::arrive_and_drop(std::uint32_t count) noexcept {
  if (count > pending || count > expected) return false;
  expected -= count;
  pending -= count;
  end_phase_if_complete();
  return true;
}

bool Mbarrier::add_pending() noexcept {
  if (pending >= kMostArrivals) return false;
  ++pending;
  return true;
}

bool Mbarrier::expect(std::uint32_t count) noexcept {
  if (bytes + count > std::int64_t{kMostArrivals}) return false;
  bytes += count;
  return true;
}

bool Mbarrier::complete(std::uint32_t count) noexcept {
  if (bytes - count < -std::int64_t{kMostArrivals}) return false;
  bytes -= count;
  end_phase_if_complete();
  return true;
}

void Mbarrier::end_phase_if_complete() noexcept {
  if (pending != 0 || bytes != 0) return;
  ++phase;
  pending = expected;
}

Mbarrier* MbarrierTable::find(std::uint32_t offset) noexcept {
  for (Mbarrier& b : all_)
    if (b.offset == offset) return &b;
  return nullptr;
}

Mbarrier& MbarrierTable::init(std::uint32_t offset, std::uint32_t count) {
  Mbarrier* b = find(offset);
  if (b == nullptr) b = &all_.emplace_back();
  *b = Mbarrier{};
  b->offset = offset;
  b->expected = b->pending = count;
  return *b;
}

void MbarrierTable::remove(std::uint32_t offset) {
  std::erase_if(all_, [&](const Mbarrier& b) { return b.offset == offset; });
}

}  // namespace simgpu::async
