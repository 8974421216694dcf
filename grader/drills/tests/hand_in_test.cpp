/// @file
/// Hand-ins and their verdicts: right, nearly right, a mistake throughout, of another draw, and what is no file at all.
#include "drills/hand_in.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "drills/registry.hpp"
#include "drills/sheet.hpp"
#include "records/files.hpp"

namespace course::drills {
namespace {

namespace fs = std::filesystem;

class hand_in : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("drill-" + unique_suffix());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path file() const { return folder_ / kAnswersFile; }
  /// Grades right answers to @p count questions of number 5, of which some are spoilt.
  graded_hand_in grade(std::size_t count, const std::vector<std::size_t>& spoilt,
                       std::optional<std::uint32_t> forced = {}) {
    const drill& d = *find_drill("sectors");
    const auto questions = draw(d, 5, count);
    std::vector<numbers> given;
    for (const question& q : questions) given.push_back(q.right);
    for (const std::size_t one : spoilt) given.at(one - 1) = {given.at(one - 1)[0] + 1000};
    write_file_atomically(file(), write_answers(d, 5, questions, given));
    return grade_hand_in(d, file(), forced);
  }

  fs::path folder_;
};

TEST_F(hand_in, passes_with_nine_of_ten) {
  EXPECT_EQ(grade(10, {}).outcome, verdict::pass);
  EXPECT_EQ(grade(10, {4}).outcome, verdict::pass);
  const auto eight = grade(10, {4, 7});
  EXPECT_EQ(eight.outcome, verdict::wrong_result);
  EXPECT_EQ(eight.cause, cause::mismatch);
  EXPECT_EQ(eight.headline, "8 of 10 right, and 9 are needed. Question 4: That is too many.");
  EXPECT_GT(eight.line, 0);
  EXPECT_EQ(eight.marked.right_of_first, 8u);
}

TEST_F(hand_in, is_at_the_limit_with_twenty_in_a_row) {
  EXPECT_FALSE(grade(10, {}).marked.at_the_limit());
  EXPECT_FALSE(grade(19, {}).marked.at_the_limit());
  EXPECT_TRUE(grade(20, {}).marked.at_the_limit());
  const auto slip = grade(20, {13});
  EXPECT_FALSE(slip.marked.at_the_limit());
  EXPECT_EQ(slip.outcome, verdict::pass);
  EXPECT_EQ(slip.marked.in_a_row, 12u);
}

TEST_F(hand_in, of_another_number_is_refused_in_an_examination) {
  EXPECT_EQ(grade(10, {}, 5).outcome, verdict::pass);
  const auto other = grade(10, {}, 6);
  EXPECT_EQ(other.outcome, verdict::wrong_result);
  EXPECT_EQ(other.cause, cause::another_draw);
  EXPECT_NE(other.headline.find("answers to number 5, and number 6 is asked"), std::string::npos)
      << other.headline;
  // Nothing is told about answers that do not count.
  EXPECT_TRUE(other.marked.answers.empty());
}

TEST_F(hand_in, with_one_mistake_throughout_does_not_pass_and_is_told_which) {
  for (const drill* d : all_drills()) {
    for (std::size_t i = 0; i < d->mistakes.size(); ++i) {
      SCOPED_TRACE(d->mistakes[i].name);
      const auto questions = draw(*d, 21);
      std::vector<numbers> given;
      for (const question& q : questions) given.push_back(q.by_mistake[i]);
      write_file_atomically(file(), write_answers(*d, 21, questions, given));
      const auto found = grade_hand_in(*d, file(), std::nullopt);
      if (found.outcome == verdict::not_attempted) continue;  // a mistake that leads to no answer anywhere
      EXPECT_EQ(found.outcome, verdict::wrong_result);
      EXPECT_LE(found.marked.right_of_first, 6u);
      int named = 0;
      for (const marked_answer& one : found.marked.answers)
        named += one.mistake == d->mistakes[i].name ? 1 : 0;
      // An answer may be that of several mistakes, and then a likelier one is named.
      EXPECT_GE(named, i < 3 ? 2 : 0);
    }
  }
}

TEST_F(hand_in, never_tells_a_right_answer) {
  const drill& d = *find_drill("sectors");
  const auto found = grade(10, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  for (const marked_answer& one : found.marked.answers) {
    EXPECT_FALSE(one.explanation.empty());
    EXPECT_EQ(one.explanation.find(draw(d, 5)[one.question - 1].why), std::string::npos);
  }
}

TEST_F(hand_in, that_is_no_answers_file_is_refused) {
  const drill& d = *find_drill("sectors");
  EXPECT_EQ(grade_hand_in(d, file(), {}).outcome, verdict::missing);
  EXPECT_NE(grade_hand_in(d, file(), {}).headline.find("./course drill sectors"), std::string::npos);

  const auto refused = [&](const std::string& words) {
    const auto found = grade_hand_in(d, file(), {});
    EXPECT_EQ(found.outcome, verdict::wrong_result);
    EXPECT_EQ(found.cause, cause::malformed_answers);
    EXPECT_NE(found.headline.find(words), std::string::npos) << found.headline;
  };
  write_file_atomically(file(), "1: 4");
  refused("drill: sectors");
  write_file_atomically(file(), std::string(70'000, '#'));
  refused("64 KiB");
  fs::remove(file());
  fs::create_directory(file());
  refused("link or a folder");
  fs::remove(file());
  write_file_atomically(folder_ / "elsewhere.txt", "drill: sectors\n");
  fs::create_symlink(folder_ / "elsewhere.txt", file());
  refused("link or a folder");
  // A link to nowhere is no missing hand-in either.
  fs::remove(folder_ / "elsewhere.txt");
  refused("link or a folder");
}

TEST_F(hand_in, without_any_answer_is_not_attempted) {
  const drill& d = *find_drill("occupancy");
  write_file_atomically(file(), write_answers(d, 5, draw(d, 5)));
  EXPECT_EQ(grade_hand_in(d, file(), {}).outcome, verdict::not_attempted);
}

}  // namespace
}  // namespace course::drills
