/// @file
/// JSON lines over a socket: one object a line, with deadlines, because the other side may be anything -
/// hung, dead, or lying.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "protocol/json_box.hpp"
#include "protocol/line_buffer.hpp"

namespace course::protocol {

using json = nlohmann::json;
using clock = std::chrono::steady_clock;

/// How an attempt to receive ended.
enum class receive_status {
  ok,         ///< a line arrived and is an object
  closed,     ///< the other side closed or died
  timed_out,  ///< the deadline passed
  malformed,  ///< bytes arrived that are no JSON object, or a line beyond kLongestLine
};

/// What receive() gives: @p message is set when @p status is ok.
struct received {
  receive_status status = receive_status::closed;
  json_box message;
};

/// One end of the conversation. Owns its descriptor.
class channel {
 public:
  channel() = default;
  /// @param descriptor a connected stream socket; -1 for none.
  explicit channel(int descriptor) : descriptor_(descriptor) {}
  channel(channel&& other) noexcept;
  channel& operator=(channel&& other) noexcept;
  ~channel();

  /// Writes @p message and a newline.
  /// @return false if the other side is gone; never raises SIGPIPE.
  bool send(const json& message);

  /// Waits for one line.
  /// @param deadline give up then; nullopt: wait for ever.
  received receive(std::optional<clock::time_point> deadline = std::nullopt);

  /// True if a whole line has already been read from the socket and waits in memory.
  bool has_line() const { return buffer_.line().has_value(); }

  /// @return the descriptor, for poll(); -1 when closed.
  int descriptor() const { return descriptor_; }

  void close();

 private:
  int descriptor_ = -1;
  line_buffer buffer_;
};

/// 128 random bits as hexadecimal text, from the kernel: what makes an answer belong to its question.
std::string fresh_nonce();

/// 64 random bits from the kernel.
std::uint64_t random_bits();

}  // namespace course::protocol
