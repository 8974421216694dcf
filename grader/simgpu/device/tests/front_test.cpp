/// @file
/// Records in, messages out: the front without a transport.
#include "simgpu/device/front.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "simgpu/observe/races.hpp"
#include "simgpu/observe/traffic.hpp"
#include "simgpu/observe/uninitialised.hpp"
#include "simgpu/queue/codec.hpp"
#include "simgpu/timing/cards.hpp"

namespace simgpu::device {
namespace {

/// Writes a word at its parameter's address.
constexpr const char* kStore = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry store(.param .u64 p)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, 7;
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

class FrontTest : public testing::Test {
 protected:
  static constexpr queue::Id kStream = queue::kLegacyStreams;
  static constexpr std::size_t kStaging = 8192;

  FrontTest()
      : staging_(kStaging),
        gpu_(*timing::card_named("h200")),
        front_(gpu_, staging_,
               {.send = [this](const queue::Message& message) { heard_.push_back(message); },
                .listen =
                    [this] {
                      if (next_.empty()) return false;
                      const auto record = next_.front();
                      next_.erase(next_.begin());
                      front_.take(record);
                      return true;
                    },
                .threads = [] { return 1; }}) {
    front_.set_devices(1);
    say(queue::Hello{.devices = 1, .slice = 12});
    heard_.clear();
  }

  std::vector<std::byte> record_of(queue::Body body, bool quiet) {
    std::vector<std::byte> record;
    EXPECT_TRUE(queue::encode({++sequence_, 0, std::move(body), quiet}, record));
    return record;
  }
  void say(queue::Body body, bool quiet = false) { front_.take(record_of(std::move(body), quiet)); }
  /// @return the answer's status; 12345: there is none.
  std::uint32_t ask(queue::Body body) {
    say(std::move(body));
    const auto mine = std::find_if(heard_.begin(), heard_.end(),
                                   [&](const queue::Message& each) { return each.sequence == sequence_; });
    if (mine == heard_.end()) return 12345;
    last_ = std::get<queue::Answer>(mine->body);
    return last_.status;
  }
  std::uint64_t memory(std::uint64_t bytes) {
    EXPECT_EQ(ask(queue::Allocate{.bytes = bytes}), 0u);
    const auto* const made = std::get_if<queue::Allocated>(&last_.body);
    return made != nullptr ? made->address : 0;
  }
  void load() {
    std::memcpy(staging_.data(), kStore, std::strlen(kStore));
    EXPECT_EQ(ask(queue::Load{
                  1, 0, {.inside = {}, .staged = true, .length = std::strlen(kStore), .offset = 0}, ""}),
              0u);
  }
  static queue::Launch launch(std::uint64_t address) {
    queue::Launch command{.stream = kStream, .module = 1};
    command.parameters.inside.resize(8);
    std::memcpy(command.parameters.inside.data(), &address, 8);
    return command;
  }
  static queue::Copy copy(queue::Place to, queue::Place from, std::uint64_t bytes) {
    return {.stream = kStream, .to = to, .from = from, .shape = {.width = bytes}, .waits = true};
  }
  std::string ended() const {
    for (const queue::Message& each : heard_)
      if (const auto* const end = std::get_if<queue::Ended>(&each.body)) return end->why;
    return "";
  }

  std::vector<std::byte> staging_;
  std::vector<queue::Message> heard_;
  std::vector<std::vector<std::byte>> next_;  ///< that the client says while a stream stands still
  Gpu gpu_;
  Front front_;
  queue::Answer last_;
  std::uint64_t sequence_ = 0;
};

TEST_F(FrontTest, BytesGoThroughTheStagingPages) {
  const std::uint64_t at = memory(64);
  load();
  say(launch(at), /*quiet=*/true);
  EXPECT_EQ(heard_.size(), 2u);  // of the allocation and of the module: the launch has no answer
  EXPECT_EQ(ask(copy({queue::Place::Kind::staging, 4096}, {queue::Place::Kind::device, at}, 4)), 0u);
  EXPECT_EQ(staging_[4096], std::byte{7});
  staging_[100] = std::byte{42};
  EXPECT_EQ(ask(copy({queue::Place::Kind::device, at}, {queue::Place::Kind::staging, 100}, 1)), 0u);
  EXPECT_EQ(ask(copy({queue::Place::Kind::staging, 200}, {queue::Place::Kind::device, at}, 1)), 0u);
  EXPECT_EQ(staging_[200], std::byte{42});
}

TEST_F(FrontTest, WhatIsLongerThanThePagesGoesInPieces) {
  constexpr std::uint64_t kBytes = 3 * kStaging / 2;
  const std::uint64_t at = memory(kBytes);
  for (std::uint64_t begin = 0; begin < kBytes; begin += kStaging / 2) {
    std::fill(staging_.begin(), staging_.end(), static_cast<std::byte>(begin / 4096 + 1));
    EXPECT_EQ(ask(queue::Pass{kStaging / 2, kStaging / 2}), 0u);
  }
  EXPECT_EQ(ask(copy({queue::Place::Kind::device, at}, {queue::Place::Kind::passed, 0}, kBytes)), 0u);
  EXPECT_EQ(ask(copy({queue::Place::Kind::passed, 0}, {queue::Place::Kind::device, at}, kBytes)), 0u);
  const std::uint64_t brought = sequence_;
  for (std::uint64_t begin = 0; begin < kBytes; begin += kStaging / 2) {
    EXPECT_EQ(ask(queue::Fetch{brought, 0, kStaging / 2}), 0u);
    EXPECT_EQ(staging_[17], static_cast<std::byte>(begin / 4096 + 1));
  }
  EXPECT_EQ(ended(), "");
}

TEST_F(FrontTest, AfterAFaultNothingOfTheDeviceIsCarriedOutUntilReset) {
  const std::uint64_t at = memory(64);
  load();
  const auto used = gpu_.memory.live_count();
  say(launch(at + 64), /*quiet=*/true);  // beyond its end
  say(launch(at), /*quiet=*/true);       // the client has not heard of it yet
  EXPECT_EQ(ask(copy({queue::Place::Kind::staging, 0}, {queue::Place::Kind::device, at}, 4)), 700u);
  EXPECT_EQ(ask(queue::Allocate{.bytes = 8}), 700u);
  EXPECT_EQ(ask(queue::Synchronise{.what = queue::Synchronise::What::device}), 700u);
  EXPECT_EQ(gpu_.memory.live_count(), used);
  const report::Report report = gpu_.take_report();
  EXPECT_EQ(report.launches.size(), 1u);
  EXPECT_EQ(ask(queue::Reset{0}), 0u);
  EXPECT_EQ(ask(queue::Allocate{.bytes = 8}), 0u);
  EXPECT_EQ(ended(), "");
}

TEST_F(FrontTest, AStreamStandsStillUntilTheFunctionIsDone) {
  const std::uint64_t at = memory(8);
  // What the function says is carried out before the marker is answered.
  const std::uint64_t marker = sequence_ + 1;
  sequence_ = marker;
  next_ = {record_of(queue::Set{.stream = kStream, .address = at, .shape = {.width = 8}}, false),
           record_of(queue::Done{5}, true)};
  sequence_ = marker - 1;
  heard_.clear();
  say(queue::Marker{kStream, 5});
  ASSERT_EQ(heard_.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<queue::Reached>(heard_[0].body));
  EXPECT_EQ(heard_[1].sequence, marker + 1);
  EXPECT_EQ(heard_[2].sequence, marker);
}

TEST_F(FrontTest, AClientThatGoesMeanwhileHangsNobody) {
  say(queue::Marker{kStream, 5});
  EXPECT_EQ(ended(), "");
}

TEST_F(FrontTest, ABrokenRuleEndsTheConnectionOnce) {
  say(queue::Free{0x1234});
  EXPECT_NE(ended().find("Record 2 (free) breaks the grammar"), std::string::npos) << ended();
  EXPECT_TRUE(front_.ended());
  heard_.clear();
  say(queue::Allocate{.bytes = 8});
  EXPECT_TRUE(heard_.empty());
  const report::Report report = gpu_.take_report();
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_FALSE(report.findings[0].warning);
}

TEST_F(FrontTest, ByeIsTheLast) {
  EXPECT_EQ(ask(queue::Bye{}), 0u);
  EXPECT_TRUE(front_.ended());
}

}  // namespace
}  // namespace simgpu::device
