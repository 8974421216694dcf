/// @file
/// The word that says on what to grade: auto, gpu or sim.
#pragma once

#include <string>

namespace course {

/// What was asked for: an option's word, else COURSE_DEVICE, else @p otherwise.
/// @throws environment_error if it is none of the three: a slip would choose the other device without a word.
std::string device_word(const std::string& option, const std::string& otherwise);

}  // namespace course
