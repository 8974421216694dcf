/// @file
/// Registration of handlers. The files that include this are compiled twice, for x86-64-v3 and for any x86-64
/// (or other host), into different namespaces; handlers_of() picks one when the program runs.
#pragma once

#include "simgpu/exec/state.hpp"

#ifndef SIMGPU_ISA
#define SIMGPU_ISA baseline
#endif

namespace simgpu::exec::SIMGPU_ISA {

struct Table {
  Handler handlers[lower::kOpCount];
  Handler words[static_cast<std::size_t>(WordAccess::count)];  ///< right behind: see handler_of()
  Handler& operator[](Op op) { return handlers[static_cast<std::size_t>(op)]; }
};

void register_integer(Table& table);
void register_bits(Table& table);
void register_float(Table& table);
void register_half(Table& table);
void register_rounded(Table& table);
void register_compare(Table& table);
void register_convert(Table& table);
void register_moves(Table& table);
void register_memory(Table& table);
void register_atomics(Table& table);
void register_async(Table& table);
void register_matrix(Table& table);
void register_tensor(Table& table);
void register_texture(Table& table);
void register_video(Table& table);
void register_warp(Table& table);

/// The filled table of this instruction set.
const Handler* handlers();

}  // namespace simgpu::exec::SIMGPU_ISA
