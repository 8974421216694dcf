/// @file
/// What the fuzzer of the queue does with one input; the test of its corpus does the same.
#pragma once

#include <cstddef>
#include <string_view>

namespace simgpu::fuzz {

/// Reads @p bytes as the records that a client sends, up to the first that is refused, and answers as a device would. Aborts if a
/// record is refused without a sentence, or if one that is taken does not give the same bytes when it is written.
/// @return how many records were taken.
std::size_t read_records(std::string_view bytes);

}  // namespace simgpu::fuzz
