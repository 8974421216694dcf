/// @file
/// Characters to words and numbers.
#include "simgpu/ptx/cursor.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

namespace simgpu::ptx {
namespace {

constexpr std::array<bool, 256> make_word_table() {
  std::array<bool, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) table[c] = true;
  for (int c = 'A'; c <= 'Z'; ++c) table[c] = true;
  for (int c = '0'; c <= '9'; ++c) table[c] = true;
  table['_'] = table['$'] = true;
  return table;
}
constexpr auto kWord = make_word_table();

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

int hex_digit(char c) noexcept {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_space(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

}  // namespace

bool is_word_character(char c) noexcept {
  return kWord[static_cast<unsigned char>(c)];
}

void Cursor::skip_space() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '\n') new_line();
    if (is_space(c)) {
      ++position_;
    } else if (c == '/' && ahead(1) == '/') {
      while (position_ < text_.size() && text_[position_] != '\n') ++position_;
    } else if (c == '/' && ahead(1) == '*') {
      position_ += 2;
      while (position_ < text_.size() && !(text_[position_] == '*' && ahead(1) == '/')) {
        if (text_[position_] == '\n') new_line();
        ++position_;
      }
      if (position_ >= text_.size()) fail("a comment that was opened with /* is never closed");
      position_ += 2;
    } else {
      return;
    }
  }
}

char Cursor::peek() {
  skip_space();
  return here();
}

bool Cursor::accept(char c) {
  if (peek() != c || position_ >= text_.size()) return false;
  ++position_;
  return true;
}

void Cursor::expect(char c, std::string_view where) {
  if (accept(c)) return;
  std::string message = "expected '";
  message += c;
  message += "' ";
  message += where;
  message += ", found ";
  fail(message + describe_next());
}

std::string_view Cursor::name() {
  const char first = peek();
  if (!(first == '%' || (is_word_character(first) && !is_digit(first)))) return {};
  const std::size_t begin = position_++;
  while (position_ < text_.size() && is_word_character(text_[position_])) ++position_;
  return text_.substr(begin, position_ - begin);
}

std::string_view Cursor::directive() {
  if (peek() != '.') return {};
  const std::size_t begin = position_ + 1;
  std::size_t end = begin;
  while (end < text_.size() && is_word_character(text_[end])) ++end;
  if (end == begin) fail("expected a word after '.'");
  position_ = end;
  return text_.substr(begin, end - begin);
}

std::string_view Cursor::modifier() {
  const std::size_t begin = position_;
  while (position_ < text_.size()) {
    if (is_word_character(text_[position_])) {
      ++position_;
    } else if (text_[position_] == ':' && ahead(1) == ':' && is_word_character(ahead(2))) {
      position_ += 2;
    } else {
      break;
    }
  }
  if (position_ == begin) fail("expected a word after '.', found " + describe_next());
  return text_.substr(begin, position_ - begin);
}

std::string_view Cursor::quoted() {
  if (!accept('"')) fail("expected a string in quotes, found " + describe_next());
  const std::size_t begin = position_;
  while (position_ < text_.size() && text_[position_] != '"') {
    if (text_[position_] == '\n') fail("a string is not closed before the end of its line");
    if (text_[position_] == '\\' && ahead(1) != '\n' && ahead(1) != '\0') ++position_;
    ++position_;
  }
  if (position_ >= text_.size()) fail("a string is not closed before the end of the text");
  return text_.substr(begin, position_++ - begin);
}

bool Cursor::number_next() {
  return is_digit(peek());
}

Number Cursor::number() {
  if (!number_next()) fail("expected a number, found " + describe_next());
  const char second = ahead(1);
  const bool leading_zero = here() == '0';
  Number result;
  // Reads digits of a base after a prefix; `most` bounds how many, 0: as many as fit 64 bits.
  const auto digits = [&](unsigned base, std::size_t prefix, std::size_t exactly) {
    position_ += prefix;
    std::size_t count = 0;
    for (; position_ < text_.size(); ++position_, ++count) {
      const int digit = hex_digit(text_[position_]);
      if (digit < 0 || static_cast<unsigned>(digit) >= base) break;
      std::uint64_t scaled = 0;
      if (__builtin_mul_overflow(result.bits, std::uint64_t{base}, &scaled) ||
          __builtin_add_overflow(scaled, static_cast<std::uint64_t>(digit), &result.bits)) {
        fail("a number does not fit 64 bits");
      }
    }
    if (count == 0) fail("a number has no digits");
    if (exactly != 0 && count != exactly) {
      fail("a floating-point literal needs " + std::to_string(exactly) + " hexadecimal digits, found " +
           std::to_string(count));
    }
  };

  if (leading_zero && (second == 'f' || second == 'F')) {
    digits(16, 2, 8);
    result.floating_bytes = 4;
    return result;
  }
  if (leading_zero && (second == 'd' || second == 'D')) {
    digits(16, 2, 16);
    result.floating_bytes = 8;
    return result;
  }
  if (leading_zero && (second == 'x' || second == 'X')) {
    digits(16, 2, 0);
  } else if (leading_zero && (second == 'b' || second == 'B')) {
    digits(2, 2, 0);
  } else {
    // A fraction or an exponent makes it a double, whatever precedes.
    std::size_t end = position_;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    const char after = end < text_.size() ? text_[end] : '\0';
    const char after_exponent = end + 1 < text_.size() ? text_[end + 1] : '\0';
    const bool exponent = (after == 'e' || after == 'E') &&
                          (is_digit(after_exponent) || after_exponent == '-' || after_exponent == '+');
    if (after == '.' || exponent) {
      double value = 0;
      const char* const begin = text_.data() + position_;
      const auto [stop, code] = std::from_chars(begin, text_.data() + text_.size(), value);
      if (code != std::errc{}) fail("a floating-point number is out of range");
      position_ += static_cast<std::size_t>(stop - begin);
      result.bits = std::bit_cast<std::uint64_t>(value);
      result.floating_bytes = 8;
      return result;
    }
    if (leading_zero && is_digit(second)) {
      digits(8, 1, 0);
    } else {
      digits(10, 0, 0);
    }
  }
  if (here() == 'U') ++position_;
  if (is_word_character(here())) fail("a number is followed by " + describe_next());
  return result;
}

std::uint32_t Cursor::small_integer(std::string_view what) {
  const Number value = number();
  if (value.floating_bytes != 0 || value.bits > UINT32_MAX) {
    fail(std::string(what) + " must be an integer that fits 32 bits");
  }
  return static_cast<std::uint32_t>(value.bits);
}

void Cursor::skip_block() {
  expect('{', "at the start of a block");
  std::size_t depth = 1;
  while (depth != 0) {
    const char c = peek();
    if (position_ >= text_.size()) fail("a block that was opened with { is never closed");
    if (c == '"') {
      quoted();
      continue;
    }
    if (c == '{') ++depth;
    if (c == '}') --depth;
    ++position_;
  }
}

std::string Cursor::describe_next() {
  const char c = position_ < text_.size() ? peek() : '\0';
  if (position_ >= text_.size()) return "the end of the text";
  std::size_t end = position_;
  if (c == '.' || c == '%') ++end;
  while (end < text_.size() && is_word_character(text_[end]) && end - position_ < 40) ++end;
  if (end == position_) ++end;
  std::string word;
  for (const char part : text_.substr(position_, end - position_)) {
    if (part >= ' ' && part < 127) {
      word += part;
    } else {
      constexpr char kHex[] = "0123456789ABCDEF";
      word += "\\x";
      word += kHex[static_cast<unsigned char>(part) >> 4];
      word += kHex[static_cast<unsigned char>(part) & 15];
    }
  }
  return "'" + word + "'";
}

void Cursor::fail(std::string message) {
  // The place may lie beyond the end only through a truncated comment or string; the column is then the
  // text's last.
  const std::size_t place = std::min(position_, text_.size());
  const std::size_t column = place >= line_start_ ? place - line_start_ + 1 : 1;
  throw Failure{ParseError{line_, static_cast<std::uint32_t>(std::min<std::size_t>(column, UINT32_MAX)),
                           std::move(message)}};
}

}  // namespace simgpu::ptx
