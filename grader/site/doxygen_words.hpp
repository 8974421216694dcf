/// @file
/// Pages that are not yet free of Doxygen's own words (`{#name}`, `\ref`, `\snippet`) are read all the same. A page that was recast needs
/// nothing of this; when the last one is, this file goes.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace course::site {

/// A heading's name that a page gave itself, and where it is.
struct named_place {
  std::filesystem::path page;  ///< relative to the source folder
  std::string id;              ///< of the heading; empty: the page's top
  std::string title;
};

using named_places = std::map<std::string, named_place>;

/// Collects `# Heading {#name}` of one page.
void collect_places(const std::string& text, const std::filesystem::path& page, named_places& places);

/// @return the page with ordinary Markdown in place of Doxygen's words.
std::string without_doxygen_words(const std::string& text, const std::filesystem::path& page,
                                  const std::filesystem::path& source, const named_places& places);

}  // namespace course::site
