/// @file
/// libFuzzer target: PTX that is parsed, lowered and run with all observers. Inputs are changed as programs, not as
/// bytes (mutator.hpp), so that most of them reach the interpreter.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "simgpu/tests/fuzz/mutator.hpp"
#include "simgpu/tests/fuzz/run_ptx.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

std::size_t give(const std::string& text, std::uint8_t* out, std::size_t most) {
  const std::size_t size = std::min(text.size(), most);
  std::memcpy(out, text.data(), size);
  return size;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  simgpu::fuzz::execute_text(text_of(data, size));
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  if (seed % 16 == 0) return LLVMFuzzerMutate(data, size, most);
  return give(simgpu::fuzz::mutate(text_of(data, size), seed), data, most);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t one_size,
                                                 const std::uint8_t* other, std::size_t other_size,
                                                 std::uint8_t* out, std::size_t most, unsigned seed) {
  return give(simgpu::fuzz::cross(text_of(one, one_size), text_of(other, other_size), seed), out, most);
}
