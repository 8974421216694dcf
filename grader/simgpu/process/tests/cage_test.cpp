/// @file
/// Somebody who has taken over a device in its cage, and tries each door: a child process enters the cage, does what a device must not, and
/// tells which doors were open. What it must go on doing is tried beside it, so that a cage that stops everything fails as well.
#include "simgpu/process/cage.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "simgpu/memory/device_memory.hpp"

namespace simgpu::process {
namespace {

namespace fs = std::filesystem;

constexpr int kOpen = 3;          // exit status: the door was open
constexpr int kNoMeasure = 4;     // this machine lacks the measure that closes it
constexpr int kStopsTooMuch = 5;  // what a device needs does not work

/// How a child ends that does @p work.
int in_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}
int exit_code(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class cage : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("simgpu-cage-" + std::to_string(::getpid()));
    for (const char* name : {"named", "secret"}) {
      fs::create_directories(folder_ / name);
      std::ofstream(folder_ / name / "file") << name;
    }
  }
  void TearDown() override { fs::remove_all(folder_); }

  Cage ours() const { return {.closed = true, .reads = {(folder_ / "named").string()}}; }
  /// @param opens what a taken-over device tries; true: it works
  void expect_closed(const std::string& measure, const std::function<bool()>& opens) {
    ASSERT_TRUE(opens()) << "this test proves nothing: the door is closed without a cage";
    const int status = in_child([&] {
      const auto in_force = enter(ours(), ::getppid());
      if (std::find(in_force.begin(), in_force.end(), measure) == in_force.end()) return kNoMeasure;
      return opens() ? kOpen : 0;
    });
    if (exit_code(status) == kNoMeasure) GTEST_SKIP() << "this machine has no " << measure;
    EXPECT_EQ(exit_code(status), 0) << "status " << status;
  }

  fs::path folder_;
};

bool can_open(const fs::path& file, int how) {
  const int descriptor = ::open(file.c_str(), how | O_CLOEXEC, 0600);
  if (descriptor >= 0) ::close(descriptor);
  return descriptor >= 0;
}

TEST_F(cage, no_network) {
  for (const int family : {AF_INET, AF_UNIX, AF_NETLINK})
    expect_closed("seccomp", [&] {
      const int made = ::socket(family, family == AF_NETLINK ? SOCK_RAW : SOCK_STREAM, 0);
      if (made >= 0) ::close(made);
      return made >= 0;
    });
}

TEST_F(cage, starts_no_program) {
  expect_closed("seccomp", [] {
    const pid_t child = ::fork();
    if (child == 0) {
      ::execl("/bin/true", "true", nullptr);
      ::_exit(1);
    }
    int status = 1;
    return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
  });
  // In the place of itself: only a child of its own can try it without a cage.
  const auto becomes_another = [this](bool caged) {
    return exit_code(in_child([&] {
      if (caged) enter(ours(), ::getppid());
      ::execl("/bin/sh", "sh", "-c", "exit 3", nullptr);
      return 0;
    }));
  };
  EXPECT_EQ(becomes_another(false), kOpen);
  EXPECT_EQ(becomes_another(true), 0);
}

TEST_F(cage, makes_no_file_and_changes_none) {
  expect_closed("seccomp", [this] { return can_open(folder_ / "named/new", O_WRONLY | O_CREAT); });
  expect_closed("seccomp", [this] { return can_open(folder_ / "named/file", O_RDWR); });
  expect_closed("seccomp", [this] { return ::chmod((folder_ / "named/file").c_str(), 0666) == 0; });
  expect_closed("seccomp", [this] {
    return ::symlink("file", (folder_ / "named" / std::to_string(::getpid())).c_str()) == 0;
  });
}

TEST_F(cage, reads_no_file_but_those_named) {
  expect_closed("landlock", [this] { return can_open(folder_ / "secret/file", O_RDONLY); });
  expect_closed("landlock", [] { return can_open("/etc/passwd", O_RDONLY); });
}

TEST_F(cage, other_processes_are_safe) {
  expect_closed("seccomp", [] { return ::kill(::getppid(), 0) == 0; });
  expect_closed("seccomp", [] { return ::syscall(SYS_pidfd_open, ::getppid(), 0) >= 0; });
}

TEST_F(cage, what_a_device_needs_still_works) {
  EXPECT_EQ(exit_code(in_child([this] {
              enter(ours(), ::getppid());
              if (!can_open(folder_ / "named/file", O_RDONLY)) return kStopsTooMuch;
              std::error_code error;  // counted by how a device counts a program's threads
              const auto threads = "/proc/" + std::to_string(::getppid()) + "/task";
              return fs::directory_iterator(threads, error) == fs::directory_iterator() || error
                         ? kStopsTooMuch
                         : 0;
            })),
            0);
}

TEST_F(cage, memory_of_its_own_has_an_end_with_a_sentence) {
  int said[2];
  ASSERT_EQ(::pipe(said), 0);
  const int status = in_child([&] {
    auto limited = ours();
    limited.private_bytes = 64u << 20;
    ::dup2(said[1], STDERR_FILENO);
    enter(limited, ::getppid());
    std::vector<std::unique_ptr<char[]>> kept;
    for (int i = 0; i < 1000; ++i) kept.push_back(std::make_unique<char[]>(1u << 20));
    return kOpen;
  });
  char text[256] = {};
  EXPECT_GT(::read(said[0], text, sizeof text - 1), 0);
  for (const int each : said) ::close(each);
  EXPECT_EQ(exit_code(status), kMemoryUsedUp);
  EXPECT_NE(std::string(text).find("more than the memory"), std::string::npos) << text;
}

TEST_F(cage, device_memory_beyond_the_limit_is_refused_and_what_was_freed_counts_no_more) {
  EXPECT_EQ(
      exit_code(in_child([&] {
        auto limited = ours();
        limited.private_bytes = 1u << 30;
        enter(limited, ::getppid());
        memory::DeviceMemory device(std::uint64_t{100} << 30);
        constexpr std::uint64_t kBytes = 256u << 20;
        // Many times what may be there at once: addresses are not used twice, their pages are.
        for (int i = 0; i < 40; ++i) {
          const auto* const one = device.allocate(kBytes, memory::AllocationKind::device);
          if (one == nullptr) return kStopsTooMuch;
          one->host[kBytes - 1] = std::byte{1};
          if (!device.free(one->base)) return kStopsTooMuch;
        }
        return device.allocate(std::uint64_t{2} << 30, memory::AllocationKind::device) == nullptr ? 0 : kOpen;
      })),
      0);
}

TEST_F(cage, processor_time_has_an_end) {
  const int status = in_child([&] {
    auto limited = ours();
    limited.cpu_seconds = 1;
    enter(limited, ::getppid());
    while (::getpid() != 0) {
    }
    return kOpen;
  });
  EXPECT_TRUE(WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)) << status;
}

TEST_F(cage, without_one_nothing_is_closed) {
  EXPECT_TRUE(enter(Cage{}, ::getppid()).empty());
  EXPECT_TRUE(can_open("/etc/passwd", O_RDONLY));
}

}  // namespace
}  // namespace simgpu::process
