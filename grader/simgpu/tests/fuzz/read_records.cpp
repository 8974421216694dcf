/// @file
/// See read_records.hpp.
#include "simgpu/tests/fuzz/read_records.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <variant>
#include <vector>

#include "simgpu/queue/answer_codec.hpp"
#include "simgpu/queue/codec.hpp"
#include "simgpu/queue/session.hpp"

namespace simgpu::fuzz {
namespace {

/// What a device answers: memory at the next free address, and modules of two kernels.
class Device {
 public:
  explicit Device(queue::Session& session) : session_(session) {}

  void operator()(const queue::Allocate& c) {
    const std::uint64_t bytes = std::min<std::uint64_t>(c.bytes, 1 << 20);
    session_.allocated(c.kind, next_, bytes);
    next_ += (bytes + 0xFFF) / 0x1000 * 0x1000;
  }
  void operator()(const queue::Load& c) { session_.loaded(c.id, {0, 8}); }
  void operator()(const queue::Object& c) { session_.made(c.what, ++handles_); }
  void operator()(const queue::Launch&) { session_.closed(++works_); }
  void operator()(const queue::Marker& c) { session_.reached(c.token); }
  void operator()(const auto&) {}

 private:
  queue::Session& session_;
  std::uint64_t next_ = 0x1000, handles_ = 0, works_ = 0;
};

bool is_sentence(const std::string& text) {
  return text.starts_with("Record ") && text.ends_with(".");
}

}  // namespace

std::size_t read_records(std::string_view text) {
  std::vector<std::byte> copy(text.size());  // on its own, so that a sanitizer sees its end
  std::transform(text.begin(), text.end(), copy.begin(), [](char c) { return static_cast<std::byte>(c); });
  if (const queue::DecodedMessage message = queue::decode_message(copy); message.problem.empty()) {
    std::vector<std::byte> again;
    if (!queue::encode(message.message, again) || again.size() != message.size ||
        !std::equal(again.begin(), again.end(), copy.begin())) {
      std::abort();
    }
  }
  std::span<const std::byte> left(copy);
  queue::Session session(1 << 16);
  Device device(session);
  std::vector<std::byte> again;
  std::size_t taken = 0;
  while (!left.empty()) {
    const queue::Decoded read = queue::decode(left);
    if (!read.problem.empty()) {
      if (!is_sentence(read.problem)) std::abort();
      break;
    }
    again.clear();
    if (!queue::encode(read.command, again) || again.size() != read.size ||
        !std::equal(again.begin(), again.end(), left.begin())) {
      std::abort();
    }
    left = left.subspan(read.size);
    if (const auto problem = session.admit(read.command)) {
      if (!is_sentence(*problem)) std::abort();
      break;
    }
    std::visit(device, read.command.body);
    ++taken;
  }
  return taken;
}

}  // namespace simgpu::fuzz
