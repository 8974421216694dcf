/// @file
/// Records through the rings, between two threads and two processes; and the end of either side.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "simgpu/link/channel.hpp"
#include "simgpu/link/port.hpp"

namespace simgpu::link {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// A record of this many bytes that says so in its head, and counts up behind it.
std::vector<std::byte> record_of(std::size_t bytes, unsigned seed) {
  std::vector<std::byte> record(bytes);
  const auto size = static_cast<std::uint32_t>(bytes);
  std::memcpy(record.data(), &size, sizeof size);
  for (std::size_t i = sizeof size; i < bytes; ++i) record[i] = static_cast<std::byte>(seed + i * 7);
  return record;
}

std::vector<std::byte> receive_one(Port& port) {
  std::vector<std::byte> record;
  while (!port.receive(record) && !port.other_is_gone()) port.wait(Port::kLook);
  return record;
}

class LinkTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string problem;
    pages_.emplace(*Pages::make(problem));
    ASSERT_EQ(problem, "");
    sockets_ = *connected_sockets();
  }
  void TearDown() override {
    for (const int each : {sockets_.ours, sockets_.theirs})
      if (each >= 0) ::close(each);
  }
  Port client() { return {*pages_, Side::client, sockets_.ours, kMost}; }
  Port device() { return {*pages_, Side::device, sockets_.theirs, kMost}; }

  static constexpr std::size_t kMost = std::size_t{16} << 20;
  std::optional<Pages> pages_;
  Sockets sockets_;
};

TEST_F(LinkTest, RecordsGoRoundTheRingManyTimes) {
  // The lengths of a thousand records share no factor with the ring's: they meet its end at every place.
  Port from = client(), to = device();
  std::thread sender([&] {
    for (unsigned i = 0; i < 1000; ++i) ASSERT_TRUE(from.send(record_of(24 + 8 * (i * 37 % 4099), i)));
  });
  for (unsigned i = 0; i < 1000; ++i) ASSERT_EQ(receive_one(to), record_of(24 + 8 * (i * 37 % 4099), i)) << i;
  sender.join();
  std::vector<std::byte> none;
  EXPECT_FALSE(to.receive(none));
}

TEST_F(LinkTest, ARecordLongerThanTheRingGoesThroughInParts) {
  Port from = device(), to = client();
  const auto record = record_of(3 * kRingBytes + 8, 5);
  std::thread sender([&] { EXPECT_TRUE(from.send(record)); });
  EXPECT_EQ(receive_one(to), record);
  sender.join();
}

TEST_F(LinkTest, ALongerRecordThanAllowedShowsItsHeadAlone) {
  Port from = client();
  Port to(*pages_, Side::device, sockets_.theirs, 64);
  std::vector<std::byte> record = record_of(72, 1), got;
  ASSERT_TRUE(from.send(record));
  ASSERT_TRUE(to.receive(got));
  EXPECT_EQ(got.size(), 24u);
}

TEST_F(LinkTest, BothWritersMayFindNoRoomAtOnce) {
  // Each side sends more than both rings hold before it listens: without listening meanwhile neither would go on.
  Port one = client(), other = device();
  std::size_t heard = 0;
  std::thread far([&] {
    for (unsigned i = 0; i < 40; ++i) ASSERT_TRUE(other.send(record_of(kRingBytes / 8, i)));
    for (unsigned i = 0; i < 40; ++i) receive_one(other);
  });
  std::vector<std::byte> record;
  const auto listen = [&] {
    while (one.receive(record)) ++heard;
  };
  for (unsigned i = 0; i < 40; ++i) ASSERT_TRUE(one.send(record_of(kRingBytes / 8, i), listen));
  while (heard < 40) {
    one.wait(Port::kLook);
    listen();
  }
  far.join();
  EXPECT_EQ(heard, 40u);
}

TEST_F(LinkTest, APlaceThatCannotBeBreaksTheRing) {
  Port to = device();
  pages_->head(Pages::Way::commands).written = static_cast<std::uint32_t>(kRingBytes + 1);
  std::vector<std::byte> none;
  EXPECT_FALSE(to.receive(none));
  EXPECT_TRUE(to.broken());
  Port from = client();
  pages_->head(Pages::Way::commands).read = 5;  // of nothing that was written
  EXPECT_FALSE(from.send(record_of(64, 0)));
  EXPECT_TRUE(from.broken());
}

TEST_F(LinkTest, WhoSleepsIsNudged) {
  Port to = device();
  const auto begin = steady_clock::now();
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds(30));
    to.nudge();
  });
  to.wait(std::chrono::seconds(20));
  other.join();
  EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(10));
}

/// Runs @p body in a process of its own that has the other end. @return its id.
template <typename Body>
pid_t in_other_process(int keep, int drop, Body body) {
  const pid_t child = ::fork();
  if (child != 0) {
    ::close(keep);
    return child;
  }
  ::close(drop);
  body();
  ::_exit(0);
}

TEST_F(LinkTest, TheEndOfTheOtherSideIsSeenWhoeverWaits) {
  const pid_t child = in_other_process(sockets_.theirs, sockets_.ours, [] { ::pause(); });
  sockets_.theirs = -1;
  Port port = client();
  EXPECT_FALSE(port.other_is_gone());
  ::kill(child, SIGKILL);
  EXPECT_TRUE(receive_one(port).empty());  // waits for what will never come
  EXPECT_FALSE(port.send(record_of(2 * kRingBytes, 1)));
  ::waitpid(child, nullptr, 0);
}

TEST_F(LinkTest, DescriptorsGoWithTexts) {
  const int given[] = {pages_->descriptor()};
  ASSERT_TRUE(send_text(sockets_.ours, "pages", given));
  ASSERT_TRUE(send_text(sockets_.ours, std::string(100'000, 'x')));
  std::vector<int> came;
  EXPECT_EQ(receive_text(sockets_.theirs, &came), "pages");
  ASSERT_EQ(came.size(), 1u);
  std::string problem;
  const auto same = Pages::open(came[0], problem);
  ASSERT_TRUE(same) << problem;
  pages_->staging()[77] = std::byte{42};
  EXPECT_EQ(same->staging()[77], std::byte{42});
  EXPECT_EQ(receive_text(sockets_.theirs)->size(), 100'000u);
  ::close(sockets_.ours);
  sockets_.ours = -1;
  EXPECT_FALSE(receive_text(sockets_.theirs));
}

TEST_F(LinkTest, OtherPagesAreRefused) {
  int both[2];
  ASSERT_EQ(::pipe(both), 0);
  ::close(both[1]);
  std::string problem;
  EXPECT_FALSE(Pages::open(both[0], problem));
  EXPECT_NE(problem, "");
}

/// Prints what a round trip costs; the loosest bound that a busy machine keeps.
TEST_F(LinkTest, ARoundTripToAnotherProcess) {
  constexpr int kTrips = 20'000;
  const pid_t child = in_other_process(sockets_.theirs, sockets_.ours, [&] {
    Port echo = device();
    for (int i = 0; i < kTrips; ++i) {
      const auto record = receive_one(echo);
      if (record.empty() || !echo.send(record)) return;
    }
  });
  sockets_.theirs = -1;
  Port port = client();
  const auto record = record_of(64, 3);
  std::vector<double> microseconds;
  for (int i = 0; i < kTrips; ++i) {
    const auto begin = steady_clock::now();
    ASSERT_TRUE(port.send(record));
    ASSERT_EQ(receive_one(port).size(), record.size());
    microseconds.push_back(std::chrono::duration<double, std::micro>(steady_clock::now() - begin).count());
  }
  ::waitpid(child, nullptr, 0);
  std::sort(microseconds.begin(), microseconds.end());
  std::printf("round trip: median %.2f us, 99 %% %.1f us\n", microseconds[kTrips / 2],
              microseconds[kTrips * 99 / 100]);
  EXPECT_LT(microseconds[kTrips / 2], 2000);
}

}  // namespace
}  // namespace simgpu::link
