/// @file
/// Occupancy against the toolkit's own formulas (cuda_occupancy.h), over a sweep of kernels.
#include "simgpu/timing/occupancy.hpp"

#include <gtest/gtest.h>

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define SIMGPU_HAS_ORACLE 1
#endif

using namespace simgpu::timing;

namespace {

TEST(Occupancy, NamesTheResourceThatRunsOut) {
  const Device device;
  const auto limiter = [&](BlockNeeds needs) { return occupancy(device, needs).limiter; };
  EXPECT_EQ(limiter({.threads = 256, .registers_per_thread = 32, .shared_bytes = 0}), Limiter::threads);
  EXPECT_EQ(limiter({.threads = 32, .registers_per_thread = 32, .shared_bytes = 0}), Limiter::blocks);
  EXPECT_EQ(limiter({.threads = 256, .registers_per_thread = 64, .shared_bytes = 0}), Limiter::registers);
  EXPECT_EQ(limiter({.threads = 256, .registers_per_thread = 32, .shared_bytes = 100 * 1024}),
            Limiter::shared_memory);
}

TEST(Occupancy, ABlockThatDoesNotFitHasNone) {
  const Device device;
  EXPECT_EQ(occupancy(device, {.threads = 1025, .registers_per_thread = 16, .shared_bytes = 0}).blocks_per_sm,
            0u);
  EXPECT_EQ(occupancy(device, {.threads = 1024, .registers_per_thread = 65, .shared_bytes = 0}).blocks_per_sm,
            0u);
  EXPECT_EQ(occupancy(device, {.threads = 32, .registers_per_thread = 16, .shared_bytes = 227 * 1024 + 1})
                .blocks_per_sm,
            0u);
  EXPECT_EQ(occupancy(device, {.threads = 32, .registers_per_thread = 16, .shared_bytes = 227 * 1024})
                .blocks_per_sm,
            1u);
}

TEST(Occupancy, ACardThatReservesNothingHoldsBlocksWithoutSharedMemory) {
  Device card;
  card.shared_reserved_per_block = 0;
  EXPECT_EQ(occupancy(card, {.threads = 256, .registers_per_thread = 32, .shared_bytes = 0}).blocks_per_sm,
            8u);
  EXPECT_EQ(shared_available(card, {.threads = 256, .registers_per_thread = 32, .shared_bytes = 0}, 8),
            card.shared_per_sm / 8);
}

#ifdef SIMGPU_HAS_ORACLE
TEST(Occupancy, AgreesWithTheToolkitEverywhere) {
  const Device device;
  cudaOccDeviceProp properties;
  properties.computeMajor = 9;
  properties.computeMinor = 0;
  properties.maxThreadsPerBlock = 1024;
  properties.maxThreadsPerMultiprocessor = 2048;
  properties.regsPerBlock = 65536;
  properties.regsPerMultiprocessor = 65536;
  properties.warpSize = 32;
  properties.sharedMemPerBlock = 48 * 1024;
  properties.sharedMemPerMultiprocessor = 228 * 1024;
  properties.numSms = static_cast<int>(device.sm_count);
  properties.sharedMemPerBlockOptin = 227 * 1024;
  properties.reservedSharedMemPerBlock = 1024;
  cudaOccDeviceState state;
  int checked = 0;
  for (int threads = 32; threads <= 1024; threads += 32) {
    for (int registers = 16; registers <= 255; registers += 7) {
      for (std::size_t shared : {0ul, 100ul, 1024ul, 4224ul, 16384ul, 33000ul, 65536ul, 116000ul, 232448ul}) {
        cudaOccFuncAttributes attributes;
        attributes.maxThreadsPerBlock = 1024;
        attributes.numRegs = registers;
        attributes.maxDynamicSharedSizeBytes = 227 * 1024;
        attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
        cudaOccResult expected;
        ASSERT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(&expected, &properties, &attributes, &state,
                                                          threads, shared),
                  CUDA_OCC_SUCCESS);
        const Occupancy mine =
            occupancy(device, {.threads = static_cast<std::uint64_t>(threads),
                               .registers_per_thread = static_cast<std::uint32_t>(registers),
                               .shared_bytes = shared});
        ASSERT_EQ(static_cast<int>(mine.blocks_per_sm), expected.activeBlocksPerMultiprocessor)
            << threads << " threads, " << registers << " registers, " << shared << " bytes";
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 9000);
}
#endif

}  // namespace
