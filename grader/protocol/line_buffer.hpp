/// @file
/// Bytes that arrived on a channel, cut into lines. What has been read is wiped at once: it may hold a nonce,
/// and in a worker a student's code shares the memory.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace course::protocol {

/// See the file's head.
class line_buffer {
 public:
  line_buffer() = default;
  line_buffer(line_buffer&& other) noexcept = default;
  line_buffer& operator=(line_buffer&& other) noexcept = default;
  ~line_buffer();

  /// Room for at least one more byte; fill some of it, then say how much with filled().
  std::span<char> room();
  void filled(std::size_t bytes) { used_ += bytes; }

  /// The first complete line, without its end; nullopt if none is complete. Valid until the next call that
  /// changes the buffer.
  std::optional<std::string_view> line() const;
  /// Wipes the first complete line.
  void drop_line();

  /// Bytes that wait, complete lines and the beginning of the next.
  std::size_t size() const { return used_; }
  /// All memory of the buffer, used or not.
  std::span<const char> storage() const { return bytes_; }

 private:
  std::vector<char> bytes_;
  std::size_t used_ = 0;
  mutable std::size_t searched_ = 0;  // no newline before this offset
};

}  // namespace course::protocol
