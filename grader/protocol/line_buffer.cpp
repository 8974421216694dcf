/// @file
/// Implementation of line_buffer.hpp.
#include "protocol/line_buffer.hpp"

#include <string.h>

#include <algorithm>

namespace course::protocol {

namespace {

void wipe(char* from, std::size_t bytes) {
  if (bytes > 0) ::explicit_bzero(from, bytes);
}

}  // namespace

line_buffer::~line_buffer() {
  wipe(bytes_.data(), bytes_.size());
}

std::span<char> line_buffer::room() {
  if (used_ == bytes_.size()) {
    // By hand: a vector that grows leaves its old memory as it was.
    std::vector<char> larger(std::max<std::size_t>(std::size_t{1} << 16, 2 * bytes_.size()));
    std::copy_n(bytes_.begin(), used_, larger.begin());
    wipe(bytes_.data(), bytes_.size());
    bytes_.swap(larger);
  }
  return std::span(bytes_).subspan(used_);
}

std::optional<std::string_view> line_buffer::line() const {
  const std::string_view waiting(bytes_.data(), used_);
  const std::size_t end = waiting.find('\n', searched_);
  if (end == std::string_view::npos) {
    searched_ = used_;
    return std::nullopt;
  }
  searched_ = end;
  return waiting.substr(0, end);
}

void line_buffer::drop_line() {
  const auto first = line();
  if (!first) return;
  const std::size_t rest = used_ - (first->size() + 1);
  ::memmove(bytes_.data(), bytes_.data() + first->size() + 1, rest);
  wipe(bytes_.data() + rest, used_ - rest);
  used_ = rest;
  searched_ = 0;
}

}  // namespace course::protocol
