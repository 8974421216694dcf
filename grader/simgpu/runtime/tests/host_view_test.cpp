/// @file
/// The program's own mapping of what it shares with a device: beside one of this process, and with one in another.
#include "simgpu/runtime/host_view.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "simgpu/memory/device_memory.hpp"
#include "simgpu/runtime/visited_pages.hpp"

extern char** environ;

namespace simgpu::runtime {
namespace {

using memory::AllocationKind;
constexpr std::uint64_t kGiB = 1ull << 30, kMiB = 1ull << 20;
constexpr const char* kDescriptors = "SIMGPU_TEST_DEVICE";

/// Whether the byte can be read, without a fault.
bool there(std::uint64_t address) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const bool read = write(ends[1], reinterpret_cast<const void*>(address), 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return read;
}

/// What the host can touch beside its allocations is the same with one mapping and with two: an overrun faults as far away, and freed
/// memory does at once.
TEST(HostView, FaultsWhereOneMappingDoes) {
  std::string reach[2];
  const auto pages = memory::SharedPages::make();
  ASSERT_TRUE(pages);
  for (const bool two : {false, true}) {
    memory::DeviceMemory memory(kGiB, two ? &*pages : nullptr);
    HostView view(two ? &*pages : nullptr);
    for (const AllocationKind kind : {AllocationKind::pinned, AllocationKind::managed}) {
      const auto take = [&](std::uint64_t bytes) {
        const std::uint64_t base = memory.allocate(bytes, kind)->base;
        view.allocated(base, bytes);
        return base;
      };
      const std::uint64_t small = take(5000), large = take(80 * kMiB);
      for (const std::uint64_t at :
           {small - 4096, small, small + 8191, small + 8192, large, large + 80 * kMiB - 1,
            large + 80 * kMiB + 5000, large + 200 * kMiB, small + kGiB})
        reach[two] += there(at) ? '1' : '0';
      for (const std::uint64_t base : {small, large}) {
        memory.free(base);
        view.freed(base, base == small ? 5000 : 80 * kMiB);
        reach[two] += there(base) ? '1' : '0';
      }
    }
  }
  EXPECT_EQ(reach[0], reach[1]);
  EXPECT_EQ(reach[1].substr(0, 11), "11111110000") << "what is tried says something";
}

/// A device in a process of its own: allocates, writes, waits until the host has read and written, reads, frees.
TEST(OtherDevice, KeepsMemory) {
  const char* const descriptors = getenv(kDescriptors);
  if (descriptors == nullptr) return;  // this is the program
  int file = 0, in = 0, out = 0;
  ASSERT_EQ(std::sscanf(descriptors, "%d %d %d", &file, &in, &out), 3);
  const auto pages = memory::SharedPages::of(file);
  ASSERT_TRUE(pages);
  memory::DeviceMemory memory(kGiB, &*pages);
  const memory::Allocation& a = *memory.allocate(3 * kMiB, AllocationKind::managed);
  a.host[2 * kMiB] = std::byte{42};
  char sign = 0;
  ASSERT_EQ(write(out, &a.base, sizeof a.base), static_cast<ssize_t>(sizeof a.base));
  ASSERT_EQ(read(in, &sign, 1), 1);
  EXPECT_EQ(a.host[5], std::byte{43});
  memory.free(a.base);
}

TEST(HostView, SharesMemoryWithADeviceInAnotherProcess) {
  const auto pages = memory::SharedPages::make();
  ASSERT_TRUE(pages);
  int to_device[2], to_host[2];
  ASSERT_TRUE(pipe2(to_device, O_CLOEXEC) == 0 && pipe2(to_host, O_CLOEXEC) == 0);
  // Without their flag to be closed by exec; the other ends have it, so that neither side waits for one that is gone.
  const int file = dup(pages->descriptor()), in = dup(to_device[0]), out = dup(to_host[1]);
  const std::string descriptors = std::to_string(file) + " " + std::to_string(in) + " " + std::to_string(out);
  setenv(kDescriptors, descriptors.c_str(), 1);
  char self[] = "/proc/self/exe", filter[] = "--gtest_filter=OtherDevice.*";
  char* arguments[] = {self, filter, nullptr};
  pid_t device = 0;
  ASSERT_EQ(posix_spawn(&device, self, nullptr, nullptr, arguments, environ), 0);
  unsetenv(kDescriptors);
  for (const int end : {file, in, out, to_device[0], to_host[1]}) close(end);
  std::uint64_t base = 0;
  ASSERT_EQ(read(to_host[0], &base, sizeof base), static_cast<ssize_t>(sizeof base));

  HostView view(&*pages);
  view.allocated(base, 3 * kMiB);
  auto* const bytes = reinterpret_cast<volatile unsigned char*>(base);
  EXPECT_EQ(bytes[2 * kMiB], 42);
  bytes[5] = 43;
  const char sign = 1;
  EXPECT_EQ(write(to_device[1], &sign, 1), 1);
  int status = -1;
  ASSERT_EQ(waitpid(device, &status, 0), device);
  EXPECT_EQ(status, 0) << "the device has seen what the host wrote";
  EXPECT_EQ(bytes[2 * kMiB], 0) << "what is freed there is gone here";
  view.freed(base, 3 * kMiB);
  EXPECT_FALSE(there(base));
  for (const int end : {to_device[1], to_host[0]}) close(end);
}

/// The device's own touches are none of the host's; pinned memory is not looked at; what was told is forgotten, and nothing is lost.
TEST(HostView, TellsWhichManagedMemoryTheHostHasTouched) {
  using Runs = std::vector<queue::Visited::Run>;
  constexpr std::uint64_t kPiece = memory::kManagedPiece;
  const auto pages = memory::SharedPages::make(memory::SharedPages::For::managed);
  ASSERT_TRUE(pages);
  memory::DeviceMemory memory(kGiB, &*pages);
  HostView view(&*pages);
  const memory::Allocation &managed = *memory.allocate(1 * kMiB, AllocationKind::managed),
                           &pinned = *memory.allocate(1 * kMiB, AllocationKind::pinned);
  view.allocated(managed.base, managed.bytes), view.allocated(pinned.base, pinned.bytes);
  managed.host[5] = std::byte{42};
  pinned.host[5] = std::byte{1};
  EXPECT_EQ(take_visits().runs, Runs{}) << "by the device";
  auto* const bytes = reinterpret_cast<volatile unsigned char*>(managed.base);
  EXPECT_EQ(bytes[5], 42);
  bytes[3 * kPiece + 9] = 7;
  bytes[4 * kPiece] = 7;
  EXPECT_EQ(take_visits().runs, (Runs{{managed.base, kPiece}, {managed.base + 3 * kPiece, 2 * kPiece}}));
  EXPECT_EQ(take_visits().runs, Runs{}) << "it was told";
  EXPECT_EQ(managed.host[4 * kPiece], std::byte{7});
  EXPECT_EQ(bytes[3 * kPiece + 9], 7);
  EXPECT_EQ(take_visits().runs, (Runs{{managed.base + 3 * kPiece, kPiece}}));
  view.freed(managed.base, managed.bytes);
  EXPECT_EQ(take_visits().runs, Runs{}) << "it is gone";
}

}  // namespace
}  // namespace simgpu::runtime
