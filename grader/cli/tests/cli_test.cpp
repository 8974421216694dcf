/// @file
/// Reading ctest's lines and users' words.
#include <gtest/gtest.h>

#include "cli/ctest_runner.hpp"
#include "cli/selection.hpp"

namespace course::cli {
namespace {

using kind = ctest_event::kind;

TEST(ctest_lines, are_understood) {
  const std::vector<std::pair<const char*, kind>> lines = {
      {"    Start  1: chapter2.a.build", kind::started},
      {" 1/12 Test  #1: chapter2.a.build .................   Passed    0.01 sec", kind::passed},
      {"2/3 Test #2: chapter2.a.correctness ...........***Failed    0.42 sec", kind::failed},
      {"2/3 Test #2: chapter2.a.correctness ...........***Failed  Required regular expression not found. "
       "Regex=[x]  0.42 sec",
       kind::failed},
      {"2/3 Test #2: chapter2.a.correctness ...........***Exception: SegFault  0.42 sec", kind::failed},
      {"3/3 Test #3: chapter2.a.bandwidth .............***Not Run   0.00 sec", kind::not_run},
      {"3/3 Test #3: chapter2.a.bandwidth .............***Skipped   0.00 sec", kind::skipped},
      {"3/3 Test #3: chapter2.a.bandwidth .............***Timeout   9.00 sec", kind::timeout},
  };
  for (const auto& [line, what] : lines) {
    ctest_event event;
    ASSERT_TRUE(parse_ctest_line(line, event)) << line;
    EXPECT_EQ(event.what, what) << line;
    EXPECT_TRUE(event.name.starts_with("chapter2.a.")) << event.name;
  }
  ctest_event event;
  for (const char* line : {"", "Test project /tmp", "100% tests passed, 0 tests failed out of 3",
                           "1: [ RUN ] x.y", "The following tests FAILED:"}) {
    EXPECT_FALSE(parse_ctest_line(line, event)) << line;
  }
}

TEST(names, that_are_near_are_offered) {
  const std::vector<std::string> names = {"block_reduction", "stencil_1d", "chapter2", "grade"};
  EXPECT_EQ(nearest_name("block_reductoin", names), "block_reduction");
  EXPECT_EQ(nearest_name("stencil", names), "stencil_1d");
  EXPECT_EQ(nearest_name("chapter3", names), "chapter2");
  EXPECT_EQ(nearest_name("xyzzy", names), "");
}

}  // namespace
}  // namespace course::cli
