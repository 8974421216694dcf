/// @file
/// Unpacking of compressed entries, through the machine's own liblz4 and libzstd.
///
/// nvcc 13 compresses by default, so a program that was built without a thought arrives compressed. The
/// libraries are looked up when they are first needed: nearly every Linux has them at run time, few have
/// their headers, and a program that is not compressed should need neither.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace simgpu::container {

enum class Packing : std::uint8_t { lz4, zstd };

struct Unpacked {
  std::string bytes;
  std::string problem;  ///< a sentence that says what to do; empty if all is well
};

/// @param packed the whole compressed block.
/// @param most size of the result in bytes at most, as the container states it.
Unpacked unpack(Packing packing, std::string_view packed, std::uint64_t most);

}  // namespace simgpu::container
