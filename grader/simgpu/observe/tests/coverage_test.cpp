/// @file
/// Observers that are told a request's shape take short cuts; they must find and count what they do without.
#include "simgpu/observe/coverage.hpp"

#include <gtest/gtest.h>

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

struct Side {
  explicit Side(const memory::DeviceMemory& memory) : uninitialised(memory, findings) {}
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
    const std::uint64_t global = memory.allocate(1 << 16, memory::AllocationKind::device)->base;
    Side with(memory), without(memory), by_lane(memory);
    Numbers numbers;
    std::vector<Site> sites;
    for (std::uint32_t s = 0; s < 6; ++s) sites.push_back(site(s, s % 2 ? "ld.f32" : "st.f32", 10 + s));
    for (Side* side : {&with, &without, &by_lane}) side->machine.begin();
    const bool careful = round % 2 == 0;  // with barriers and few common places: hardly anything to find
    for (int step = 0; step < 60; ++step) {
      const auto s = static_cast<std::uint32_t>(random() % sites.size());
      const bool in_shared = s < 4;
      const std::uint32_t bytes = 1u << (s < 2 ? 2 : random() % 5);
      const auto block = static_cast<std::uint32_t>(random() % 4),
                 warp = static_cast<std::uint32_t>(random() % 4);
      const std::uint64_t place = careful ? (block * 4 + warp) * 4096ull : 0;
      const Lanes address = pattern(random, in_shared ? (careful ? warp * 2048 : 0) : global + place, bytes);
      const WarpId id = with.machine.warp(block, warp);
      Access a;
      a.site = &sites[s];
      a.warp = &id;
      a.memory = in_shared ? Memory::shared : Memory::global;
      a.kind = s % 2 != 0 ? AccessKind::load : AccessKind::store;
      a.bytes = static_cast<std::uint8_t>(bytes);
      a.mask = random() % 3 ? ~0u : static_cast<std::uint32_t>(random()) | 1u;
      a.address = address.data();
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
      for (Observer* o : with.machine.observers) o->access(a);
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
    findings += static_cast<int>(with.findings.all().size());
  }
  // Shared memory remembers two readers of a word: a third one, which only its own warp's next write would be held against,
  // may be forgotten or not. (That write races with the other two as well.)
  EXPECT_LE(others, 8);
  EXPECT_GT(findings, 400);  // else there was nothing to miss
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
