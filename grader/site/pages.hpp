/// @file
/// Which pages the site has, and their order: a student's. Found by looking, so that a new exercise needs no line here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace course::site {

/// A page, or a part of the navigation that groups pages.
struct entry {
  std::string label;             ///< empty: the page's own title
  std::filesystem::path source;  ///< relative to the source folder; of a group: empty
  bool spoiler = false;          ///< the page tells how an exercise is solved
};

struct group {
  std::string label;
  std::vector<entry> entries;
};

/// @param source the course's folder.
/// @return course, chapters with lesson, tasks and explanations, then what one looks up, then what authors read.
std::vector<group> find_pages(const std::filesystem::path& source);

/// Where a page lies on the site: README.md of the root is index.html, every other keeps its folder and name.
std::filesystem::path address_of(const std::filesystem::path& source);

}  // namespace course::site
