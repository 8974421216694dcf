/// @file
/// See ring.hpp.
#include "simgpu/link/ring.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace simgpu::link {

void sleep_on(std::atomic<std::uint32_t>& bell, std::uint32_t seen, std::chrono::nanoseconds most) {
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(most);
  const timespec time{.tv_sec = whole.count(), .tv_nsec = (most - whole).count()};
  ::syscall(SYS_futex, &bell, FUTEX_WAIT, seen, &time, nullptr, 0);
}

void ring(std::atomic<std::uint32_t>& bell) {
  ++bell;
  ::syscall(SYS_futex, &bell, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

std::size_t RingWriter::room() {
  const std::uint32_t under_way = written_ - head_.read.load();
  if (under_way > bytes_.size()) broken_ = true;
  return broken_ ? 0 : bytes_.size() - under_way;
}

std::size_t RingWriter::put(std::span<const std::byte> from) {
  tell_core();
  const std::size_t count = std::min(from.size(), room());
  if (count == 0) return 0;
  const std::size_t at = written_ % bytes_.size(), first = std::min(count, bytes_.size() - at);
  std::memcpy(bytes_.data() + at, from.data(), first);
  std::memcpy(bytes_.data(), from.data() + first, count - first);
  written_ += static_cast<std::uint32_t>(count);
  head_.written = written_;
  if (head_.reader_sleeps != 0) ring(head_.reader_bell);
  return count;
}

void RingWriter::wait(std::chrono::nanoseconds most) {
  const std::uint32_t seen = head_.writer_bell.load();
  head_.writer_sleeps = 1;
  if (room() == 0 && !broken_) sleep_on(head_.writer_bell, seen, most);
  head_.writer_sleeps = 0;
}

void RingWriter::tell_core() {
  head_.writer_core = static_cast<std::uint32_t>(::sched_getcpu());
}

bool RingReader::spin() {
  ::sched_yield();  // the writer, if it has just been woken on this core
  const auto until = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < 16; ++i) {
      if (!empty()) return true;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    if (head_.writer_core == static_cast<std::uint32_t>(::sched_getcpu())) return false;
  } while (std::chrono::steady_clock::now() < until);
  return false;
}

std::size_t RingReader::filled() {
  const std::uint32_t there = head_.written.load() - read_;
  if (there > bytes_.size()) broken_ = true;
  return broken_ ? 0 : there;
}

bool RingReader::empty() {
  return filled() == 0 && !broken_;
}

std::size_t RingReader::take(std::span<std::byte> to) {
  const std::size_t count = std::min(to.size(), filled());
  if (count == 0) return 0;
  const std::size_t at = read_ % bytes_.size(), first = std::min(count, bytes_.size() - at);
  std::memcpy(to.data(), bytes_.data() + at, first);
  std::memcpy(to.data() + first, bytes_.data(), count - first);
  read_ += static_cast<std::uint32_t>(count);
  head_.read = read_;
  if (head_.writer_sleeps != 0) ring(head_.writer_bell);
  return count;
}

}  // namespace simgpu::link
