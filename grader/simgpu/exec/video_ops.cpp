/// @file
/// Video instructions: see lower/decode_video.cpp and lower::VideoOp. Rare, so lane by lane.
#include <algorithm>

#include "simgpu/exec/lanes.hpp"

namespace simgpu::exec::SIMGPU_ISA {
namespace {

using lower::VideoOp;

s64 part(u32 v, VideoOp::Part p, bool is_signed) {
  const u32 bits = v >> p.shift << (32 - p.bits) >> (32 - p.bits);
  return is_signed ? static_cast<s64>(static_cast<s32>(bits << (32 - p.bits)) >> (32 - p.bits)) : s64{bits};
}

bool holds(VideoOp::Comparison c, s64 a, s64 b) {
  switch (c) {
    case VideoOp::eq:
      return a == b;
    case VideoOp::ne:
      return a != b;
    case VideoOp::lt:
      return a < b;
    case VideoOp::le:
      return a <= b;
    case VideoOp::gt:
      return a > b;
    default:
      return a >= b;
  }
}

/// One result before it is cut to size. @param bits of the operands.
s64 compute(const VideoOp& v, s64 a, s64 b, s64 c, u32 bits) {
  switch (v.operation) {
    case VideoOp::add:
      return a + b;
    case VideoOp::sub:
      return a - b;
    case VideoOp::absdiff:
      return a < b ? b - a : a - b;
    case VideoOp::min:
      return std::min(a, b);
    case VideoOp::max:
      return std::max(a, b);
    case VideoOp::average:
      return (a + b + (a + b >= 0)) >> 1;
    case VideoOp::shl:
    case VideoOp::shr: {
      const u32 by =
          v.wraps ? static_cast<u32>(b) & (bits - 1) : static_cast<u32>(std::min<s64>(b & 0xFFFF'FFFF, bits));
      return v.operation == VideoOp::shl ? a << by : a >> by;
    }
    case VideoOp::mad:
      return (a * b + c) >> v.scale;
    default:
      return holds(v.comparison, a, b);
  }
}

s64 clamped(s64 r, bool is_signed, u32 bits) {
  const s64 low = is_signed ? -(s64{1} << (bits - 1)) : 0,
            high = is_signed ? (s64{1} << (bits - 1)) - 1 : (s64{1} << bits) - 1;
  return std::clamp(r, low, high);
}

u32 scalar(const VideoOp& v, u32 a, u32 b, u32 c) {
  s64 x = part(a, v.from[0], v.is_signed[1]), y = part(b, v.from[1], v.is_signed[2]);
  if (v.operation == VideoOp::mad && v.negated[0] != v.negated[1]) x = -x;
  const bool whole_signed = v.is_signed[1] || v.is_signed[2];
  s64 z = whole_signed || v.negated[0] != v.negated[1] ? s64{static_cast<s32>(c)} : s64{c};
  if (v.negated[2]) z = -z;
  s64 r = compute(v, x, y, z + v.plus_one, 32);
  const u32 bits = v.merges ? v.into.bits : 32;
  if (v.saturates) r = clamped(r, v.is_signed[0], bits);
  if (v.merges) {
    const u32 mask = (v.into.bits == 32 ? ~0u : (1u << v.into.bits) - 1) << v.into.shift;
    return (static_cast<u32>(r) << v.into.shift & mask) | (c & ~mask);
  }
  const u32 word = static_cast<u32>(r);
  if (!v.has_then) return word;
  if (v.then == VideoOp::add) return word + c;
  const bool less = v.is_signed[0] ? static_cast<s32>(word) < static_cast<s32>(c) : word < c;
  return (v.then == VideoOp::min) == less ? word : c;
}

/// All parts of the registers side by side; their sum and c with `.add`.
u32 side_by_side(const VideoOp& v, u32 a, u32 b, u32 c) {
  const u32 bits = 32 / v.parts;
  u32 result = 0;
  u32 sum = c;
  for (u32 k = 0; k < v.parts; ++k) {
    const VideoOp::Part p{static_cast<std::uint8_t>(bits * k), static_cast<std::uint8_t>(bits)};
    s64 r = compute(v, part(a, p, v.is_signed[1]), part(b, p, v.is_signed[2]), 0, bits);
    if (v.saturates) r = clamped(r, v.is_signed[0], bits);
    result |= (static_cast<u32>(r) & ((1u << bits) - 1)) << bits * k;
    sum += static_cast<u32>(r);
  }
  return v.has_then ? sum : result;
}

void video(Warp& w, const Ins& i, u32 mask) {
  const VideoOp& v = w.machine->code.video_ops[i.aux2];
  const u32 *a = w.row<u32>(i.a), *b = w.row<u32>(i.b),
            *c = i.c == lower::kNoOperand ? nullptr : w.row<u32>(i.c);
  u32* d = w.row<u32>(i.d);
  each_lane(mask, [&](u32 l) {
    const u32 z = c ? c[l] : 0;
    d[l] = v.parts ? side_by_side(v, a[l], b[l], z) : scalar(v, a[l], b[l], z);
  });
}

}  // namespace

void register_video(Table& t) {
  t[Op::video] = video;
}

}  // namespace simgpu::exec::SIMGPU_ISA
