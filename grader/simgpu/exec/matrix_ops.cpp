/// @file
/// Warp-wide moves of 8x8 matrices of 16-bit elements: ldmatrix, stmatrix, movmatrix. A matrix's row r lies in 16 bytes of
/// shared memory; in registers, lane t holds the elements (t / 4, 2 * (t % 4)) and the one to its right.
#include "simgpu/exec/access.hpp"
#include "simgpu/exec/all_lanes.hpp"

namespace simgpu::exec::SIMGPU_ISA {
namespace {

constexpr u32 kTransposed = 1;

/// Place of the element that is half @p h of lane @p t's register.
struct Element {
  u32 row, column;
};
Element element_of(u32 t, u32 h, bool transposed) {
  const Element e{t / 4, t % 4 * 2 + h};
  return transposed ? Element{e.column, e.row} : e;
}

/// Lanes 8k to 8k+7 give the addresses of matrix k's rows.
template <bool is_load>
void matrix(Warp& w, const Ins& i, u32 mask) {
  const MemoryOp& m = w.machine->code.memory_ops[i.aux];
  const bool transposed = i.aux2 & kTransposed;
  expect_all_lanes(w, i, mask);
  const u32 rows = m.count == 4 ? kFull : (1u << 8 * m.count) - 1;
  if ((mask & rows) != rows) mask = rows;
  Addresses a;
  compute_addresses(w, i, m, rows, a);
  observe::Memory space;
  if (!locate(w, i, m, a, !is_load, space)) return;
  expand_hosts(m, a);
  if (w.block->pending_copies) check_pending_copies(w, i, m, a);
  tell(w, i, m, a, space, m.kind);
  for (u32 k = 0; k < m.count; ++k) {
    u32* r = w.row<u32>(m.registers[k]);
    for (u32 t = 0; t < 32; ++t) {
      u32 pair = 0;
      for (u32 h = 0; h < 2; ++h) {
        const Element e = element_of(t, h, transposed);
        u16* at = reinterpret_cast<u16*>(a.host[8 * k + e.row]) + e.column;
        if (is_load)
          pair |= u32{*at} << 16 * h;
        else
          *at = static_cast<u16>(r[t] >> 16 * h);
      }
      if (is_load) r[t] = pair;
    }
  }
}

void transpose(Warp& w, const Ins& i, u32 mask) {
  expect_all_lanes(w, i, mask);
  const u32* a = w.row<u32>(i.a);
  u32 result[32];
  for (u32 t = 0; t < 32; ++t) {
    result[t] = 0;
    for (u32 h = 0; h < 2; ++h) {
      const Element e = element_of(t, h, true);
      result[t] |= (a[e.row * 4 + e.column / 2] >> 16 * (e.column % 2) & 0xFFFF) << 16 * h;
    }
  }
  std::memcpy(w.row<u32>(i.d), result, sizeof result);
}

}  // namespace

void register_matrix(Table& t) {
  t[Op::ldmatrix] = matrix<true>;
  t[Op::stmatrix] = matrix<false>;
  t[Op::movmatrix] = transpose;
}

}  // namespace simgpu::exec::SIMGPU_ISA
