/// @file
/// Who is found to have the bytes that a copy touches, among all copies under way: short ones, long ones, and those that are
/// done.
#include "simgpu/device/pending_copies.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace simgpu::device {
namespace {

class PendingCopiesTest : public testing::Test {
 protected:
  /// Brings ones to @p bytes bytes from @p at on.
  PendingCopies::Id bring(std::size_t at, std::size_t bytes) {
    for (std::size_t k = 0; k < bytes; ++k) memory[at + k] = std::byte{1};
    PendingCopies::Rows rows;
    rows.start = &memory[at];
    rows.address = at;
    rows.width = bytes;
    return copies.hide(rows);
  }
  bool here(std::size_t at) const { return memory[at] == std::byte{1}; }

  observe::Findings findings;
  PendingCopies copies{findings};
  std::array<std::byte, 4096> memory{};
};

TEST_F(PendingCopiesTest, WhatWasBroughtIsThereForADevice) {
  bring(100, 4);
  bring(104, 4);
  EXPECT_FALSE(here(100));
  copies.device_touches(103, 1, false);
  EXPECT_TRUE(here(100) && here(103));
  EXPECT_FALSE(here(104)) << "the next one's";
}

TEST_F(PendingCopiesTest, ALongOneIsFoundFromFarBehindItsBegin) {
  bring(0, 1000);
  for (std::size_t at = 1000; at < 2000; at += 4) bring(at, 4);
  copies.device_touches(999, 1, false);
  EXPECT_TRUE(here(0));
  EXPECT_FALSE(here(1000));
}

TEST_F(PendingCopiesTest, ALongOneIsFoundAfterAllEarlierOnesAreDone) {
  const PendingCopies::Id first = bring(0, 4);
  copies.finished(first);
  EXPECT_TRUE(copies.empty());
  bring(0, 1000);
  copies.device_touches(999, 1, false);
  EXPECT_TRUE(here(0) && copies.empty());
}

TEST_F(PendingCopiesTest, WhatGoesIsForgotten) {
  const PendingCopies::Id gone = bring(0, 64);
  const PendingCopies::Id stays = bring(64, 64);
  copies.forget(0, 64);
  copies.finished(gone);
  EXPECT_FALSE(here(0)) << "the memory is another's by now";
  copies.finished(stays);
  EXPECT_TRUE(here(64));
}

}  // namespace
}  // namespace simgpu::device
