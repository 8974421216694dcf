/// @file
/// The bank rule against published counters, and its special cases.
#include "simgpu/observe/banks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "warp_access.hpp"

namespace simgpu::observe {
namespace {

using testing_support::kAll;
using testing_support::lanes;
using testing_support::Lanes;
using testing_support::strided;

std::uint32_t taken(const Lanes& a, std::uint32_t bytes, BankRule rule, std::uint32_t mask = kAll) {
  return wavefronts_of(a.data(), mask, bytes, rule).taken;
}

TEST(Wavefronts, PublishedFloatStrides) {
  const std::pair<std::uint64_t, std::uint32_t> published[] = {{1, 1}, {2, 2},  {3, 1}, {4, 4},
                                                               {8, 8}, {12, 4}, {15, 1}};
  for (const auto& [stride, expected] : published) {
    EXPECT_EQ(taken(strided(0, 4 * stride), 4, BankRule::plain), expected) << "stride " << stride;
  }
}

TEST(Wavefronts, AllFloatStridesFollowTheGreatestCommonDivisor) {
  for (std::uint64_t stride = 1; stride <= 32; ++stride) {
    EXPECT_EQ(taken(strided(0, 4 * stride), 4, BankRule::shared_load), std::gcd(stride, std::uint64_t{32}));
    EXPECT_EQ(taken(strided(4 * 77, 4 * stride), 4, BankRule::plain), std::gcd(stride, std::uint64_t{32}));
  }
}

TEST(Wavefronts, PublishedDoubleStrides) {
  const std::pair<std::uint64_t, std::uint32_t> published[] = {{1, 2}, {2, 4}, {4, 8}, {8, 16}};
  for (const auto& [stride, expected] : published) {
    EXPECT_EQ(taken(strided(0, 8 * stride), 8, BankRule::plain), expected) << "stride " << stride;
  }
  // Half-warps of 16 doubles: gcd with 16 passes each.
  for (std::uint64_t stride = 1; stride <= 16; ++stride) {
    EXPECT_EQ(taken(strided(0, 8 * stride), 8, BankRule::plain), 2 * std::gcd(stride, std::uint64_t{16}));
  }
}

TEST(Wavefronts, TransposeTiles) {
  EXPECT_EQ(taken(strided(0, 4 * 32), 4, BankRule::shared_load), 32u) << "column of an unpadded tile";
  EXPECT_EQ(taken(strided(0, 4 * 33), 4, BankRule::shared_load), 1u) << "column of a padded tile";
  // 128-byte swizzle, a column of 32 rows: 16-byte chunk c of row r lies at c ^ (r % 8).
  EXPECT_EQ(
      taken(lanes([](std::uint32_t r) { return r * 128ull + ((r % 8) << 4); }), 4, BankRule::shared_load),
      4u);
  // The same tile read 8 rows x 4 columns.
  EXPECT_EQ(taken(lanes([](std::uint32_t l) { return (l / 4) * 128ull + ((l / 4 % 8) << 4) + 4 * (l % 4); }),
                  4, BankRule::shared_load),
            1u);
}

TEST(Wavefronts, EqualWordsNeverConflict) {
  EXPECT_EQ(taken(strided(64, 0), 4, BankRule::shared_load), 1u);
  EXPECT_EQ(taken(strided(64, 0), 4, BankRule::plain), 1u) << "stores either";
  EXPECT_EQ(taken(strided(64, 1), 1, BankRule::plain), 1u) << "bytes of 8 words";
  EXPECT_EQ(taken(strided(64, 0), 4, BankRule::each_lane), 32u) << "unless each lane writes by itself";
}

TEST(Wavefronts, WideAccessesGoInGroups) {
  EXPECT_EQ(taken(strided(0, 8), 8, BankRule::shared_load), 2u);
  EXPECT_EQ(taken(strided(0, 16), 16, BankRule::shared_load), 4u);
  EXPECT_EQ(taken(strided(0, 128), 16, BankRule::shared_load), 32u) << "the bad layout: 32 a request";
  EXPECT_EQ(wavefronts_of(strided(0, 128).data(), kAll, 16, BankRule::shared_load).ideal, 4u);
  EXPECT_EQ(taken(strided(0, 16), 16, BankRule::plain, 0xFFu), 1u) << "a quarter of the lanes";
}

TEST(Wavefronts, LoadsMergeGroupsAndStoresDoNot) {
  EXPECT_EQ(taken(strided(0, 0), 8, BankRule::shared_load), 1u) << "broadcast";
  EXPECT_EQ(taken(strided(0, 0), 16, BankRule::shared_load), 2u);
  EXPECT_EQ(taken(strided(0, 0), 8, BankRule::plain), 2u);
  EXPECT_EQ(taken(strided(0, 0), 16, BankRule::plain), 4u);

  const Lanes pairs = lanes([](std::uint32_t l) { return 8ull * (l / 2); });
  EXPECT_EQ(taken(pairs, 8, BankRule::shared_load), 1u) << "T == T^1";
  EXPECT_EQ(taken(pairs, 8, BankRule::plain), 2u);
  EXPECT_EQ(wavefronts_of(pairs.data(), kAll, 8, BankRule::shared_load).ideal, 1u) << "merged is no conflict";
  const Lanes crossed = lanes([](std::uint32_t l) { return 8ull * ((l / 4) * 2 + l % 2); });
  EXPECT_EQ(taken(crossed, 8, BankRule::shared_load), 1u) << "T == T^2";
  const Lanes pairs16 = lanes([](std::uint32_t l) { return 16ull * (l / 2); });
  EXPECT_EQ(taken(pairs16, 16, BankRule::shared_load), 2u) << "from 4 to 2";
  const Lanes eights = lanes([](std::uint32_t l) { return 16ull * (l / 8); });
  EXPECT_EQ(taken(eights, 16, BankRule::shared_load), 2u);

  const Lanes mirrored = lanes([](std::uint32_t l) { return 8ull * (l % 16); });
  EXPECT_EQ(taken(mirrored, 8, BankRule::shared_load), 2u) << "half-warps alike: not routable";
  const Lanes far_pairs = lanes([](std::uint32_t l) { return 128ull * (l / 2); });
  EXPECT_EQ(taken(far_pairs, 8, BankRule::shared_load), 16u) << "pairs that conflict do not merge";
}

// The rules by their words, for lanes at random: few or many addresses, some or all lanes, words that several share.
TEST(Wavefronts, OneWordALaneAtRandom) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 4000; ++round) {
    const std::uint64_t spread = 1ull << random() % 10, unit = round % 5 == 0 ? 1 : 4;
    const Lanes at = lanes([&](std::uint32_t) { return unit * (random() % spread); });
    const auto mask = static_cast<std::uint32_t>(round % 3 == 0 ? kAll : random() | 1u << random() % 32);
    std::map<std::uint64_t, std::uint32_t> lanes_on, lanes_in_bank;
    std::map<std::uint64_t, std::set<std::uint64_t>> words_in_bank;
    std::uint32_t on_one = 0, in_bank = 0, words = 0;
    for (std::uint32_t l = 0; l < 32; ++l) {
      if ((mask >> l & 1) == 0) continue;
      const std::uint64_t bank = at[l] / 4 % 32;
      on_one = std::max(on_one, ++lanes_on[at[l]]);
      in_bank = std::max(in_bank, ++lanes_in_bank[bank]);
      words_in_bank[bank].insert(at[l] / 4);
      words = std::max(words, static_cast<std::uint32_t>(words_in_bank[bank].size()));
    }
    const auto bytes = static_cast<std::uint32_t>(unit);
    EXPECT_EQ(taken(at, bytes, BankRule::plain, mask), words);
    EXPECT_EQ(taken(at, bytes, BankRule::shared_load, mask), words);
    EXPECT_EQ(taken(at, bytes, BankRule::each_lane, mask), in_bank);
    EXPECT_EQ(wavefronts_of(at.data(), mask, bytes, BankRule::plain).ideal, 1u);
    EXPECT_EQ(each_bank_once(at.data(), mask), in_bank == 1);
    EXPECT_EQ(most_on_one_address(at.data(), mask), on_one);
  }
  EXPECT_EQ(taken(strided(0, 4), 4, BankRule::plain, 0), 0u);
  EXPECT_EQ(most_on_one_address(strided(0, 4).data(), 0), 0u);
}

TEST(ConstantPasses, OneForEachDistinctWord) {
  EXPECT_EQ(constant_passes_of(strided(0, 0).data(), kAll), 1u);
  EXPECT_EQ(constant_passes_of(strided(0, 4).data(), kAll), 32u);
  EXPECT_EQ(constant_passes_of(strided(0, 1).data(), kAll), 8u);
  EXPECT_EQ(constant_passes_of(strided(0, 4).data(), 0x10001u), 2u);
}

}  // namespace
}  // namespace simgpu::observe
