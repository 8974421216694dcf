/// @file
/// Generated parts of a Markdown page. One stands between `<!-- gates -->` and `<!-- end gates -->`, each on a line of its own, so that a
/// page can be read raw on a code host and cannot lie: a command writes what is between, a test compares it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace course::pages {

/// The line that opens a block: `<!-- listing listings/halo.cu kernel -->`.
struct marker {
  std::string kind;                ///< "listing"
  std::vector<std::string> words;  ///< what follows: "listings/halo.cu", "kernel"
  int line = 0;                    ///< 1-based
};

/// A block and what stands in it now.
struct block {
  marker opens;
  std::string content;  ///< whole lines, each with its end
};

/// Something that a page's author must mend.
struct complaint {
  int line = 0;  ///< 1-based; 0 = the page as a whole
  std::string sentence;
};

/// Says what belongs into a block: whole lines, each with its end.
/// @throws environment_error with one sentence if it cannot be made.
using block_writer = std::function<std::string(const block&)>;

/// A page with every block as it should be.
struct written_page {
  std::string text;
  std::vector<int> stale;  ///< lines of the markers whose blocks are not what they should be
  std::vector<complaint>
      complaints;  ///< unknown or unclosed markers, blocks that cannot be made; those blocks stay as they are
  int blocks = 0;
};

/// Writes all blocks of a page. Markers inside code fences are text. A comment is taken for a marker if it is one of @p kinds, if an end
/// belongs to it, or if it is one word in lower case; other comments are left alone, and so are a drill's `<!-- question 3 of number 7 -->`.
written_page write_blocks(std::string_view page, const std::vector<std::string>& kinds,
                          const block_writer& writer);

/// The page with its blocks and code fences blanked, line for line: what an author typed.
std::string typed_text(std::string_view page, const std::vector<std::string>& kinds);

}  // namespace course::pages
