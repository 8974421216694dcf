/// @file
/// Observers that are told a request's shape take short cuts; they must find and count what they do without.
#include "simgpu/observe/coverage.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <random>
#include <set>

#include "simgpu/memory/device_memory.hpp"
#include "simgpu/observe/races.hpp"
#include "simgpu/observe/traffic.hpp"
#include "simgpu/observe/uninitialised.hpp"
#include "warp_access.hpp"

namespace simgpu::observe {
namespace {

using namespace testing_support;

// Numbers shapes as the interpreter does, each time anew for the same one or not, as it pleases.
class Numbers {
 public:
  std::uint32_t of(const Access& a) {
    std::vector<std::uint64_t> key{a.mask, a.bytes};
    const std::uint64_t first = a.address[std::countr_zero(a.mask)];
    for (std::uint32_t l = 0; l < 32; ++l) key.push_back((a.mask >> l & 1) != 0 ? a.address[l] - first : 0);
    return numbers_.try_emplace(key, static_cast<std::uint32_t>(numbers_.size() + 1)).first->second;
  }

 private:
  std::map<std::vector<std::uint64_t>, std::uint32_t> numbers_;
};

// Addresses relative to the first active lane's, as what LaneAddresses works the others out from.
Lanes relative_to_first(const Lanes& address, std::uint32_t mask) {
  const std::uint64_t first = address[static_cast<std::size_t>(std::countr_zero(mask))];
  return lanes([&](std::uint32_t l) { return (mask >> l & 1) != 0 ? address[l] - first : 0; });
}
void spread_relative(const void* relative, std::uint64_t first, std::uint64_t* to) {
  for (std::size_t l = 0; l < 32; ++l) to[l] = first + (*static_cast<const Lanes*>(relative))[l];
}

Access without_shape(Access a) {
  a.shape = 0;
  return a;
}

struct Side {
  explicit Side(const memory::DeviceMemory& memory)
      : uninitialised(memory, findings), traffic(counting_buffers(memory)) {}
  static TrafficConfig counting_buffers(const memory::DeviceMemory& memory) {
    TrafficConfig config;
    config.memory = &memory;
    return config;
  }
  Findings findings;
  Races races{findings};
  Uninitialised uninitialised;
  Traffic traffic;
  Machine machine{{&races, &uninitialised, &traffic}};
};

// Lanes of one of the patterns that kernels have, and of some that they should not have.
Lanes pattern(std::mt19937& random, std::uint64_t base, std::uint32_t bytes) {
  const auto pick = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  switch (pick(8)) {
    case 0:
      return strided(base + pick(64) * bytes, bytes);
    case 1:
      return strided(base + pick(64) * bytes, 0);
    case 2:
      return strided(base + pick(8) * bytes, 4 * bytes);
    case 3:
      return strided(base + 62 * bytes, ~0ull * bytes);  // downwards
    case 4:
      return lanes([=](std::uint32_t l) { return base + (l % 16) * bytes; });
    case 5:
      return lanes([=](std::uint32_t l) { return base + (l / 16) * 64ull * bytes; });
    case 6: {
      const std::uint32_t x = pick(32);
      return lanes([=](std::uint32_t l) { return base + (l ^ x) * bytes; });
    }
    default: {
      Lanes chaos{};
      for (auto& a : chaos) a = base + pick(128) * bytes;
      return chaos;
    }
  }
}

// What went to each allocation: requests, lanes, bytes, sectors of loads and stores.
std::vector<std::uint64_t> of_buffer(const Traffic& traffic) {
  std::vector<std::uint64_t> all;
  for (const BufferCounters& b : traffic.buffers())
    for (const RoadCounters* n : {&b.load, &b.store})
      all.insert(all.end(), {n->requests, n->lanes, n->bytes, n->sectors});
  return all;
}

// What was found, without the thread that is named where several are as good.
std::multiset<std::pair<std::string, std::uint32_t>> found(const Findings& findings) {
  std::multiset<std::pair<std::string, std::uint32_t>> result;
  for (const Finding& f : findings.all())
    result.emplace(std::string(name_of(f.kind)) + f.instruction + (f.warning ? " warning" : ""), f.line);
  return result;
}

std::multiset<std::pair<std::string, std::uint32_t>> errors(const Findings& findings) {
  auto result = found(findings);
  std::erase_if(result, [](const auto& f) { return f.first.ends_with(" warning"); });
  return result;
}

// ... but for races within a warp.
std::multiset<std::pair<std::string, std::uint32_t>> errors_between_warps(const Findings& findings) {
  Findings some;
  for (const Finding& f : findings.all())
    if (f.kind != FindingKind::race || !(f.block == f.other_block) ||
        f.thread.x / 32 != f.other_thread.x / 32)
      some.add(f);
  return errors(some);
}

TEST(Coverage, ShortCutsFindAndCountTheSame) {
  std::mt19937 random(20261121);
  int findings = 0, others = 0;
  for (int round = 0; round < 800; ++round) {
    memory::DeviceMemory memory(1 << 20);
    const std::uint64_t arrays[2] = {memory.allocate(1 << 16, memory::AllocationKind::device)->base,
                                     memory.allocate(1 << 16, memory::AllocationKind::device)->base};
    Side with(memory), without(memory), by_lane(memory);
    Numbers numbers;
    std::vector<Site> sites;
    for (std::uint32_t s = 0; s < 6; ++s) sites.push_back(site(s, s % 2 ? "ld.f32" : "st.f32", 10 + s));
    // Of two sites of words in shared memory, the machine's accesses are others than the text's: none, two that are joined ...
    MachineAccesses parts;
    parts.count = static_cast<std::uint8_t>(round % 3);
    parts.parts[0] = {0, 4};
    parts.parts[1] = {256, 4};
    for (Side* side : {&with, &without, &by_lane}) side->machine.begin();
    const bool careful = round % 2 == 0;  // with barriers and few common places: hardly anything to find
    for (int step = 0; step < 60; ++step) {
      const auto s = static_cast<std::uint32_t>(random() % sites.size());
      const bool in_shared = s < 4;
      const std::uint32_t bytes = 1u << (s < 2 ? 2 : random() % 5);
      const auto block = static_cast<std::uint32_t>(random() % 4),
                 warp = static_cast<std::uint32_t>(random() % 4);
      const std::uint64_t place = careful ? (block * 4 + warp) * 4096ull : 0;
      const Lanes address =
          pattern(random, in_shared ? (careful ? warp * 2048 : 0) : arrays[step % 3 == 0] + place, bytes);
      const WarpId id = with.machine.warp(block, warp);
      Access a;
      a.site = &sites[s];
      a.warp = &id;
      a.memory = in_shared ? Memory::shared : Memory::global;
      a.kind = s % 2 != 0 ? AccessKind::load : AccessKind::store;
      a.bytes = static_cast<std::uint8_t>(bytes);
      a.mask = random() % 3 ? ~0u : static_cast<std::uint32_t>(random()) | 1u;
      a.address = address.data();
      if (s < 2 && round % 4 == 0) a.machine = &parts;
      for (Observer* o : without.machine.observers) o->access(a);
      // Some stores copy bytes that nobody wrote.
      Unwritten unwritten;
      if (a.kind == AccessKind::store && random() % 4 == 0) {
        unwritten.lanes = static_cast<std::uint32_t>(random()) & a.mask;
        unwritten.bytes.fill(1u << random() % bytes);
        a.unwritten = &unwritten;
      }
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        if ((a.mask >> lane & 1) == 0) continue;
        Access alone = a;
        alone.mask = 1u << lane;
        for (Observer* o : by_lane.machine.observers) o->access(alone);
      }
      a.shape = random() % 4 ? numbers.of(a) : 0;
      const Lanes relative = relative_to_first(address, a.mask);
      Lanes room;
      if (a.shape != 0) a.address = {&relative, a.first(), spread_relative, room.data()};
      for (Observer* o : with.machine.observers) o->access(a);
      // The same once more, as in a loop: counted by what was counted before.
      if (a.unwritten == nullptr && step % 2 == 0) {
        a.address = address.data();
        for (Observer* o : without.machine.observers) o->access(without_shape(a));
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
          if ((a.mask >> lane & 1) == 0) continue;
          Access alone = without_shape(a);
          alone.mask = 1u << lane;
          for (Observer* o : by_lane.machine.observers) o->access(alone);
        }
        if (a.shape != 0) a.address = {&relative, a.first(), spread_relative, room.data()};
        for (Observer* o : with.machine.observers) o->access(a);
      }
      if (random() % 8 == 0)
        for (Side* side : {&with, &without, &by_lane}) side->machine.barrier(block);
      if (random() % 8 == 0)
        for (Side* side : {&with, &without, &by_lane}) side->machine.warp_sync(id);
    }
    for (Side* side : {&with, &without, &by_lane}) side->machine.end();
    EXPECT_EQ(errors_between_warps(with.findings), errors_between_warps(without.findings))
        << "round " << round;
    EXPECT_EQ(errors_between_warps(with.findings), errors_between_warps(by_lane.findings))
        << "round " << round;
    others += found(with.findings) != found(without.findings);
    EXPECT_EQ(with.traffic.counters(), without.traffic.counters()) << "round " << round;
    EXPECT_EQ(of_buffer(with.traffic), of_buffer(without.traffic)) << "round " << round;
    findings += static_cast<int>(with.findings.all().size());
  }
  // Shared memory remembers two readers of a word: a third one, which only its own warp's next write would be held against,
  // may be forgotten or not. (That write races with the other two as well.)
  EXPECT_LE(others, 8);
  EXPECT_GT(findings, 400);  // else there was nothing to miss
}

TEST(LaneAddresses, AreWorkedOutWhenSomebodyAsks) {
  const Lanes relative = lanes([](std::uint32_t l) { return 12ull * (l ^ 3) - 36; });
  Lanes room{}, other_room{};
  const LaneAddresses pending(&relative, 5000, spread_relative, room.data());
  const LaneAddresses moved = pending.moved(-100, other_room.data());
  EXPECT_EQ(pending.first(~0u), 5000u);
  EXPECT_EQ(moved.first(~0u), 4900u);
  EXPECT_EQ(room, Lanes{});  // nobody has asked
  const std::uint64_t* const all = pending;
  EXPECT_EQ(all, room.data());
  for (std::size_t l = 0; l < 32; ++l) EXPECT_EQ(all[l], 5000 + relative[l]);
  EXPECT_EQ(other_room, Lanes{});
  room.fill(7);  // worked out once: what is there then, stays
  EXPECT_EQ(static_cast<const std::uint64_t*>(pending)[9], 7u);
  EXPECT_EQ(static_cast<const std::uint64_t*>(moved)[31], 4900 + relative[31]);
  // Of known ones, the first is that of the first active lane.
  const Lanes known = strided(64, 4);
  const LaneAddresses given(known.data());
  EXPECT_EQ(given.first(0xFFFF'FFF0u), 80u);
  EXPECT_EQ(given.moved(8, room.data()).first(1), 72u);
}

// Wrong on purpose: a number that promises the shape of another request makes the checks miss a race. (That the numbers
// are taken at their word is what makes them quick.)
TEST(Coverage, NumbersAreTakenAtTheirWord) {
  Findings findings;
  Races races(findings);
  Machine machine({&races});
  machine.begin();
  const Site store = site(0, "st.shared.f32", 1);
  Access a;
  a.site = &store;
  a.memory = Memory::shared;
  a.kind = AccessKind::store;
  a.mask = ~0u;
  a.shape = 7;
  const Lanes run = strided(0, 4), same = strided(0, 0);
  const WarpId first = machine.warp(0, 0);
  a.warp = &first;
  a.address = run.data();
  races.access(a);
  a.address = same.data();
  races.access(a);
  machine.end();
  EXPECT_TRUE(findings.all().empty());
}

}  // namespace
}  // namespace simgpu::observe
