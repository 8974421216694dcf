/// @file
/// What the client knows of memory without asking the device: why a host access faulted, and which pages it closes.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "simgpu/memory/device_memory.hpp"
#include "simgpu/runtime/allocations.hpp"
#include "simgpu/runtime/closed_pages.hpp"
#include "simgpu/runtime/host_fault.hpp"

namespace simgpu::runtime {
namespace {

using memory::AllocationKind;

std::string explained(const Allocations& known, std::uint64_t address) {
  char text[400];
  const std::size_t length = explain_host_fault(known, address, text, sizeof text);
  return {text, length};
}

TEST(HostFault, NamesTheAllocationAndTheWayOut) {
  Allocations known;
  known.add({0x4000'0000'1000, 0}, 4096, AllocationKind::device);
  known.add({0x4000'0000'9000, 1}, 16, AllocationKind::global, "table");
  EXPECT_EQ(explained(known, 0x4000'0000'1010),
            "Host code dereferenced the device pointer 0x400000001010 (byte 16 of 4096 bytes of device "
            "memory): only "
            "kernels can read or write it; use cudaMemcpy.");
  EXPECT_EQ(
      explained(known, 0x4000'0000'9004),
      "Host code dereferenced the device pointer 0x400000009004 (byte 4 of 16 bytes of a __device__ variable "
      "table): only kernels can read or write it; use cudaMemcpyFromSymbol or cudaMemcpyToSymbol.");
  EXPECT_EQ(
      explained(known, 0x4000'0000'7000),
      "Host code dereferenced 0x400000007000, an address in device memory that belongs to no allocation.");
  known.free(0x4000'0000'1000);
  EXPECT_NE(explained(known, 0x4000'0000'1010).find("which was freed already"), std::string::npos);
  EXPECT_EQ(explained(known, 0x10), "") << "an ordinary null pointer";
}

TEST(HostFault, KnowsWhatLiesBesideMemoryOfBothSides) {
  Allocations known;
  EXPECT_NE(explained(known, memory::kManagedBase).find("belongs to no allocation"), std::string::npos);
  known.add({memory::kManagedBase + 0x1000, 0}, 5000, AllocationKind::managed);
  known.add({memory::kManagedBase + 0x9000, 1}, 100, AllocationKind::managed);
  EXPECT_EQ(explained(known, memory::kManagedBase + 0x1000 + 5000),
            "Host code touched 0x340000002388, 1 bytes beyond the end of 5000 bytes of managed memory.");
  EXPECT_NE(explained(known, memory::kManagedBase + 0x8FF0).find("belongs to no allocation"),
            std::string::npos)
      << "it lies before the nearest";
  known.free(memory::kManagedBase + 0x1000);
  EXPECT_EQ(
      explained(known, memory::kManagedBase + 0x1004),
      "Host code touched 0x340000001004, byte 4 of 5000 bytes of managed memory that was freed already.");
}

TEST(Allocations, NearestIsThatWhoseEdgeIs) {
  Allocations known;
  EXPECT_EQ(known.nearest(5), nullptr);
  const auto* const first = known.add({1000, 0}, 100, AllocationKind::device);
  const auto* const second = known.add({2000, 1}, 100, AllocationKind::device);
  EXPECT_EQ(known.nearest(5), first);
  EXPECT_EQ(known.nearest(1050), first);
  EXPECT_EQ(known.nearest(1500), first);
  EXPECT_EQ(known.nearest(1600), second);
  EXPECT_EQ(known.nearest(9999), second);
}

/// Pages of both sides as a device of this process has them, and the client's table of them.
class ClosedPages : public testing::Test {
 protected:
  ClosedPages() { install_host_fault_handler(known_); }
  ~ClosedPages() override { close_pages({}, known_); }

  volatile char* take(std::uint64_t bytes, AllocationKind kind = AllocationKind::managed) {
    const memory::Allocation* const made = memory_.allocate(bytes, kind);
    known_.add({made->base, made->id}, bytes, kind);
    return reinterpret_cast<volatile char*>(made->base);
  }
  static queue::Closed::Range range(std::uint64_t id, volatile char* at, std::uint64_t bytes, bool written) {
    const auto begin = reinterpret_cast<std::uint64_t>(at);
    return {id, begin, begin + bytes, written};
  }
  static queue::Touched touch(std::uint64_t id, volatile char* at, bool writes) {
    return {id, reinterpret_cast<std::uint64_t>(at), writes};
  }
  using Touches = std::vector<queue::Touched>;

  memory::DeviceMemory memory_{1ull << 30};
  Allocations known_;
};

TEST_F(ClosedPages, ATouchOpensAndIsTold) {
  volatile char* const p = take(16384);
  close_pages({{range(7, p, 16384, true)}}, known_);
  EXPECT_EQ(p[5000], 0);
  p[5001] = 3;
  EXPECT_EQ(take_touches(), (Touches{touch(7, p + 5000, false)})) << "once";
  EXPECT_EQ(take_touches(), Touches{});
  close_pages({{range(7, p, 16384, true)}}, known_);
  EXPECT_EQ(p[0], 0);
  EXPECT_EQ(take_touches(), Touches{}) << "it is open for this work";
  close_pages({{range(8, p, 16384, true)}}, known_);
  p[0] = 1;
  EXPECT_EQ(take_touches(), (Touches{touch(8, p, true)})) << "and closed again for the next";
}

TEST_F(ClosedPages, WhatIsOnlyReadMayBeReadByBoth) {
  volatile char* const p = take(8192);
  close_pages({{range(3, p, 8192, false)}}, known_);
  EXPECT_EQ(p[1], 0);
  EXPECT_EQ(take_touches(), Touches{});
  p[1] = 1;
  EXPECT_EQ(take_touches(), (Touches{touch(3, p + 1, true)}));
}

TEST_F(ClosedPages, AListReplacesTheOneBefore) {
  volatile char *const p = take(8192), *const q = take(8192), *const r = take(8192, AllocationKind::pinned);
  close_pages({{range(1, p, 8192, true), range(2, q, 8192, true)}}, known_);
  close_pages({{range(2, q, 8192, true), range(3, r, 4096, true)}}, known_);
  p[0] = 1;
  r[4096] = 1;
  EXPECT_EQ(take_touches(), Touches{});
  q[0] = 1;
  r[0] = 1;
  EXPECT_EQ(take_touches(), (Touches{touch(2, q, true), touch(3, r, true)}));
  close_pages({}, known_);
  for (volatile char* each : {p, q, r}) each[1] = 2;
  EXPECT_EQ(take_touches(), Touches{});
}

TEST_F(ClosedPages, OpeningOneRangeKeepsWhatOverlapsItClosed) {
  volatile char* const p = take(16384);
  close_pages({{range(1, p, 8192, true), range(2, p + 4096, 8192, false)}}, known_);
  close_pages({{range(1, p, 8192, true)}}, known_);
  EXPECT_EQ(p[4096], 0);
  EXPECT_EQ(take_touches(), (Touches{touch(1, p + 4096, false)}));
}

/// A device that names other pages of the program's, or memory that is gone, changes nothing.
TEST_F(ClosedPages, OnlyLiveMemoryOfBothSidesIsClosed) {
  alignas(4096) static volatile char own[4096];
  volatile char *const p = take(4096), *const gone = take(8192);
  const auto base = reinterpret_cast<std::uint64_t>(gone);
  known_.free(base);
  close_pages({{range(1, own, 4096, true), range(2, p, 8192, true), range(3, gone, 8192, true)}}, known_);
  own[0] = 1;
  p[0] = 1;
  gone[0] = 1;
  EXPECT_EQ(take_touches(), Touches{});
}

TEST_F(ClosedPages, WhatWasFreedMeanwhileStaysClosed) {
  volatile char* const p = take(8192);
  close_pages({{range(1, p, 8192, true)}}, known_);
  p[0] = 1;
  memory_.free(reinterpret_cast<std::uint64_t>(p));
  known_.free(reinterpret_cast<std::uint64_t>(p));
  close_pages({}, known_);
  memory_.allocate(4096, AllocationKind::managed);
  EXPECT_EXIT(p[4096] = 1, testing::KilledBySignal(SIGSEGV),
              "byte 4096 of 8192 bytes of managed memory that was freed");
  take_touches();
}

// ------------------------------------------------------------------------------------------------------- closed ahead

/// How a thread waits in these tests: it says that it does, and looks again and again.
std::atomic<int> waits{0};
bool wait_and_tell() noexcept {
  ++waits;
  while (closed_ahead()) wait_for_opening(std::chrono::milliseconds(1));
  return true;
}
bool cannot_wait() noexcept {
  return false;
}

class ClosedAhead : public ClosedPages {
 protected:
  ClosedAhead() { waits = 0; }
  ~ClosedAhead() override {
    open_ahead(known_);
    wait_for_opening_by(nullptr);
  }
  bool launch(std::vector<volatile char*> parameters) {
    return close_ahead(std::as_bytes(std::span(parameters)), known_);
  }
};

TEST_F(ClosedAhead, WhoTouchesWaitsAndThenSeesWhatTheDeviceClosed) {
  volatile char* const p = take(8192);
  wait_for_opening_by(wait_and_tell);
  ASSERT_TRUE(launch({p}));
  std::thread reader([&] { EXPECT_EQ(p[0] + p[4096], 0); });
  while (waits == 0) std::this_thread::yield();
  const auto begin = reinterpret_cast<std::uint64_t>(p);
  close_pages({{{7, begin, begin + 4096, true}}}, known_);
  EXPECT_TRUE(closed_ahead()) << "not before the answer";
  open_ahead(known_);
  reader.join();
  const auto touches = take_touches();
  ASSERT_EQ(touches.size(), 1u) << "only the first page is in use";
  EXPECT_EQ(touches[0].id, 7u);
}

TEST_F(ClosedAhead, PinnedMemoryOfWhichNoKernelKnowsStaysOpen) {
  volatile char* const known = take(4096, AllocationKind::pinned);
  volatile char* const unknown = take(4096, AllocationKind::pinned);
  wait_for_opening_by(cannot_wait);
  ASSERT_TRUE(launch({nullptr}));
  EXPECT_FALSE(closed_ahead());
  ASSERT_TRUE(launch({known + 5}));
  EXPECT_TRUE(closed_ahead());
  int through[2];
  ASSERT_EQ(::pipe(through), 0);
  EXPECT_EQ(::write(through[1], const_cast<char*>(unknown), 16), 16) << "a system call would fail";
  EXPECT_EQ(::write(through[1], const_cast<char*>(known), 16), -1);
  open_ahead(known_);
  EXPECT_EQ(::write(through[1], const_cast<char*>(known), 16), 16);
  // From now on it is known, whatever is passed; and so is what a kernel was seen to use.
  ASSERT_TRUE(launch({}));
  EXPECT_TRUE(closed_ahead());
  open_ahead(known_);
  const auto begin = reinterpret_cast<std::uint64_t>(unknown);
  close_pages({{{8, begin, begin + 4096, true}}}, known_);
  close_pages({}, known_);
  ASSERT_TRUE(launch({}));
  EXPECT_EQ(::write(through[1], const_cast<char*>(unknown), 16), -1);
  ::close(through[0]);
  ::close(through[1]);
}

TEST_F(ClosedAhead, WhatCannotBeClosedAheadHasToBeWaitedFor) {
  volatile char* const p = take(4096);
  EXPECT_FALSE(launch({p + (1 << 30)})) << "an address of nobody's";
  EXPECT_FALSE(closed_ahead());
  take(64 << 20);
  EXPECT_FALSE(launch({p})) << "longer to close than to wait";
  EXPECT_FALSE(closed_ahead());
}

TEST_F(ClosedAhead, TheLibraryItselfNeverWaits) {
  volatile char* const p = take(8192);
  wait_for_opening_by(cannot_wait);
  ASSERT_TRUE(launch({p}));
  p[0] = 1;
  EXPECT_EQ(p[0], 1);
  EXPECT_TRUE(closed_ahead());
}

TEST_F(ClosedAhead, AChildFindsItOpen) {
  volatile char* const p = take(8192);
  wait_for_opening_by(wait_and_tell);
  ASSERT_TRUE(launch({p}));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(p[5000]);
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(waits, 0);
}

}  // namespace
}  // namespace simgpu::runtime
