/// @file
/// See pending_copies.hpp.
#include "simgpu/device/pending_copies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "simgpu/observe/observer.hpp"

namespace simgpu::device {
namespace {

template <typename Row>
void each_row(const PendingCopies::Rows& rows, Row&& row) {
  for (std::size_t z = 0; z < rows.depth; ++z)
    for (std::size_t y = 0; y < rows.height; ++y) row(rows.start + z * rows.slice + y * rows.pitch);
}

/// A sum that any changed byte changes, for all that chance can do. Four lanes, since it reads all that is copied.
std::uint64_t sum_of(const PendingCopies::Rows& rows) {
  constexpr std::uint64_t kOdd = 0x9E37'79B9'7F4A'7C15ull;
  std::uint64_t lanes[4] = {1, 2, 3, 4};
  each_row(rows, [&](const std::byte* at) {
    std::size_t left = rows.width;
    for (; left >= sizeof lanes; left -= sizeof lanes, at += sizeof lanes) {
      std::uint64_t words[4];
      std::memcpy(words, at, sizeof words);
      for (int k = 0; k < 4; ++k) {
        lanes[k] = (lanes[k] ^ words[k]) * kOdd;
        lanes[k] ^= lanes[k] >> 32;
      }
    }
    for (; left > 0; --left, ++at) lanes[0] = (lanes[0] ^ static_cast<std::uint64_t>(*at)) * kOdd;
  });
  std::uint64_t sum = 0;
  for (const std::uint64_t lane : lanes) sum = (sum ^ lane) * kOdd;
  return sum;
}

}  // namespace

PendingCopies::Id PendingCopies::add(Pending pending) {
  const Rows& rows = pending.rows;
  pending.begin = rows.address;
  pending.end = pending.begin + (rows.depth - 1) * rows.slice + (rows.height - 1) * rows.pitch + rows.width;
  by_address_.emplace(pending.begin, next_);
  longest_ = std::max(longest_, pending.end - pending.begin);
  pending_[next_] = std::move(pending);
  return next_++;
}

PendingCopies::Map::iterator PendingCopies::erase(Map::iterator at) {
  by_address_.erase({at->second.begin, at->first});
  if (by_address_.empty()) longest_ = 0;
  return pending_.erase(at);
}

void PendingCopies::clear() {
  pending_.clear();
  by_address_.clear();
  longest_ = 0;
}

std::vector<PendingCopies::Map::iterator> PendingCopies::meeting(std::uint64_t address, std::uint64_t bytes) {
  // What begins earlier than the longest is long cannot reach here.
  const std::uint64_t from = address > longest_ ? address - longest_ : 0;
  std::vector<Map::iterator> found;
  for (auto it = by_address_.lower_bound({from, 0}); it != by_address_.end() && it->first < address + bytes;
       ++it) {
    const auto one = pending_.find(it->second);
    if (address < one->second.end) found.push_back(one);
  }
  std::sort(found.begin(), found.end(), [](auto a, auto b) { return a->first < b->first; });
  return found;
}

PendingCopies::Id PendingCopies::hide(const Rows& to) {
  Pending pending;
  pending.rows = to;
  pending.brought.resize(to.width * to.height * to.depth);
  std::byte* next = pending.brought.data();
  each_row(to, [&](std::byte* row) {
    std::memcpy(next, row, to.width);
    std::memset(row, static_cast<int>(kPattern), to.width);
    next += to.width;
  });
  return add(std::move(pending));
}

PendingCopies::Id PendingCopies::guard(const Rows& from, std::string call, std::string stream) {
  Pending pending;
  pending.rows = from;
  pending.guarded = true;
  pending.sum = sum_of(from);
  pending.call = std::move(call);
  pending.stream = std::move(stream);
  return add(std::move(pending));
}

void PendingCopies::settle(const Pending& pending) {
  if (!pending.guarded) {
    const std::byte* next = pending.brought.data();
    each_row(pending.rows, [&](std::byte* row) {
      std::memcpy(row, next, pending.rows.width);
      next += pending.rows.width;
    });
    return;
  }
  if (sum_of(pending.rows) == pending.sum) return;
  observe::Finding finding;
  finding.kind = observe::FindingKind::race;
  finding.address = pending.begin;
  finding.message = fmt::format(
      "The host writes to page-locked memory from which {} (on {}) is to copy {} bytes, before it has waited "
      "for "
      "that copy: old or new values may go, or some of each. Wait for the copy first (cudaStreamSynchronize, "
      "cudaEventSynchronize), or take turns between two buffers.",
      pending.call, pending.stream, pending.rows.width * pending.rows.height * pending.rows.depth);
  findings_.add(std::move(finding));
}

void PendingCopies::finished(Id id) {
  const auto it = pending_.find(id);
  if (it == pending_.end()) return;
  const Pending pending = std::move(it->second);
  erase(it);
  settle(pending);
}

void PendingCopies::device_touches(std::uint64_t address, std::uint64_t bytes, bool writes) {
  for (const auto it : meeting(address, bytes)) {
    if (it->second.guarded && !writes) continue;
    settle(it->second);
    erase(it);
  }
}

void PendingCopies::kernel_touches(std::uint64_t address, std::uint64_t bytes, bool writes) {
  if (pending_.empty()) return;
  if (!writes) {
    device_touches(address, bytes, false);
    return;
  }
  for (const auto& [id, one] : pending_) settle(one);
  clear();
}

void PendingCopies::excuse(Id id) {
  if (const auto it = pending_.find(id); it != pending_.end() && it->second.guarded) erase(it);
}

void PendingCopies::forget(std::uint64_t address, std::uint64_t bytes) {
  for (const auto it : meeting(address, bytes)) erase(it);
}

}  // namespace simgpu::device
