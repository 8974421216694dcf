/// @file
/// Builds the events of a simulated warp for the observers' tests.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "simgpu/memory/device_memory.hpp"
#include "simgpu/observe/observer.hpp"

namespace simgpu::observe::testing_support {

using Lanes = std::array<std::uint64_t, 32>;

/// The mask of all lanes.
inline constexpr std::uint32_t kAll = ~0u;

/// Addresses that @p f gives each lane.
inline Lanes lanes(const std::function<std::uint64_t(std::uint32_t lane)>& f) {
  Lanes result{};
  for (std::uint32_t lane = 0; lane < 32; ++lane) result[lane] = f(lane);
  return result;
}

/// base + stride * lane. [bytes]
inline Lanes strided(std::uint64_t base, std::uint64_t stride) {
  return lanes([=](std::uint32_t lane) { return base + stride * lane; });
}

inline Site site(std::uint32_t id, std::string name, std::uint32_t line) {
  Site s;
  s.id = id;
  s.name = std::move(name);
  s.function = "_Z6kernelPf";
  s.file = "kernel.cu";
  s.line = line;
  return s;
}

/// A device address range for tests that need no allocation.
inline constexpr std::uint64_t kBase = memory::kDeviceBase + 0x100000;

/// Feeds observers the events of a launch.
struct Machine {
  std::vector<Observer*> observers;
  LaunchInfo info;
  bool adds_one = false;          ///< of the accesses that follow
  bool indexed = false;           ///< as well
  const WarpId* owner = nullptr;  ///< as well

  explicit Machine(std::vector<Observer*> list, std::uint32_t blocks = 4, std::uint32_t threads = 128)
      : observers(std::move(list)) {
    info.kernel = "_Z6kernelPf";
    info.grid.x = blocks;
    info.block.x = threads;
    info.shared_bytes = info.static_shared_bytes = 8192;
    info.sm_count = 2;
    info.resident_blocks_per_sm = 8;
  }

  /// Block b runs on SM b % 2, slot b / 2.
  WarpId warp(std::uint32_t block, std::uint32_t index) const {
    WarpId w;
    w.block_linear = block;
    w.block = {block, 0, 0};
    w.warp = index;
    w.sm = block % 2;
    w.slot = block / 2;
    return w;
  }

  void begin() {
    for (Observer* o : observers) o->launch_begin(info);
    for (std::uint32_t b = 0; b < info.grid.x; ++b) {
      for (Observer* o : observers) o->block_begin(warp(b, 0));
    }
  }
  void end() {
    for (Observer* o : observers) o->launch_end();
  }
  void access(const Site& s, const WarpId& w, Memory memory, AccessKind kind, const Lanes& address,
              std::uint32_t bytes = 4, std::uint32_t mask = ~0u, Ordering ordering = Ordering::weak,
              CacheHint hint = CacheHint::normal, Scope scope = Scope::gpu) {
    Access a;
    a.site = &s;
    a.warp = &w;
    a.memory = memory;
    a.kind = kind;
    a.hint = hint;
    a.ordering = ordering;
    a.scope = scope;
    a.bytes = static_cast<std::uint8_t>(bytes);
    a.mask = mask;
    a.adds_one = adds_one;
    a.indexed = indexed;
    a.owner = owner;
    a.address = address.data();
    for (Observer* o : observers) o->access(a);
  }
  void barrier(std::uint32_t block) {
    for (Observer* o : observers) o->block_barrier(warp(block, 0));
  }
  void warp_sync(const WarpId& w, std::uint32_t mask = ~0u) {
    for (Observer* o : observers) o->warp_sync(w, mask);
  }
  void fence(const WarpId& w, Scope scope = Scope::gpu) {
    for (Observer* o : observers) o->fence(w, ~0u, scope);
  }
};

}  // namespace simgpu::observe::testing_support
