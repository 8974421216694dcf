/// @file
/// A place in a PTX text that moves forward: white space, words, numbers and strings, with the line and
/// column kept for messages. The grammar above it never sees a character position.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "simgpu/ptx/module.hpp"

namespace simgpu::ptx {

/// Thrown inside this room where the text stops being PTX; parse() turns it into a ParseError.
struct Failure {
  ParseError error;
};

/// A literal.
struct Number {
  std::uint64_t bits = 0;           ///< two's complement, or the IEEE pattern of `floating_bytes` bytes
  std::uint8_t floating_bytes = 0;  ///< 4 (`0f`), 8 (`0d`, decimal fraction) or 0: an integer
};

/// @return true for what may stand inside a name after its first character.
bool is_word_character(char c) noexcept;

/// Reads a text from left to right.
class Cursor {
 public:
  explicit Cursor(std::string_view text) noexcept : text_(text) {}

  /// Moves over white space and comments.
  void skip_space();
  /// @return the next character that is not white space, without moving past it; 0 at the end.
  char peek();
  /// @return the character right here, white space included; 0 at the end.
  char here() const noexcept { return position_ < text_.size() ? text_[position_] : '\0'; }
  /// @return the character @p offset further on; 0 beyond the end.
  char ahead(std::size_t offset) const noexcept {
    return offset < text_.size() - position_ ? text_[position_ + offset] : '\0';
  }
  bool at_end() { return skip_space(), position_ >= text_.size(); }

  /// Moves past @p c if it comes next. @return whether it did.
  bool accept(char c);
  /// Moves past @p c. @throws Failure naming @p where ("after the operands of an instruction") if something
  /// else comes.
  void expect(char c, std::string_view where);

  /// Reads a name (`%r1`, `$L__BB0_2`, `smem`). @return empty if none comes next.
  std::string_view name();
  /// Reads `.word`. @return the word without its dot; empty if no dot comes next.
  std::string_view directive();
  /// Reads a word of an instruction's modifiers right here: letters, digits, `_` and `::`.
  std::string_view modifier();
  /// Reads a quoted string. @return what is between the quotes.
  std::string_view quoted();
  /// @return whether a digit comes next.
  bool number_next();
  /// Reads an unsigned literal.
  Number number();
  /// Reads an unsigned integer literal that fits 32 bits.
  std::uint32_t small_integer(std::string_view what);
  /// Moves past a balanced `{ ... }` whose content is of no interest.
  void skip_block();

  std::uint32_t line() const noexcept { return line_; }
  /// The word or character that comes next, for messages.
  std::string describe_next();
  [[noreturn]] void fail(std::string message);

 private:
  void new_line() noexcept {
    ++line_;
    line_start_ = position_ + 1;
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t line_start_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace simgpu::ptx
