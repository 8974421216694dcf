/// @file
/// See variables.hpp.
#include "judge/variables.hpp"

#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace course {
namespace {

bool needed(std::string_view variable) {
  static constexpr std::array<std::string_view, 12> kNames = {
      "PATH",     "HOME",    "LANG",         "TERM",          "TMPDIR",       "LD_LIBRARY_PATH",
      "NO_COLOR", "COLUMNS", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"};
  static constexpr std::array<std::string_view, 6> kFamilies = {"COURSE_", "CUDA_",  "NVIDIA_",
                                                                "LC_",     "GTEST_", "CTEST_"};
  const std::string_view name = variable.substr(0, variable.find('='));
  if (name == "COURSE_SEED") return false;
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         std::any_of(kFamilies.begin(), kFamilies.end(),
                     [&](std::string_view family) { return name.starts_with(family); });
}

}  // namespace

void forget_foreign_variables() {
  char** kept = environ;
  for (char** variable = environ; variable && *variable; ++variable) {
    if (needed(*variable)) {
      *kept++ = *variable;
    } else {
      // unsetenv() would only drop the pointer; /proc shows the text itself.
      ::explicit_bzero(*variable, ::strlen(*variable));
    }
  }
  if (kept) *kept = nullptr;
}

}  // namespace course
