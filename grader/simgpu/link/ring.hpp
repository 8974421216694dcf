/// @file
/// One direction of the queue: bytes in pages that two processes map, with one writer and one reader.
///
/// Neither side trusts the other. Each keeps its own place for itself and only tells it to the other; what the other tells is held
/// against what is possible, once, and a reader takes each byte once. A record may be longer than the ring: it goes through in parts.
///
/// Who finds nothing to do sleeps on a futex word. The other wakes it only if it sleeps, so that two busy sides never enter the kernel.
/// Before it sleeps it spins, but only as long as the other side runs on another core: the system often runs who is woken on the core of
/// who wakes it, and a spinner would keep it from there. Measured on two cores: a blind spin before the sleep makes a round trip longer by
/// its whole length (3 us without, 20 us with 8 us, 104 us with 50 us), and a sleeper on another, idle core needs 10 to 30 us to wake.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

namespace simgpu::link {

/// What lies at the beginning of a ring's pages. Places count bytes since the beginning, modulo 2^32.
struct RingHead {
  alignas(64) std::atomic<std::uint32_t> written{0};
  std::atomic<std::uint32_t> writer_sleeps{0};
  std::atomic<std::uint32_t> writer_bell{0};  ///< rung by the reader
  std::atomic<std::uint32_t> writer_core{0};  ///< on which it was when it last did something
  alignas(64) std::atomic<std::uint32_t> read{0};
  std::atomic<std::uint32_t> reader_sleeps{0};
  std::atomic<std::uint32_t> reader_bell{0};  ///< rung by the writer, and by who else has news for the reader
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "a futex word is a plain number");

/// How long a reader spins at most.
inline constexpr std::chrono::microseconds kSpin{30};

/// Sleeps until @p bell is no longer @p seen, or @p most is over.
void sleep_on(std::atomic<std::uint32_t>& bell, std::uint32_t seen, std::chrono::nanoseconds most);
/// Wakes who sleeps on it, or is about to.
void ring(std::atomic<std::uint32_t>& bell);

class RingWriter {
 public:
  RingWriter(RingHead& head, std::span<std::byte> bytes) : head_(head), bytes_(bytes) {}

  /// Puts down as many of @p from as there is room for. @return how many.
  std::size_t put(std::span<const std::byte> from);
  /// The writer is about to write: tells on which core it runs.
  void tell_core();
  /// Waits until there may be room, for @p most.
  void wait(std::chrono::nanoseconds most);
  /// The reader has told a place that it cannot be at.
  bool broken() const noexcept { return broken_; }

 private:
  std::size_t room();

  RingHead& head_;
  std::span<std::byte> bytes_;
  std::uint32_t written_ = 0;
  bool broken_ = false;
};

class RingReader {
 public:
  RingReader(RingHead& head, std::span<const std::byte> bytes) : head_(head), bytes_(bytes) {}

  /// Takes as many bytes as there are, up to those that @p to holds. @return how many.
  std::size_t take(std::span<std::byte> to);
  bool empty();
  /// Waits until there may be something, for @p most, or until rung.
  /// @param news looked at before it sleeps: whether there is something else to do
  template <typename News>
  void wait(std::chrono::nanoseconds most, News&& news) {
    if (spin()) return;
    const std::uint32_t seen = head_.reader_bell.load();
    head_.reader_sleeps = 1;
    if (empty() && !news()) sleep_on(head_.reader_bell, seen, most);
    head_.reader_sleeps = 0;
  }
  void wait(std::chrono::nanoseconds most) {
    wait(most, [] { return false; });
  }
  /// The writer has told a place that it cannot be at.
  bool broken() const noexcept { return broken_; }

 private:
  std::size_t filled();
  /// @return whether there is something.
  bool spin();

  RingHead& head_;
  std::span<const std::byte> bytes_;
  std::uint32_t read_ = 0;
  bool broken_ = false;
};

}  // namespace simgpu::link
