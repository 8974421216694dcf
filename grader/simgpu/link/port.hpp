/// @file
/// One side's end of the queue: whole records out and in, and whether the other side is still there.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "simgpu/link/pages.hpp"
#include "simgpu/link/ring.hpp"

namespace simgpu::link {

enum class Side { client, device };

class Port {
 public:
  /// Between two looks whether the other side has died while this one waits.
  static constexpr std::chrono::milliseconds kLook{50};

  /// @param socket its other end is the other side's alone: when that is closed the other side is gone
  /// @param most bytes of a record that comes in. Of a longer one only the head is given out.
  Port(const Pages& pages, Side side, int socket, std::size_t most);

  /// Sends a record, in parts if it has to be. @param meanwhile called when the other side has to make room first: it may have to be
  /// listened to before it does.
  /// @return false: the other side is gone, or has broken the ring.
  bool send(std::span<const std::byte> record, const std::function<void()>& meanwhile = {});
  /// @return whether there is a record; then @p record holds it. Does not wait.
  bool receive(std::vector<std::byte>& record);
  /// Waits until something may have come, for @p most.
  void wait(std::chrono::nanoseconds most) { in_.wait(most); }
  template <typename News>
  void wait(std::chrono::nanoseconds most, News&& news) {
    in_.wait(most, news);
  }
  /// Makes who waits for a record, on this side, look up. From any thread.
  void nudge() { ring(in_bell_); }
  bool other_is_gone() const;
  /// The other side has told a place in a ring that it cannot be at.
  bool broken() const noexcept { return out_.broken() || in_.broken(); }

 private:
  RingWriter out_;
  RingReader in_;
  std::atomic<std::uint32_t>& in_bell_;
  int socket_;
  std::size_t most_;
  std::vector<std::byte> partial_;
  std::size_t have_ = 0;  ///< bytes of partial_ that have come
};

}  // namespace simgpu::link
