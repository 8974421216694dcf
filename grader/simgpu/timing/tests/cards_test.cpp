/// @file
/// Cards as data files: the H200's is what the simulator was calibrated as, the others hold together.
#include <gtest/gtest.h>

#include "simgpu/timing/cards.hpp"
#include "simgpu/timing/links.hpp"
#include "simgpu/timing/occupancy.hpp"

namespace simgpu::timing {
namespace {

TEST(Cards, the_h200_is_the_device_that_the_model_was_calibrated_as) {
  const auto card = card_named("h200");
  ASSERT_TRUE(card);
  const Device device;
  EXPECT_EQ(card->name, device.name);
  EXPECT_TRUE(card->calibrated);
  EXPECT_EQ(card->arch(), device.arch());
  EXPECT_EQ(card->slice, device.slice);
  EXPECT_EQ(card->sm_count, device.sm_count);
  EXPECT_EQ(card->l2_bytes, device.l2_bytes);
  EXPECT_EQ(card->memory_bytes, device.memory_bytes);
  EXPECT_EQ(card->shared_per_sm, device.shared_per_sm);
  EXPECT_EQ(card->shared_per_block_optin, device.shared_per_block_optin);
  EXPECT_DOUBLE_EQ(card->clock_hz, device.clock_hz);
  EXPECT_DOUBLE_EQ(card->dram_peak(), device.dram_peak());
  EXPECT_DOUBLE_EQ(card->copy_ceiling(), device.copy_ceiling());
  EXPECT_DOUBLE_EQ(card->dram_one_way(), device.dram_one_way());
  for (const auto path :
       {CopyPath::pinned_to_device, CopyPath::device_to_pinned, CopyPath::pageable_to_device,
        CopyPath::device_to_pageable, CopyPath::device_to_device, CopyPath::peer})
    EXPECT_DOUBLE_EQ(copy_seconds(*card, path, 1e9), copy_seconds(device, path, 1e9));
  EXPECT_DOUBLE_EQ(fill_seconds(*card, 1e9), fill_seconds(device, 1e9));
}

TEST(Cards, all_hold_together) {
  EXPECT_EQ(card_names(), (std::vector<std::string>{"a100", "h100", "h200", "rtx4090", "t4"}));
  for (const std::string& name : card_names()) {
    const auto card = card_named(name);
    ASSERT_TRUE(card) << name;
    EXPECT_GE(card->sm_count, 8U) << name << ": a slice must be large enough to balance blocks";
    EXPECT_LE(card->sm_count, 12U) << name << ": a slice must be small enough for a laptop";
    // Both edges of the memory clock, a bus's width of bits: the data sheet's bandwidth, to its rounding.
    const double peak = 2 * card->memory_clock_hz * card->memory_bus_bits / 8;
    EXPECT_NEAR(card->card_dram_peak / peak, 1, 0.01) << name;
    EXPECT_LT(card->copy_ceiling(), card->dram_one_way()) << name;
    EXPECT_LT(card->dram_one_way(), card->dram_peak()) << name;
    EXPECT_LE(card->shared_per_block_optin + card->shared_reserved_per_block, card->shared_per_sm) << name;
    EXPECT_LT(card->shared_per_sm, card->l1_and_shared_bytes) << name;
    EXPECT_EQ(card->calibrated, name == "h100" || name == "h200") << name << ": nothing was measured on it";
    // All warps fit with 32 registers, where an SM has as many as these cards have.
    EXPECT_EQ(occupancy(*card, {.threads = 256}).blocks_per_sm, card->threads_per_sm / 256) << name;
  }
}

TEST(Cards, a_slice_must_divide_the_card_and_the_card_must_be_known) {
  EXPECT_FALSE(card_named("h300"));
  EXPECT_FALSE(card_named("t4", 3));
  const auto whole = card_named("t4", 1);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->sm_count, 40U);
  EXPECT_EQ(whole->l2_bytes, 4ULL << 20);
}

}  // namespace
}  // namespace simgpu::timing
