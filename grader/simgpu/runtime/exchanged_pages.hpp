/// @file
/// The program's own memory that it registers (cudaHostRegister), where the device is not to see the program's addresses: its pages are
/// exchanged for pages that both map, and for plain ones again when it is no longer registered. What they hold, and where, stays.
///
/// Whole pages are exchanged, with what else lies in the first and the last one. Meanwhile they can be read; a thread that writes waits
/// in the handler of faults until they are there (host_fault.hpp). A child of fork() gets plain pages of its own.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "simgpu/memory/shared_pages.hpp"

namespace simgpu::runtime {

class ExchangedPages {
 public:
  /// @param pages that both sides map; it outlives this. There is one object of this class that exchanges anything.
  explicit ExchangedPages(const memory::SharedPages& pages) : pages_(pages) {}
  ~ExchangedPages();
  ExchangedPages(const ExchangedPages&) = delete;
  ExchangedPages& operator=(const ExchangedPages&) = delete;

  /// @return empty if the device finds the bytes from now on; else a part of a sentence about memory that cannot be exchanged, which
  /// then is as it was.
  std::string exchange(std::uint64_t address, std::uint64_t bytes);
  /// What exchange() was given. Pages that other memory uses, too, stay exchanged; where there
  /// are none any more, there are none afterwards.
  void give_back(std::uint64_t address, std::uint64_t bytes);

 private:
  template <typename Do>
  void each_run_alone(std::uint64_t begin, std::uint64_t end, const Do& run) const;
  void make_plain(std::uint64_t begin, std::uint64_t end) const;
  static void in_child();

  const memory::SharedPages& pages_;
  std::multimap<std::uint64_t, std::uint64_t> registered_;  ///< begin and end of whole pages
};

/// Whether the program still has all of these pages. What it registered it may have given back to the system meanwhile.
bool is_mapped(std::uint64_t address, std::uint64_t bytes);

/// For the handler: a thread writes to a page that is just being exchanged. @return when that is over; false if that is
/// not so, and was not just now.
/// Async-signal-safe.
bool wait_for_exchange(std::uint64_t address) noexcept;

}  // namespace simgpu::runtime
