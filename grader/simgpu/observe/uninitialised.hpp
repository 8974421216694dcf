/// @file
/// Finds reads of bytes that nobody wrote: device memory from cudaMalloc, shared memory, local memory.
///
/// Variables (`__device__`, `__constant__`) start as zero, and pinned, registered and managed memory may be
/// written by the host unseen: these are never reported.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "simgpu/memory/device_memory.hpp"
#include "simgpu/observe/observer.hpp"

namespace simgpu::observe {

/// The observer; lives as long as its device, since what was written stays written. A plain load of such bytes is
/// reported only when something depends on them (see Access::unwritten): copies of padding and values that are loaded
/// ahead and discarded are no mistakes. Other reads are reported at once. Each byte is reported once.
class Uninitialised final : public Observer {
 public:
  /// @param memory tells which kind of allocation an address belongs to; both must outlive this object.
  /// @param findings receives what is found, at launch_end().
  Uninitialised(const memory::DeviceMemory& memory, Findings& findings);
  ~Uninitialised() override;
  /// For a launch that runs beside the one that this object follows: what one writes is written for the other.
  std::unique_ptr<Uninitialised> beside() const;

  void launch_begin(const LaunchInfo& info) override;
  void launch_end() override;
  void block_begin(const WarpId& warp) override;
  void access(const Access& access) override;
  void unwritten_used(const UnwrittenUse& use) override;
  void bulk_access(const BulkAccess& access) override;
  void shared_filled(const WarpId& owner, std::uint32_t offset, std::uint32_t bytes) override;

  /// A copy or memset wrote these device bytes.
  void mark_initialised(std::uint64_t address, std::uint64_t bytes);
  /// Marks at @p to the bytes that are initialised at @p from: a device-to-device copy.
  void copy_state(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);
  /// The range was freed: gives back what was remembered of it.
  void forget(std::uint64_t address, std::uint64_t bytes);
  /// @return the first device byte in the range that nobody wrote, if there is one.
  std::optional<std::uint64_t> first_uninitialised(std::uint64_t address, std::uint64_t bytes) const;
  /// A copy takes the padding of structs with it, which is no mistake. More than that is not written by anyone where a whole piece of 32
  /// bytes has nothing, unless all of the range are structs with the same padding. @return the first device byte in the range that lies in
  /// such a piece, if there is one (for copies to the host).
  std::optional<std::uint64_t> first_barren(std::uint64_t address, std::uint64_t bytes) const;

 private:
  struct Impl;
  explicit Uninitialised(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace simgpu::observe
