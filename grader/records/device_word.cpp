/// @file
/// Implementation of device_word.hpp.
#include "records/device_word.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "records/files.hpp"

namespace course {

std::string device_word(const std::string& option, const std::string& otherwise) {
  const char* const variable = std::getenv("COURSE_DEVICE");
  const bool of_variable = option.empty() && variable != nullptr && *variable != '\0';
  std::string word = of_variable ? variable : option.empty() ? otherwise : option;
  if (word != "auto" && word != "gpu" && word != "sim")
    throw environment_error(fmt::format("{} is \"{}\": set it to auto, gpu or sim.",
                                        of_variable ? "The variable COURSE_DEVICE" : "The device", word));
  return word;
}

}  // namespace course
