/// @file
/// Words of types, and the small queries of a module.
#include "simgpu/ptx/module.hpp"

#include <array>

namespace simgpu::ptx {
namespace {

struct TypeWord {
  Type type;
  std::string_view word;
  std::size_t bytes;
};

constexpr std::array kTypes = {
    TypeWord{Type::none, "", 0},         TypeWord{Type::pred, "pred", 0},   TypeWord{Type::b8, "b8", 1},
    TypeWord{Type::b16, "b16", 2},       TypeWord{Type::b32, "b32", 4},     TypeWord{Type::b64, "b64", 8},
    TypeWord{Type::b128, "b128", 16},    TypeWord{Type::u8, "u8", 1},       TypeWord{Type::u16, "u16", 2},
    TypeWord{Type::u32, "u32", 4},       TypeWord{Type::u64, "u64", 8},     TypeWord{Type::s8, "s8", 1},
    TypeWord{Type::s16, "s16", 2},       TypeWord{Type::s32, "s32", 4},     TypeWord{Type::s64, "s64", 8},
    TypeWord{Type::f16, "f16", 2},       TypeWord{Type::f16x2, "f16x2", 4}, TypeWord{Type::bf16, "bf16", 2},
    TypeWord{Type::bf16x2, "bf16x2", 4}, TypeWord{Type::tf32, "tf32", 4},   TypeWord{Type::f32, "f32", 4},
    TypeWord{Type::f64, "f64", 8},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (static_cast<std::size_t>(kTypes[i].type) != i) return false;
  }
  return true;
}
static_assert(in_order(), "kTypes is indexed by Type");

}  // namespace

std::size_t size_of(Type type) noexcept {
  return kTypes[static_cast<std::size_t>(type)].bytes;
}

std::string_view name_of(Type type) noexcept {
  return kTypes[static_cast<std::size_t>(type)].word;
}

Type type_from(std::string_view word) noexcept {
  if (word.empty()) return Type::none;
  for (const TypeWord& entry : kTypes) {
    if (entry.word == word) return entry.type;
  }
  return Type::none;
}

std::string Instruction::full_name() const {
  std::string result = opcode;
  for (const std::string& modifier : modifiers) {
    result += '.';
    result += modifier;
  }
  return result;
}

std::string_view Module::file_path(std::uint32_t number) const noexcept {
  for (const File& file : files) {
    if (file.number == number) return file.path;
  }
  return {};
}

}  // namespace simgpu::ptx
