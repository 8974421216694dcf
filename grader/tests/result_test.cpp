/// @file
/// Result files and names that others rely on.
#include "judge/result.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

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
  gate_result gate;
  gate.name = "speed";
  gate.kind = "pass";
  gate.threshold = 0.45;
  what.gates.push_back(gate);
  measurement fast, slow;
  fast.benchmark = "random", slow.benchmark = "ascending";
  fast.student_seconds = slow.student_seconds = fast.baseline_seconds = slow.baseline_seconds = 1e-3;
  fast.ratio.ratio = 0.9, slow.ratio.ratio = 0.2;
  what.measured = {fast, slow};
  what.hardening = {"limits", "landlock_unavailable"};
  what.device_hardening = {"limits", "landlock"};
  ASSERT_EQ(write_result(what, folder), "");
  const auto place = folder / "exercises" / "chapter2_shared_memory";
  std::ifstream in(place / "block_reduction.bandwidth.json");
  const auto file = nlohmann::json::parse(in);
  EXPECT_EQ(file.at("schema"), "course.result/2");
  EXPECT_EQ(file.at("verdict"), "too_slow");
  EXPECT_EQ(file.at("cause"), "uncoalesced");
  EXPECT_EQ(file.at("label"), "chapter2");
  EXPECT_EQ(file.at("gates").at(0).at("threshold"), 0.45);
  EXPECT_EQ(file.at("measurement").at("benchmark"), "ascending") << "the slowest decides";
  EXPECT_EQ(file.at("measurements").size(), 2u);
  EXPECT_EQ(file.at("hardening").at(1), "landlock_unavailable") << "the program's process";
  EXPECT_EQ(file.at("device_hardening").at(1), "landlock") << "the simulated device's";
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
