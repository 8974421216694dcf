/// @file
/// What changes hands in shared memory, against the rule by its words: a lane's access counts if one of its words was last stored by
/// another thread. Accesses come as the interpreter tells them: addresses worked out, or said to lie side by side or all together.
#include "simgpu/observe/exchange.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "warp_access.hpp"

namespace simgpu::observe {
namespace {

using testing_support::lanes;
using testing_support::Lanes;
using testing_support::site;

struct Shape {
  std::uint64_t stride;
};
void spread(const void* shape, std::uint64_t first, std::uint64_t* to) {
  for (std::uint32_t l = 0; l < 32; ++l) to[l] = first + l * static_cast<const Shape*>(shape)->stride;
}

// Any lane's store, and whose it was.
class Rule {
 public:
  void access(std::uint32_t warp, AccessKind kind, const Lanes& at, std::uint32_t bytes, std::uint32_t mask) {
    for (std::uint32_t l = 0; l < 32; ++l) {
      if ((mask >> l & 1) == 0) continue;
      const std::uint32_t me = warp * 32 + l;
      bool from_others = false;
      for (std::uint64_t word = at[l] / 4; word < (at[l] + bytes) / 4; ++word) {
        const auto writer = writers_.find(word);
        from_others |= writer != writers_.end() && writer->second != me;
        if (kind != AccessKind::load) writers_[word] = me;
      }
      if (kind == AccessKind::store) continue;
      loaded += bytes;
      exchanged += from_others ? bytes : 0;
    }
  }
  std::uint64_t loaded = 0, exchanged = 0;

 private:
  std::map<std::uint64_t, std::uint32_t> writers_;
};

TEST(Exchange, IsWhatTheRuleSaysHoweverAddressesAreTold) {
  using Lie = LaneAddresses::Lie;
  constexpr AccessKind kKinds[] = {AccessKind::load, AccessKind::load, AccessKind::store, AccessKind::atomic,
                                   AccessKind::reduction};
  const Site any = site(0, "ld.shared", 1);
  std::mt19937_64 random(11);
  for (int launch = 0; launch < 40; ++launch) {
    LaunchInfo info;
    info.grid.x = 1;
    info.block.x = 128;
    Exchange seen;
    Rule rule;
    WarpId warp;
    seen.launch_begin(info);
    seen.block_begin(warp);
    for (int n = 0; n < 400; ++n) {
      warp.warp = static_cast<std::uint32_t>(random() % 4);
      const std::uint32_t bytes = 4u << random() % 3;
      const std::uint64_t first = bytes * (random() % 24);
      const int way = static_cast<int>(random() % 4);
      const Shape shape{way == 2 ? bytes : way == 3 ? 0 : 4 * bytes};
      const Lanes at = way == 0 ? lanes([&](std::uint32_t) { return bytes * (random() % 64); })
                                : lanes([&](std::uint32_t l) { return first + l * shape.stride; });
      Access a;
      a.site = &any;
      a.warp = &warp;
      a.memory = Memory::shared;
      a.kind = kKinds[random() % 5];
      a.bytes = static_cast<std::uint8_t>(bytes);
      a.mask = way == 2 || random() % 2 == 0 ? ~0u : static_cast<std::uint32_t>(random()) | 1u;
      Lanes room;
      if (way == 0)
        a.address = at.data();
      else
        a.address = {&shape, first, spread, room.data(),
                     way == 2   ? Lie::side_by_side
                     : way == 3 ? Lie::together
                                : Lie::anyhow};
      rule.access(warp.warp, a.kind, at, bytes, a.mask);
      seen.access(a);
    }
    Counters counters;
    seen.block_end(warp);
    seen.launch_end(counters);
    EXPECT_EQ(counters.shared_watched_bytes, rule.loaded);
    EXPECT_EQ(counters.shared_exchanged_bytes, rule.exchanged);
    EXPECT_NE(rule.exchanged, 0u);
    EXPECT_LT(rule.exchanged, rule.loaded);
  }
}

}  // namespace
}  // namespace simgpu::observe
