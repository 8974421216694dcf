/// @file
/// Answers files as people write them: every malformed one gets its own sentence, and harmless differences do no harm.
#include "drills/answers.hpp"

#include <gtest/gtest.h>

#include "drills/registry.hpp"
#include "drills/sheet.hpp"

namespace course::drills {
namespace {

const std::string kHead = "drill: sectors\nnumber: 7\n";

std::string ten(const std::string& first = "1: 4") {
  std::string text = kHead + first + "\n";
  for (int i = 2; i <= 10; ++i) text += std::to_string(i) + ": 4\n";
  return text;
}

TEST(answers_file, that_is_malformed_gets_a_sentence_and_a_line) {
  struct {
    const char* name;
    std::string text;
    const char* says;
    int line;
  } const cases[] = {
      {"nothing", "", "--template", 0},
      {"only comments", "# 1: 4\n\n  # more\n", "nothing in the file", 0},
      {"a program",
       std::string("\x7F"
                   "ELF\0\0\1",
                   7),
       "no text", 0},
      {"prose", "I think it is four.\n", "no colon", 1},
      {"no drill", "number: 7\n1: 4\n", "`drill: sectors` is missing", 0},
      {"no number", "drill: sectors\n1: 4\n", "`number: N` is missing", 0},
      {"another drill", "drill: occupancy\nnumber: 7\n", "answers to the drill `occupancy`", 1},
      {"two drills", "drill: sectors\ndrill: sectors\n", "two lines `drill:`", 2},
      {"two numbers", kHead + "number: 8\n", "two lines `number:`", 3},
      {"number in words", "drill: sectors\nnumber: seven\n", "`seven` is no number", 2},
      {"number below zero", "drill: sectors\nnumber: -1\n", "`-1` is no number", 2},
      {"number too large", "drill: sectors\nnumber: 1000000000\n", "999999999", 2},
      {"unknown word", kHead + "name: Ada\n", "`name` is neither", 3},
      {"colour codes", kHead + "\x1b[31m: 4\n", "`?[31m` is neither", 3},
      {"question 0", kHead + "0: 4\n", "no question 0", 3},
      {"question 21", kHead + "21: 4\n", "no question 21", 3},
      {"left out", kHead + "1: 4\n3: 4\n", "Question 2 is missing before question 3", 4},
      {"twice", kHead + "1: 4\n1: 5\n", "answered a second time (first in line 3)", 4},
      {"word", ten("1: four"), "`four` is no answer to question 1", 3},
      {"sum", ten("1: 2+2"), "`2+2` is no answer", 3},
      {"unit", ten("1: 4 sectors"), "`4 sectors` is no answer", 3},
      {"broken number", ten("1: 4.0"), "`4.0` is no answer", 3},
      {"below zero", ten("1: -4"), "`-4` is no answer", 3},
      {"endless", ten("1: " + std::string(300, '9')), "is no answer", 3},
      {"two for one", ten("1: 4 5"), "asks for 1 number (sectors), and the line holds 2", 3},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.name);
    const auto read = read_answers(*find_drill("sectors"), one.text);
    const auto* wrong = std::get_if<complaint>(&read);
    ASSERT_TRUE(wrong);
    EXPECT_NE(wrong->sentence.find(one.says), std::string::npos) << wrong->sentence;
    EXPECT_EQ(wrong->line, one.line);
    EXPECT_LT(wrong->sentence.size(), 200u);
    EXPECT_EQ(wrong->sentence.find('\x1b'), std::string::npos);
  }
}

TEST(answers_file, asks_for_as_many_numbers_as_the_question) {
  const drill& d = *find_drill("occupancy");
  const auto read = read_answers(d, "drill: occupancy\nnumber: 7\n1: 4096\n");
  ASSERT_TRUE(std::holds_alternative<complaint>(read));
  EXPECT_EQ(std::get<complaint>(read).sentence,
            "Question 1 asks for 2 numbers (bytes on 1.3, bytes on 2.0), and the line holds 1.");
}

TEST(answers_file, may_look_different) {
  for (const std::string& text : std::vector<std::string>{
           ten(), "\xEF\xBB\xBF" + ten(), "# mine\n\n  drill :sectors \nnumber:\t7\n 1 : 4\t\n2:4",
           "number: 7\ndrill: sectors\n1: 4\n2: 4",
           std::string("drill: sectors\r\nnumber: 7\r\n1: 4\r\n2: 4\r\n")}) {
    const auto read = read_answers(*find_drill("sectors"), text);
    ASSERT_TRUE(std::holds_alternative<answers>(read)) << std::get<complaint>(read).sentence;
    const auto& found = std::get<answers>(read);
    EXPECT_EQ(found.number, 7u);
    ASSERT_EQ(found.given.size(), kSheet);
    EXPECT_EQ(found.given[0].values, numbers{4});
    EXPECT_EQ(found.given[1].values, numbers{4});
  }
}

TEST(answers_file, is_read_as_it_was_written) {
  for (const drill* d : all_drills()) {
    for (const std::size_t count : {kSheet, kSheet + 3, kLimitMark}) {
      const auto questions = draw(*d, 11, count);
      std::vector<numbers> right;
      for (const question& q : questions) right.push_back(q.right);
      for (const bool with_reasons : {false, true}) {
        const auto read = read_answers(*d, write_answers(*d, 11, questions, right, with_reasons));
        ASSERT_TRUE(std::holds_alternative<answers>(read)) << std::get<complaint>(read).sentence;
        const auto& found = std::get<answers>(read);
        EXPECT_EQ(found.number, 11u);
        ASSERT_EQ(found.given.size(), count);
        for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(found.given[i].values, right[i]);
      }
      const auto blank = read_answers(*d, write_answers(*d, 11, questions));
      ASSERT_TRUE(std::holds_alternative<answers>(blank));
      EXPECT_TRUE(std::get<answers>(blank).all_blank());
    }
  }
}

}  // namespace
}  // namespace course::drills
