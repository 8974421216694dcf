/// @file
/// libFuzzer target: bytes as PTX, parsed and lowered.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "simgpu/tests/fuzz/run_ptx.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  simgpu::fuzz::lower_text({reinterpret_cast<const char*>(data), size});
  return 0;
}
