/// @file
/// Where the simulated device's memory lives, and which address belongs to which allocation.
///
/// Device addresses are drawn from one reserved range that the host cannot read or write (a host dereference
/// faults, as on hardware); the bytes themselves lie in a second mapping. Addresses are never handed out
/// twice, so that a use after free is recognised for ever, and allocations stand between unallocated gaps, so
/// that an overrun by one byte is too. The layout is the same in every run: addresses depend on the order of
/// allocations only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simgpu/memory/shared_pages.hpp"

namespace simgpu::memory {

/// Base of the range from which device addresses come. [bytes]
inline constexpr std::uint64_t kDeviceBase = 0x0000'4000'0000'0000ull;
/// Size of that range. [bytes]
inline constexpr std::uint64_t kDeviceRange = 0x0000'0400'0000'0000ull;
/// Devices of one process that exist at the same time have a range each: device d begins at kDeviceBase + d *
/// kDeviceRange.
inline constexpr std::uint32_t kMaxDevices = 4;
/// The bytes of device address a lie at host address a + kHostDistance (modulo 2^64: it points downwards,
/// away from where the system loads programs).
inline constexpr std::uint64_t kHostDistance = 0ull - 0x0000'2000'0000'0000ull;
/// Pinned and managed memory have one address on host and device, from these ranges (kHostRange bytes each a
/// device).
inline constexpr std::uint64_t kPinnedBase = 0x0000'3000'0000'0000ull;
inline constexpr std::uint64_t kManagedBase = 0x0000'3400'0000'0000ull;
inline constexpr std::uint64_t kHostRange = 0x0000'0080'0000'0000ull;
/// Where those two are pages that client and device both map (shared_pages.hpp), the device has a mapping of its own, which is never
/// closed: the bytes of address a lie at a + kViewDistance.
inline constexpr std::uint64_t kViewDistance = kMaxDevices * kHostRange;
/// Allocations of managed memory begin with such a piece: what a touch of the host's brings home on an H200, and what Linux maps around a
/// byte that is read. [bytes]
inline constexpr std::uint64_t kManagedPiece = 65536;
/// Fresh device allocations up to this size are filled with 0xCD; larger ones read as zero, so that their
/// pages need not be touched (never-written bytes are found by observe/uninitialised.hpp, whatever they
/// hold). [bytes]
inline constexpr std::uint64_t kFillLimit = 64ull << 20;

/// @return whether @p address can belong to a cudaMalloc or a device variable of any device.
constexpr bool is_device_address(std::uint64_t address) noexcept {
  return address >= kDeviceBase && address - kDeviceBase < kMaxDevices * kDeviceRange;
}
/// @return whether @p address can belong to managed memory of any device.
constexpr bool is_managed_address(std::uint64_t address) noexcept {
  return address >= kManagedBase && address - kManagedBase < kMaxDevices * kHostRange;
}

/// Generic addresses of shared memory: kSharedWindow + offset in the block's shared memory. Above the offset's
/// kClusterShift bits: 0 for the own block's, 1 + rank for that of a block of the cluster.
inline constexpr unsigned kClusterShift = 24;
inline constexpr std::uint64_t kSharedWindow = 0x0001'0000'0000'0000ull;
inline constexpr std::uint64_t kSharedWindowSize = 0x0000'0001'0000'0000ull;
/// Generic addresses of local memory: kLocalWindow + offset in the thread's local memory.
inline constexpr std::uint64_t kLocalWindow = 0x0001'0100'0000'0000ull;
inline constexpr std::uint64_t kLocalWindowSize = 0x0000'0001'0000'0000ull;
/// Generic addresses of kernel parameters (`cvta.param`): kParamWindow + offset.
inline constexpr std::uint64_t kParamWindow = 0x0001'0200'0000'0000ull;
inline constexpr std::uint64_t kParamWindowSize = 0x0000'0000'0001'0000ull;

enum class AllocationKind : std::uint8_t {
  device,      ///< cudaMalloc and friends; the host cannot touch it
  global,      ///< a `__device__` variable
  constant,    ///< a `__constant__` variable
  pinned,      ///< cudaHostAlloc: host address == device address
  registered,  ///< cudaHostRegister: the caller's own memory
  managed,     ///< cudaMallocManaged, `__managed__`: host address == device address
};

/// One allocation. `host` is where its bytes lie in this process.
struct Allocation {
  std::uint64_t base = 0;   ///< device address of the first byte
  std::uint64_t bytes = 0;  ///< as asked for, not rounded
  AllocationKind kind = AllocationKind::device;
  bool live = true;      ///< false after free
  std::uint32_t id = 0;  ///< index in order of allocation, from 0, per DeviceMemory
  std::byte* host = nullptr;
  std::string name;  ///< of a variable; else empty

  std::uint64_t end() const noexcept { return base + bytes; }
  bool contains(std::uint64_t address, std::uint64_t size) const noexcept {
    return address >= base && size <= bytes && address - base <= bytes - size;
  }
};

class TextureTable;

/// All memory of one simulated device.
class DeviceMemory {
 public:
  /// @param capacity_bytes what the device has; allocations beyond it fail as on hardware.
  /// @param pages that a client maps, too: what it and the device have in common lies there, at the same addresses for the client
  /// and elsewhere for the device. It outlives this. nullptr: there is one mapping, for both.
  explicit DeviceMemory(std::uint64_t capacity_bytes, const SharedPages* pages = nullptr);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  /// Allocates, with unallocated gaps on both sides. Fresh bytes of kind `device` are filled with 0xCD up to
  /// kFillLimit, so that reading them is visible; all other kinds start as zero.
  /// @param bytes may be 0: the allocation then has an address of its own and holds nothing.
  /// @param align power of two; at least 256 is used.
  /// @return the allocation (stable address for the life of this object), or nullptr if the device is full.
  const Allocation* allocate(std::uint64_t bytes, AllocationKind kind, std::uint64_t align = 256,
                             std::string name = {});

  /// Registers memory that belongs to the program. Where there are pages that both map, its pages must be among them by now.
  /// @return nullptr if it overlaps a registered range.
  const Allocation* adopt(void* host, std::uint64_t bytes, AllocationKind kind);

  /// Marks an allocation as freed and gives its pages back. Its addresses stay known as freed.
  /// @return false if @p base is not the start of a live allocation.
  bool free(std::uint64_t base);

  /// @return the allocation, live or freed, that holds @p address; nullptr if none does. Adopted memory is
  /// known while it is live only, since its addresses are the host's to use again.
  const Allocation* find(std::uint64_t address) const noexcept;

  /// @return the allocation (live or freed) whose edge is nearest to @p address, for messages; nullptr if
  /// there is none.
  const Allocation* nearest(std::uint64_t address) const noexcept;

  /// Whether the device has a mapping of its own of all that it shares with the program.
  bool has_own_view() const noexcept { return pages_ != nullptr && pages_->hold_all(); }
  std::uint64_t capacity_bytes() const noexcept { return capacity_; }
  /// Another number of devices shares this memory now. Does nothing to what is allocated.
  void set_capacity(std::uint64_t bytes) noexcept { capacity_ = bytes; }
  /// What the machine has for live allocations of all kinds together: beyond it they fail, as if the device were full. Adopted memory
  /// has its pages from the program.
  void set_limit(std::uint64_t bytes) noexcept { limit_ = bytes; }
  std::uint64_t used_bytes() const noexcept { return used_; }  ///< live `device` and `managed` bytes
  std::size_t live_count() const noexcept;  ///< live allocations made by the program (not variables)
  /// Which of the process's simulated devices this is, from 0: the first address range that was free.
  std::uint32_t index() const noexcept;
  /// All allocations ever made, in order.
  std::vector<const Allocation*> all() const;
  /// Texture and surface objects over this memory.
  TextureTable& textures() noexcept { return *textures_; }
  const TextureTable& textures() const noexcept { return *textures_; }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::unique_ptr<TextureTable> textures_;
  const SharedPages* pages_;
  std::uint64_t capacity_ = 0, used_ = 0;
  std::uint64_t variables_ = 0;                         ///< live bytes of module scope
  std::uint64_t limit_ = ~std::uint64_t{0}, live_ = 0;  ///< of what was allocated here, of all kinds
};

}  // namespace simgpu::memory
