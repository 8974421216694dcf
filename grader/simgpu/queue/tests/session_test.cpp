/// @file
/// What may follow what.
#include "simgpu/queue/session.hpp"

#include <string>

#include "gtest/gtest.h"

namespace simgpu::queue {
namespace {

/// A connection of two devices with a stream, a module of one kernel, 4096 bytes on the device and 4096 that are shared.
class SessionTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kDevice = 0x10000, kShared = 0x20000;

  std::string say(Body body) {
    const auto problem = session_.admit({next_, 0, std::move(body)});
    if (!problem) ++next_;
    return problem.value_or("");
  }
  void SetUp() override {
    ASSERT_EQ(say(Hello{1, 2, 12}), "");
    ASSERT_EQ(say(MakeStream{1, 0, MakeStream::Kind::blocking, 0}), "");
    ASSERT_EQ(say(Load{1, 0, {}}), "");
    session_.loaded(1, {8});
    ASSERT_EQ(say(Allocate{.bytes = 4096, .align = 256}), "");
    session_.allocated(Allocate::Kind::device, kDevice, 4096);
    ASSERT_EQ(say(Allocate{.kind = Allocate::Kind::pinned, .bytes = 4096, .align = 256}), "");
    session_.allocated(Allocate::Kind::pinned, kShared, 4096);
  }
  static Copy copy(Place to, Place from, std::uint64_t bytes) {
    return {.stream = 1, .to = to, .from = from, .shape = {.width = bytes}};
  }
  void refuses(Body body, const char* why) {
    const std::string problem = say(std::move(body));
    EXPECT_NE(problem.find(why), std::string::npos) << "expected: " << why << "\nsaid: " << problem;
    EXPECT_TRUE(problem.ends_with(".")) << problem;
  }

  Session session_{1 << 20};
  std::uint64_t next_ = 1;
};

TEST_F(SessionTest, AUsualCourse) {
  EXPECT_EQ(say(copy({Place::Kind::device, kDevice}, {Place::Kind::staging, 0}, 4096)), "");
  EXPECT_EQ(say(copy({Place::Kind::pages, kShared + 8}, {Place::Kind::device, kDevice + 8}, 4088)), "");
  EXPECT_EQ(say(Launch{.stream = 1, .module = 1, .parameters = {.inside = std::vector<std::byte>(8)}}), "");
  EXPECT_EQ(say(Wait{1, 5}), "");  // of an event that was never recorded
  EXPECT_EQ(say(Record{1, 5}), "");
  EXPECT_EQ(say(Query{Query::What::event, 5}), "");
  EXPECT_EQ(say(Elapsed{5, 5}), "");
  EXPECT_EQ(say(EventGone{5}), "");
  EXPECT_EQ(say(Marker{1, 3}), "");
  session_.reached(3);
  EXPECT_EQ(say(Done{3}), "");
  EXPECT_EQ(say(Marker{1, 3}), "");  // a token that is done is free again
  EXPECT_EQ(say(Move{1, Move::kHost, kShared, 64}), "");
  EXPECT_EQ(say(Map{0, 0x50000, 100}), "");
  EXPECT_EQ(say(copy({Place::Kind::pages, 0x50000}, {Place::Kind::device, kDevice}, 100)), "");
  EXPECT_EQ(say(Unmap{0x50000}), "");
  EXPECT_EQ(say(Needs{1, 0}), "");
  EXPECT_EQ(say(Object{.levels = {Texels{.address = kDevice, .width = 16, .height = 4, .pitch = 64}}}), "");
  session_.made(Object::What::texture, 1);
  EXPECT_EQ(say(ObjectGone{Object::What::texture, 1}), "");
  EXPECT_EQ(say(Synchronise{Synchronise::What::device, 0}), "");
  EXPECT_EQ(say(Free{kDevice}), "");
  EXPECT_EQ(say(Unload{1}), "");
  EXPECT_EQ(say(StreamGone{1}), "");
  EXPECT_EQ(say(Bye{}), "");
}

TEST_F(SessionTest, HelloIsFirstAndOnceAndByeIsLast) {
  EXPECT_NE(Session(0).admit({1, 0, Bye{}}).value_or("").find("hello comes first"), std::string::npos);
  EXPECT_NE(Session(0).admit({1, 0, Hello{2, 1, 1}}).value_or("").find("version 2"), std::string::npos);
  EXPECT_NE(Session(0).admit({1, 0, Hello{1, 17, 1}}).value_or("").find("not 17"), std::string::npos);
  EXPECT_NE(Session(0).admit({1, 0, Hello{1, 1, 0}}).value_or("").find("at least 1"), std::string::npos);
  refuses(Hello{1, 2, 12}, "hello is said once");
  ASSERT_EQ(say(Bye{}), "");
  refuses(Free{kDevice}, "bye was said before it");
}

TEST_F(SessionTest, WhatIsTouchedWasClosed) {
  refuses(Touched{.id = 1}, "nothing was closed in the name of 1");
  session_.closed(7);
  session_.closed(3);
  EXPECT_EQ(say(Touched{.id = 7}), "");
  EXPECT_EQ(say(Touched{.id = 3}), "") << "another thread touched it when it was closed still";
  refuses(Touched{.id = 0}, "nothing was closed");
  refuses(Touched{.id = 8}, "nothing was closed");
}

TEST_F(SessionTest, ALeaseIsOfWhatIsAllocated) {
  EXPECT_EQ(say(Lease{1, 0, false, kDevice}), "");
  refuses(Lease{9, 0, true, kDevice}, "there is no stream 9");
  refuses(Lease{1, 0, true, 0x1000}, "it is about memory that is not allocated");
}

TEST_F(SessionTest, AConditionIsAssignedBeforeItIsAskedFor) {
  refuses(Condition{3, Condition::What::ask}, "there is no condition 3");
  EXPECT_EQ(say(Condition{3, Condition::What::assign, 7}), "");
  EXPECT_EQ(say(Condition{3, Condition::What::assign, 0}), "");
  EXPECT_EQ(say(Condition{3, Condition::What::ask}), "");
  EXPECT_EQ(say(Condition{3, Condition::What::gone}), "");
  refuses(Condition{3, Condition::What::gone}, "there is no condition 3");
}

TEST_F(SessionTest, TheSequenceGrowsByOne) {
  next_ += 1;
  refuses(Free{kDevice}, "record 5 comes before it");
  next_ -= 2;
  refuses(Free{kDevice}, "record 5 comes before it");
}

TEST_F(SessionTest, IdsAreOfWhatThereIs) {
  refuses(MakeStream{1, 1, MakeStream::Kind::blocking, 0}, "stream 1 is in use");
  refuses(MakeStream{2, 0, MakeStream::Kind::legacy, 0}, "device 0 has a legacy stream already");
  refuses(MakeStream{kLegacyStreams + 5, 0, MakeStream::Kind::blocking, 0}, "the id of a legacy one");
  refuses(MakeStream{2, 2, MakeStream::Kind::blocking, 0}, "there is no device 2");
  refuses(StreamGone{2}, "there is no stream 2");
  refuses(Load{1, 0, {}}, "module 1 is in use");
  refuses(Unload{2}, "there is no module 2");
  refuses(Launch{.stream = 2, .module = 1}, "there is no stream 2");
  refuses(Launch{.stream = 1, .module = 2}, "there is no module 2");
  refuses(Launch{.stream = 1, .module = 1, .kernel = 1}, "none with number 1");
  refuses(Launch{.stream = 1, .module = 1}, "takes 8 bytes of parameters, not 0");
  refuses(Record{2, 1}, "there is no stream 2");
  refuses(EventGone{1}, "there is no event 1");
  refuses(Query{Query::What::stream, 9}, "there is no stream 9");
  refuses(Query{Query::What::event, 9}, "there is no event 9");
  refuses(Synchronise{Synchronise::What::device, 2}, "there is no device 2");
  refuses(Elapsed{9, 9}, "there is no event 9");
  refuses(Allocate{.stream = 9, .bytes = 1}, "there is no stream 9");
  refuses(Free{kDevice, 9, 0}, "there is no stream 9");
  refuses(Needs{2, 0}, "there is no module 2");
  refuses(Needs{1, 1}, "none with number 1");
  refuses(ObjectGone{Object::What::surface, 1}, "there is no object 1");
  refuses(Reset{2}, "there is no device 2");
  refuses(Limit{2, Limit::Which::heap, 1}, "there is no device 2");
  refuses(Peer{1, 1, true}, "no peer of itself");
  refuses(Peer{1, 2, true}, "there is no device 2");
  refuses(Move{1, 2, kShared, 8}, "there is no device 2");
}

TEST_F(SessionTest, AddressesAreOfTheClientsMemory) {
  refuses(copy({Place::Kind::device, kDevice}, {Place::Kind::staging, 0}, 4097),
          "it writes outside the allocations");
  refuses(copy({Place::Kind::device, kDevice - 1}, {Place::Kind::staging, 0}, 1),
          "it writes outside the allocations");
  refuses(copy({Place::Kind::device, kShared}, {Place::Kind::staging, 0}, 1),
          "it writes outside the allocations");
  refuses(copy({Place::Kind::device, kDevice}, {Place::Kind::pages, kDevice}, 1),
          "it reads outside the allocations");
  refuses(copy({Place::Kind::device, kDevice}, {Place::Kind::staging, 1 << 20}, 1),
          "it reads outside the staging pages");
  Copy rows = copy({Place::Kind::device, kDevice}, {Place::Kind::staging, 0}, 8);
  rows.shape.height = 5;
  rows.shape.to_pitch = 1024;
  refuses(rows, "it writes outside the allocations");
  refuses(Set{.stream = 1, .address = kDevice + 4090, .shape = {.width = 8}},
          "it writes outside the allocations");
  refuses(Free{kDevice + 1}, "no allocation begins at 0x10001");
  refuses(Unmap{kShared}, "no mapping begins at 0x20000");
  refuses(Map{0, kShared + 100, 8}, "is mapped or allocated already");
  refuses(Map{0, kShared - 8, 16}, "is mapped or allocated already");
  refuses(Move{1, 0, kShared + 4000, 100}, "not within an allocation");
  refuses(Advise{Advise::What::map, 0, kDevice, 8}, "not within an allocation");
  refuses(Object{.levels = {Texels{.address = kDevice, .width = 16, .height = 65, .pitch = 64}}},
          "its texels are not within an allocation");
  refuses(Object{.levels = {Texels{.address = kDevice, .width = 16, .height = 2, .pitch = 32}}},
          "longer than their pitch");
  refuses(Load{2, 0, {.inside = {}, .staged = true, .length = 1 << 20, .offset = 8}},
          "not within the staging pages");
  ASSERT_EQ(say(Free{kDevice}), "");
  refuses(copy({Place::Kind::device, kDevice}, {Place::Kind::staging, 0}, 1),
          "it writes outside the allocations");
}

TEST_F(SessionTest, EachDeviceHasALegacyStreamFromTheStart) {
  EXPECT_EQ(say(Record{kLegacyStreams + 1, 1}), "");
  refuses(Record{kLegacyStreams + 2, 1}, "there is no stream");
  refuses(StreamGone{kLegacyStreams}, "a legacy stream stays");
  session_.set_devices(3);
  EXPECT_EQ(say(Record{kLegacyStreams + 2, 1}), "");
  session_.set_devices(1);
  refuses(Record{kLegacyStreams + 1, 1}, "there is no stream");
}

TEST_F(SessionTest, AMemsetNodeMayHaveNoBytes) {
  EXPECT_EQ(say(Set{.stream = 1, .address = kDevice, .shape = {.width = 0}}), "");
  refuses(Set{.stream = 1, .address = 8, .shape = {.width = 0}}, "it writes outside the allocations");
  // Its bytes are 2^64, of which 64 bits know nothing.
  refuses(
      Set{.stream = 1, .address = kDevice, .shape = {.width = 4, .height = 1ull << 31, .depth = 1ull << 31}},
      "it writes outside the allocations");
}

TEST_F(SessionTest, VariablesAreTheModules) {
  constexpr std::uint64_t kVariable = 0x90000;
  ASSERT_EQ(say(Load{2, 0, {}}), "");
  session_.loaded(2, {}, {{.name = "v", .where = {kVariable, 9}, .bytes = 64}});
  EXPECT_EQ(say(copy({Place::Kind::device, kVariable}, {Place::Kind::staging, 0}, 64)), "");
  refuses(Free{kVariable}, "no allocation begins at 0x90000");
  ASSERT_EQ(say(Reset{0}), "");  // takes the memory, not the modules
  EXPECT_EQ(say(copy({Place::Kind::device, kVariable}, {Place::Kind::staging, 0}, 64)), "");
  refuses(copy({Place::Kind::device, kDevice}, {Place::Kind::staging, 0}, 8),
          "it writes outside the allocations");
  ASSERT_EQ(say(Unload{2}), "");
  refuses(copy({Place::Kind::device, kVariable}, {Place::Kind::staging, 0}, 64),
          "it writes outside the allocations");
}

TEST_F(SessionTest, WhatIsPassedInPiecesGoesWithOneCommand) {
  Copy in = copy({Place::Kind::device, kDevice}, {Place::Kind::passed, 0}, 96);
  refuses(in, "it takes 96 bytes, and 0 were passed");
  ASSERT_EQ(say(Pass{0, 64}), "");
  refuses(in, "it takes 96 bytes, and 64 were passed");
  refuses(Pass{(1 << 20) - 8, 16}, "not within the staging pages");
  refuses(Pass{0, 0}, "not within the staging pages");
  ASSERT_EQ(say(Pass{0, 32}), "");
  EXPECT_EQ(say(in), "");
  refuses(in, "it takes 96 bytes, and 0 were passed");
  refuses(Load{2, 0, {.staged = true, .length = 8, .offset = Bytes::kPassed}}, "0 were passed");
}

TEST_F(SessionTest, WhatACopyBringsInPiecesIsFetchedOnce) {
  const std::uint64_t out = next_;
  Copy brings = copy({Place::Kind::passed, 0}, {Place::Kind::device, kDevice}, 96);
  ASSERT_EQ(say(brings), "");
  refuses(Fetch{out, 0, 97}, "it fetches more than");
  refuses(Fetch{out, 1 << 20, 1}, "not within the staging pages");
  EXPECT_EQ(say(Fetch{out, 0, 64}), "");
  EXPECT_EQ(say(Fetch{out, 64, 32}), "");
  refuses(Fetch{out, 0, 1}, "has brought nothing");
  // Nobody makes the device take much memory for few bytes.
  brings.shape = {.width = 8, .height = 1u << 30, .to_pitch = 8, .from_pitch = 0};
  refuses(brings, "its rows overlap");
  brings.shape = {.width = 8, .height = 2, .depth = 1u << 30, .to_pitch = 8, .to_slice = 16, .from_pitch = 8};
  refuses(brings, "its rows overlap");
  brings.shape = {.width = 8, .height = 2, .to_pitch = 1u << 30, .from_pitch = 8};
  refuses(brings, "has gaps");
}

TEST_F(SessionTest, TokensAreReachedBeforeTheyAreDone) {
  ASSERT_EQ(say(Marker{1, 3}), "");
  refuses(Done{3}, "no stream has reached token 3");
  refuses(Done{4}, "no stream has reached token 4");
  refuses(Marker{1, 3}, "token 3 is in use");
  session_.reached(3);
  EXPECT_EQ(say(Done{3}), "");
  refuses(Done{3}, "no stream has reached token 3");
}

TEST_F(SessionTest, NodesOfAGraphHaveAPlaceBeforeTheyAreCarriedOut) {
  using Step = Graph::Step;
  refuses(Graph{1, Step::place, 0, {}}, "no graph runs in its stream");
  ASSERT_EQ(say(Graph{1, Step::begin, 2, {}}), "");
  refuses(Graph{1, Step::begin, ~0u, {}}, "1048576 nodes at most");
  refuses(Graph{1, Step::enter, 0, {}}, "node 0 has no place yet");
  refuses(Graph{1, Step::place, 1, {0}}, "node 0 has no place yet");
  refuses(Graph{1, Step::place, 2, {}}, "none with number 2");
  ASSERT_EQ(say(Graph{1, Step::place, 0, {}}), "");
  refuses(Graph{1, Step::place, 0, {}}, "has its place already");
  ASSERT_EQ(say(Graph{1, Step::enter, 0, {}}), "");
  refuses(Graph{1, Step::enter, 0, {}}, "is being carried out");
  refuses(Graph{1, Step::leave, 1, {}}, "node 1 is not being carried out");
  ASSERT_EQ(say(Graph{1, Step::begin, 1, {}}), "");  // a graph in a graph
  ASSERT_EQ(say(Graph{1, Step::end, 0, {}}), "");
  ASSERT_EQ(say(Marker{1, 5}), "");
  ASSERT_EQ(say(Graph{1, Step::leave, 0, {}}), "");
  ASSERT_EQ(say(Graph{1, Step::place, 1, {0}}), "");
  ASSERT_EQ(say(Graph{1, Step::enter, 1, {}}), "");
  ASSERT_EQ(say(Marker{1, 5}), "");  // it may come to a token again
  ASSERT_EQ(say(Graph{1, Step::end, 0, {}}), "");
  refuses(Graph{1, Step::end, 0, {}}, "no graph runs in its stream");
  refuses(Marker{1, 5}, "token 5 is in use");
}

}  // namespace
}  // namespace simgpu::queue
