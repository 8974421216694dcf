/// @file
/// Decoding of the video instructions: arithmetic on selected bytes and halves, and on all halves or bytes of a register side
/// by side (which __vabsdiffu4 and its like become).
#include <string_view>

#include "simgpu/lower/builder.hpp"

namespace simgpu::lower {

namespace {

struct Name {
  std::string_view word;
  VideoOp::Operation operation;
};
constexpr Name kNames[] = {{"vadd", VideoOp::add},     {"vsub", VideoOp::sub}, {"vabsdiff", VideoOp::absdiff},
                           {"vmin", VideoOp::min},     {"vmax", VideoOp::max}, {"vshl", VideoOp::shl},
                           {"vshr", VideoOp::shr},     {"vmad", VideoOp::mad}, {"vset", VideoOp::set},
                           {"vavrg", VideoOp::average}};

}  // namespace

bool is_video(std::string_view opcode) {
  if (!opcode.empty() && (opcode.back() == '2' || opcode.back() == '4')) opcode.remove_suffix(1);
  for (const Name& n : kNames)
    if (opcode == n.word) return true;
  return false;
}

void FunctionLowering::decode_video() {
  std::string_view opcode = in_->opcode;
  VideoOp v;
  if (opcode.back() == '2' || opcode.back() == '4') {
    v.parts = static_cast<std::uint8_t>(opcode.back() - '0');
    opcode.remove_suffix(1);
  }
  for (const Name& n : kNames)
    if (opcode == n.word) v.operation = n.operation;
  std::vector<bool> types;  // signed?
  for (const std::string& m : in_->modifiers) {
    if (m == "u32" || m == "s32")
      types.push_back(m == "s32");
    else if (m == "sat")
      v.saturates = true;
    else if (m == "wrap")
      v.wraps = true;
    else if (m == "shr7" || m == "shr15")
      v.scale = m == "shr7" ? 7 : 15;
    else if (m == "po")
      v.plus_one = true;
    else if (m == "add" || m == "min" || m == "max")
      v.then = m == "add" ? VideoOp::add : m == "min" ? VideoOp::min : VideoOp::max, v.has_then = true;
    else if (m == "eq" || m == "ne" || m == "lt" || m == "le" || m == "gt" || m == "ge")
      v.comparison = m == "eq"   ? VideoOp::eq
                     : m == "ne" ? VideoOp::ne
                     : m == "lt" ? VideoOp::lt
                     : m == "le" ? VideoOp::le
                     : m == "gt" ? VideoOp::gt
                                 : VideoOp::ge;
    else if (m != "clamp")
      fail("the modifier ." + m + " of a video instruction is not simulated");
  }
  if (v.operation == VideoOp::set) types.insert(types.begin(), false);  // its result has no type
  if (types.size() != 3) fail("its types are missing");
  for (std::size_t n = 0; n < 3; ++n) v.is_signed[n] = types[n];

  // A register may carry a selection: .b0 to .b3, .h0, .h1 of scalar forms; of the others none is simulated.
  const auto selected = [&](const ptx::Operand& o, VideoOp::Part* part, bool& negated) {
    ptx::Operand plain = o;
    negated = o.negated;
    plain.negated = false;
    if (const std::size_t dot = o.name.find('.');
        o.kind == ptx::Operand::Kind::reg && dot != std::string::npos) {
      const std::string selector = o.name.substr(dot + 1);
      plain.name = o.name.substr(0, dot);
      if (!part || v.parts || selector.size() != 2 || (selector[0] != 'b' && selector[0] != 'h') ||
          selector[1] < '0' || selector[1] > (selector[0] == 'b' ? '3' : '1'))
        fail("this selection of parts of a register is not simulated");
      part->bits = selector[0] == 'b' ? 8 : 16;
      part->shift = static_cast<std::uint8_t>((selector[1] - '0') * part->bits);
    }
    return source(plain, 4);
  };
  set(kFieldA, selected(operand(1), &v.from[0], v.negated[0]), kUse);
  set(kFieldB, selected(operand(2), &v.from[1], v.negated[1]), kUse);
  if (in_->operands.size() > 3) set(kFieldC, selected(operand(3), nullptr, v.negated[2]), kUse);
  ptx::Operand to = operand(0);
  if (to.name.find('.') != std::string::npos) {
    if (v.parts || in_->operands.size() < 4) fail("this selection of parts of a register is not simulated");
    const std::size_t dot = to.name.find('.');
    v.merges = true;
    v.into.bits = to.name[dot + 1] == 'b' ? 8 : 16;
    v.into.shift = static_cast<std::uint8_t>((to.name.back() - '0') * v.into.bits);
    if (v.into.shift + v.into.bits > 32) fail("this selection of parts of a register is not simulated");
    to.name.resize(dot);
  }
  set(kFieldD, destination(to, 4), kDef);
  ins_.op = Op::video;
  ins_.cls = Class::integer;
  ins_.latency = 8;
  ins_.aux2 = static_cast<std::uint32_t>(code_.video_ops.size());
  code_.video_ops.push_back(v);
  emit();
}

}  // namespace simgpu::lower
