/// @file
/// Implementation of terminal.hpp.
#include "reports/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace course::reports {

terminal terminal::of(int descriptor) {
  const bool is_terminal = ::isatty(descriptor) == 1;
  const char* no_color = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  const bool dumb = !kind || std::strcmp(kind, "dumb") == 0;
  winsize size{};
  const bool sized = is_terminal && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20;
  return terminal(is_terminal && !dumb, is_terminal && !dumb && !(no_color && *no_color),
                  sized ? size.ws_col : 100);
}

std::string terminal::wrap(const char* code, std::string_view text) const {
  if (!colours_) return std::string(text);
  return std::string("\033[") + code + "m" + std::string(text) + "\033[0m";
}

std::string terminal::verdict(std::string_view verdict, std::string_view text) const {
  if (verdict == "pass") return green(text);
  if (verdict == "not_attempted" || verdict == "wasteful" || verdict == "too_slow" ||
      verdict == "inconclusive" || verdict == "missing" || verdict == "unsupported_device" ||
      verdict.empty()) {
    return yellow(text);
  }
  return red(text);
}

}  // namespace course::reports
