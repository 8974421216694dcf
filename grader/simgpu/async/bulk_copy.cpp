/// @file
/// See bulk_copy.hpp.
#include "simgpu/async/bulk_copy.hpp"

#include <algorithm>
#include <cstring>

namespace simgpu::async {
namespace {

void write(Store& s) {
  std::size_t at = 0;
  for (const Store::Piece& p : s.pieces) {
    if (s.combine)
      s.combine(p.to, s.data.data() + at, p.bytes, s.how);
    else
      std::memcpy(p.to, s.data.data() + at, p.bytes);
    at += p.bytes;
  }
}

void read(Store& s, const std::byte* shared) {
  if (s.read) return;
  s.read = true;
  std::size_t bytes = 0;
  for (const Store::Piece& p : s.pieces) bytes += p.bytes;
  s.data.resize(bytes);
  std::size_t at = 0;
  for (const Store::Piece& p : s.pieces) {
    std::memcpy(s.data.data() + at, shared + p.from, p.bytes);
    at += p.bytes;
  }
}

// Ten bits of mantissa are kept, to nearest; infinities and NaNs stay what they are.
void round_to_tf32(std::byte* at, std::uint32_t bytes) {
  for (std::uint32_t b = 0; b + 4 <= bytes; b += 4) {
    std::uint32_t v;
    std::memcpy(&v, at + b, 4);
    if ((v & 0x7F80'0000u) != 0x7F80'0000u) v += 0x1000u;
    v &= ~0x1FFFu;
    std::memcpy(at + b, &v, 4);
  }
}

}  // namespace

void Load::perform(std::byte* shared) const {
  for (const Piece& p : pieces) {
    if (p.from == nullptr) {
      for (std::uint32_t b = 0; b < p.bytes; ++b)
        shared[p.to + b] = static_cast<std::byte>(fill >> 8 * (b & 7));
    } else if (combine) {
      combine(shared + p.to, p.from, p.bytes, how);
    } else {
      std::memmove(shared + p.to, p.from, p.bytes);
      if (to_tf32) round_to_tf32(shared + p.to, p.bytes);
    }
  }
  if (data.empty()) return;
  if (combine)
    combine(shared + offset, data.data(), static_cast<std::uint32_t>(data.size()), how);
  else
    std::memcpy(shared + offset, data.data(), data.size());
}

std::size_t BulkStores::wait(std::uint32_t mask, std::uint32_t pending, bool only_read,
                             const std::byte* shared) {
  std::size_t done = 0;
  for (Store& s : stores_) {
    if (!(mask >> s.lane & 1) || s.group >= groups_[s.lane] || groups_[s.lane] - s.group <= pending) continue;
    done += !s.read;
    read(s, shared);
    if (only_read) continue;
    write(s);
    s.bytes = 0;
  }
  std::erase_if(stores_, [](const Store& s) { return s.bytes == 0; });
  return done;
}

void BulkStores::finish(const std::byte* shared) {
  for (Store& s : stores_) {
    read(s, shared);
    write(s);
  }
  stores_.clear();
}

const Store* BulkStores::reading(std::uint64_t offset, std::uint64_t bytes) const {
  for (const Store& s : stores_)
    if (!s.read && offset < std::uint64_t{s.offset} + s.bytes && s.offset < offset + bytes) return &s;
  return nullptr;
}

const Store* BulkStores::unread() const {
  for (const Store& s : stores_)
    if (!s.read) return &s;
  return nullptr;
}

void ProxyOrder::reset(std::uint32_t shared_bytes, std::uint32_t warps) {
  chunks_.assign((shared_bytes + 15) / 16, Chunk{});
  fences_.assign(warps, 0);
  now_ = last_barrier_ = clean_until_ = 0;
}

void ProxyOrder::written(std::uint32_t offset, std::uint32_t bytes, std::uint32_t warp) {
  const std::uint32_t time = now_ + 1;
  for (std::uint32_t c = offset / 16; c <= (offset + bytes - 1) / 16 && c < chunks_.size(); ++c)
    chunks_[c] = {time, warp};
}

void ProxyOrder::overwritten(std::uint32_t offset, std::uint32_t bytes) {
  for (std::uint32_t c = offset / 16; bytes && c <= (offset + bytes - 1) / 16 && c < chunks_.size(); ++c)
    chunks_[c] = {};
}

void ProxyOrder::fence(std::uint32_t warp) {
  // Covers what this warp wrote, and what everybody wrote before the last meeting.
  clean_until_ = std::max(clean_until_, last_barrier_);
  if (warp < fences_.size()) fences_[warp] = ++now_;
}

std::uint32_t ProxyOrder::first_unfenced(std::uint32_t offset, std::uint32_t bytes) const {
  for (std::uint32_t c = offset / 16; bytes && c <= (offset + bytes - 1) / 16 && c < chunks_.size(); ++c) {
    const Chunk& k = chunks_[c];
    if (k.time > clean_until_ && (k.warp >= fences_.size() || k.time > fences_[k.warp]))
      return std::max(offset, c * 16);
  }
  return ~0u;
}

}  // namespace simgpu::async
