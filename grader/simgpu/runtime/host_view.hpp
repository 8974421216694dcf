/// @file
/// The program's side of memory that the device sees as well, where each has a mapping of its own: pinned and managed memory, and the
/// program's own that it registers. In one process without records that is managed memory alone; without pages there is one mapping of
/// all, and this does nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "simgpu/memory/shared_pages.hpp"
#include "simgpu/runtime/exchanged_pages.hpp"

namespace simgpu::runtime {

class HostView {
 public:
  /// @param pages that both sides map; nullptr: there is one mapping, which the device looks after
  explicit HostView(const memory::SharedPages* pages) : pages_(pages) {
    if (pages != nullptr && pages->hold_all()) exchanged_.emplace(*pages);
  }
  ~HostView();
  HostView(const HostView&) = delete;
  HostView& operator=(const HostView&) = delete;

  /// The host may touch what the device has allocated.
  void allocated(std::uint64_t address, std::uint64_t bytes);
  /// It may not any longer: whole pages fault.
  void freed(std::uint64_t address, std::uint64_t bytes);

  /// Before the device is told of memory that the program registers. @return empty, or why the device cannot have it: part of a sentence.
  std::string registered(std::uint64_t address, std::uint64_t bytes) {
    return exchanged_ ? exchanged_->exchange(address, bytes) : std::string();
  }
  /// When the device no longer has it.
  void unregistered(std::uint64_t address, std::uint64_t bytes) {
    if (exchanged_) exchanged_->give_back(address, bytes);
  }

 private:
  /// Whether this process has a mapping of its own of the memory there.
  bool is_apart(std::uint64_t address) const;

  const memory::SharedPages* pages_;
  std::optional<ExchangedPages> exchanged_;
  std::map<std::uint64_t, std::uint64_t>
      open_;  ///< by begin of a range that is mapped: bytes of it that can be touched
};

}  // namespace simgpu::runtime
