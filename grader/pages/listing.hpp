/// @file
/// Code in pages: the lines of a compiled file between two markers `// [name]`, as Doxygen's snippets have them.
#pragma once

#include <filesystem>
#include <string>

namespace course::pages {

/// A region as a code fence, its common indentation taken away.
/// @param file as the page names it, for sentences
/// @throws environment_error if the file or the region is missing or empty.
std::string listing_block(const std::filesystem::path& path, const std::string& file,
                          const std::string& region);

}  // namespace course::pages
