/// @file
/// Fills the table of handlers of one instruction set.
#include "simgpu/exec/handlers.hpp"

namespace simgpu::exec::SIMGPU_ISA {

const Handler* handlers() {
  static const Table table = [] {
    Table t{};
    register_integer(t);
    register_bits(t);
    register_float(t);
    register_half(t);
    register_rounded(t);
    register_compare(t);
    register_convert(t);
    register_moves(t);
    register_memory(t);
    register_atomics(t);
    register_async(t);
    register_matrix(t);
    register_tensor(t);
    register_texture(t);
    register_video(t);
    register_warp(t);
    return t;
  }();
  return table.handlers;
}

}  // namespace simgpu::exec::SIMGPU_ISA
