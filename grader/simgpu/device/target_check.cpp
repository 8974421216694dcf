/// @file
/// See target_check.hpp. The levels are those that the PTX manual states under "Target ISA Notes" of each instruction.
#include "simgpu/device/target_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace simgpu::device {
namespace {

bool has(const ptx::Instruction& in, std::string_view modifier) {
  return std::find(in.modifiers.begin(), in.modifiers.end(), modifier) != in.modifiers.end();
}

constexpr std::array<std::string_view, 8> kSince90 = {"mapa",  "getctarank", "multimem",       "wgmma",
                                                      "elect", "setmaxnreg", "griddepcontrol", "tensormap"};
constexpr std::array<std::string_view, 4> kSince80 = {"redux", "createpolicy", "applypriority", "discard"};

/// Products of matrices: shapes and types have come over the years.
std::uint32_t needed_by_product(const ptx::Instruction& in) {
  if (has(in, "e4m3") || has(in, "e5m2")) return 89;
  for (const std::string_view type : {"bf16", "tf32", "f64", "and"})
    if (has(in, type)) return 80;
  if (in.opcode == "wmma") return 70;
  if (has(in, "m8n8k4")) return 70;
  for (const std::string_view shape : {"m16n8k8", "m8n8k16", "m8n8k32", "m8n8k128"})
    if (has(in, shape)) return 75;
  return 80;
}

template <std::size_t Count>
bool among(const std::array<std::string_view, Count>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::uint32_t needed_arch(const ptx::Instruction& in) {
  if (among(kSince90, in.opcode) || has(in, "shared::cluster")) return 90;
  if (in.opcode == "barrier" && has(in, "cluster")) return 90;
  if (in.opcode == "cp" && has(in, "async")) return has(in, "bulk") ? 90 : 80;
  if (in.opcode == "mma" || in.opcode == "wmma") return needed_by_product(in);
  if (in.opcode == "stmatrix") return 90;
  if (in.opcode == "mbarrier")
    return has(in, "try_wait") || has(in, "expect_tx") || has(in, "complete_tx") ? 90 : 80;
  return among(kSince80, in.opcode) ? 80 : 0;
}

std::string missing_on(const ptx::Module& module, std::uint32_t arch) {
  for (const ptx::Function& function : module.functions) {
    for (const ptx::Instruction& in : function.instructions) {
      const std::uint32_t needed = needed_arch(in);
      if (needed > arch)
        return fmt::format("PTX line {}: {} needs compute capability {}.{}, and this card has {}.{}.",
                           in.ptx_line, in.full_name(), needed / 10, needed % 10, arch / 10, arch % 10);
    }
  }
  return {};
}

}  // namespace simgpu::device
