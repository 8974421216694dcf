/// @file
/// What /proc shows of a judge's variables. The kernel shows what a process was started with, so the test
/// starts itself again.
#include "judge/variables.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace {

void expect_forgotten() {
  course::forget_foreign_variables();
  std::ifstream file("/proc/self/environ", std::ios::binary);
  const std::string shown((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(shown.find("hunter2"), std::string::npos);
  EXPECT_EQ(shown.find("4711"), std::string::npos);
  EXPECT_EQ(std::getenv("API_TOKEN"), nullptr);
  EXPECT_STREQ(std::getenv("COURSE_DEVICE"), "sim");
  EXPECT_STREQ(std::getenv("LC_ALL"), "C");
}

TEST(variables, of_others_cannot_be_read_from_outside) {
  if (std::getenv("API_TOKEN") != nullptr && std::string(std::getenv("API_TOKEN")) == "hunter2")
    return expect_forgotten();
  const pid_t child = ::fork();
  if (child == 0) {
    const char* const arguments[] = {"test", "--gtest_filter=variables.of_others_cannot_be_read_from_outside",
                                     nullptr};
    const char* const variables[] = {"API_TOKEN=hunter2", "COURSE_SEED=4711",   "COURSE_DEVICE=sim",
                                     "LC_ALL=C",          "LAST_TOKEN=hunter2", nullptr};
    ::execve("/proc/self/exe", const_cast<char* const*>(arguments), const_cast<char* const*>(variables));
    ::_exit(127);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
