/// @file
/// See process_end.hpp.
#include "judge/process_end.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstring>

namespace course {

process_end process_end::of(int status) {
  process_end how;
  how.by_signal = WIFSIGNALED(status);
  how.code = how.by_signal ? WTERMSIG(status) : WEXITSTATUS(status);
  return how;
}

std::string process_end::text() const {
  if (by_signal) return fmt::format("was ended by signal {} ({})", code, ::strsignal(code));
  return fmt::format("ended itself with status {}", code);
}

}  // namespace course
