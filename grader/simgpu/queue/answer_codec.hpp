/// @file
/// Messages of the device to records and back, as runtime/queue.md has it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "simgpu/queue/answer.hpp"

namespace simgpu::queue {

/// The longest record of the device: it describes the kernels of a module. [bytes]
inline constexpr std::size_t kMostMessageBytes = std::size_t{16} << 20;

/// Puts @p message at the end of @p out. @return false, and nothing put there, if it is longer than a record may be.
bool encode(const Message& message, std::vector<std::byte>& out);

struct DecodedMessage {
  Message message;
  std::size_t size = 0;  ///< of the record [bytes]
  std::string problem;   ///< a sentence; empty: the record is sound
};

/// Reads the record at the beginning of @p bytes. Takes each byte once.
DecodedMessage decode_message(std::span<const std::byte> bytes);

}  // namespace simgpu::queue
