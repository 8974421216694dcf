/// @file
/// Calls that copy, on the clock: figures of an H200 as a whole card (ladders/copies.cu has them all).
#include "simgpu/timing/copy_calls.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace simgpu::timing {
namespace {

struct CopyCalls : testing::Test {
  CopyCalls() { device.slice = 1, timeline.emplace(device); }
  Instant call(CopyPath path, std::uint64_t bytes, bool waits) {
    return call_copy(*timeline, device, 0, {.path = path, .bytes = bytes, .waits = waits});
  }
  /// What a turn takes of the host, of ten one after the other.
  double turn(CopyPath path, std::uint64_t bytes, bool waits) {
    const Instant before = timeline->host_now();
    for (int k = 0; k < 10; ++k) call(path, bytes, waits);
    timeline->host_wait(timeline->all_done());
    return (timeline->host_now() - before) / 10;
  }

  Device device;
  std::optional<Timeline> timeline;
};

// Catches calls that last as long as the longer of their command and their bytes: 16.8 and 93 us, 16.6 and 113, 9.4 and 27.
TEST_F(CopyCalls, ThatWaitTakeTheirCommandAndTheirBytes) {
  EXPECT_NEAR(turn(CopyPath::pageable_to_device, 64 << 10, true), 16.8e-6, 2e-6);
  EXPECT_NEAR(turn(CopyPath::pageable_to_device, 1 << 20, true), 93e-6, 12e-6);
  EXPECT_NEAR(turn(CopyPath::device_to_pageable, 64 << 10, true), 16.6e-6, 4.5e-6);
  EXPECT_NEAR(turn(CopyPath::pinned_to_device, 64 << 10, true), 9.4e-6, 1.5e-6);
  EXPECT_NEAR(turn(CopyPath::device_to_pinned, 1 << 20, true), 26.3e-6, 2e-6);
}

// 2.6 us of 4 kB, 4.9 of 32: only the host's part of it. With a kernel between them 68 us of 1 MiB, 66 without.
TEST_F(CopyCalls, FromPageableMemoryAreTheHostsWork) {
  EXPECT_NEAR(turn(CopyPath::pageable_to_device, 4 << 10, false), 2.6e-6, 0.6e-6);
  EXPECT_NEAR(turn(CopyPath::pageable_to_device, 32 << 10, false), 4.9e-6, 0.8e-6);
  const double alone = turn(CopyPath::pageable_to_device, 1 << 20, false);
  const Instant before = timeline->host_now();
  for (int k = 0; k < 10; ++k) {
    call(CopyPath::pageable_to_device, 1 << 20, false);
    timeline->enqueue(0, Engine::compute, 20e-6);
  }
  timeline->host_wait(timeline->all_done());
  EXPECT_NEAR((timeline->host_now() - before) / 10, alone, 4e-6) << "the host goes on while the kernel runs";
}

// Catches buffers that are filled ahead and let the copy itself begin before its turn: a report would say that it overlaps a kernel of its stream.
TEST_F(CopyCalls, BeginBehindWhatIsBeforeThemInTheirStream) {
  const Instant ends = timeline->enqueue(0, Engine::compute, 1e-3, 1.0, "kernel");
  for (const std::uint64_t bytes : {4u << 10, 1u << 20, 16u << 20})
    call(CopyPath::pageable_to_device, bytes, false);
  std::uint64_t omitted = 0;
  const std::vector<Operation> done = timeline->take_operations(omitted);
  ASSERT_EQ(done.size(), 4u);
  Instant before = ends;
  for (std::size_t k = 1; k < done.size(); ++k) {
    EXPECT_GE(done[k].begin, before);
    before = done[k].end;
  }
  // 16 MiB: the link has the first one ahead of the host's other fifteen.
  EXPECT_GT(done[3].end - done[3].begin, moving_seconds(device, CopyPath::pageable_to_device, 15 << 20));
}

// A kernel of 12 us with a word up before it 13.9 us a turn, with a word down behind it 20.9.
TEST_F(CopyCalls, OfFewBytesUpGoWithTheCommands) {
  const auto turn_of = [&](CopyPath path) {
    Timeline own(device);
    for (int k = 0; k < 20; ++k) {
      call_copy(own, device, 0, {.path = path, .bytes = 4});
      own.enqueue(0, Engine::compute, 11.9e-6);
    }
    return own.all_done() / 20;
  };
  EXPECT_NEAR(turn_of(CopyPath::pinned_to_device), 13.9e-6, 1.2e-6);
  EXPECT_NEAR(turn_of(CopyPath::device_to_pinned), 20.9e-6, 1.5e-6);
}

TEST_F(CopyCalls, OfAFewWordsTakeAsLongOnASlice) {
  Device slice;
  ASSERT_GT(slice.slice, 1u);
  const auto on = [](const Device& card, double bytes) {
    return moving_seconds(card, CopyPath::device_to_pinned, bytes);
  };
  EXPECT_DOUBLE_EQ(on(slice, 4096), on(device, 4096));
  EXPECT_NEAR(on(slice, 1 << 20) / on(device, 1 << 20), slice.slice, 0.1);
}

}  // namespace
}  // namespace simgpu::timing
