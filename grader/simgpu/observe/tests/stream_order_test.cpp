/// @file
/// Which pieces of work are told to be unordered, held against rules of CUDA; and sets of bytes against a plain set.
#include "simgpu/observe/stream_order.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace simgpu::observe {
namespace {

constexpr Lane kLegacy = 0, kOne = 17, kTwo = 18, kFree = 19;

class StreamOrderTest : public testing::Test {
 protected:
  StreamOrderTest() {
    order.add_lane(kLegacy, 0, true, true);
    order.add_lane(kOne, 0, true);
    order.add_lane(kTwo, 0, true);
    order.add_lane(kFree, 0, false);
  }
  /// @return with how many earlier pieces of work this one races.
  int work(Lane lane, Touched touched) {
    int found = 0;
    order.begin(lane);
    Work w;
    w.lane = lane;
    w.touched = std::move(touched);
    order.finish(std::move(w), [&](const Unordered&) { ++found; });
    return found;
  }
  static Touched writes(std::uint64_t at, std::size_t bytes = 64) {
    Touched t;
    t.writes = ByteSet::of(at, bytes);
    return t;
  }
  static Touched reads(std::uint64_t at, std::size_t bytes = 64) {
    Touched t;
    t.reads = ByteSet::of(at, bytes);
    return t;
  }
  static Touched atomics(std::uint64_t at, bool fences = false) {
    Touched t;
    t.strong_reads = t.strong_writes = ByteSet::of(at, 4);
    t.fences = fences;
    return t;
  }
  StreamOrder order;
};

TEST_F(StreamOrderTest, DevicesAreOrderedByWhatWaitsForBoth) {
  constexpr Lane kOther = 1, kLater = 20;
  order.add_lane(kOther, 1, true, true);
  EXPECT_EQ(work(kFree, writes(0)), 0);
  EXPECT_EQ(work(kOther, writes(0)), 1) << "default streams of two devices do not wait for each other";
  order.wait_for_device(kOther, 0);
  EXPECT_EQ(work(kOther, writes(0)), 0);
  order.device_waits(0, kOther);
  EXPECT_EQ(work(kFree, writes(0)), 0);
  order.add_lane(kLater, 0, false);
  EXPECT_EQ(work(kLater, reads(0)), 1) << "of the work since then it knows nothing";
  order.add_lane(kLater + 1, 0, false);
  EXPECT_EQ(work(kOther, writes(256)), 0);
  order.device_waits(0, kOther);
  EXPECT_EQ(work(kLater + 1, reads(256)), 0) << "a stream that is made later comes later as well";
}

TEST_F(StreamOrderTest, WorkOfOneStreamIsInOrder) {
  EXPECT_EQ(work(kOne, writes(0)), 0);
  EXPECT_EQ(work(kOne, reads(0)), 0);
}

TEST_F(StreamOrderTest, WorkOfTwoStreamsIsNot) {
  work(kOne, writes(0));
  EXPECT_EQ(work(kTwo, reads(63)), 1);
  EXPECT_EQ(work(kTwo, reads(64)), 0) << "other bytes";
  EXPECT_EQ(work(kFree, writes(32, 32)), 2) << "with the writer and with the reader of byte 63";
}

TEST_F(StreamOrderTest, ReadersDoNotRace) {
  work(kOne, reads(0));
  EXPECT_EQ(work(kTwo, reads(0)), 0);
  EXPECT_EQ(work(kFree, writes(0)), 2);
}

TEST_F(StreamOrderTest, ACopyMeetsThoseThatHaveItsSourceOrItsDestination) {
  const auto copy = [](std::uint64_t from, std::uint64_t to) {
    Touched t;
    t.reads = ByteSet::of(from, 64);
    t.writes = ByteSet::of(to, 64);
    return t;
  };
  work(kOne, copy(0, 4096));
  EXPECT_EQ(work(kTwo, copy(1024, 2048)), 0) << "both lie between the other's source and destination";
  EXPECT_EQ(work(kTwo, copy(0, 8192)), 0) << "both read it";
  EXPECT_EQ(work(kFree, copy(512, 0)), 2) << "writes what two read";
  order.host_waits_for_device(0);
  work(kOne, copy(0, 4096));
  EXPECT_EQ(work(kTwo, copy(4096, 8192)), 1);
}

TEST_F(StreamOrderTest, OldestAndNewestOfManyAreFound) {
  for (std::uint64_t k = 0; k < 1000; ++k) work(kOne, writes(k * 64));
  EXPECT_EQ(work(kTwo, reads(0)), 1);
  EXPECT_EQ(work(kTwo, reads(999 * 64)), 1);
  const LaneClock so_far = order.record(kOne);
  work(kOne, writes(0));
  order.wait(kTwo, so_far);
  EXPECT_EQ(work(kTwo, reads(0)), 1) << "only with the last one";
  EXPECT_EQ(work(kTwo, reads(64)), 0);
}

TEST_F(StreamOrderTest, AnEventOrders) {
  work(kOne, writes(0));
  order.wait(kTwo, order.record(kOne));
  EXPECT_EQ(work(kTwo, reads(0)), 0);
}

TEST_F(StreamOrderTest, AnEventKnowsNothingOfWhatComesAfterIt) {
  const LaneClock early = order.record(kOne);
  work(kOne, writes(0));
  order.wait(kTwo, early);
  EXPECT_EQ(work(kTwo, reads(0)), 1);
}

TEST_F(StreamOrderTest, OrderIsPassedOn) {
  work(kOne, writes(0));
  order.wait(kTwo, order.record(kOne));
  order.wait(kFree, order.record(kTwo));
  EXPECT_EQ(work(kFree, writes(0)), 0);
}

TEST_F(StreamOrderTest, TheHostOrdersWhatItHasWaitedFor) {
  work(kOne, writes(0));
  work(kTwo, writes(100));
  order.host_waits(kOne);
  EXPECT_EQ(work(kFree, reads(0)), 0);
  EXPECT_EQ(work(kFree, reads(100)), 1);
  order.host_waits_for_device(0);
  EXPECT_EQ(order.outstanding(), 0u);
  EXPECT_EQ(work(kFree, reads(100)), 0);
}

TEST_F(StreamOrderTest, TheLegacyStreamOrdersThoseThatBlock) {
  work(kOne, writes(0));
  work(kFree, writes(100));
  EXPECT_EQ(work(kLegacy, reads(0)), 0);
  EXPECT_EQ(work(kLegacy, reads(100)), 1);
  work(kLegacy, writes(200));
  EXPECT_EQ(work(kTwo, reads(200)), 0);
  EXPECT_EQ(work(kTwo, writes(0)), 0) << "stream 1 before the legacy stream before stream 2";
  EXPECT_EQ(work(kFree, reads(200)), 1);
}

TEST_F(StreamOrderTest, TheLegacyStreamOfAnotherDeviceOrdersNothing) {
  order.add_lane(1, 1, true, true);
  work(kOne, writes(0));
  EXPECT_EQ(work(1, reads(0)), 1);
}

TEST_F(StreamOrderTest, AtomicsDoNotRaceWithEachOther) {
  work(kOne, atomics(0));
  EXPECT_EQ(work(kTwo, atomics(0)), 0);
  EXPECT_EQ(work(kFree, reads(0)), 2);
}

TEST_F(StreamOrderTest, AFlagOrdersIfBothSidesHaveFences) {
  Touched tells = atomics(0, true);
  tells.writes = ByteSet::of(100, 64);
  Touched sees = atomics(0, true);
  sees.reads = ByteSet::of(100, 64);
  work(kOne, tells);
  EXPECT_EQ(work(kTwo, sees), 0);
  sees.fences = false;
  EXPECT_EQ(work(kFree, sees), 1);
}

TEST_F(StreamOrderTest, AStreamThatIsNoMoreStillHasWork) {
  work(kOne, writes(0));
  order.remove_lane(kOne);
  EXPECT_EQ(work(kTwo, reads(0)), 1);
  EXPECT_EQ(work(kLegacy, reads(0)), 0);
  order.host_waits_for_device(0);
  EXPECT_EQ(work(kTwo, reads(0)), 0);
}

TEST_F(StreamOrderTest, BranchesOfAGraph) {
  work(kOne, writes(0));
  const Lane left = order.branch(kOne), right = order.branch(kOne);
  EXPECT_EQ(work(left, reads(0)), 0) << "after the launch";
  work(left, writes(100));
  EXPECT_EQ(work(right, reads(100)), 1);
  for (const Lane branch : {left, right}) {
    order.wait(kOne, order.record(branch));
    order.remove_lane(branch);
  }
  EXPECT_EQ(work(kOne, writes(100)), 0);
  order.host_waits(kOne);
  EXPECT_EQ(order.outstanding(), 0u);
}

TEST_F(StreamOrderTest, TheHostIsToldWhenItKnows) {
  bool known = false;
  order.begin(kOne);
  Work w;
  w.lane = kOne;
  w.touched = writes(0);
  w.known = [&] { known = true; };
  order.finish(std::move(w), [](const Unordered&) {});
  order.host_waits(kTwo);
  EXPECT_FALSE(known);
  order.host_waits(kOne);
  EXPECT_TRUE(known);
}

TEST_F(StreamOrderTest, TheOldestGoesWhenThereIsNoRoom) {
  for (std::size_t i = 0; i <= StreamOrder::kMostWork; ++i) work(kOne, writes(64 * i));
  EXPECT_EQ(order.forgotten(), 1u);
  EXPECT_EQ(work(kTwo, reads(64)), 1);
  EXPECT_EQ(work(kTwo, reads(0)), 0);
}

// The same rules, said by edges between nodes and followed one by one.
class Edges {
 public:
  struct Node {
    Lane lane = 0;
    bool work = false;
    std::vector<std::size_t> before;
  };
  /// Something happens in @p lane: work, or a mark.
  std::size_t add(Lane lane, bool work) {
    Node node{lane, work, {}};
    if (host_) node.before.push_back(*host_);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Lane other = nodes_[i].lane;
      const bool both_block = lane != kFree && other != kFree;
      if (other == lane || (both_block && (lane == kLegacy || other == kLegacy))) node.before.push_back(i);
    }
    nodes_.push_back(node);
    return nodes_.size() - 1;
  }
  void wait(Lane lane, std::size_t mark) { nodes_[add(lane, false)].before.push_back(mark); }
  void host_waits(const std::vector<std::size_t>& marks) {
    Node node{kHost, false, marks};
    if (host_) node.before.push_back(*host_);
    nodes_.push_back(node);
    host_ = nodes_.size() - 1;
  }
  /// How many pieces of work do not come before @p of.
  int unordered(std::size_t of) const {
    std::vector<bool> reached(nodes_.size());
    std::vector<std::size_t> open{of};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      if (reached[at]) continue;
      reached[at] = true;
      open.insert(open.end(), nodes_[at].before.begin(), nodes_[at].before.end());
    }
    int count = 0;
    for (std::size_t i = 0; i < of; ++i) count += nodes_[i].work && !reached[i];
    return count;
  }

 private:
  static constexpr Lane kHost = ~0ull;
  std::vector<Node> nodes_;
  std::optional<std::size_t> host_;
};

TEST(RandomStreams, AreOrderedAsTheirEdgesSay) {
  std::mt19937 random(11);
  const auto pick = [&](std::uint32_t n) { return random() % n; };
  constexpr Lane kLanes[] = {kLegacy, kOne, kTwo, kFree};
  int ordered = 0, unordered = 0;
  for (int round = 0; round < 3000; ++round) {
    StreamOrder order;
    order.add_lane(kLegacy, 0, true, true);
    order.add_lane(kOne, 0, true);
    order.add_lane(kTwo, 0, true);
    order.add_lane(kFree, 0, false);
    Edges edges;
    struct Event {
      LaneClock clock;
      std::size_t mark = 0;
    };
    std::vector<Event> events;
    const bool few_defaults = pick(2) == 0;
    for (int step = 0; step < 24; ++step) {
      Lane lane = kLanes[pick(4)];
      if (few_defaults && lane == kLegacy && pick(4) != 0) lane = kFree;
      switch (pick(8)) {
        case 0:
        case 1:
          events.push_back({order.record(lane), edges.add(lane, false)});
          break;
        case 2:
        case 3:
          if (!events.empty()) {
            const Event& event = events[pick(static_cast<std::uint32_t>(events.size()))];
            order.wait(lane, event.clock);
            edges.wait(lane, event.mark);
          }
          break;
        case 4:
          if (pick(3) == 0) {
            order.host_waits(lane);
            edges.host_waits({edges.add(lane, false)});
          } else if (!events.empty() && pick(2) == 0) {
            const Event& event = events[pick(static_cast<std::uint32_t>(events.size()))];
            order.host_waits(event.clock);
            edges.host_waits({event.mark});
          }
          break;
        default: {
          int found = 0;
          order.begin(lane);
          Work work;
          work.lane = lane;
          work.touched.writes = ByteSet::of(0, 4);
          order.finish(std::move(work), [&](const Unordered&) { ++found; });
          const int expected = edges.unordered(edges.add(lane, true));
          ASSERT_EQ(found, expected) << "round " << round << ", step " << step;
          ++(expected == 0 ? ordered : unordered);
        }
      }
    }
  }
  EXPECT_GT(ordered, 3000);
  EXPECT_GT(unordered, 3000);
}

std::optional<std::uint64_t> first_common(const std::set<std::uint64_t>& a,
                                          const std::set<std::uint64_t>& b) {
  for (const std::uint64_t x : a)
    if (b.contains(x)) return x;
  return std::nullopt;
}

TEST(ByteSetTest, MeetsAsPlainSetsDo) {
  std::mt19937 random(7);
  const auto pick = [&](std::uint32_t n) { return static_cast<std::uint64_t>(random() % n); };
  for (int round = 0; round < 400; ++round) {
    ByteSet sets[2];
    std::set<std::uint64_t> plain[2];
    for (int s = 0; s < 2; ++s) {
      ByteCollector collector;
      const std::uint64_t base = 1'000'000 + pick(3) * 2000, step = 1 + pick(40), bytes = 1 + pick(40);
      const std::uint64_t count = pick(2) == 0 ? pick(10) : pick(400);
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t at = base + i * step + pick(2) * s;
        collector.add(at, bytes);
        for (std::uint64_t b = 0; b < bytes; ++b) plain[s].insert(at + b);
      }
      sets[s] = collector.take();
      ASSERT_EQ(sets[s].empty(), plain[s].empty());
      if (!plain[s].empty()) {
        ASSERT_EQ(sets[s].begin(), *plain[s].begin());
        ASSERT_EQ(sets[s].end(), *plain[s].rbegin() + 1);
      }
      for (int i = 0; i < 50; ++i) {
        const std::uint64_t at = base + pick(20'000);
        ASSERT_EQ(sets[s].contains(at), plain[s].contains(at));
      }
    }
    ASSERT_EQ(sets[0].meets(sets[1]), first_common(plain[0], plain[1])) << round;
    ASSERT_EQ(sets[1].meets(sets[0]), first_common(plain[0], plain[1])) << round;
  }
}

// A gather beside another one: scattered reads of a table above, and an output that ends before it.
TEST(ByteSetTest, WhatEndsBeforeAPageDoesNotMeetIt) {
  ByteCollector collector;
  collector.add(0x1000, 64);  // an index list, below the output
  for (std::uint64_t at = 0; at < ByteSet::kPageBytes; at += 8) collector.add(0x8000 + at, 4);
  const ByteSet gathered = collector.take(), written = ByteSet::of(0x2000, 64);
  EXPECT_FALSE(gathered.meets(written));
  EXPECT_FALSE(written.meets(gathered));
  EXPECT_EQ(gathered.meets(ByteSet::of(0x8004, 8)), 0x8008u);
}

TEST(ByteSetTest, RowsAndSlices) {
  const ByteSet rows = ByteSet::of(1000, 4, 3, 2, 10, 100);
  EXPECT_TRUE(rows.contains(1123));
  EXPECT_FALSE(rows.contains(1124));
  EXPECT_EQ(rows.begin(), 1000u);
  EXPECT_EQ(rows.end(), 1124u);
  EXPECT_FALSE(rows.meets(ByteSet::of(1004, 6)));
  EXPECT_EQ(rows.meets(ByteSet::of(1004, 7)), 1010u);
  EXPECT_FALSE(ByteSet::of(1, 0).contains(1));
}

}  // namespace
}  // namespace simgpu::observe
