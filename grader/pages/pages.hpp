/// @file
/// The course's pages with generated blocks: where they are, and who writes which block.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pages/blocks.hpp"
#include "records/build_folder.hpp"

namespace course::pages {

/// All kinds of blocks.
const std::vector<std::string>& block_kinds();

/// Every page that may have blocks: task pages, explanations, lessons, docs/pages; relative to the source folder.
std::vector<std::filesystem::path> all_pages(const build_folder& build);

/// Grades an exercise's starter on the simulated GPU and gives what a student reads; takes seconds.
using starter_text = std::function<std::string(const exercise_id&)>;

/// Writes the blocks of pages. Each judge is asked once, however many pages need it.
class page_writer {
 public:
  /// @param grade_starter empty: a starter's block is only looked at, its text is compared when the starter is graded.
  page_writer(const build_folder& build, starter_text grade_starter);
  ~page_writer();

  /// @param page relative to the source folder
  /// @throws environment_error if it cannot be read.
  written_page write(const std::filesystem::path& page);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// A starter's block from the text that its grading printed.
std::string starter_block(const std::string& text);

/// Whether a page's starter block, if it has one, shows that text.
bool shows_starter(const std::string& page, const std::string& text);

}  // namespace course::pages
