/// @file
/// Pages of two processes: a second one maps them by the descriptor, at the same addresses, and sees the same bytes.
#include "simgpu/memory/shared_pages.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "simgpu/memory/device_memory.hpp"

extern char** environ;

namespace simgpu::memory {
namespace {

constexpr std::uint64_t kPlace = kPinnedBase + (std::uint64_t{1} << 30), kLength = 1 << 20;
constexpr const char* kDescriptor = "SIMGPU_TEST_PAGES";

std::byte* map(const SharedPages& pages, int access = PROT_READ | PROT_WRITE) {
  return pages.map(kPlace, kLength, access, reinterpret_cast<void*>(kPlace));
}

/// Memory that the program's pages take. [bytes]
std::uint64_t taken(const SharedPages& pages) {
  struct stat what {};
  fstat(pages.descriptor(), &what);
  return static_cast<std::uint64_t>(what.st_blocks) * 512;
}

/// Runs the other side, below, in a process of its own. @return its exit status.
int run_other_side(const SharedPages& pages) {
  const int passed = dup(pages.descriptor());  // without its flag to be closed by exec
  setenv(kDescriptor, std::to_string(passed).c_str(), 1);
  char self[] = "/proc/self/exe", filter[] = "--gtest_filter=OtherSide.*";
  char* arguments[] = {self, filter, nullptr};
  pid_t child = 0;
  const int failed = posix_spawn(&child, self, nullptr, nullptr, arguments, environ);
  unsetenv(kDescriptor);
  close(passed);
  int status = -1;
  if (failed != 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

TEST(OtherSide, SeesAndChangesBytes) {
  const char* const descriptor = getenv(kDescriptor);
  if (descriptor == nullptr) return;  // this is the process that begins
  const auto pages = SharedPages::of(std::atoi(descriptor));
  ASSERT_TRUE(pages);
  std::byte* const here = map(*pages);
  ASSERT_EQ(reinterpret_cast<std::uint64_t>(here), kPlace);
  EXPECT_STREQ(reinterpret_cast<const char*>(here + 5000), "from the first");
  std::strcpy(reinterpret_cast<char*>(here + 9000), "from the second");
  pages->give_back(kPlace + (64 << 10), 64 << 10);
}

TEST(SharedPages, AnotherProcessMapsThemAtTheSameAddress) {
  const auto pages = SharedPages::make();
  ASSERT_TRUE(pages) << strerror(errno);
  std::byte* const here = map(*pages);
  ASSERT_EQ(reinterpret_cast<std::uint64_t>(here), kPlace);
  EXPECT_EQ(taken(*pages), 0u) << "a long file without pages";
  std::strcpy(reinterpret_cast<char*>(here + 5000), "from the first");
  std::memset(here + (64 << 10), 5, 64 << 10);
  const std::uint64_t before = taken(*pages);
  ASSERT_EQ(run_other_side(*pages), 0);
  EXPECT_STREQ(reinterpret_cast<const char*>(here + 9000), "from the second");
  EXPECT_EQ(before - taken(*pages), (64u << 10) - 4096)
      << "what the second gave back, less the page that it wrote";
  EXPECT_EQ(here[64 << 10], std::byte{0}) << "and is gone here, too";
  munmap(here, kLength);
}

TEST(SharedPages, TakesNothingThatIsMapped) {
  const auto pages = SharedPages::make();
  ASSERT_TRUE(pages);
  std::byte* const here = map(*pages, PROT_NONE);
  ASSERT_NE(here, nullptr);
  EXPECT_EQ(map(*pages), nullptr) << "twice";
  EXPECT_EQ(pages->map(SharedPages::kBytes - 4096, 8192, PROT_READ), nullptr) << "beyond the last address";
  munmap(here, kLength);
}

TEST(SharedPages, NeitherSideCanCutThem) {
  const auto pages = SharedPages::make();
  ASSERT_TRUE(pages);
  EXPECT_NE(ftruncate(pages->descriptor(), 4096), 0);
  EXPECT_FALSE(SharedPages::of(open("/dev/null", O_RDWR))) << "no such file";
  const int cut = memfd_create("cut", MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(cut, static_cast<off_t>(SharedPages::kBytes)), 0);
  EXPECT_FALSE(SharedPages::of(cut)) << "one whose length may change";
}

}  // namespace
}  // namespace simgpu::memory
