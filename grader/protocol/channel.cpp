/// @file
/// See channel.hpp.
#include "protocol/channel.hpp"

#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "protocol/names.hpp"

namespace course::protocol {

channel::channel(channel&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), buffer_(std::move(other.buffer_)) {}

channel& channel::operator=(channel&& other) noexcept {
  if (this != &other) {
    close();
    descriptor_ = std::exchange(other.descriptor_, -1);
    buffer_ = std::move(other.buffer_);
  }
  return *this;
}

channel::~channel() {
  close();
}

void channel::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

bool channel::send(const json& message) {
  if (descriptor_ < 0) return false;
  // Text from a student's program may hold any bytes: replace what is no UTF-8 instead of throwing.
  std::string line = message.dump(-1, ' ', false, json::error_handler_t::replace);
  line += '\n';
  std::size_t sent = 0;
  while (sent < line.size()) {
    const auto count = ::send(descriptor_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

received channel::receive(std::optional<clock::time_point> deadline) {
  for (;;) {
    if (const auto line = buffer_.line()) {
      received result{receive_status::malformed, json::parse(*line, nullptr, false)};
      buffer_.drop_line();
      if (result.message->is_object()) result.status = receive_status::ok;
      return result;
    }
    if (buffer_.size() > kLongestLine) return {receive_status::malformed, {}};
    if (descriptor_ < 0) return {receive_status::closed, {}};

    int wait = -1;
    if (deadline) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(*deadline - clock::now()).count();
      if (left < 0) return {receive_status::timed_out, {}};
      wait = static_cast<int>(std::min<long long>(left + 1, 60'000));
    }
    pollfd ready{descriptor_, POLLIN, 0};
    const int count = ::poll(&ready, 1, wait);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {receive_status::closed, {}};
    if (count == 0) continue;  // the deadline is looked at above

    const auto room = buffer_.room();
    const auto bytes = ::recv(descriptor_, room.data(), room.size(), 0);
    if (bytes < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (bytes <= 0) return {receive_status::closed, {}};
    buffer_.filled(static_cast<std::size_t>(bytes));
  }
}

std::uint64_t random_bits() {
  std::uint64_t bits = 0;
  while (::getrandom(&bits, sizeof bits, 0) != sizeof bits) {
  }
  return bits;
}

std::string fresh_nonce() {
  std::array<char, 33> text;
  std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(random_bits()),
                static_cast<unsigned long long>(random_bits()));
  return text.data();
}

}  // namespace course::protocol
