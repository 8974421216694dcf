/// @file
/// The state machines by themselves: phases, boxes, swizzles, proxy fences.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <set>

#include "simgpu/async/bulk_copy.hpp"
#include "simgpu/async/copy_groups.hpp"
#include "simgpu/async/tensor_map.hpp"

namespace simgpu::async {
namespace {

TEST(Mbarrier, PhaseEndsWithLastArrivalAndLastByte) {
  Mbarrier b;
  b.expected = b.pending = 2;
  const auto token = b.token();
  EXPECT_TRUE(b.expect(64));
  EXPECT_TRUE(b.arrive(1));
  EXPECT_TRUE(b.arrive(1));
  EXPECT_FALSE(b.ended(token));
  EXPECT_FALSE(b.ended_parity(0));
  EXPECT_TRUE(b.ended_parity(1));
  EXPECT_TRUE(b.complete(64));
  EXPECT_TRUE(b.ended(token));
  EXPECT_TRUE(b.ended_parity(0));
  EXPECT_EQ(b.pending, 2u);
  EXPECT_EQ(b.phase, 1u);
}
TEST(Mbarrier, BytesMayComeBeforeTheyAreAnnounced) {
  Mbarrier b;
  b.expected = b.pending = 1;
  EXPECT_TRUE(b.complete(32));
  EXPECT_EQ(b.phase, 0u);
  EXPECT_TRUE(b.expect(32));
  EXPECT_TRUE(b.arrive(1));
  EXPECT_EQ(b.phase, 1u);
}
TEST(Mbarrier, TooManyArrivalsAreRefused) {
  Mbarrier b;
  b.expected = b.pending = 3;
  EXPECT_FALSE(b.arrive(4));
  EXPECT_EQ(b.pending, 3u);
  EXPECT_TRUE(b.arrive_and_drop(1));
  EXPECT_TRUE(b.arrive(2));
  EXPECT_EQ(b.pending, 2u);
}
TEST(Mbarrier, ImageIsNeitherClearedNorFreshMemory) {
  Mbarrier b;
  b.expected = b.pending = 1;
  EXPECT_NE(b.image(), 0u);
  EXPECT_FALSE(Mbarrier::is_token(0xCDCD'CDCD'CDCD'CDCDull));
  EXPECT_FALSE(Mbarrier::is_token(0));
  EXPECT_EQ(Mbarrier::pending_of(b.token()), 1u);
}

TEST(CopyGroups, WhatIsOnItsWayIsFoundAndWhatLiesBesideIsNot) {
  std::array<std::byte, 64> shared{}, source{};
  CopyGroups copies;
  PendingWords words;
  const auto begin = [&](std::uint32_t offset) {
    copies.begin({.to = shared.data() + offset,
                  .from = source.data(),
                  .bytes = 4,
                  .source_bytes = 4,
                  .shared_offset = offset},
                 words);
    copies.commit(1);
  };
  EXPECT_EQ(copies.overlapping(0, 64), nullptr);
  begin(16);
  begin(40);
  EXPECT_EQ(copies.overlapping(0, 16), nullptr);   // below all of them
  EXPECT_EQ(copies.overlapping(20, 20), nullptr);  // between two
  EXPECT_EQ(copies.overlapping(44, 4), nullptr);   // above
  ASSERT_NE(copies.overlapping(17, 1), nullptr);
  EXPECT_EQ(copies.overlapping(17, 1)->shared_offset, 16u);
  EXPECT_NE(copies.overlapping(0, 41), nullptr);
  EXPECT_EQ(copies.wait(1, 1), 1u);  // the older one has landed
  EXPECT_EQ(copies.overlapping(16, 4), nullptr);
  EXPECT_NE(copies.overlapping(43, 1), nullptr);
  EXPECT_FALSE(words.any(16, 4));  // the block's table says the same
  EXPECT_TRUE(words.any(43, 1));
  copies.reset();
  EXPECT_EQ(copies.overlapping(0, 64), nullptr);
}

TEST(PendingWords, OfTwoCopiesToOnePlaceTheOtherStaysWhenOneHasLanded) {
  PendingWords words;
  EXPECT_FALSE(words.any(0, 1 << 20));
  words.add(64, 16);
  words.add(72, 4);
  words.remove(64, 16);
  EXPECT_FALSE(words.any(64, 8));
  EXPECT_TRUE(words.any(75, 1));
  EXPECT_TRUE(words.any(8, 128));
  EXPECT_FALSE(words.any(76, 1 << 20));
  words.clear();
  EXPECT_FALSE(words.any(72, 4));
}
TEST(PendingWords, MoreCopiesThanCanBeCountedStayMarked) {
  PendingWords words;
  for (int n = 0; n < 70'000; ++n) words.add(0, 4);
  for (int n = 0; n < 70'000; ++n) words.remove(0, 4);
  EXPECT_TRUE(words.any(0, 4));
}

TEST(Swizzle, IsTheDocumentedPattern) {
  // The programming guide: chunk x of row y of a tile of 128-byte rows lies at x ^ (y % 8).
  for (std::uint32_t y = 0; y < 16; ++y)
    for (std::uint32_t x = 0; x < 8; ++x)
      EXPECT_EQ(swizzled(Swizzle::span_128, y * 128 + x * 16 + 3), y * 128 + (x ^ y % 8) * 16 + 3);
  // 64 bytes: pairs of rows share a pattern; 32 bytes: four rows do.
  for (std::uint32_t y = 0; y < 16; ++y) {
    for (std::uint32_t x = 0; x < 4; ++x)
      EXPECT_EQ(swizzled(Swizzle::span_64, y * 64 + x * 16), y * 64 + (x ^ y / 2 % 4) * 16);
    for (std::uint32_t x = 0; x < 2; ++x)
      EXPECT_EQ(swizzled(Swizzle::span_32, y * 32 + x * 16), y * 32 + (x ^ y / 4 % 2) * 16);
  }
  EXPECT_EQ(swizzled(Swizzle::none, 12345), 12345u);
}

struct Map : testing::Test {
  alignas(64) unsigned char bytes[kTensorMapBytes] = {};
  std::uint64_t sizes[2] = {10, 6}, strides[1] = {48};
  std::uint32_t box[2] = {4, 3}, steps[2] = {1, 1};
  TensorMapRequest request;
  void SetUp() override {
    request.type = static_cast<std::uint32_t>(TensorType::f32);
    request.rank = 2;
    request.address = 0x4000;
    request.sizes = sizes;
    request.strides = strides;
    request.box = box;
    request.element_strides = steps;
  }
  TensorMap make() {
    EXPECT_EQ(encode(request, bytes), "");
    TensorMap m;
    EXPECT_TRUE(decode(bytes, m));
    return m;
  }
};
TEST_F(Map, RowsInsideAndOutside) {
  const TensorMap m = make();
  EXPECT_EQ(m.box_bytes(), 48u);
  std::uint32_t row_bytes = 0;
  const std::int32_t at[2] = {8, -1};
  const auto rows = rows_of(m, at, row_bytes);
  EXPECT_EQ(row_bytes, 16u);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].from, rows[0].to);  // row -1
  EXPECT_EQ(rows[1].from, 0u);
  EXPECT_EQ(rows[1].to, 8u);  // columns 8 and 9
  EXPECT_EQ(rows[1].address, 0x4000u + 32);
  EXPECT_EQ(rows[2].address, 0x4000u + 48 + 32);
  const std::int32_t before[2] = {-3, 5};
  const auto left = rows_of(m, before, row_bytes);
  EXPECT_EQ(left[0].from, 12u);
  EXPECT_EQ(left[0].to, 16u);
  EXPECT_EQ(left[0].address, 0x4000u + 5 * 48);
  EXPECT_EQ(left[1].from, left[1].to);  // row 6
}
TEST_F(Map, EachRuleOfCudaHeaderIsChecked) {
  make();
  const auto refused = [&](const char* word) {
    const std::string why = encode(request, bytes);
    EXPECT_NE(why.find(word), std::string::npos) << why << " lacks " << word;
    request = {};
    SetUp();
    sizes[0] = 10, strides[0] = 48, box[0] = 4, steps[1] = 1;
  };
  request.rank = 0, refused("1 to 5");
  request.rank = 6, refused("1 to 5");
  request.address = 0x4008, refused("aligned to 16");
  strides[0] = 40, refused("multiple of 16");
  strides[0] = 1ull << 40, refused("2^40");
  sizes[0] = 0, refused("2^32");
  sizes[0] = (1ull << 32) + 1, refused("2^32");
  box[0] = 0, refused("1 to 256");
  box[0] = 257, refused("1 to 256");
  box[0] = 3, refused("multiple of 16");
  steps[1] = 9, refused("1 to 8");
  steps[1] = 0, refused("1 to 8");
  box[0] = 16, request.swizzle = 1, refused("swizzle");
  request.swizzle = 9, refused("CUtensorMapSwizzle");
  request.type = 99, refused("CUtensorMapDataType");
  request.type = 3, request.oob_fill = 1, refused("floating-point");
  request.interleave = 1, refused("3 dimensions");
  EXPECT_EQ(encode(request, bytes), "");
  EXPECT_NE(encode(request, bytes + 8), "");
  EXPECT_NE(replace_address(bytes, 8), "");
  EXPECT_EQ(replace_address(bytes, 0x8000), "");
  unsigned char other[kTensorMapBytes] = {};
  TensorMap m;
  EXPECT_FALSE(decode(other, m));
}
TEST_F(Map, ElementStridesThinTheBox) {
  steps[1] = 2;
  const TensorMap m = make();
  EXPECT_EQ(m.box_bytes(), 32u);
  std::uint32_t row_bytes = 0;
  const std::int32_t at[2] = {0, 1};
  EXPECT_EQ(rows_of(m, at, row_bytes)[1].address, 0x4000u + 3 * 48);
}

TEST(ProxyOrder, FenceOfTheWriterOrAfterABarrier) {
  ProxyOrder p;
  p.reset(256, 4);
  p.written(32, 4, 1);
  EXPECT_EQ(p.first_unfenced(0, 256), 32u);
  p.fence(0);  // another warp's, and nobody has met
  EXPECT_EQ(p.first_unfenced(0, 256), 32u);
  p.fence(1);
  EXPECT_EQ(p.first_unfenced(0, 256), ~0u);
  p.written(64, 16, 2);
  p.barrier();
  EXPECT_EQ(p.first_unfenced(0, 256), 64u);
  p.fence(0);  // after the barrier it covers what the others wrote before
  EXPECT_EQ(p.first_unfenced(0, 256), ~0u);
  p.written(64, 16, 2);
  p.overwritten(64, 16);
  EXPECT_EQ(p.first_unfenced(0, 256), ~0u);
}

}  // namespace
}  // namespace simgpu::async
