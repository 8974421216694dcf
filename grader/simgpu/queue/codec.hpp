/// @file
/// Commands to records and back, as runtime/queue.md has it. What a record says alone is judged here; what it says of streams,
/// memory and modules that there are or are not, in session.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "simgpu/queue/command.hpp"

namespace simgpu::queue {

inline constexpr std::size_t kHeadBytes = 24;                    ///< size, code, flags, sequence, spent
inline constexpr std::size_t kMostBytes = std::size_t{1} << 20;  ///< of a record
inline constexpr std::uint64_t kMostSpent = 1'000'000'000'000;   ///< [ns]

/// Bits of a record's flags.
enum Flag : std::uint16_t { kStaged = 1, kWaits = 2, kWindow = 4, kQuiet = 8, kOwn = 16, kEarly = 32 };

/// Puts @p command at the end of @p out. @return false, and nothing put there, if it is longer than a record may be.
bool encode(const Command& command, std::vector<std::byte>& out);

struct Decoded {
  Command command;
  std::size_t size = 0;  ///< of the record [bytes]
  std::string problem;   ///< a sentence; empty: the record is sound
};

/// Reads the record at the beginning of @p bytes. Takes each byte once.
Decoded decode(std::span<const std::byte> bytes);

}  // namespace simgpu::queue
