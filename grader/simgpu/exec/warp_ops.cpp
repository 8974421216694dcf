/// @file
/// Shuffles, votes, matches and warp-wide reductions. The lanes named by a *.sync have been gathered before
/// (gather.cpp).
#include "simgpu/exec/lanes.hpp"
#include "simgpu/exec/unwritten.hpp"

namespace simgpu::exec::SIMGPU_ISA {
namespace {

enum class Way { up, down, bfly, idx };

/// What a lane hears from one that takes no part: on hardware undefined, often whatever stood in a register. Never 0, and of
/// either sign: else a sum or a maximum over lanes that have ended would come out right here.
u32 value_of_nobody(u32 lane) {
  constexpr u32 kNegative = 0x9966A5A4;  // lanes; some of those that a tree of halves asks, and not all
  return 0x5EED1E55 | (kNegative >> lane & 1) << 31;
}

template <Way way>
void shuffle(Warp& w, const Ins& i, u32 mask) {
  const u32 *a = w.row<u32>(i.a), *b = w.row<u32>(i.b), *c = w.row<u32>(i.c);
  u32 result[32], source[32], valid = 0, missing = 0;
  for (u32 l = 0; l < 32; ++l) {
    const u32 by = b[l] & 31, clamp = c[l] & 31, segment = c[l] >> 8 & 31;
    const u32 low = l & segment, high = low | (clamp & ~segment);
    s32 j;
    bool ok;
    if (way == Way::up) {
      j = static_cast<s32>(l) - static_cast<s32>(by);
      ok = j >= static_cast<s32>(high);
    } else if (way == Way::down) {
      j = static_cast<s32>(l + by);
      ok = j <= static_cast<s32>(high);
    } else if (way == Way::bfly) {
      j = static_cast<s32>(l ^ by);
      ok = j <= static_cast<s32>(high);
    } else {
      j = static_cast<s32>(low | (by & ~segment));
      ok = j <= static_cast<s32>(high);
    }
    const u32 from = ok ? static_cast<u32>(j) & 31 : l;
    source[l] = from;
    result[l] = mask >> from & 1 ? a[from] : value_of_nobody(from);
    missing |= static_cast<u32>(!(mask >> from & 1)) << l;
    valid |= static_cast<u32>(ok) << l;
  }
  missing &= mask;
  if (missing || w.unwritten || w.undefined) [[unlikely]]
    follow_shuffle(w, i, mask, missing, source);
  u32* d = w.row<u32>(i.d);
  if (mask == kFull)
    std::memcpy(d, result, sizeof result);
  else
    blend(d, result, mask);
  if (i.f != lower::kNoOperand) {
    u32& p = w.predicate(i.f);
    p = (p & ~mask) | (valid & mask);
  }
}

/// For votes and reductions, before there is a result.
void combine(Warp& w, const Ins& i, u32 mask) {
  if (w.unwritten || w.undefined) [[unlikely]]
    follow_combination(w, i, mask);
}

void write_predicate(Warp& w, Operand o, u32 mask, bool value) {
  u32& p = w.predicate(o);
  p = value ? p | mask : p & ~mask;
}
void write_row(Warp& w, Operand o, u32 mask, u32 value) {
  u32* d = w.row<u32>(o);
  each_lane(mask, [&](u32 l) { d[l] = value; });
}

void vote_all(Warp& w, const Ins& i, u32 mask) {
  combine(w, i, mask);
  write_predicate(w, i.d, mask, (w.predicate(i.a) & mask) == mask);
}
void vote_any(Warp& w, const Ins& i, u32 mask) {
  combine(w, i, mask);
  write_predicate(w, i.d, mask, (w.predicate(i.a) & mask) != 0);
}
void vote_uni(Warp& w, const Ins& i, u32 mask) {
  combine(w, i, mask);
  const u32 v = w.predicate(i.a) & mask;
  write_predicate(w, i.d, mask, v == 0 || v == mask);
}
void vote_ballot(Warp& w, const Ins& i, u32 mask) {
  write_row(w, i.d, mask, w.predicate(i.a) & mask);
}
void active_mask(Warp& w, const Ins& i, u32 mask) {
  write_row(w, i.d, mask, mask);
}

template <class T>
void match_any(Warp& w, const Ins& i, u32 mask) {
  const T* a = w.row<T>(i.a);
  u32 result[32];
  each_lane(mask, [&](u32 l) {
    result[l] = 0;
    each_lane(mask, [&](u32 k) { result[l] |= static_cast<u32>(a[k] == a[l]) << k; });
  });
  u32* d = w.row<u32>(i.d);
  each_lane(mask, [&](u32 l) { d[l] = result[l]; });
}
template <class T>
void match_all(Warp& w, const Ins& i, u32 mask) {
  const T* a = w.row<T>(i.a);
  const T first = a[__builtin_ctz(mask)];
  bool same = true;
  each_lane(mask, [&](u32 l) { same &= a[l] == first; });
  write_row(w, i.d, mask, same ? mask : 0);
  if (i.f != lower::kNoOperand) write_predicate(w, i.f, mask, same);
}

void redux(Warp& w, const Ins& i, u32 mask) {
  combine(w, i, mask);
  const auto op = static_cast<lower::AtomicOp>(i.imm & 0xFF);
  const bool is_signed = i.imm & 256;
  const u32* a = w.row<u32>(i.a);
  u32 r = a[__builtin_ctz(mask)];
  each_lane(mask & (mask - 1), [&](u32 l) {
    const u32 v = a[l];
    switch (op) {
      case lower::AtomicOp::add:
        r += v;
        break;
      case lower::AtomicOp::min:
        r = (is_signed ? static_cast<s32>(v) < static_cast<s32>(r) : v < r) ? v : r;
        break;
      case lower::AtomicOp::max:
        r = (is_signed ? static_cast<s32>(v) > static_cast<s32>(r) : v > r) ? v : r;
        break;
      case lower::AtomicOp::and_:
        r &= v;
        break;
      case lower::AtomicOp::or_:
        r |= v;
        break;
      default:
        r ^= v;
        break;
    }
  });
  write_row(w, i.d, mask, r);
}

void elect(Warp& w, const Ins& i, u32 mask) {
  const u32 leader = static_cast<u32>(__builtin_ctz(mask));
  write_row(w, i.d, mask, leader);
  if (i.f != lower::kNoOperand) {
    write_predicate(w, i.f, mask, false);
    write_predicate(w, i.f, 1u << leader, true);
  }
}

}  // namespace

void register_warp(Table& t) {
  t[Op::shfl_up] = shuffle<Way::up>;
  t[Op::shfl_down] = shuffle<Way::down>;
  t[Op::shfl_bfly] = shuffle<Way::bfly>;
  t[Op::shfl_idx] = shuffle<Way::idx>;
  t[Op::vote_all] = vote_all;
  t[Op::vote_any] = vote_any;
  t[Op::vote_uni] = vote_uni;
  t[Op::vote_ballot] = vote_ballot;
  t[Op::match_any_b32] = match_any<u32>;
  t[Op::match_any_b64] = match_any<u64>;
  t[Op::match_all_b32] = match_all<u32>;
  t[Op::match_all_b64] = match_all<u64>;
  t[Op::redux] = redux;
  t[Op::activemask] = active_mask;
  t[Op::elect] = elect;
  t[Op::bar_warp_sync] = [](Warp&, const Ins&, u32) {};
}

}  // namespace simgpu::exec::SIMGPU_ISA
