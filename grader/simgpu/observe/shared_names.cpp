/// @file
/// See shared_names.hpp.
#include "simgpu/observe/shared_names.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace simgpu::observe {
namespace {

/// "tile" of "_ZZ6kernelPfE4tile".
std::string plain_name(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  const std::string name = status == 0 && text ? text.get() : symbol;
  const std::size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

struct ElementType {
  std::string_view suffix;  ///< of the instruction
  std::string_view word;    ///< for a reader
  std::uint32_t bytes;
};

/// What one lane's element is, by the instruction's last part; a word of 4 bytes where that does not say.
ElementType element_type(std::string_view instruction) {
  static constexpr ElementType kTypes[] = {
      {"f32", "float", 4},       {"f64", "double", 8},      {"s32", "int", 4},
      {"u32", "int", 4},         {"s64", "8-byte word", 8}, {"u64", "8-byte word", 8},
      {"b64", "8-byte word", 8}, {"s16", "2-byte word", 2}, {"u16", "2-byte word", 2},
      {"b16", "2-byte word", 2}, {"s8", "byte", 1},         {"u8", "byte", 1},
      {"b8", "byte", 1}};
  const std::string_view suffix = instruction.substr(instruction.rfind('.') + 1);
  for (const ElementType& one : kTypes) {
    if (one.suffix == suffix) return one;
  }
  return {"b32", "word", 4};
}

}  // namespace

std::string shared_element(const LaunchInfo& launch, const Site& site, std::uint64_t address) {
  for (const SharedVariable& one : launch.shared_variables) {
    // Dynamic shared memory has no size of its own: it reaches to the end.
    const std::uint64_t end = one.bytes == 0 ? launch.shared_bytes : std::uint64_t{one.offset} + one.bytes;
    if (address < one.offset || address >= end) continue;
    const ElementType type = element_type(site.name);
    if (one.bytes == type.bytes) return plain_name(one.symbol);  // no array
    return fmt::format("{} {} of {}", type.word, (address - one.offset) / type.bytes, plain_name(one.symbol));
  }
  return fmt::format("shared word 0x{:x}", address);
}

}  // namespace simgpu::observe
