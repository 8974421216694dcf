/// @file
/// The text of a program of known worth: a .cu file, or a .patch that says how it differs from the plain.cu of its exercise. What a wrong
/// variant has in common with plain.cu is written once.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace course {

/// Text of a .cu file, or plain.cu with a .patch applied, headed by the patch's own comment lines (`// expect: race`, ...): they stand
/// above its first `---`.
/// @param plain the plain.cu of the exercise that @p file belongs to, wherever the patch lies.
/// @throws environment_error with one sentence if it cannot be read, if the patch does not apply exactly, or if `patch` is missing.
std::string variant_source(const std::filesystem::path& file, const std::filesystem::path& plain);

/// The variants (.cu and .patch) of a folder, by name. Empty if there is no such folder.
std::vector<std::filesystem::path> variants_in(const std::filesystem::path& folder);

}  // namespace course
