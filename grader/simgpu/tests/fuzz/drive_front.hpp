/// @file
/// A device that is told what it likes by whoever is at the other end of the queue.
#pragma once

#include <cstddef>
#include <string_view>

namespace simgpu::fuzz {

struct Driven {
  std::size_t records = 0;   ///< that were carried out
  std::size_t launches = 0;  ///< of kernels that ran
};

/// Gives @p bytes, as the records that a client sends, to the front of a small device, up to the first that is refused. Aborts if the
/// connection ends without a sentence.
Driven drive_front(std::string_view bytes);

}  // namespace simgpu::fuzz
