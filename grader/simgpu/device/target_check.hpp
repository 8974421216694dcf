/// @file
/// Instructions that a card does not have: a kernel that was compiled for an older architecture and writes them in inline PTX is refused when
/// it is loaded, as that card's driver does.
#pragma once

#include <cstdint>
#include <string>

#include "simgpu/ptx/module.hpp"

namespace simgpu::device {

/// The compute capability times ten from which on an instruction exists; 0 for those that every card has.
std::uint32_t needed_arch(const ptx::Instruction& instruction);

/// A sentence about the first instruction of @p module that a card of @p arch lacks; empty if it has them all.
std::string missing_on(const ptx::Module& module, std::uint32_t arch);

}  // namespace simgpu::device
