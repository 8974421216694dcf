/// @file
/// See port.hpp.
#include "simgpu/link/port.hpp"

#include <poll.h>

#include <cstdint>
#include <cstring>
#include <utility>

namespace simgpu::link {
namespace {

constexpr std::size_t kHeadBytes = 24;  // of every record; its size comes first

Pages::Way out_of(Side side) {
  return side == Side::client ? Pages::Way::commands : Pages::Way::answers;
}
Pages::Way into(Side side) {
  return side == Side::client ? Pages::Way::answers : Pages::Way::commands;
}

}  // namespace

Port::Port(const Pages& pages, Side side, int socket, std::size_t most)
    : out_(pages.head(out_of(side)), pages.ring(out_of(side))),
      in_(pages.head(into(side)), pages.ring(into(side))),
      in_bell_(pages.head(into(side)).reader_bell),
      socket_(socket),
      most_(most) {}

bool Port::send(std::span<const std::byte> record, const std::function<void()>& meanwhile) {
  while (!record.empty()) {
    const std::size_t put = out_.put(record);
    record = record.subspan(put);
    if (put != 0) continue;
    if (broken() || other_is_gone()) return false;
    if (meanwhile) meanwhile();
    // The other side may be waiting for room in its own ring, and then rings no bell of this one.
    out_.wait(meanwhile ? std::chrono::milliseconds(1) : kLook);
  }
  return true;
}

bool Port::receive(std::vector<std::byte>& record) {
  for (;;) {
    std::size_t wanted = kHeadBytes;
    if (have_ >= kHeadBytes) {
      std::uint32_t size = 0;
      std::memcpy(&size, partial_.data(), sizeof size);
      if (size > kHeadBytes && size <= most_ && size % 8 == 0) wanted = size;
      if (have_ == wanted) {
        partial_.resize(have_);
        record = std::exchange(partial_, {});
        have_ = 0;
        out_.tell_core();
        return true;
      }
    }
    if (partial_.size() < wanted) partial_.resize(wanted);
    const std::size_t took = in_.take(std::span(partial_).subspan(have_, wanted - have_));
    have_ += took;
    if (took == 0) return false;
  }
}

bool Port::other_is_gone() const {
  pollfd door{.fd = socket_, .events = POLLRDHUP, .revents = 0};
  return ::poll(&door, 1, 0) > 0 && (door.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0;
}

}  // namespace simgpu::link
