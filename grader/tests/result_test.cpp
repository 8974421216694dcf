/// @file
/// Result files and names that others rely on.
#include "judge/result.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "judge/environment.hpp"

namespace {

using namespace course;

TEST(result, file_holds_the_schema_and_leaves_no_temporary) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("course-result-test-" + std::to_string(::getpid()));
  result what;
  what.chapter = "chapter2_shared_memory";
  what.exercise = "block_reduction";
  what.kind = "bandwidth";
  what.tree_id = "exercises";
  set_verdict(what, verdict::too_slow, cause::uncoalesced, "a sentence with \xff bytes that are no text");
  what.gates.push_back(
      {"bandwidth_of_reference", "pass", ">=", "of the reference", "", 0.2, 0.45, false, true});
  ASSERT_TRUE(write_result(what, folder));
  const auto place = folder / "exercises" / "chapter2_shared_memory";
  std::ifstream in(place / "block_reduction.bandwidth.json");
  const auto file = nlohmann::json::parse(in);
  EXPECT_EQ(file.at("schema"), "course.result/1");
  EXPECT_EQ(file.at("verdict"), "too_slow");
  EXPECT_EQ(file.at("cause"), "uncoalesced");
  EXPECT_EQ(file.at("label"), "chapter2");
  EXPECT_EQ(file.at("gates").at(0).at("threshold"), 0.45);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(place), {}), 1);
  std::filesystem::remove_all(folder);
}

TEST(result, every_verdict_has_a_word_of_its_own) {
  std::vector<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(verdict::harness_error); ++i)
    words.push_back(name_of(static_cast<verdict>(i)));
  std::sort(words.begin(), words.end());
  EXPECT_EQ(std::adjacent_find(words.begin(), words.end()), words.end());
  EXPECT_EQ(words.size(), 15u);
}

}  // namespace
