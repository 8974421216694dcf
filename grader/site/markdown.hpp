/// @file
/// From a Markdown page, as it is read on a code host, to the body of a page of the site. The renderer is cmark-gfm, a code host's own,
/// so both show the same. What the site adds: names of headings, places for boxes and figures that compute, colours of code, tables and
/// pictures that scroll instead of shrinking.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace course::site {

struct heading {
  int level = 1;
  std::string id;
  std::string text;  ///< plain text
};

/// A page's body and what others must know of it.
struct page_body {
  std::string html;
  std::string title;  ///< of the first heading
  std::vector<heading> headings;
  std::string text;  ///< its words without markup, for the search
};

/// What a page needs from the site around it.
struct surroundings {
  /// Address of a link's target on the site, from the page's own folder. Told of every link and picture.
  std::function<std::string(const std::string& target)> link;
  /// What stands in place of a marker such as `<!-- quiz -->`; empty: nothing.
  std::function<std::string(const std::string& marker)> box;
  /// Content of a picture beside the page; empty if there is none.
  std::function<std::string(const std::string& target)> picture;
};

/// @param text Markdown.
/// @param id_prefix stands before the id of every heading: two pages shown as one must not share names.
page_body render(std::string_view text, const surroundings& around, const std::string& id_prefix = "");

/// One paragraph without the tags around it: a quiz's question, a summary.
std::string render_inline(std::string_view text);

}  // namespace course::site
