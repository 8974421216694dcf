/// @file
/// What the site's search knows: pages, their headings and their words, as a script. A page that was opened from a folder may not fetch a
/// file, but it may load a script.
#pragma once

#include <string>
#include <vector>

#include "site/markdown.hpp"

namespace course::site {

/// A page as the search shows it.
struct searched_page {
  std::string title;
  std::string address;  ///< from the site's root
  std::vector<heading> headings;
  std::string text;
};

/// The script `search_index.js`: `course_pages` is a list of {title, at, sections: [[title, id], ...], words}.
std::string search_script(const std::vector<searched_page>& pages);

}  // namespace course::site
