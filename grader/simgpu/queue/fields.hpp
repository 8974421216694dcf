/// @file
/// How the fields of records are written and read. Both sides have the same functions, so that one description of a body serves both
/// directions; what only a reader can judge does nothing in a writer.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "simgpu/queue/command.hpp"

namespace simgpu::queue {

static_assert(std::endian::native == std::endian::little, "records are little-endian");

/// Texts and lists of a record end here, so that no number in it makes anybody take much memory.
inline constexpr std::uint32_t kMostText = 65536, kMostMembers = 65536;

class Writer {
 public:
  /// @param out records begin on 8 bytes of it.
  explicit Writer(std::vector<std::byte>& out) : out_(out) {}

  void raw(const std::byte* from, std::size_t bytes) { out_.insert(out_.end(), from, from + bytes); }
  template <typename T>
  requires std::is_unsigned_v<T>
  void number(T value) {
    std::byte bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    raw(bytes, sizeof value);
  }
  void zero() { number(std::uint32_t{0}); }
  void id(Id value, const char*) { number(value); }
  void flag(bool value, const char*) { number(std::uint32_t{value}); }
  template <typename E>
  void choice(E value, std::uint32_t, const char*) {
    number(static_cast<std::uint32_t>(value));
  }
  void real(float value) { number(std::bit_cast<std::uint32_t>(value)); }
  /// A number, or none: what nobody computes with.
  void bits(float value) { real(value); }
  void real(double value) { number(std::bit_cast<std::uint64_t>(value)); }
  void text(const std::string& t) {
    number(static_cast<std::uint32_t>(t.size()));
    raw(reinterpret_cast<const std::byte*>(t.data()), t.size());
    pad(4);
  }
  /// A text that may hold zero bytes: what a program prints is its own affair.
  void printed(const std::string& t) { text(t); }
  /// A member is written by one(*this, member).
  template <typename T, typename One>
  void list(const std::vector<T>& all, std::uint32_t, One one) {
    number(static_cast<std::uint32_t>(all.size()));
    for (const T& each : all) one(*this, each);
  }
  template <typename T, typename One>
  void maybe(const std::optional<T>& value, One one) {
    flag(value.has_value(), "");
    if (value) one(*this, *value);
  }
  void pad(std::size_t to) { out_.resize((out_.size() + to - 1) / to * to); }

  void rule(bool, const char*) {}
  void range(std::uint64_t, std::uint64_t) {}

 private:
  std::vector<std::byte>& out_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : left_(bytes) {}

  /// A part of a sentence, without a subject; empty: all is well so far.
  const std::string& problem() const noexcept { return problem_; }
  bool ok() const noexcept { return problem_.empty(); }
  std::span<const std::byte> left() const noexcept { return left_; }
  /// The first problem is the one that is told.
  void refuse(std::string why) {
    if (ok()) problem_ = std::move(why);
  }
  void rule(bool holds, const char* why) {
    if (!holds) refuse(why);
  }
  void range(std::uint64_t address, std::uint64_t bytes) {
    rule(address + bytes >= address, "its range goes beyond the last address");
  }

  void raw(std::byte* to, std::size_t bytes) {
    if (!ok()) return;
    if (bytes > left_.size()) return refuse("it ends before its body does");
    std::memcpy(to, left_.data(), bytes);
    left_ = left_.subspan(bytes);
  }
  template <typename T>
  requires std::is_unsigned_v<T>
  void number(T& value) {
    std::byte bytes[sizeof value]{};
    raw(bytes, sizeof value);
    std::memcpy(&value, bytes, sizeof value);
  }
  void zero() {
    std::uint32_t value = 0;
    number(value);
    rule(value == 0, "a field that must be zero is not");
  }
  void id(Id& value, const char* of) {
    number(value);
    if (value == 0) refuse(fmt::format("the id of its {} is zero", of));
  }
  void flag(bool& value, const char* what) {
    std::uint32_t read = 0;
    number(read);
    if (read > 1) refuse(fmt::format("its field \"{}\" is {}, neither 0 nor 1", what, read));
    value = read != 0;
  }
  template <typename E>
  void choice(E& value, std::uint32_t count, const char* what) {
    std::uint32_t read = 0;
    number(read);
    if (read >= count)
      return refuse(fmt::format("its field \"{}\" is {}, and {} is the most", what, read, count - 1));
    value = static_cast<E>(read);
  }
  void bits(float& value) {
    std::uint32_t read = 0;
    number(read);
    value = std::bit_cast<float>(read);
  }
  void real(float& value) {
    bits(value);
    rule(value == value, "a number of it is none");
  }
  void real(double& value) {
    std::uint64_t bits = 0;
    number(bits);
    value = std::bit_cast<double>(bits);
    rule(value == value, "a number of it is none");
  }
  void text(std::string& t) {
    printed(t);
    if (ok()) rule(t.find('\0') == std::string::npos, "a text holds a zero byte");
  }
  void printed(std::string& t) {
    std::uint32_t length = 0;
    number(length);
    if (!ok()) return;
    if (length > kMostText) return refuse(fmt::format("a text has {} bytes at most", kMostText));
    const std::size_t padded = (std::size_t{length} + 3) / 4 * 4;
    if (padded > left_.size()) return refuse("it ends before its body does");
    t.assign(reinterpret_cast<const char*>(left_.data()), length);
    for (const std::byte each : left_.subspan(length, padded - length))
      rule(each == std::byte{0}, "its padding is not zero");
    left_ = left_.subspan(padded);
  }
  template <typename T, typename One>
  void list(std::vector<T>& all, std::uint32_t most, One one) {
    std::uint32_t count = 0;
    number(count);
    if (ok() && count > most) return refuse(fmt::format("a list of it has {} members at most", most));
    for (std::uint32_t i = 0; i < count && ok(); ++i) one(*this, all.emplace_back());
  }
  template <typename T, typename One>
  void maybe(std::optional<T>& value, One one) {
    bool there = false;
    flag(there, "there");
    if (ok() && there) one(*this, value.emplace());
  }
  /// @return the next @p length bytes; nothing if there are fewer.
  std::span<const std::byte> take(std::uint64_t length) {
    if (!ok()) return {};
    if (length > left_.size()) {
      refuse("it ends before its body does");
      return {};
    }
    const auto taken = left_.first(length);
    left_ = left_.subspan(length);
    return taken;
  }
  /// What is left may only fill the last eight bytes, with zeros.
  void ends() {
    if (ok() && left_.size() >= 8) refuse(fmt::format("{} bytes follow its body", left_.size()));
    for (const std::byte each : left_) rule(each == std::byte{0}, "its padding is not zero");
  }

 private:
  std::span<const std::byte> left_;
  std::string problem_;
};

}  // namespace simgpu::queue
