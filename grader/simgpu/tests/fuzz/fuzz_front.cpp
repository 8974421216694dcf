/// @file
/// libFuzzer target: bytes as the records that a client sends to a device, which carries them out.
#include <cstddef>
#include <cstdint>

#include "simgpu/tests/fuzz/drive_front.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  simgpu::fuzz::drive_front({reinterpret_cast<const char*>(data), size});
  return 0;
}
