/// @file
/// What drills draw, for a thousand numbers: every sheet is fair, no single mistake passes, and the simulated GPU's own answers
/// are right. Then a few questions whose answers are known from elsewhere.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "drills/registry.hpp"
#include "drills/sheet.hpp"

namespace course::drills {
namespace {

/// Of all drills: ctest shows them in the tests' names.
std::vector<std::string> words() {
  std::vector<std::string> all;
  for (const drill* one : all_drills()) all.push_back(one->word);
  return all;
}

class every_drill : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(all, every_drill, testing::ValuesIn(words()));

TEST_P(every_drill, lets_no_single_mistake_near_the_pass_mark) {
  const drill& d = *find_drill(GetParam());
  ASSERT_GE(d.mistakes.size(), 3u);
  std::vector<std::size_t> best(d.mistakes.size(), 0), all(d.mistakes.size(), 0);
  for (std::uint32_t number = 0; number < 1000; ++number) {
    const auto questions = draw(d, number);
    ASSERT_EQ(questions.size(), kSheet);
    for (std::size_t i = 0; i < d.mistakes.size(); ++i) {
      const std::size_t right = right_by_mistake(questions, i);
      best[i] = std::max(best[i], right);
      all[i] += right;
    }
  }
  for (std::size_t i = 0; i < d.mistakes.size(); ++i) {
    EXPECT_LE(best[i], 6u) << d.mistakes[i].name;
    RecordProperty(d.mistakes[i].name, std::to_string(static_cast<double>(all[i]) / 1000));
  }
}

TEST_P(every_drill, asks_whole_questions) {
  const drill& d = *find_drill(GetParam());
  for (std::uint32_t number = 0; number < 200; ++number) {
    std::set<std::string> texts;
    std::map<numbers, std::size_t> alike;
    for (const question& q : draw(d, number, 2 * kSheet)) {
      EXPECT_EQ(q.right.size(), q.asks.size());
      EXPECT_EQ(q.by_mistake.size(), d.mistakes.size());
      EXPECT_TRUE(q.text.ends_with('?')) << q.text;
      EXPECT_TRUE(q.why.ends_with('.')) << q.why;
      for (const auto value : q.right) EXPECT_GT(value, 0) << q.text;
      texts.insert(q.text);
    }
    for (const question& q : draw(d, number)) ++alike[q.right];
    EXPECT_GE(texts.size(), 2 * kSheet - 1) << "number " << number;
    for (const auto& [answer, times] : alike) EXPECT_LE(times, kMostAlike) << "number " << number;
  }
}

TEST_P(every_drill, repeats_a_draw_from_its_number) {
  const drill& d = *find_drill(GetParam());
  const auto texts = [&](std::uint32_t number, std::size_t count) {
    std::vector<std::string> all;
    for (const question& q : draw(d, number, count)) all.push_back(q.text);
    return all;
  };
  const auto long_draw = texts(7, 20), again = texts(7, 10);
  EXPECT_EQ(std::vector<std::string>(long_draw.begin(), long_draw.begin() + 10), again);
  EXPECT_NE(texts(8, 10), again);
  EXPECT_NE(texts(kHighestNumber, 10), again);
}

TEST(sectors_drill, asks_for_every_width_and_for_lanes_that_sit_out) {
  std::map<std::string, int> seen;
  for (std::uint32_t number = 0; number < 100; ++number) {
    for (const question& q : draw(*find_drill("sectors"), number)) {
      ++seen[q.text.substr(0, q.text.find('*'))];
      ++seen[q.text.find("if (") == std::string::npos ? "all lanes" : "some lanes"];
      ++seen[q.text.ends_with("store touch?") ? "store" : "load"];
    }
  }
  for (const char* kind :
       {"unsigned char", "short", "float", "double", "float4", "all lanes", "some lanes", "store", "load"})
    EXPECT_GE(seen[kind], 50) << kind;
}

TEST(occupancy_drill, begins_with_the_two_questions_of_the_article) {
  for (std::uint32_t number = 0; number < 50; ++number) {
    const auto questions = draw(*find_drill("occupancy"), number);
    EXPECT_EQ(questions[0].right, (numbers{4096, 8192}));
    EXPECT_EQ(questions[1].right, (numbers{16, 20}));
    // 21 fits by division, but not in steps of 64.
    EXPECT_EQ(questions[1].by_mistake[1], (numbers{16, 21}));
  }
}

TEST(occupancy_drill, lets_each_limit_decide_at_least_four_questions) {
  const drill& d = *find_drill("occupancy");
  for (std::uint32_t number = 0; number < 200; ++number) {
    const auto questions = draw(d, number);
    for (std::size_t i = 0; i < d.mistakes.size(); ++i) {
      if (!d.mistakes[i].name.starts_with("no_")) continue;
      EXPECT_LE(right_by_mistake(questions, i), kSheet - 4) << d.mistakes[i].name << ", number " << number;
    }
  }
}

}  // namespace
}  // namespace course::drills
