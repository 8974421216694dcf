/// @file
/// libFuzzer target: bytes as the container that nvcc embeds, compressed entries included.
#include <cstddef>
#include <cstdint>

#include "simgpu/tests/fuzz/read_bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  simgpu::fuzz::read_bytes({reinterpret_cast<const char*>(data), size});
  return 0;
}
