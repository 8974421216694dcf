/// @file
/// Which memory that the host and the device share is closed to the host, since work of the device is still using it: managed memory,
/// and page-locked memory on its way, the program's own that it has registered included. The client closes the pages, and hears of touches
/// (runtime/closed_pages.hpp); here is decided which.
///
/// Closed are pages that unfinished work uses as a whole, those that it only reads against writing; and managed allocations within one page,
/// such as a structure, once it uses a part of them. Who touches one all the same gets it opened, and the client says so. Where both sides have one mapping, all is open while the device itself works.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "simgpu/memory/device_memory.hpp"
#include "simgpu/observe/touched.hpp"
#include "simgpu/queue/answer.hpp"

namespace simgpu::device {

class HostGuard {
 public:
  using Id = std::uint64_t;

  explicit HostGuard(const memory::DeviceMemory& memory) : memory_(memory) {}

  /// @param hears of each change, and closes and opens before it returns, or before the answer of the command comes
  void say_to(std::function<void(const queue::Closed&)> hears) { hears_ = std::move(hears); }

  /// Closes what is in @p touched and in memory of both sides, until open().
  /// @return whether there is any such.
  bool close(Id id, const observe::Touched& touched);
  void open(Id id);
  void open_all();
  /// The memory is about to go.
  void forget(std::uint64_t address, std::uint64_t bytes);
  /// The host was seen in pages of this work. One touch of each piece of work says enough.
  /// @return whether the work uses what was touched: it may use other bytes of that page.
  bool touched(Id id, std::uint64_t address, bool writes);
  /// The device is going to touch memory itself, and changes come together; calls nest.
  void suspend();
  void resume();
  /// While one lives, a function of the host's runs in the middle of what the device does: what unfinished work uses is closed to it, as
  /// to all of the host. Between suspend() and resume().
  class HostActs {
   public:
    explicit HostActs(HostGuard& guard) : guard_(guard) { guard_.say(guard_.closed_); }
    ~HostActs() {
      if (!guard_.memory_.has_own_view()) guard_.open_for_now();
    }
    HostActs(const HostActs&) = delete;
    HostActs& operator=(const HostActs&) = delete;

   private:
    HostGuard& guard_;
  };

 private:
  /// Between suspend() and resume(): opens all until then.
  void open_for_now();
  void add(Id id, const observe::ByteSet& bytes, bool written);
  void changed();
  void say(const queue::Closed& now);

  const memory::DeviceMemory& memory_;
  std::function<void(const queue::Closed&)> hears_;
  queue::Closed closed_;                     ///< as it is to be outside of suspend() and resume()
  std::vector<queue::Closed::Range> parts_;  ///< what is used of small managed allocations
  bool any_said_ = false, changed_ = false;
  int suspended_ = 0;
};

}  // namespace simgpu::device
