/// @file
/// Addresses, gaps, freed memory, and that the host cannot touch what is the device's.
#include "simgpu/memory/device_memory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "simgpu/memory/shared_pages.hpp"

namespace simgpu::memory {
namespace {

constexpr std::uint64_t kGiB = 1ull << 30;

TEST(DeviceMemory, AddressesDependOnTheOrderOfAllocationsOnly) {
  std::vector<std::uint64_t> first, second;
  for (auto* bases : {&first, &second}) {
    DeviceMemory memory(kGiB);
    for (std::uint64_t bytes : {1ull, 100ull, 4096ull, 1000003ull}) {
      bases->push_back(memory.allocate(bytes, AllocationKind::device)->base);
      bases->push_back(memory.allocate(bytes, AllocationKind::pinned)->base);
      bases->push_back(memory.allocate(bytes, AllocationKind::managed)->base);
    }
  }
  EXPECT_EQ(first, second);
}

TEST(DeviceMemory, FreshDeviceBytesShowAndAllKindsAreUsable) {
  DeviceMemory memory(kGiB);
  const Allocation* device = memory.allocate(1000, AllocationKind::device);
  EXPECT_EQ(device->host, reinterpret_cast<std::byte*>(device->base + kHostDistance));
  EXPECT_EQ(device->host[999], std::byte{0xCD});
  EXPECT_EQ(memory.allocate(8, AllocationKind::global, 8, "counter")->host[7], std::byte{0});
  const Allocation* pinned = memory.allocate(5000, AllocationKind::pinned);
  EXPECT_EQ(reinterpret_cast<std::uint64_t>(pinned->host), pinned->base);
  std::memset(pinned->host, 1, 5000);
  EXPECT_EQ(device->base % 256, 0u);
  EXPECT_EQ(memory.allocate(10, AllocationKind::device, 1 << 16)->base % (1 << 16), 0u);
}

TEST(DeviceMemory, OneByteBeyondEitherEndBelongsToNobody) {
  DeviceMemory memory(kGiB);
  for (std::uint64_t bytes : {1ull, 3ull, 256ull, 4096ull, 70000ull, 1ull << 20}) {
    const Allocation* a = memory.allocate(bytes, AllocationKind::device);
    EXPECT_EQ(memory.find(a->base), a);
    EXPECT_EQ(memory.find(a->end() - 1), a);
    EXPECT_EQ(memory.find(a->end()), nullptr);
    EXPECT_EQ(memory.find(a->base - 1), nullptr);
    EXPECT_EQ(memory.nearest(a->end() + 100), a);
    EXPECT_EQ(memory.nearest(a->base - 1), a);
  }
}

TEST(DeviceMemory, FreedAddressesStayKnownAndAreNeverGivenOutAgain) {
  DeviceMemory memory(kGiB);
  const Allocation* a = memory.allocate(1 << 20, AllocationKind::device);
  const std::uint64_t base = a->base;
  EXPECT_FALSE(memory.free(base + 1)) << "not the start of an allocation";
  EXPECT_TRUE(memory.free(base));
  EXPECT_FALSE(memory.free(base)) << "twice";
  EXPECT_EQ(memory.find(base + 5), a);
  EXPECT_FALSE(a->live);
  EXPECT_NE(memory.allocate(1 << 20, AllocationKind::device)->base, base);
  EXPECT_EQ(memory.live_count(), 1u);
}

TEST(DeviceMemory, IsFullWhenItsCapacityIsUsed) {
  DeviceMemory memory(100 << 20);
  const Allocation* a = memory.allocate(60 << 20, AllocationKind::device);
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(memory.allocate(60 << 20, AllocationKind::device), nullptr);
  EXPECT_EQ(memory.allocate(~0ull - 5, AllocationKind::device), nullptr);
  EXPECT_NE(memory.allocate(60 << 20, AllocationKind::pinned), nullptr) << "host memory is not the device's";
  memory.free(a->base);
  EXPECT_EQ(memory.used_bytes(), 0u);
  EXPECT_NE(memory.allocate(100 << 20, AllocationKind::device), nullptr);
}

TEST(DeviceMemory, MoreThanThereAreAddressesIsRefused) {
  DeviceMemory memory(~0ull);
  for (const auto kind : {AllocationKind::device, AllocationKind::pinned, AllocationKind::managed}) {
    for (const std::uint64_t bytes : {(1ull << 63) - 1, (1ull << 63) + 1, ~0ull - 4096, ~0ull})
      EXPECT_EQ(memory.allocate(bytes, kind), nullptr) << bytes;
    EXPECT_EQ(memory.allocate(1, kind, 1ull << 63), nullptr);
    EXPECT_NE(memory.allocate(1, kind), nullptr) << "and nothing has gone wrong";
  }
}

TEST(DeviceMemory, HugeAllocationsCostNoMemoryUntilUsed) {
  DeviceMemory memory(140 * kGiB);
  const Allocation* a = memory.allocate(100 * kGiB, AllocationKind::device);
  ASSERT_NE(a, nullptr);
  a->host[99 * kGiB] = std::byte{7};
  EXPECT_EQ(a->host[99 * kGiB], std::byte{7});
}

TEST(DeviceMemory, VariablesAreNoLeaks) {
  DeviceMemory memory(kGiB);
  memory.allocate(4, AllocationKind::global, 4, "a");
  memory.allocate(4, AllocationKind::constant, 4, "b");
  memory.allocate(4, AllocationKind::managed, 4, "c");
  EXPECT_EQ(memory.live_count(), 0u);
  memory.allocate(4, AllocationKind::managed);
  EXPECT_EQ(memory.live_count(), 1u);
}

TEST(DeviceMemory, AdoptsHostMemoryOnceAtATime) {
  DeviceMemory memory(kGiB);
  std::array<std::byte, 1000> bytes{};
  const Allocation* a = memory.adopt(bytes.data(), 600, AllocationKind::registered);
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(memory.adopt(bytes.data() + 599, 100, AllocationKind::registered), nullptr) << "overlaps";
  EXPECT_EQ(memory.find(reinterpret_cast<std::uint64_t>(bytes.data() + 599)), a);
  EXPECT_TRUE(memory.free(a->base));
  EXPECT_EQ(memory.find(a->base), nullptr);
  EXPECT_NE(memory.adopt(bytes.data(), 1000, AllocationKind::registered), nullptr);
}

TEST(DeviceMemory, HasItsOwnMappingOfPagesThatAClientMapsToo) {
  const auto pages = SharedPages::make();
  ASSERT_TRUE(pages);
  DeviceMemory memory(kGiB, &*pages);
  for (const AllocationKind kind : {AllocationKind::pinned, AllocationKind::managed}) {
    const Allocation* a = memory.allocate(8192, kind);
    EXPECT_EQ(reinterpret_cast<std::uint64_t>(a->host), a->base + kViewDistance);
    auto* const client = pages->map(a->base, 8192, PROT_READ | PROT_WRITE, reinterpret_cast<void*>(a->base));
    ASSERT_EQ(reinterpret_cast<std::uint64_t>(client), a->base);
    client[5000] = std::byte{7};
    EXPECT_EQ(a->host[5000], std::byte{7});
    EXPECT_TRUE(memory.free(a->base));
    EXPECT_EQ(client[5000], std::byte{0}) << "its pages have gone back";
    munmap(client, 8192);
  }
  EXPECT_EQ(memory.allocate(8, AllocationKind::device)->host[0], std::byte{0xCD});
}

TEST(DeviceMemory, FindsRegisteredMemoryWhereItMapsIt) {
  const auto pages = SharedPages::make();
  ASSERT_TRUE(pages);
  DeviceMemory memory(kGiB, &*pages);
  // Two registrations that have a page in common, as neighbours on a heap have.
  constexpr std::uint64_t kProgram = 0x5000'0000'0000;
  const Allocation* a =
      memory.adopt(reinterpret_cast<void*>(kProgram + 16), 5000, AllocationKind::registered);
  const Allocation* b =
      memory.adopt(reinterpret_cast<void*>(kProgram + 6000), 100, AllocationKind::registered);
  ASSERT_TRUE(a != nullptr && b != nullptr);
  auto* const client = pages->map(kProgram, 8192, PROT_READ | PROT_WRITE);
  client[16] = std::byte{1};
  client[6099] = std::byte{2};
  EXPECT_EQ(a->base, kProgram + 16);
  EXPECT_EQ(a->host[0], std::byte{1});
  EXPECT_EQ(b->host[99], std::byte{2});
  EXPECT_TRUE(memory.free(a->base));
  b->host[0] = std::byte{3};
  EXPECT_EQ(client[6000], std::byte{3});
  EXPECT_EQ(memory.adopt(reinterpret_cast<void*>(SharedPages::kBytes - 10), 100, AllocationKind::registered),
            nullptr)
      << "beyond all addresses that a program can have";
  munmap(client, 8192);
}

TEST(DeviceMemory, SeveralDevicesHaveAddressesOfTheirOwn) {
  DeviceMemory first(kGiB), second(kGiB);
  const Allocation* a = first.allocate(100, AllocationKind::device);
  const Allocation* b = second.allocate(100, AllocationKind::device);
  EXPECT_NE(a->base, b->base);
  EXPECT_EQ(second.find(a->base), nullptr);
}

TEST(HostFaultDeathTest, HostAccessToDeviceMemoryFaults) {
  DeviceMemory memory(kGiB);
  const Allocation* a = memory.allocate(4096, AllocationKind::device);
  EXPECT_EXIT(*reinterpret_cast<volatile int*>(a->base) = 1, testing::KilledBySignal(SIGSEGV), "");
}

TEST(HostFaultDeathTest, FreedManagedMemoryFaults) {
  DeviceMemory memory(kGiB);
  const Allocation* a = memory.allocate(8192, AllocationKind::managed);
  auto* p = reinterpret_cast<volatile int*>(a->base);
  *p = 1;
  memory.free(a->base);
  EXPECT_EXIT(*p = 1, testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace simgpu::memory
