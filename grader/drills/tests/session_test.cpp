/// @file
/// Asking on a terminal, with a stream for a student.
#include "drills/session.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>

#include "drills/registry.hpp"
#include "drills/sheet.hpp"

namespace course::drills {
namespace {

std::string typed(const std::vector<question>& questions, std::size_t first, std::size_t count) {
  std::string text;
  for (std::size_t i = first; i < first + count; ++i)
    text += fmt::format("{}\n", fmt::join(questions[i].right, " "));
  return text;
}

/// Of all drills: ctest shows them in the tests' names.
std::vector<std::string> words_of_drills() {
  std::vector<std::string> all;
  for (const drill* one : all_drills()) all.push_back(one->word);
  return all;
}

class session : public testing::TestWithParam<std::string> {
 protected:
  const drill& of = *find_drill(GetParam());
  std::vector<question> questions = draw(of, 3, 2 * kLimitMark);
  std::ostringstream out;

  session_outcome sheet(const std::string& input) {
    std::istringstream in(input);
    return ask_sheet(of, 3, in, out);
  }
};
INSTANTIATE_TEST_SUITE_P(all, session, testing::ValuesIn(words_of_drills()));

TEST_P(session, of_ten_right_ones_goes_on_to_twenty) {
  const auto ten = sheet(typed(questions, 0, 10));
  EXPECT_EQ(ten.right, 10u);
  EXPECT_FALSE(ten.stopped);
  EXPECT_NE(out.str().find("question 11 of 20"), std::string::npos);
  EXPECT_EQ(sheet(typed(questions, 0, 20)).right, kLimitMark);
}

TEST_P(session, stops_at_the_first_slip_of_the_second_ten) {
  const auto found = sheet(typed(questions, 0, 12) +
                           fmt::format("{}\n", fmt::join(numbers(questions[12].asks.size(), 0), " ")) +
                           typed(questions, 13, 7));
  EXPECT_EQ(found.right, 12u);
  EXPECT_EQ(found.given.size(), 13u);
}

TEST_P(session, with_a_slip_in_the_first_ten_ends_there) {
  const auto found = sheet(fmt::format("{}\n", fmt::join(numbers(questions[0].asks.size(), 0), " ")) +
                           typed(questions, 1, 19));
  EXPECT_EQ(found.right, 9u);
  EXPECT_EQ(found.given.size(), kSheet);
  EXPECT_EQ(out.str().find("question 11"), std::string::npos);
}

TEST_P(session, explains_a_wrong_answer_and_counts_the_mistake) {
  const question* telling = nullptr;
  std::size_t before = 0;
  for (std::size_t i = 0; i < kSheet && !telling; ++i) {
    const numbers& given = questions[i].by_mistake[1];
    if (!given.empty() && given != questions[i].right && questions[i].by_mistake[0] != given)
      telling = &questions[i], before = i;
  }
  ASSERT_TRUE(telling);
  const auto found = sheet(typed(questions, 0, before) +
                           fmt::format("{}\n", fmt::join(telling->by_mistake[1], ", ")) + "q\n");
  EXPECT_TRUE(found.stopped);
  EXPECT_EQ(found.mistakes.at(of.mistakes[1].name), 1);
  EXPECT_NE(out.str().find("No. " + of.mistakes[1].sentence), std::string::npos) << out.str();
  EXPECT_NE(out.str().find(fmt::format("Right is {}", fmt::join(telling->right, " "))), std::string::npos);
}

TEST_P(session, asks_again_where_it_cannot_read_the_answer) {
  const auto found = sheet("four\n\n?\n1 2 3\n" + typed(questions, 0, 1));
  EXPECT_EQ(found.given.size(), 1u);
  EXPECT_EQ(found.right, 1u);
  EXPECT_TRUE(found.stopped);
}

TEST_P(session, of_practice_goes_on_and_keeps_the_run) {
  std::istringstream in(typed(questions, 0, 30) +
                        fmt::format("{}\n", fmt::join(numbers(questions[30].asks.size(), 0), " ")) +
                        typed(questions, 31, 2));
  const auto found = practise(of, 3, 4, in, out);
  EXPECT_EQ(found.right, 32u);
  EXPECT_EQ(found.longest, 34u);
  EXPECT_EQ(found.in_a_row, 2u);
  EXPECT_NE(out.str().find("20 in a row"), std::string::npos);
}

}  // namespace
}  // namespace course::drills
