/// @file
/// The clock: order within a stream, overlap between streams, the legacy stream, engines, the duplex link.
#include "simgpu/timing/timeline.hpp"

#include <gtest/gtest.h>

#include "simgpu/timing/graph_turns.hpp"
#include "simgpu/timing/links.hpp"

using namespace simgpu::timing;

namespace {

/// A device that begins at once.
Device quick() {
  Device device;
  device.idle_launch_seconds = device.launch_seconds;
  device.host.link_latency = 0;
  return device;
}

/// Of a kernel that keeps one resource busy for a part of its time.
Use busy(std::size_t resource, double part) {
  Use use{};
  use[resource] = part;
  return use;
}

struct Clock : testing::Test {
  Timeline timeline{quick()};
};

TEST(Launches, AnIdleDeviceTakesItsTimeToBegin) {
  const Device device;
  Timeline timeline(device);
  const Instant before = timeline.record(0);
  timeline.enqueue(0, Engine::compute, device.launch_seconds);
  EXPECT_NEAR(timeline.record(0) - before, 7.136e-6, 1e-12);  // an empty kernel between two events on an H200
  const Instant one = timeline.record(0);
  timeline.enqueue(0, Engine::compute, device.launch_seconds);
  EXPECT_NEAR(timeline.record(0) - one, 2.2e-6, 1e-12);  // the host did not wait for the first
}

TEST(Launches, WorkUnderWayHidesTheStart) {
  const Device device;
  Timeline timeline(device);
  timeline.enqueue(0, Engine::none, device.start_latency());  // a host function
  const Instant before = timeline.record(0);
  timeline.enqueue(0, Engine::compute, device.launch_seconds);
  EXPECT_NEAR(timeline.record(0) - before, 2.2e-6, 1e-12);
}

// Catches a clock in kernels that begins before what its stream, or the legacy one, still has to do.
TEST(Launches, AKernelIsToldWhenItWillBegin) {
  const Device device;
  Timeline timeline(device);
  timeline.add_stream(1, true);
  for (const StreamId stream : {StreamId{1}, StreamId{0}, StreamId{1}}) {
    const Instant told = timeline.next_begin(stream);
    EXPECT_NEAR(timeline.enqueue(stream, Engine::compute, 1e-3) - 1e-3, told, 1e-12);
  }
}

TEST_F(Clock, WorkOfOneStreamIsSerial) {
  timeline.add_stream(1, true);
  timeline.enqueue(1, Engine::compute, 3e-6);
  timeline.enqueue(1, Engine::compute, 4e-6);
  EXPECT_DOUBLE_EQ(timeline.record(1), 7e-6);
  EXPECT_DOUBLE_EQ(timeline.host_now(), 0);
}

TEST_F(Clock, SmallKernelsOfTwoStreamsOverlapAndLargeOnesDoNot) {
  timeline.add_stream(1, false);
  timeline.add_stream(2, false);
  timeline.enqueue(1, Engine::compute, 5e-6, 0.4);
  timeline.enqueue(2, Engine::compute, 5e-6, 0.4);
  EXPECT_DOUBLE_EQ(timeline.record(2), 5e-6);
  timeline.enqueue(1, Engine::compute, 5e-6, 1.0);
  timeline.enqueue(2, Engine::compute, 5e-6, 1.0);
  EXPECT_DOUBLE_EQ(timeline.record(2), 15e-6);
}

// Catches kernels that are given all of a device each because both find places: three kernels in each of four streams, which need 0.6
// of the issue slots each, took as long on an H200 as their instructions one after the other.
TEST_F(Clock, KernelsBesideEachOtherTakeAsLongAsTheDeviceNeedsForBoth) {
  timeline.add_stream(1, false);
  timeline.add_stream(2, false);
  timeline.enqueue(1, Engine::compute, 10e-6, 0.25, {}, 0, busy(3, 0.6));
  timeline.enqueue(2, Engine::compute, 10e-6, 0.25, {}, 0, busy(3, 0.6));
  EXPECT_NEAR(timeline.record(1), 10e-6, 1e-12) << "who came first keeps its pace";
  // The second has 0.4 of the slots for 10 us, which is two thirds of its pace, and then goes on alone.
  EXPECT_NEAR(timeline.record(2), 10e-6 + 10e-6 / 3, 1e-12);
}

TEST_F(Clock, FourKernelsThatNeedAllOfDramTakeTurns) {
  for (StreamId stream = 1; stream <= 4; ++stream) {
    timeline.add_stream(stream, false);
    timeline.enqueue(stream, Engine::compute, 10e-6, 0.25, {}, 0, busy(0, 1));
    EXPECT_NEAR(timeline.record(stream), 10e-6 * static_cast<double>(stream), 1e-12);
  }
}

TEST_F(Clock, KernelsThatNeedDifferentThingsDoNotHoldEachOtherUp) {
  timeline.add_stream(1, false);
  timeline.add_stream(2, false);
  timeline.enqueue(1, Engine::compute, 10e-6, 0.4, {}, 0, busy(0, 0.9));
  timeline.enqueue(2, Engine::compute, 10e-6, 0.4, {}, 0, busy(3, 0.9));
  EXPECT_NEAR(timeline.record(2), 10e-6, 1e-12);
}

// A kernel, then 4 bytes down, waited for: 12.0 and 14.9 us on one host of an H200, 15.3 on another, where the kernel ends after 7.1.
TEST_F(Clock, AKernelAndACopyThatWaitForEachOtherHearOfItLate) {
  const double change = Device{}.host.engine_change;
  timeline.enqueue(0, Engine::compute, 5e-6);
  EXPECT_DOUBLE_EQ(timeline.enqueue(0, Engine::copy_out, 1e-6), 6e-6 + change);
  EXPECT_DOUBLE_EQ(timeline.enqueue(0, Engine::copy_out, 1e-6), 7e-6 + change) << "the same engine";
  EXPECT_DOUBLE_EQ(timeline.next_begin(0), 7e-6 + 2 * change);
  EXPECT_DOUBLE_EQ(timeline.enqueue(0, Engine::compute, 1e-6), 8e-6 + 2 * change);
  timeline.host_spend(1e-3);
  timeline.record(0);  // an event of a stream that has nothing to do
  EXPECT_DOUBLE_EQ(timeline.enqueue(0, Engine::copy_in, 1e-6), 1e-3 + 1e-6) << "nobody waits for anybody";
}

TEST_F(Clock, TheHostHearsOfTheEndLaterAndOfNothingAtOnce) {
  timeline.host_wait(timeline.enqueue(0, Engine::compute, 5e-6));
  EXPECT_DOUBLE_EQ(timeline.host_now(), 5e-6 + Device{}.host.wait_return);
  timeline.host_wait(5e-6);
  EXPECT_DOUBLE_EQ(timeline.host_now(), 5e-6 + Device{}.host.wait_return);
}

// Graphs of 1, 10 and 100 empty kernels, one behind the other: 2.04, 10.6 and 93.8 us each on an H200.
TEST(Launches, AGraphBeginsALittleBehindWhatStandsBeforeIt) {
  const Device device;
  Timeline timeline(device);
  timeline.begin_graph(0);
  EXPECT_DOUBLE_EQ(timeline.next_begin(0), device.start_latency()) << "an idle device hides it";
  timeline.enqueue(0, Engine::compute, 1e-3);
  const Instant end = timeline.tail(0);
  timeline.begin_graph(0);
  EXPECT_DOUBLE_EQ(timeline.next_begin(0), end + device.host.graph_gap);
}

// Three chains of five small kernels and one that joins them take an H200 10.8 us, one chain 7.5: not as long as sixteen kernels.
TEST(Launches, BranchesOfAGraphRunSideBySide) {
  const Device device;
  const HostCosts& host = device.host;
  Timeline timeline(device);
  timeline.enqueue(0, Engine::compute, 1e-3);
  const Instant start = timeline.tail(0);
  GraphTurns turns(timeline, 0, 7, host);
  const auto node = [&](std::size_t index, const std::vector<std::size_t>& after) {
    turns.begin(index, after);
    const Instant begin = timeline.next_begin(0);
    timeline.enqueue(0, Engine::compute, 1e-6, 0.1);
    return begin - start;
  };
  EXPECT_NEAR(node(0, {}), 0, 1e-12);
  EXPECT_NEAR(node(1, {0}), 1e-6, 1e-12);
  EXPECT_NEAR(node(2, {}), host.graph_root, 1e-12) << "beside the first";
  EXPECT_NEAR(node(3, {2}), host.graph_root + 1e-6, 1e-12);
  EXPECT_NEAR(node(4, {0}), host.graph_fork + 1e-6, 1e-12) << "the second to follow it";
  EXPECT_NEAR(node(5, {1, 3, 4}), host.graph_root + 2e-6 + host.graph_join, 1e-12);
  EXPECT_NEAR(node(6, {1}), host.graph_fork + 2e-6, 1e-12) << "ends before the fifth";
  turns.end();
  EXPECT_NEAR(timeline.tail(0) - start, host.graph_root + 3e-6 + host.graph_join, 1e-12);
}

TEST_F(Clock, TheLegacyStreamWaitsForBlockingStreamsAndHoldsThemBack) {
  timeline.add_stream(1, true);
  timeline.add_stream(2, false);
  timeline.enqueue(1, Engine::compute, 5e-6, 0.1);
  timeline.enqueue(0, Engine::compute, 5e-6, 0.1);
  EXPECT_DOUBLE_EQ(timeline.record(0), 10e-6);
  timeline.enqueue(1, Engine::compute, 1e-6, 0.1);
  EXPECT_DOUBLE_EQ(timeline.record(1), 11e-6);
  timeline.enqueue(2, Engine::compute, 1e-6, 0.1);  // non-blocking: free of the legacy stream
  EXPECT_DOUBLE_EQ(timeline.record(2), 1e-6);
}

TEST_F(Clock, AnEventHoldsAnotherStreamBack) {
  timeline.add_stream(1, false);
  timeline.add_stream(2, false);
  timeline.enqueue(1, Engine::compute, 5e-6, 0.1);
  timeline.wait(2, timeline.record(1));
  timeline.enqueue(2, Engine::compute, 1e-6, 0.1);
  EXPECT_DOUBLE_EQ(timeline.record(2), 6e-6);
}

TEST_F(Clock, BothDirectionsOfTheLinkTakeTheMeasuredDuplexTime) {
  timeline.add_stream(1, false);
  timeline.add_stream(2, false);
  timeline.enqueue(1, Engine::copy_in, 1e-3);
  timeline.enqueue(2, Engine::copy_out, 1e-3);
  EXPECT_NEAR(timeline.all_done(), kDuplexFactor * 1e-3, 1e-9);
}

TEST_F(Clock, ACopyRunsBesideAKernel) {
  timeline.add_stream(1, false);
  timeline.add_stream(2, false);
  timeline.enqueue(1, Engine::compute, 1e-3);
  timeline.enqueue(2, Engine::copy_in, 1e-3);
  EXPECT_DOUBLE_EQ(timeline.all_done(), 1e-3);
}

TEST(Links, RatesAreTheMeasuredOnesOfTheSlice) {
  const Device device;
  const double bytes = 256.0 * (1 << 20) / device.slice;  // as long as 256 MB on the whole card
  EXPECT_NEAR(copy_seconds(device, CopyPath::pinned_to_device, bytes), 4.88e-3, 0.02e-3);
  EXPECT_NEAR(copy_seconds(device, CopyPath::device_to_pinned, bytes), 4.86e-3, 0.02e-3);
  // Pageable memory is the host's work: 8.1, 8.7 and 14.1 GB/s up on three hosts of an H200, 14.2 and 10.9 down on two. The model lies between.
  EXPECT_NEAR(copy_seconds(device, CopyPath::pageable_to_device, bytes), 24.2e-3, 0.2e-3);
  EXPECT_NEAR(copy_seconds(device, CopyPath::device_to_pageable, bytes), 21.6e-3, 0.2e-3);
  // 32,256 rows of 16,000 bytes, 16,384 apart: 629 us on an H200 (h200_fresh.csv).
  EXPECT_NEAR(copy_rows_seconds(device, CopyPath::device_to_device, 32256 * 16000.0 / device.slice), 629e-6,
              7e-6);
  // 4,032 rows of 2 kB, 4 kB apart, to pinned memory: 174 us between two events (h200_held_out_3.csv), where bytes side by side take 155.
  EXPECT_NEAR(copy_rows_seconds(device, CopyPath::device_to_pinned, 4032 * 2048.0 / device.slice), 170e-6,
              3e-6);
}

// What calls.cu says of 1, 4 and 16 MiB fetched and fetched back, half of it, and what was measured before of 256 MB: 50 GB/s.
TEST(Links, PrefetchesAreSlowAtTheirBeginning) {
  const Device device;
  const auto seconds = [&](double megabytes) {
    return device.host.prefetch_start + prefetch_seconds(device, megabytes * (1 << 20) / device.slice);
  };
  EXPECT_NEAR(seconds(1), 193.8e-6 / 2, 5e-6);
  EXPECT_NEAR(seconds(4), 390.5e-6 / 2, 15e-6);
  EXPECT_NEAR(seconds(16), 1287.9e-6 / 2, 10e-6);
  EXPECT_NEAR(256.0 * (1 << 20) / seconds(256), 50e9, 4e9);
  // Four chunks of 32 MiB had 0.75 of the speed of one of 128 there (hand-in sound_in_chunks of unified_prefetch).
  EXPECT_NEAR(seconds(128) / (4 * seconds(32)), 0.75, 0.02);
}

}  // namespace
