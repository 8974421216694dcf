/// @file
/// How many warp accesses a second each observer takes, on one core. Run by hand; prints a table.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <tuple>

#include "simgpu/observe/races.hpp"
#include "simgpu/observe/traffic.hpp"
#include "simgpu/observe/uninitialised.hpp"
#include "warp_access.hpp"

namespace {

using namespace simgpu::observe;
using namespace simgpu::observe::testing_support;

const Site kLoadA = site(0, "ld.global.f32", 1), kLoadB = site(1, "ld.global.f32", 2),
           kStoreC = site(2, "st.global.f32", 3), kSharedA = site(3, "ld.shared.f32", 4),
           kSharedB = site(4, "ld.shared.f32", 5);

// CPU time, so that a busy machine does not matter much. [seconds]
double now() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

struct Direct {  // without std::function in the loop
  static void fill(Lanes& a, std::uint64_t base, std::uint64_t stride) {
    for (std::uint32_t l = 0; l < 32; ++l) a[l] = base + stride * l;
  }
};

void vector_add(Machine& m, std::uint64_t n) {
  Lanes a{};
  for (std::uint64_t w = 0; w < n / 32; ++w) {
    const WarpId warp = m.warp(static_cast<std::uint32_t>(w / 4 % 16), w % 4);
    Direct::fill(a, kBase + w * 128, 4);
    m.access(kLoadA, warp, Memory::global, AccessKind::load, a);
    Direct::fill(a, kBase + (1ull << 31) + w * 128, 4);
    m.access(kLoadB, warp, Memory::global, AccessKind::load, a);
    Direct::fill(a, kBase + (1ull << 32) + w * 128, 4);
    m.access(kStoreC, warp, Memory::global, AccessKind::store, a);
  }
}

void tiled_matmul(Machine& m, std::uint64_t n) {
  Lanes a{}, b{};
  for (std::uint64_t i = 0; i < n / 32; ++i) {
    const WarpId warp = m.warp(static_cast<std::uint32_t>(i / 64 % 16), i / 8 % 4);
    Direct::fill(a, (i / 8 % 32) * 128 + i % 32 * 4, 0);
    m.access(kSharedA, warp, Memory::shared, AccessKind::load, a);
    Direct::fill(b, 4096 + i % 32 * 128, 4);
    m.access(kSharedB, warp, Memory::shared, AccessKind::load, b);
    if (i % 64 == 0) m.barrier(static_cast<std::uint32_t>(i / 64 % 16));
  }
}

void scattered(Machine& m, std::uint64_t n) {
  Lanes a{};
  std::uint64_t x = 12345;
  for (std::uint64_t w = 0; w < n / 32; ++w) {
    for (auto& lane : a) {
      x = x * 6364136223846793005ull + 1442695040888963407ull;
      lane = kBase + (x >> 40) * 4;
    }
    m.access(kLoadA, m.warp(static_cast<std::uint32_t>(w % 16), 0), Memory::global, AccessKind::load, a);
  }
}

void chunk_walk(Machine& m, std::uint64_t n) {
  Lanes a{};
  for (std::uint64_t w = 0; w < n / 32; ++w) {
    Direct::fill(a, kBase + w / 128 % 1024 * 16384 + w % 128 * 4, 512);
    m.access(kLoadA, m.warp(static_cast<std::uint32_t>(w / 128 % 16), 0), Memory::global, AccessKind::load,
             a);
  }
}

struct Quiet : Observer {};

}  // namespace

int main() {
  simgpu::memory::DeviceMemory memory(1ull << 34);
  memory.allocate(6ull << 30, simgpu::memory::AllocationKind::device);
  Findings findings;
  Traffic traffic;
  Races races(findings);
  Uninitialised uninitialised(memory, findings);
  uninitialised.mark_initialised(kBase, 1ull << 28);
  uninitialised.mark_initialised(kBase + (1ull << 31), 1ull << 28);
  Quiet quiet;
  const std::pair<const char*, std::vector<Observer*>> setups[] = {
      {"none", {&quiet}},
      {"traffic", {&traffic}},
      {"races", {&races}},
      {"uninitialised", {&uninitialised}},
      {"all", {&traffic, &races, &uninitialised}}};
  const std::tuple<const char*, void (*)(Machine&, std::uint64_t), std::uint64_t, std::uint64_t> loads[] = {
      {"vector add", vector_add, 8ull << 20, 3},
      {"shared matmul", tiled_matmul, 16ull << 20, 2},
      {"chunk walk", chunk_walk, 4ull << 20, 1},
      {"scattered", scattered, 4ull << 20, 1}};
  for (const auto& [load, run, n, per] : loads) {
    for (const auto& [name, observers] : setups) {
      Machine m(observers, 16);
      double best = 1e9;
      for (int turn = 0; turn < 3; ++turn) {
        m.begin();
        const double start = now();
        run(m, n);
        m.end();
        best = std::min(best, now() - start);
      }
      const double accesses = static_cast<double>(n / 32 * per);
      std::printf("%-14s %-14s %8.1f M accesses/s  %6.1f ns each\n", load, name, accesses / best / 1e6,
                  best / accesses * 1e9);
    }
  }
  std::printf("findings: %zu\n", findings.all().size());
  return 0;
}
