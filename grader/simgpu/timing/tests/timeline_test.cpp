/// @file
/// The clock: order within a stream, overlap between streams, the legacy stream, engines, the duplex link.
#include "simgpu/timing/timeline.hpp"

#include <gtest/gtest.h>

#include "simgpu/timing/links.hpp"

using namespace simgpu::timing;

namespace {

/// A device that begins at once.
Device quick() {
  Device device;
  device.idle_launch_seconds = device.launch_seconds;
  return device;
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
  // 32,256 rows of 16,000 bytes, 16,384 apart: 629 us on an H200 (h200_fresh.csv). Over the link they are as fast as others.
  EXPECT_NEAR(copy_rows_seconds(device, CopyPath::device_to_device, 32256 * 16000.0 / device.slice), 629e-6,
              7e-6);
  EXPECT_DOUBLE_EQ(copy_rows_seconds(device, CopyPath::pinned_to_device, bytes),
                   copy_seconds(device, CopyPath::pinned_to_device, bytes));
}

}  // namespace
