/// @file
/// See polled_words.hpp.
#include "simgpu/exec/polled_words.hpp"

#include <bit>
#include <optional>

namespace simgpu::exec {
namespace {

constexpr std::uint64_t kWord = 8;

/// The eight bytes at @p address, which never cross a page. The host, or another thread of it, may write them at any time.
std::optional<std::uint64_t> value_at(const memory::DeviceMemory& memory, std::uint64_t address) {
  const memory::Allocation* allocation = memory.find(address);
  if (allocation == nullptr) allocation = memory.find(address + kWord - 1);
  if (allocation == nullptr || !allocation->live) return std::nullopt;
  const std::byte* const at = allocation->host + static_cast<std::int64_t>(address - allocation->base);
  return *reinterpret_cast<const volatile std::uint64_t*>(at);
}

}  // namespace

void PolledWords::access(const observe::Access& a) {
  if (a.memory != observe::Memory::global) return;
  for (std::uint32_t mask = a.mask; mask != 0; mask &= mask - 1) {
    const std::uint64_t begin = a.address[std::countr_zero(mask)], end = begin + a.bytes;
    for (std::uint64_t word = begin / kWord * kWord; word < end; word += kWord) {
      if (word == latest_ && !words_.empty()) continue;
      latest_ = word;
      if (words_.size() < kMost) words_.try_emplace(word, 0);
    }
  }
}

void PolledWords::remember(const memory::DeviceMemory& memory) {
  for (auto& [address, value] : words_) value = value_at(memory, address).value_or(0);
}

bool PolledWords::changed(const memory::DeviceMemory& memory) const {
  for (const auto& [address, value] : words_) {
    const auto now = value_at(memory, address);
    if (!now || *now != value) return true;
  }
  return false;
}

}  // namespace simgpu::exec
