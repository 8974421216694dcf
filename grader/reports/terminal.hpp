/// @file
/// Colours where somebody looks at a terminal, plain text everywhere else (pipes, files, NO_COLOR,
/// TERM=dumb).
#pragma once

#include <string>
#include <string_view>

namespace course::reports {

/// How to write to one output.
class terminal {
 public:
  /// @param[in] descriptor 1 for standard output.
  static terminal of(int descriptor);
  /// Never a colour. @param[in] width in columns.
  static terminal plain(int width = 100) { return terminal(false, false, width); }

  bool is_terminal() const { return is_terminal_; }
  bool has_colours() const { return colours_; }
  /// Columns; 100 where that is unknown.
  int width() const { return width_; }

  std::string bold(std::string_view text) const { return wrap("1", text); }
  std::string dim(std::string_view text) const { return wrap("2", text); }
  std::string red(std::string_view text) const { return wrap("31", text); }
  std::string green(std::string_view text) const { return wrap("32", text); }
  std::string yellow(std::string_view text) const { return wrap("33", text); }
  /// Green for pass, yellow for what a student can still improve or nobody could decide, red for what is
  /// wrong.
  std::string verdict(std::string_view verdict, std::string_view text) const;

 private:
  terminal(bool is_terminal, bool colours, int width)
      : is_terminal_(is_terminal), colours_(colours), width_(width) {}
  std::string wrap(const char* code, std::string_view text) const;

  bool is_terminal_;
  bool colours_;
  int width_;
};

}  // namespace course::reports
