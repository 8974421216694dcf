/// @file
/// `mbarrier` objects as a state machine: arrivals and bytes that a phase still waits for.
///
/// A phase ends when no arrival is pending and the transaction count is zero. The count is signed: a copy may
/// complete before its bytes were announced.
#pragma once

#include <cstdint>
#include <vector>

namespace simgpu::async {

/// Largest count of arrivals; transaction counts lie within +- this number. [PTX: 2^20 - 1]
inline constexpr std::uint32_t kMostArrivals = (1u << 20) - 1;

/// One mbarrier object.
struct Mbarrier {
  std::uint32_t offset = 0;    ///< of its 8 bytes in the block's shared memory
  std::uint32_t expected = 0;  ///< arrivals of a whole phase
  std::uint32_t pending = 0;   ///< arrivals that the current phase still waits for
  std::int64_t bytes = 0;      ///< announced and not copied yet; negative: copied and not announced yet
  std::uint64_t phase = 0;     ///< phases completed
  /// How far the block's loads had been begun with the latest of those that landed here: Load::begun_bytes, begun_copies.
  std::uint64_t landed_bytes = 0, landed_copies = 0;

  /// When the latest so far arrived or landed, by the warps' clocks; 0 where they have none. [cycles]
  double latest = 0;

  /// What the object's 8 bytes hold: opaque to programs, never what fresh or cleared memory holds.
  std::uint64_t image() const noexcept;
  /// The state that arrive returns: the phase, and what was pending before.
  std::uint64_t token() const noexcept;
  static bool is_token(std::uint64_t token) noexcept;
  static std::uint64_t phase_of(std::uint64_t token) noexcept;
  static std::uint32_t pending_of(std::uint64_t token) noexcept;
  /// @return whether the phase that @p token is of has ended.
  bool ended(std::uint64_t token) const noexcept;
  /// @return whether the phase of parity @p parity that a thread can wait for has ended.
  bool ended_parity(std::uint32_t parity) const noexcept { return (phase & 1) != (parity & 1); }

  /// @p count arrivals. @return false if the phase does not wait for so many: nothing is changed then.
  bool arrive(std::uint32_t count) noexcept;
  /// Arrivals that also leave for good: later phases wait for fewer.
  bool arrive_and_drop(std::uint32_t count) noexcept;
  /// One more arrival is pending in this phase. @return false if there are too many.
  bool add_pending() noexcept;
  /// Bytes are announced. @return false if the count runs over.
  bool expect(std::uint32_t count) noexcept;
  /// Bytes have been copied. @return false if the count runs over.
  bool complete(std::uint32_t count) noexcept;

 private:
  void end_phase_if_complete() noexcept;
};

/// The mbarrier objects of one block.
class MbarrierTable {
 public:
  void clear() { all_.clear(); }
  /// @return the object at @p offset, or nullptr.
  Mbarrier* find(std::uint32_t offset) noexcept;
  /// Makes an object, in place of what was there.
  Mbarrier& init(std::uint32_t offset, std::uint32_t count);
  void remove(std::uint32_t offset);

 private:
  std::vector<Mbarrier> all_;
};

}  // namespace simgpu::async
