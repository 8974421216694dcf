/// @file
/// libFuzzer target: bytes as the records that a client sends to the device, or as a message of the device.
#include <cstddef>
#include <cstdint>

#include "simgpu/tests/fuzz/read_records.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  simgpu::fuzz::read_records({reinterpret_cast<const char*>(data), size});
  return 0;
}
