/// @file
/// A child process enters an allow-list and tells which doors are still open.
#include "sandbox/landlock.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>

namespace course::sandbox {
namespace {

namespace fs = std::filesystem;

bool opens(const fs::path& file, int how) {
  const int descriptor = ::open(file.c_str(), how, 0600);
  if (descriptor >= 0) ::close(descriptor);
  return descriptor >= 0;
}

/// Exit status of a child that does @p work.
int in_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

class landlock : public testing::Test {
 protected:
  void SetUp() override {
    if (file_rules::version() < 1) GTEST_SKIP() << "this kernel has no Landlock";
    root_ = fs::temp_directory_path() / ("course-landlock-" + std::to_string(::getpid()));
    for (const char* folder : {"read", "own", "secret"}) {
      fs::create_directories(root_ / folder);
      std::ofstream(root_ / folder / "file") << folder;
    }
  }
  void TearDown() override { fs::remove_all(root_); }
  fs::path root_;
};

TEST_F(landlock, leaves_what_is_allowed_and_nothing_else) {
  file_rules rules;
  rules.allow(root_ / "read", access::read);
  rules.allow(root_ / "own", access::everything);
  rules.allow(root_ / "no such folder", access::everything);
  EXPECT_EQ(in_child([&] {
              if (!rules.enter()) return 1;
              if (!opens(root_ / "read/file", O_RDONLY) || opens(root_ / "read/file", O_WRONLY)) return 2;
              if (opens(root_ / "read/new", O_WRONLY | O_CREAT)) return 3;
              if (!opens(root_ / "own/new", O_WRONLY | O_CREAT)) return 4;
              if (opens(root_ / "secret/file", O_RDONLY) || opens(root_ / "secret", O_RDONLY)) return 5;
              if (::symlink("../secret/file", (root_ / "own/link").c_str()) != 0) return 6;
              return opens(root_ / "own/link", O_RDONLY) ? 7 : 0;
            }),
            0);
}

TEST_F(landlock, may_be_entered_twice_and_then_both_lists_count) {
  file_rules wide, narrow;
  wide.allow(root_, access::read);
  narrow.allow(root_ / "read/file", access::read);
  narrow.allow("/proc/self", access::read);
  EXPECT_EQ(in_child([&] {
              if (!wide.enter() || !narrow.enter()) return 1;
              if (!opens(root_ / "read/file", O_RDONLY)) return 2;
              return opens(root_ / "own/file", O_RDONLY) ? 3 : 0;
            }),
            0);
}

TEST_F(landlock, tells_processes_apart) {
  const fs::path ours = "/proc/" + std::to_string(::getpid()) + "/environ";
  ASSERT_TRUE(opens(ours, O_RDONLY));
  EXPECT_EQ(in_child([&] {
              file_rules rules;
              rules.allow("/proc/self", access::read);
              if (!rules.enter()) return 1;
              if (!opens("/proc/self/environ", O_RDONLY)) return 2;
              return opens(ours, O_RDONLY) ? 3 : 0;
            }),
            0);
}

}  // namespace
}  // namespace course::sandbox
