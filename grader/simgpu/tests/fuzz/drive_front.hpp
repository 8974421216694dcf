/// @file
/// A device that is told what it likes by whoever is at the other end of the queue.
#pragma once

#include <cstddef>
#include <string_view>

namespace simgpu::fuzz {

/// Gives @p bytes, as the records that a client sends, to the front of a small device, up to the first that is refused. Aborts if the
/// connection ends without a sentence.
/// @return how many records were carried out.
std::size_t drive_front(std::string_view bytes);

}  // namespace simgpu::fuzz
