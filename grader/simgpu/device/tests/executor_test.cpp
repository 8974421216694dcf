/// @file
/// The device without a client: driven by commands alone, each through a record.
#include "simgpu/device/executor.hpp"

#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "simgpu/observe/races.hpp"
#include "simgpu/observe/traffic.hpp"
#include "simgpu/observe/uninitialised.hpp"
#include "simgpu/queue/codec.hpp"
#include "simgpu/timing/cards.hpp"

namespace simgpu::device {
namespace {

/// Each thread adds `by` to its element.
constexpr const char* kAdd = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry add(.param .u64 p, .param .u32 by)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [by];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r3, [%rd3];
  add.s32 %r3, %r3, %r1;
  st.global.u32 [%rd3], %r3;
  ret;
}
)";

class ExecutorTest : public testing::Test {
 protected:
  static constexpr queue::Id kStream = 1, kModule = 1;

  ExecutorTest()
      : gpu_(*timing::card_named("h200")),
        executor_(gpu_, {.reached = [this](const queue::Reached& now) { reached_.push_back(now.token); },
                         .said = [this](const queue::Said& now) { said_ += now.text; },
                         .fault = [this](const queue::Fault& now) { faults_.push_back(now); }}) {
    gpu_.add_unit();
    gpu_.make_stream({.id = kStream});
    const auto* const code = reinterpret_cast<const std::byte*>(kAdd);
    EXPECT_EQ(say(queue::Load{kModule, 0, {.inside = {code, code + std::strlen(kAdd)}}, ""}),
              Status::success);
  }

  /// As a client in another process would say it.
  Status say(queue::Body body) {
    std::vector<std::byte> record;
    EXPECT_TRUE(queue::encode({.sequence = ++sequence_, .spent = 0, .body = std::move(body)}, record));
    const queue::Decoded read = queue::decode(record);
    EXPECT_EQ(read.problem, "");
    last_ = executor_.answer(read.command.body);
    return static_cast<Status>(last_.status);
  }
  std::uint64_t memory(std::size_t bytes) {
    EXPECT_EQ(say(queue::Allocate{.bytes = bytes, .align = 256}), Status::success);
    return std::get<queue::Allocated>(last_.body).address;
  }
  static queue::Copy copy(queue::Place to, queue::Place from, std::uint64_t bytes) {
    return {.stream = kStream,
            .call = queue::call_named("cudaMemcpy"),
            .to = to,
            .from = from,
            .shape = {.width = bytes},
            .waits = true};
  }
  static queue::Place host(const void* at) {
    return {queue::Place::Kind::staging, reinterpret_cast<std::uint64_t>(at)};
  }
  static queue::Launch launch(std::uint64_t address, std::uint32_t by) {
    queue::Launch command{.stream = kStream, .module = kModule};
    command.block = {32, 1, 1};
    command.parameters.inside.resize(12);
    std::memcpy(command.parameters.inside.data(), &address, 8);
    std::memcpy(command.parameters.inside.data() + 8, &by, 4);
    return command;
  }

  Gpu gpu_;
  std::vector<std::uint64_t> reached_;
  std::vector<queue::Fault> faults_;
  std::string said_;
  Executor executor_;
  queue::Answer last_;
  std::uint64_t sequence_ = 0;
};

TEST_F(ExecutorTest, CopiesInRunsAndCopiesOut) {
  const std::uint64_t at = memory(128);
  std::vector<std::uint32_t> in(32), out(32);
  std::iota(in.begin(), in.end(), 0u);
  EXPECT_EQ(say(copy({queue::Place::Kind::device, at}, host(in.data()), 128)), Status::success);
  EXPECT_EQ(say(launch(at, 100)), Status::success);
  EXPECT_EQ(say(copy(host(out.data()), {queue::Place::Kind::device, at}, 128)), Status::success);
  for (std::uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i + 100);
  const report::Report report = gpu_.take_report();
  ASSERT_EQ(report.launches.size(), 1u);
  EXPECT_EQ(report.launches[0].mangled, "add");
  EXPECT_EQ(report.copies.host_to_device_bytes, 128u);
  EXPECT_EQ(report.copies.device_to_host_bytes, 128u);
  EXPECT_EQ(report.host_waits.by_copy, 2u);
  EXPECT_TRUE(report.findings.empty());
  EXPECT_GT(report.elapsed_seconds, 0);
}

TEST_F(ExecutorTest, SetsUnitsOfEachSize) {
  const std::uint64_t at = memory(64);
  const std::byte* const bytes = gpu_.memory.find(at)->host;
  EXPECT_EQ(
      say(queue::Set{.stream = kStream, .unit = 1, .value = 0xAB, .address = at, .shape = {.width = 3}}),
      Status::success);
  EXPECT_EQ(say(queue::Set{
                .stream = kStream, .unit = 2, .value = 0x1234, .address = at + 8, .shape = {.width = 4}}),
            Status::success);
  EXPECT_EQ(say(queue::Set{.stream = kStream,
                           .unit = 4,
                           .value = 0x89ABCDEF,
                           .address = at + 16,
                           .shape = {.width = 4, .height = 2, .to_pitch = 8}}),
            Status::success);
  const unsigned char expected[] = {0xAB, 0xAB, 0xAB, 0xCD, 0xCD, 0xCD, 0xCD, 0xCD, 0x34, 0x12,
                                    0x34, 0x12, 0xCD, 0xCD, 0xCD, 0xCD, 0xEF, 0xCD, 0xAB, 0x89,
                                    0xCD, 0xCD, 0xCD, 0xCD, 0xEF, 0xCD, 0xAB, 0x89};
  EXPECT_EQ(std::memcmp(bytes, expected, sizeof expected), 0);
}

TEST_F(ExecutorTest, EventsOrderStreamsOnTheClock) {
  constexpr queue::Id kOther = 2, kEvent = 7;
  gpu_.make_stream({.id = kOther, .kind = queue::MakeStream::Kind::non_blocking});
  constexpr std::size_t kLong =
      16 << 20;  // the device needs longer for it than the host for the calls behind it
  const std::uint64_t at = memory(kLong);
  EXPECT_EQ(say(queue::Wait{kOther, kEvent}), Status::success);  // never recorded: orders nothing
  EXPECT_EQ(gpu_.unit(0).timeline.tail(kOther), 0);
  EXPECT_EQ(say(queue::Set{.stream = kStream, .address = at, .shape = {.width = kLong}}), Status::success);
  EXPECT_EQ(say(queue::Record{kStream, kEvent}), Status::success);
  EXPECT_EQ(say(queue::Wait{kOther, kEvent}), Status::success);
  EXPECT_EQ(say(queue::Marker{kOther, 41}), Status::success);
  EXPECT_DOUBLE_EQ(gpu_.unit(0).timeline.record(kOther),
                   gpu_.events.at(kEvent).instant + gpu_.card.host.host_function);  // a marker's own time
  EXPECT_GT(gpu_.events.at(kEvent).instant, 0);
  EXPECT_EQ(reached_, std::vector<std::uint64_t>{41});
}

// Catches calls that cost the host nothing: 32 small copies one by one took 5 us each on an H200, twenty small launches 4.5.
TEST_F(ExecutorTest, CallsTakeTheHostsTime) {
  const std::uint64_t from = memory(128), to = memory(128);
  const double begun = gpu_.unit(0).timeline.record(kStream);
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(say(copy({queue::Place::Kind::device, to}, {queue::Place::Kind::device, from}, 128)),
              Status::success);
  const double copied = gpu_.unit(0).timeline.record(kStream);
  EXPECT_NEAR(copied - begun, 8 * gpu_.card.host.copy_call, 2e-6);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(say(launch(to, 1)), Status::success);
  EXPECT_NEAR(gpu_.unit(0).timeline.record(kStream) - copied,
              8 * gpu_.card.host.launch_call + gpu_.card.idle_launch_seconds - gpu_.card.host.launch_call,
              2e-6);
  const double launched = gpu_.unit(0).timeline.host_now();
  for (int i = 0; i < 8; ++i) EXPECT_EQ(say(queue::Record{kStream, 7}), Status::success);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(say(queue::Wait{kStream, 7}), Status::success);
  EXPECT_NEAR(gpu_.unit(0).timeline.host_now() - launched, 16 * gpu_.card.host.event_call, 1e-9);
}

// Catches fills that cost what a launch does however few bytes they have: of 4 bytes they took 1.1 us one behind the other.
TEST_F(ExecutorTest, FillsOfFewBytesAreQuickCalls) {
  const std::uint64_t at = memory(1 << 20);
  timing::Timeline& timeline = gpu_.unit(0).timeline;
  const double before = timeline.host_now();
  EXPECT_EQ(say(queue::Set{.stream = kStream, .address = at, .shape = {.width = 4}}), Status::success);
  const double little = timeline.host_now() - before;
  EXPECT_NEAR(little, gpu_.card.host.fill_call, 1e-8);
  EXPECT_EQ(say(queue::Set{.stream = kStream, .address = at, .shape = {.width = 1 << 20}}), Status::success);
  EXPECT_NEAR(timeline.host_now() - before - little, gpu_.card.host.launch_call, 1e-9);
}

// 2.47 us up and 1.71 us down, from and to page-locked memory.
TEST_F(ExecutorTest, QueuedCopiesOverTheLinkAreCallsOfTheirOwn) {
  const std::uint64_t at = memory(128);
  EXPECT_EQ(say(queue::Allocate{.kind = queue::Allocate::Kind::pinned, .bytes = 4096, .align = 256}),
            Status::success);
  const queue::Place locked{queue::Place::Kind::pages, std::get<queue::Allocated>(last_.body).address},
      there{queue::Place::Kind::device, at};
  const timing::Timeline& timeline = gpu_.unit(0).timeline;
  const auto took = [&](queue::Copy command) {
    const double before = timeline.host_now();
    command.waits = false;
    EXPECT_EQ(say(command), Status::success);
    return timeline.host_now() - before;
  };
  EXPECT_NEAR(took(copy(there, locked, 4)), 2.47e-6, 0.1e-6);
  EXPECT_NEAR(took(copy(locked, there, 4)), 1.71e-6, 0.1e-6);
}

// A copy to pageable memory: 12 to 15 us with a kernel before it, of which the kernel is 7.1; 7.0 and 8.1 without, on two hosts.
TEST_F(ExecutorTest, TheHostHearsLateOfACopyItWaitsFor) {
  const std::uint64_t at = memory(128);
  std::vector<std::uint32_t> out(1);
  timing::Timeline& timeline = gpu_.unit(0).timeline;
  const auto down = [&] { return copy(host(out.data()), {queue::Place::Kind::device, at}, 4); };
  EXPECT_EQ(say(launch(at, 1)), Status::success);
  EXPECT_EQ(say(down()), Status::success);
  const double first = timeline.host_now();
  EXPECT_EQ(say(down()), Status::success);
  const double alone = timeline.host_now() - first;
  EXPECT_NEAR(alone, 7.5e-6, 0.5e-6);
  EXPECT_EQ(say(launch(at, 1)), Status::success);
  EXPECT_EQ(say(down()), Status::success);
  EXPECT_NEAR(timeline.host_now() - first - alone, 13.5e-6, 2e-6);
  // And of a kernel: 8.4 us. Waiting for what is done takes 0.4.
  const double before = timeline.host_now();
  EXPECT_EQ(say(launch(at, 1)), Status::success);
  EXPECT_EQ(say(queue::Synchronise{queue::Synchronise::What::stream, kStream}), Status::success);
  EXPECT_NEAR(timeline.host_now() - before, 8.5e-6, 0.4e-6);
  const double waited = timeline.host_now();
  EXPECT_EQ(say(queue::Synchronise{queue::Synchronise::What::stream, kStream}), Status::success);
  EXPECT_NEAR(timeline.host_now() - waited, 0.4e-6, 1e-8);
}

// cudaMalloc and cudaFree of a megabyte: 60 us. From a pool: 1.3 to 2.1 us, and 82 if the host waits in between.
TEST_F(ExecutorTest, MemoryTakesTheHostsTime) {
  timing::Timeline& timeline = gpu_.unit(0).timeline;
  double mark = timeline.host_now();
  const auto spent = [&] { return timeline.host_now() - std::exchange(mark, timeline.host_now()); };
  const std::uint64_t plain = memory(1 << 20);
  EXPECT_EQ(say(queue::Free{plain, 0, 0}), Status::success);
  EXPECT_NEAR(spent(), 77e-6 + 12 * 0.31e-12 * (1 << 20), 0.1e-6) << "a slice's MiB are a card's twelve";
  const std::uint64_t first = memory(4096);
  spent();
  const std::uint64_t second = memory(4096);
  EXPECT_EQ(say(queue::Free{first, 0, 0}), Status::success);
  EXPECT_NEAR(spent(), 2.6e-6, 0.1e-6) << "small ones share a piece of memory";
  EXPECT_EQ(say(queue::Free{second, 0, 0}), Status::success);
  EXPECT_NEAR(spent(), 35e-6, 0.1e-6) << "the last one gives it back";
  const auto pooled = [&] {
    EXPECT_EQ(say(queue::Allocate{.use = queue::Allocate::Use::pool, .stream = kStream, .bytes = 4096}),
              Status::success);
    EXPECT_EQ(say(queue::Free{std::get<queue::Allocated>(last_.body).address, kStream, 0}), Status::success);
  };
  const auto wait = [&] {
    EXPECT_EQ(say(queue::Synchronise{queue::Synchronise::What::stream, kStream}), Status::success);
  };
  pooled();
  spent();
  pooled();
  EXPECT_NEAR(spent(), 1.3e-6, 0.1e-6) << "the pool has kept it";
  wait();
  pooled();
  EXPECT_NEAR(spent(), 82e-6, 2e-6) << "the pool gave it back while the host waited, and has to get it anew";
  EXPECT_EQ(say(queue::Limit{0, queue::Limit::Which::pool, 1 << 20}), Status::success);
  wait();
  pooled();
  EXPECT_NEAR(spent(), 1.7e-6, 0.1e-6) << "its threshold lets it keep that much";
  // A grader times one call on an idle device, and is not to time what was allocated for it.
  gpu_.program_file = "graded";
  memory(1 << 20);
  pooled();
  EXPECT_EQ(spent(), 0);
}

// Graphs of 1, 10 and 100 empty kernels in a row: 2.04, 10.6 and 93.8 us each.
TEST_F(ExecutorTest, AGraphsNodesFollowEachOtherClosely) {
  const std::uint64_t at = memory(128);
  using Step = queue::Graph::Step;
  const auto run = [&](std::uint32_t nodes) {
    EXPECT_EQ(say(queue::Graph{kStream, Step::begin, nodes}), Status::success);
    for (std::uint32_t k = 0; k < nodes; ++k) {
      EXPECT_EQ(say(queue::Graph{kStream, Step::place, k,
                                 k == 0 ? std::vector<std::uint32_t>{} : std::vector<std::uint32_t>{k - 1}}),
                Status::success);
      EXPECT_EQ(say(queue::Graph{kStream, Step::enter, k}), Status::success);
      EXPECT_EQ(say(launch(at, 1)), Status::success);
      EXPECT_EQ(say(queue::Graph{kStream, Step::leave, k}), Status::success);
    }
    EXPECT_EQ(say(queue::Graph{kStream, Step::end}), Status::success);
  };
  for (const auto& [nodes, seconds] :
       {std::pair{1u, 2.04e-6}, std::pair{10u, 10.6e-6}, std::pair{100u, 93.8e-6}}) {
    run(nodes);
    const double before = gpu_.unit(0).timeline.tail(kStream);
    for (int k = 0; k < 4; ++k) run(nodes);
    EXPECT_NEAR((gpu_.unit(0).timeline.tail(kStream) - before) / 4, seconds, 0.05 * seconds) << nodes;
  }
}

// Barriers of a whole grid took 0.97 to 1.05 us each, whatever its blocks.
TEST_F(ExecutorTest, BarriersOfTheGridTakeAMicrosecond) {
  constexpr const char* kCode = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry meet(.param .u64 p, .param .u32 times)
{
  .reg .pred %p<5>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<4>;
  mov.u32 %r1, %envreg2;
  mov.u32 %r2, %envreg1;
  cvt.u64.u32 %rd1, %r1;
  cvt.u64.u32 %rd2, %r2;
  bfi.b64 %rd3, %rd2, %rd1, 32, 32;
  ld.param.u32 %r3, [times];
  mov.u32 %r4, %ctaid.x;
  setp.eq.u32 %p1, %r4, 0;
  mov.u32 %r5, %nctaid.x;
  mov.u32 %r6, -2147483647;
  sub.s32 %r6, %r6, %r5;
  selp.b32 %r6, %r6, 1, %p1;
  mov.u32 %r7, %tid.x;
  setp.ne.u32 %p2, %r7, 0;
AGAIN:
  barrier.sync 0;
  @%p2 bra LATER;
  atom.add.release.gpu.u32 %r8, [%rd3+4], %r6;
LOOK:
  ld.acquire.gpu.u32 %r9, [%rd3+4];
  xor.b32 %r10, %r9, %r8;
  setp.gt.s32 %p3, %r10, -1;
  @%p3 bra LOOK;
LATER:
  barrier.sync 0;
  sub.s32 %r3, %r3, 1;
  setp.ne.s32 %p4, %r3, 0;
  @%p4 bra AGAIN;
  ret;
}
)";
  const auto* const code = reinterpret_cast<const std::byte*>(kCode);
  ASSERT_EQ(say(queue::Load{2, 0, {.inside = {code, code + std::strlen(kCode)}}, ""}), Status::success);
  const auto seconds = [&](std::uint32_t times) {
    queue::Launch command = launch(0, times);
    command.module = 2;
    command.grid = {gpu_.card.sm_count, 1, 1};
    command.block = {256, 1, 1};
    command.cooperative = true;
    EXPECT_EQ(say(command), Status::success);
    return gpu_.launches.back().timing.seconds;
  };
  const double once = seconds(1), often = seconds(21);
  EXPECT_NEAR((often - once) / 20, 1.0e-6, 0.1e-6);
  // An idle device, a launch, a barrier, and the host that hears of it: 11 us, of which an empty kernel's own launch is 2.2.
  EXPECT_NEAR(once, 4.7e-6, 0.4e-6);
}

// 1 MiB of managed memory fetched: 97 us on an H200, half of what it takes to fetch it and send it back.
TEST_F(ExecutorTest, APrefetchTakesItsTimeToBegin) {
  constexpr std::uint64_t kBytes = (1u << 20) / 12;
  ASSERT_EQ(say(queue::Allocate{.kind = queue::Allocate::Kind::managed, .bytes = kBytes, .align = 4096}),
            Status::success);
  const std::uint64_t at = std::get<queue::Allocated>(last_.body).address;
  std::memset(gpu_.memory.find(at)->host, 1, kBytes);
  timing::Timeline& timeline = gpu_.unit(0).timeline;
  const double before = timeline.record(kStream);
  EXPECT_EQ(say(queue::Move{kStream, 0, at, kBytes}), Status::success);
  EXPECT_NEAR(timeline.record(kStream) - before, 97e-6, 6e-6);
  const double there = timeline.record(kStream);
  EXPECT_EQ(say(queue::Move{kStream, 0, at, kBytes}), Status::success);
  EXPECT_NEAR(timeline.record(kStream), there, 1e-9) << "the pages are there";
}

TEST_F(ExecutorTest, AKernelThatIsStoppedIsAFaultOfItsDevice) {
  memory(128);
  EXPECT_EQ(say(launch(0x10, 1)), Status::success);  // the launch itself is sound
  ASSERT_EQ(faults_.size(), 1u);
  EXPECT_EQ(faults_[0].device, 0u);
  EXPECT_EQ(static_cast<Status>(faults_[0].status), Status::illegal_address);
  EXPECT_NE(faults_[0].why, "");
}

TEST_F(ExecutorTest, CodeIsDescribedAndCountsWhatItNeeds) {
  constexpr const char* kCode = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 total = 7;
.const .align 4 .b8 table[64];
.visible .entry one(.param .u64 p, .param .u8 flag) .maxntid 128, 2, 1 { ret; }
)";
  const auto* const code = reinterpret_cast<const std::byte*>(kCode);
  ASSERT_EQ(say(queue::Load{2, 0, {.inside = {code, code + std::strlen(kCode)}}, ""}), Status::success);
  const auto loaded = std::get<queue::Loaded>(last_.body);
  ASSERT_EQ(loaded.kernels.size(), 1u);
  EXPECT_EQ(loaded.kernels[0].name, "one");
  EXPECT_EQ(loaded.kernels[0].parameters, (std::vector<queue::Loaded::Parameter>{{0, 8}, {8, 1}}));
  EXPECT_EQ(loaded.kernels[0].most_threads, (queue::Dim{128, 2, 1}));
  EXPECT_EQ(loaded.constant_bytes, 64u);
  ASSERT_EQ(loaded.variables.size(), 2u);
  EXPECT_EQ(loaded.variables[1].name, "total");
  std::uint32_t value = 0;
  EXPECT_EQ(say(copy(host(&value), {queue::Place::Kind::device, loaded.variables[1].where.address}, 4)),
            Status::success);
  EXPECT_EQ(value, 7u);
  ASSERT_EQ(say(queue::Needs{2, 0}), Status::success);
  EXPECT_LE(std::get<queue::Footprint>(last_.body).max_threads, 256u);
  EXPECT_EQ(say(queue::Needs{2, 1}), Status::invalid_device_function);
  EXPECT_EQ(say(queue::Unload{2}), Status::success);
  EXPECT_EQ(say(queue::Needs{2, 0}), Status::invalid_device_function);

  const auto* const nonsense = reinterpret_cast<const std::byte*>("no code");
  EXPECT_EQ(say(queue::Load{3, 0, {.inside = {nonsense, nonsense + 7}}, ""}), Status::invalid_ptx);
  EXPECT_NE(std::get<queue::Loaded>(last_.body).problem, "");
}

TEST_F(ExecutorTest, TheHostAsksByTheModelledClock) {
  constexpr queue::Id kFirst = 3, kSecond = 4;
  const std::uint64_t at = memory(1 << 24);
  EXPECT_EQ(say(queue::Record{kStream, kFirst}), Status::success);
  EXPECT_EQ(say(queue::Set{.stream = kStream, .address = at, .shape = {.width = 1 << 24}}), Status::success);
  EXPECT_EQ(say(queue::Record{kStream, kSecond}), Status::success);
  EXPECT_EQ(say(queue::Elapsed{kFirst, kSecond}), Status::not_ready);
  ASSERT_EQ(say(queue::Query{queue::Query::What::event, kSecond}), Status::success);
  EXPECT_FALSE(std::get<queue::Ready>(last_.body).value);
  EXPECT_EQ(say(queue::Synchronise{queue::Synchronise::What::event, kSecond}), Status::success);
  ASSERT_EQ(say(queue::Elapsed{kFirst, kSecond}), Status::success);
  EXPECT_GT(std::get<queue::Seconds>(last_.body).value, 0);
  ASSERT_EQ(say(queue::Query{queue::Query::What::stream, kStream}), Status::success);
  EXPECT_TRUE(std::get<queue::Ready>(last_.body).value);
  EXPECT_EQ(say(queue::Elapsed{kFirst, 9}), Status::invalid_resource_handle);
}

TEST_F(ExecutorTest, MemoryIsGivenOnceAndTakenBackOnce) {
  const std::uint64_t at = memory(100);
  EXPECT_EQ(say(queue::Free{at + 4, 0, 0}), Status::invalid_value);
  EXPECT_EQ(say(queue::Free{at, 0, 0}), Status::success);
  EXPECT_EQ(say(queue::Free{at, 0, 0}), Status::invalid_value);
  EXPECT_EQ(say(queue::Allocate{.bytes = std::uint64_t{1} << 50, .align = 1}), Status::memory_allocation);
  EXPECT_EQ(say(queue::Allocate{.device = 1, .bytes = 8, .align = 1}), Status::invalid_value);
  std::vector<std::uint64_t> own(64);
  const auto begin = reinterpret_cast<std::uint64_t>(own.data());
  EXPECT_EQ(say(queue::Map{0, begin, 512}), Status::success);
  EXPECT_EQ(say(queue::Map{0, begin + 8, 8}), Status::already_registered);
  EXPECT_EQ(say(queue::Unmap{begin}), Status::success);
}

TEST_F(ExecutorTest, WhatItDoesNotKnowChangesNothing) {
  const std::uint64_t at = memory(128);
  queue::Launch of_nobody = launch(at, 1);
  of_nobody.module = 9;
  EXPECT_EQ(say(of_nobody), Status::invalid_device_function);
  of_nobody = launch(at, 1);
  of_nobody.kernel = 1;
  EXPECT_EQ(say(of_nobody), Status::invalid_device_function);
  queue::Launch wrong = launch(at, 1);
  wrong.stream = 9;
  EXPECT_EQ(say(wrong), Status::invalid_resource_handle);
  for (auto spoil : {+[](queue::Launch& l) { l.parameters.inside.pop_back(); },
                     +[](queue::Launch& l) {
                       l.grid = {0, 1, 1};
                     },
                     +[](queue::Launch& l) {
                       l.block = {1025, 1, 1};
                     },
                     +[](queue::Launch& l) {
                       l.block = {0, 1, 1};
                     },
                     +[](queue::Launch& l) {
                       l.cluster = {2, 1, 1};
                     },
                     +[](queue::Launch& l) {
                       l.cluster = {0, 1, 1};
                     },
                     +[](queue::Launch& l) { l.shared = 1 << 30; },
                     +[](queue::Launch& l) {
                       l.cooperative = true, l.grid = {1 << 20, 1, 1};
                     }}) {
    queue::Launch spoilt = launch(at, 1);
    spoil(spoilt);
    EXPECT_EQ(say(spoilt), Status::invalid_value);
  }
  EXPECT_EQ(say(copy({queue::Place::Kind::device, 0x10}, host(&of_nobody), 4)), Status::invalid_value);
  EXPECT_EQ(say(queue::Set{.stream = kStream, .address = 0x10, .shape = {.width = 4}}),
            Status::invalid_value);
  EXPECT_TRUE(gpu_.launches.empty());
  EXPECT_NEAR(gpu_.unit(0).timeline.all_done(), gpu_.card.host.allocate, 1e-9);
  EXPECT_TRUE(faults_.empty());
}

}  // namespace
}  // namespace simgpu::device
