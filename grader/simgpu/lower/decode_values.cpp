/// @file
/// Decoding of moves, comparisons, conversions and address-space conversions.
#include "simgpu/lower/builder.hpp"
#include "simgpu/memory/device_memory.hpp"

namespace simgpu::lower {

void FunctionLowering::decode_mov() {
  using Kind = ptx::Operand::Kind;
  const ptx::Operand &to = operand(0), &from = operand(1);
  const std::string_view type =
      in_->modifiers.empty() ? std::string_view{} : std::string_view(in_->modifiers.back());
  const bool pack = from.kind == Kind::vector, unpack = to.kind == Kind::vector;
  ins_.cls = Class::integer;
  if (pack || unpack) {
    NumberType t;
    if (!number_type_from(type, t)) fail("its type is not known");
    const unsigned bytes = bytes_of(t);
    const auto& elements = pack ? from.elements : to.elements;
    const auto n = static_cast<unsigned>(elements.size());
    if (n != 2 && n != 4) fail("it packs an unexpected number of registers");
    const unsigned element = bytes / n;
    Op op = Op::count;
    if (element == 2)
      op = n == 2 ? (pack ? Op::pack_2x16 : Op::unpack_2x16) : (pack ? Op::pack_4x16 : Op::unpack_4x16);
    if (element == 1) op = pack ? Op::pack_4x8 : Op::unpack_4x8;
    if (element == 4 && n == 2) op = pack ? Op::pack_2x32 : Op::unpack_2x32;
    if (element == 8 && n == 2) op = pack ? Op::pack_2x64 : Op::unpack_2x64;
    if (op == Op::count) fail("it packs registers of an unexpected size");
    MemoryOp m;
    m.kind = pack ? observe::AccessKind::store : observe::AccessKind::load;
    m.count = static_cast<std::uint8_t>(n);
    const unsigned element_row = element == 8 ? 8 : 4, whole_row = bytes <= 4 ? 4 : bytes;
    for (unsigned i = 0; i < n; ++i)
      m.registers[i] = pack ? source(elements[i], element_row, false, element < 4 ? element : 0)
                            : destination(elements[i], element_row);
    if (pack)
      set(kFieldD, destination(to, whole_row), kDef);
    else
      set(kFieldA, source(from, whole_row), kUse);
    ins_.op = op;
    ins_.flags |= kVector;
    attach_memory(m);
    return emit();
  }
  if (from.kind == Kind::reg && find_register(from.name) < 0) {
    const Special special = special_from(from.name);
    if (special == Special::count) fail("the register " + from.name + " is not known");
    const unsigned bytes = special_bytes(special);
    ins_.op = Op::special_register;
    ins_.cls = Class::other;
    ins_.latency = 20;
    ins_.imm = static_cast<std::int64_t>(special);
    const std::int64_t r = to.kind == Kind::reg ? find_register(to.name) : -1;
    const unsigned width = r >= 0 ? registers_[r].width : bytes;
    ins_.aux = width == 8;
    set(kFieldD, bytes == 0 ? predicate_destination(to.name) : destination(to, width), kDef);
    return emit();
  }
  if (from.kind == Kind::symbol) {
    const Symbol s = symbol(from.name);
    if (s.kind == SymbolKind::local) {
      const bool wide = type == "b64" || type == "u64" || type == "s64";
      ins_.op = Op::local_address;
      ins_.imm = static_cast<std::int64_t>(s.value) + from.offset;
      ins_.aux = wide;
      set(kFieldD, destination(to, wide ? 8 : 4), kDef);
      return emit();
    }
  }
  if (type == "b128") {
    if (from.kind != ptx::Operand::Kind::reg) fail("128 bits can only be moved from a register");
    ins_.op = Op::mov_b128;
    set(kFieldD, destination(to, 16), kDef);
    set(kFieldA, source(from, 16), kUse);
    return emit();
  }
  if (!decode_by_table(*in_)) fail("not simulated");
}

bool FunctionLowering::comparison(std::string_view word, std::string_view type, Op& op, bool& swap,
                                  bool& invert) const {
  NumberType t;
  if (!number_type_from(type, t)) return false;
  swap = invert = false;
  std::string base;
  if (is_float(t)) {
    if (word == "eq" || word == "ne" || word == "lt" || word == "le" || word == "num")
      base = word;
    else if (word == "gt")
      base = "lt", swap = true;
    else if (word == "ge")
      base = "le", swap = true;
    else if (word == "equ")
      base = "ne", invert = true;
    else if (word == "neu")
      base = "eq", invert = true;
    else if (word == "ltu")
      base = "le", swap = invert = true;
    else if (word == "leu")
      base = "lt", swap = invert = true;
    else if (word == "gtu")
      base = "le", invert = true;
    else if (word == "geu")
      base = "lt", invert = true;
    else if (word == "nan")
      base = "num", invert = true;
    else
      return false;
  } else {
    if (word == "eq")
      base = "eq";
    else if (word == "ne")
      base = "eq", invert = true;
    else if (word == "lt" || word == "lo")
      base = "lt";
    else if (word == "le" || word == "ls")
      base = "le";
    else if (word == "gt" || word == "hi")
      base = "lt", swap = true;
    else if (word == "ge" || word == "hs")
      base = "le", swap = true;
    else
      return false;
  }
  std::string name = "setp_" + base + "_";
  if (base == "eq" && !is_float(t))
    name += bytes_of(t) == 2 ? "b16" : bytes_of(t) == 4 ? "b32" : "b64";
  else
    name += type;
  for (std::size_t i = static_cast<std::size_t>(Op::setp_eq_b16);
       i <= static_cast<std::size_t>(Op::setp_num_bf16); ++i)
    if (name == info_of(static_cast<Op>(i)).name) return op = static_cast<Op>(i), true;
  return false;
}

/// Fills ins_ with the comparison of the operands from @p first_source on; the destination is set by the
/// caller.
void FunctionLowering::compare(const ptx::Operand& to, bool has_second, std::size_t first_source,
                               std::string_view type) {
  (void)to;
  (void)has_second;
  std::string_view word;
  std::int64_t combine = 0;
  for (const std::string& m : in_->modifiers) {
    if (m == "ftz")
      ins_.flags |= kFtz;
    else if (m == "and")
      combine = 1;
    else if (m == "or")
      combine = 2;
    else if (m == "xor")
      combine = 3;
    else if (word.empty())
      word = m;
  }
  NumberType t;
  bool swap = false, invert = false;
  Op op;
  if (!number_type_from(type, t) || !comparison(word, type, op, swap, invert))
    fail("this comparison is not simulated");
  const unsigned width = bytes_of(t) == 8 ? 8 : 4;
  const unsigned literal = bytes_of(t) == 2 ? 2 : 0;
  const Operand a = source(operand(first_source), width, is_float(t), literal);
  const Operand b = source(operand(first_source + 1), width, is_float(t), literal);
  set(kFieldA, swap ? b : a, kUse);
  set(kFieldB, swap ? a : b, kUse);
  if (combine) set(kFieldC, predicate_source(operand(first_source + 2)), kUse);
  ins_.op = op;
  ins_.imm = combine;
  if (invert) ins_.flags |= kInvert;
  ins_.cls = info_of(op).cls;
  ins_.latency = info_of(op).latency;
}

void FunctionLowering::decode_setp() {
  if (in_->modifiers.empty()) fail("its type is missing");
  const std::string& type = in_->modifiers.back();
  const ptx::Operand& to = operand(0);
  if (type == "f16x2" || type == "bf16x2") {
    // Two comparisons of halves: first destination the low one, second the high one.
    if (has("ftz")) ins_.flags |= kFtz;
    ins_.op = type == "f16x2" ? Op::setp_f16x2 : Op::setp_bf16x2;
    ins_.cls = Class::fp32;
    bool swap = false, invert = false;
    Op op;
    std::int64_t combine = has("and") ? 1 : has("or") ? 2 : has("xor") ? 3 : 0;
    if (!comparison(in_->modifiers.front(), type == "f16x2" ? "f16" : "bf16", op, swap, invert))
      fail("this comparison is not simulated");
    const Operand a = source(operand(1), 4), b = source(operand(2), 4);
    set(kFieldA, swap ? b : a, kUse);
    set(kFieldB, swap ? a : b, kUse);
    if (combine) set(kFieldC, predicate_source(operand(3)), kUse);
    const auto base = static_cast<std::uint32_t>(type == "f16x2" ? Op::setp_eq_f16 : Op::setp_eq_bf16);
    ins_.aux = static_cast<std::uint32_t>(op) - base;
    ins_.imm = combine;
    if (invert) ins_.flags |= kInvert;
  } else {
    compare(to, true, 1, type);
  }
  set(kFieldD, predicate_destination(to.kind == ptx::Operand::Kind::discard ? "_" : to.name), kDef);
  if (!to.pipe.empty()) set(kFieldE, predicate_destination(to.pipe), kDef);
  emit();
}

void FunctionLowering::decode_set() {
  if (in_->modifiers.size() < 3) fail("its types are missing");
  const std::string& type = in_->modifiers.back();
  const std::string& result_type = in_->modifiers[in_->modifiers.size() - 2];
  NumberType r;
  if (!number_type_from(result_type, r)) fail("its type is not known");
  if (type == "f16x2" || type == "bf16x2") {
    bool swap = false, invert = false;
    Op op;
    const std::uint16_t combine = has("and") ? 1 : has("or") ? 2 : has("xor") ? 3 : 0;
    if (!comparison(in_->modifiers.front(), type == "f16x2" ? "f16" : "bf16", op, swap, invert) ||
        in_->operands.size() != (combine ? 4u : 3u))
      fail("this comparison is not simulated");
    if (combine) set(kFieldC, predicate_source(operand(3)), kUse);
    const Operand a = source(operand(1), 4), b = source(operand(2), 4);
    set(kFieldA, swap ? b : a, kUse);
    set(kFieldB, swap ? a : b, kUse);
    const auto base = static_cast<std::uint32_t>(type == "f16x2" ? Op::setp_eq_f16 : Op::setp_eq_bf16);
    if (has("ftz")) ins_.flags |= kFtz;
    ins_.op = type == "f16x2" ? Op::set_f16x2 : Op::set_bf16x2;
    ins_.cls = Class::fp32;
    ins_.aux = static_cast<std::uint32_t>(op) - base;
    ins_.imm = (r == NumberType::f16x2 ? 0x3C00 : r == NumberType::bf16x2 ? 0x3F80 : 0xFFFF) | combine << 16;
    if (invert) ins_.flags |= kInvert;
    set(kFieldD, destination(operand(0), 4), kDef);
    return emit();
  }
  Ins expand;
  expand.op = Op::set_expand;
  expand.guard = ins_.guard;
  const bool half = bytes_of(r) == 2;
  expand.imm = r == NumberType::f32    ? 0x3F80'0000
               : r == NumberType::f16  ? 0x3C00
               : r == NumberType::bf16 ? 0x3F80
               : half                  ? 0xFFFF
                                       : 0xFFFF'FFFF;
  expand.d = destination(operand(0), 4);
  expand.a = temporary(0);
  expand.defs = kFieldD;
  expand.uses = kFieldA;
  compare(operand(0), false, 1, type);
  set(kFieldD, expand.a, kDef);
  const std::uint32_t guard = ins_.guard;
  emit();
  emit_hidden(expand);
  body_.back().guard = guard;
}

void FunctionLowering::decode_cvt() {
  std::vector<std::string_view> types;
  std::string_view rounding;
  bool other = false, relu = false;
  for (const std::string& m : in_->modifiers)
    if (m == "tf32" || m == "e4m3x2" || m == "e5m2x2" || m == "pack") return decode_narrow_float(m);
  for (const std::string& m : in_->modifiers) {
    NumberType t;
    if (number_type_from(m, t))
      types.push_back(m);
    else if (m == "ftz")
      ins_.flags |= kFtz;
    else if (m == "sat")
      ins_.flags |= kSat;
    else if (m == "relu")
      relu = true;
    else if (m == "rn" || m == "rz" || m == "rm" || m == "rp" || m == "rni" || m == "rzi" || m == "rmi" ||
             m == "rpi")
      rounding = m;
    else
      other = true;
  }
  if (other || types.size() != 2) fail("this conversion is not simulated");
  NumberType d{}, s{};
  number_type_from(types[0], d);
  number_type_from(types[1], s);
  const bool integers = !is_float(d) && !is_float(s);  // those take no unit of their own
  const auto is_half = [](NumberType t) { return t == NumberType::f16 || t == NumberType::bf16; };
  // Between halves and floats neither does: packing is the integer units' work, unpacking a sum.
  const bool packs = is_half(d) && s == NumberType::f32, unpacks = is_half(s) && d == NumberType::f32;
  ins_.cls = integers || packs ? Class::integer : unpacks ? Class::fp32 : Class::conversion;
  ins_.latency = integers ? 4 : packs || unpacks ? 5 : 16;
  if (d == NumberType::f32 && s == NumberType::f32 && rounding.empty()) {
    ins_.cls = Class::fp32;
    ins_.latency = 4;
  }
  if (d == NumberType::f16x2 || d == NumberType::bf16x2) {
    if (s != NumberType::f32 || in_->operands.size() != 3 || (rounding != "rn" && rounding != "rz"))
      fail("this conversion is not simulated");
    ins_.op = Op::cvt_pack_f16x2;
    ins_.cls = Class::integer;
    ins_.latency = 5;
    ins_.imm = (d == NumberType::bf16x2 ? 1 : 0) | (rounding == "rz" ? 2 : 0) | (relu ? 4 : 0);
    set(kFieldA, source(operand(1), 4, true), kUse);
    set(kFieldB, source(operand(2), 4, true), kUse);
    set(kFieldD, destination(operand(0), 4), kDef);
    return emit();
  }
  if (d == NumberType::b128 || s == NumberType::b128 || s == NumberType::f16x2 || s == NumberType::bf16x2)
    fail("this conversion is not simulated");
  const ptx::Operand& to = operand(0);
  const std::int64_t r = to.kind == ptx::Operand::Kind::reg ? find_register(to.name) : -1;
  if (r < 0 || registers_[r].width == 0 || registers_[r].width > 8)
    fail("its destination is not a register it can write");
  const unsigned to_width = registers_[r].width;
  unsigned from_width = bytes_of(s) == 8 ? 8 : 4;
  if (const std::int64_t f = operand(1).kind == ptx::Operand::Kind::reg ? find_register(operand(1).name) : -1;
      f >= 0)
    from_width = registers_[f].width;  // a source register may be wider than its type
  if (from_width != 4 && from_width != 8) fail("its source is not a register it can read");
  const Operand a = source(operand(1), from_width, is_float(s));
  set(kFieldA, a, kUse);
  set(kFieldD, static_cast<Operand>(r), kDef);
  const bool exact_rows = to_width == (bytes_of(d) == 8 ? 8u : 4u) &&
                          from_width == (bytes_of(s) == 8 ? 8u : 4u) &&
                          registers_[r].declared_bytes == bytes_of(d);
  if (relu) ins_.flags |= kRelu;
  if (exact_rows && !(ins_.flags & (kFtz | kSat | kRelu))) {
    Op op = Op::count;
    if (rounding.empty() && !is_float(d) && !is_float(s))
      op = op_by_spelling("cvt." + std::string(types[0]) + "." + std::string(types[1]));
    if (d == NumberType::f32 && s == NumberType::s32 && rounding == "rn") op = Op::cvt_f32_s32;
    if (d == NumberType::f32 && s == NumberType::u32 && rounding == "rn") op = Op::cvt_f32_u32;
    if (d == NumberType::f64 && s == NumberType::s32 && rounding == "rn") op = Op::cvt_f64_s32;
    if (d == NumberType::f64 && s == NumberType::f32 && rounding.empty()) op = Op::cvt_f64_f32;
    if (d == NumberType::f32 && s == NumberType::f64 && rounding == "rn") op = Op::cvt_f32_f64;
    if (d == NumberType::s32 && s == NumberType::f32 && rounding == "rzi") op = Op::cvt_rzi_s32_f32;
    if (op != Op::count) {
      ins_.op = op;
      if (op == Op::cvt_f32_s32 || op == Op::cvt_f32_u32) ins_.cls = Class::integer;  // but see merges.cpp
      ins_.latency = info_of(op).latency;
      return emit();
    }
  }
  const char mode = rounding.size() > 1 ? rounding[1] : 'n';
  const Rounding way = mode == 'z'   ? Rounding::zero
                       : mode == 'm' ? Rounding::down
                       : mode == 'p' ? Rounding::up
                                     : Rounding::nearest;
  ins_.op = Op::cvt_general;
  ins_.imm = static_cast<std::int64_t>(d) | static_cast<std::int64_t>(s) << 8 |
             static_cast<std::int64_t>(way) << 16 | static_cast<std::int64_t>(rounding.size() == 3) << 24 |
             static_cast<std::int64_t>(registers_[r].declared_bytes) << 32 |
             static_cast<std::int64_t>(from_width) << 40;
  emit();
}

/// cvt with formats that registers hold only packed: tf32, pairs of 8-bit floats, cvt.pack.
void FunctionLowering::decode_narrow_float(std::string_view kind) {
  ins_.cls = Class::conversion;
  ins_.latency = 16;
  const std::string& from = in_->modifiers.back();
  if (has("relu")) ins_.flags |= kRelu;
  if (kind == "pack") {  // cvt.pack.sat.type.s32{.b32} d, a, b{, c}
    const std::string& to = in_->modifiers.size() > 2 ? in_->modifiers[2] : from;
    constexpr std::pair<const char*, unsigned> kTypes[] = {{"u16", 16}, {"s16", 16}, {"u8", 8}, {"s8", 8},
                                                           {"u4", 4},   {"s4", 4},   {"u2", 2}, {"s2", 2}};
    unsigned bits = 0;
    for (const auto& [name, n] : kTypes)
      if (to == name) bits = n;
    if (bits == 0 || !has("sat")) fail("this conversion is not simulated");
    ins_.op = Op::cvt_pack_sat;
    ins_.imm = bits | (to[0] == 's' ? 256 : 0);
    if (in_->operands.size() > 3) set(kFieldC, source(operand(3), 4), kUse);
    set(kFieldA, source(operand(1), 4), kUse);
    set(kFieldB, source(operand(2), 4), kUse);
  } else if (kind == "tf32") {
    if (from != "f32") fail("this conversion is not simulated");
    ins_.op = Op::cvt_tf32;
    ins_.imm = has("rna") ? 2 : has("rz") ? 1 : 0;
    set(kFieldA, source(operand(1), 4, true), kUse);
  } else if (from == "f32" || from == "f16x2") {
    ins_.op = Op::cvt_to_float8x2;
    ins_.imm = kind == "e5m2x2";
    set(kFieldA, source(operand(1), 4, from == "f32"), kUse);
    if (from == "f32") set(kFieldB, source(operand(2), 4, true), kUse);
  } else if (in_->modifiers.size() > 2 && in_->modifiers[in_->modifiers.size() - 2] == "f16x2") {
    ins_.op = Op::cvt_from_float8x2;
    ins_.imm = kind == "e5m2x2";
    set(kFieldA, source(operand(1), 4), kUse);
  } else {
    fail("this conversion is not simulated");
  }
  set(kFieldD, destination(operand(0), 4), kDef);
  emit();
}

/// lop3.BoolOp.b32 d|p, a, b, c, table, q: p is q combined with whether the result is not 0.
void FunctionLowering::decode_lop3_with_predicate() {
  if (operand(4).kind != ptx::Operand::Kind::integer) fail("its table is not a number");
  ins_.op = Op::lop3_pred;
  ins_.cls = Class::integer;
  ins_.imm = static_cast<std::int64_t>(operand(4).bits & 0xFF) | (has("or") ? 256 : 0);
  set(kFieldD, destination(operand(0), 4), kDef);
  set(kFieldF, predicate_destination(operand(0).pipe), kDef);
  set(kFieldA, source(operand(1), 4), kUse);
  set(kFieldB, source(operand(2), 4), kUse);
  set(kFieldC, source(operand(3), 4), kUse);
  set(kFieldE, predicate_source(operand(5)), kUse);
  emit();
}

namespace {
std::uint64_t window_of(std::string_view space) {
  if (space.substr(0, 6) == "shared") return memory::kSharedWindow;
  if (space == "local") return memory::kLocalWindow;
  if (space.substr(0, 5) == "param") return memory::kParamWindow;
  return 0;
}
bool is_space(std::string_view m) {
  return m == "global" || m == "const" || m == "local" || m.substr(0, 6) == "shared" ||
         m.substr(0, 5) == "param";
}
}  // namespace

/// alloca, stacksave, stackrestore: memory on the stack, by 64-bit addresses of the local window.
void FunctionLowering::decode_stack() {
  if (in_->modifiers.empty() || in_->modifiers.front() != "u64") fail("only its .u64 form is simulated");
  ins_.cls = Class::integer;
  if (in_->opcode == "stackrestore") {
    ins_.op = Op::stackrestore;
    set(kFieldA, source(operand(0), 8), kUse);
    return emit();
  }
  ins_.op = in_->opcode == "alloca" ? Op::alloca : Op::stacksave;
  set(kFieldD, destination(operand(0), 8), kDef);
  if (ins_.op == Op::alloca) {
    set(kFieldA, source(operand(1), 8), kUse);
    ins_.imm = in_->operands.size() > 2 ? static_cast<std::int64_t>(operand(2).bits) : 8;
    if (ins_.imm < 1 || ins_.imm > 4096 || (ins_.imm & (ins_.imm - 1)))
      fail("its alignment is not a power of two");
    result_.uses_alloca = true;
  }
  emit();
}

void FunctionLowering::decode_cvta() {
  std::string_view space;
  for (const std::string& m : in_->modifiers)
    if (is_space(m)) space = m;
  if (space.empty() || in_->modifiers.back() != "u64") fail("this address conversion is not simulated");
  const std::uint64_t window = window_of(space);
  set(kFieldA, source(operand(1), 8), kUse);
  set(kFieldD, destination(operand(0), 8), kDef);
  ins_.cls = Class::integer;
  ins_.op = window ? Op::cvta_window : Op::mov_b64;
  ins_.imm = static_cast<std::int64_t>(has("to") ? ~window + 1 : window);
  emit();
}

void FunctionLowering::decode_isspacep() {
  std::string_view space;
  for (const std::string& m : in_->modifiers)
    if (is_space(m)) space = m;
  if (space.empty()) fail("its space is not known");
  set(kFieldA, source(operand(1), 8), kUse);
  set(kFieldD, predicate_destination(operand(0).name), kDef);
  ins_.op = Op::isspacep;
  ins_.cls = Class::integer;
  ins_.imm = space == "shared::cluster"       ? 5
             : space.substr(0, 6) == "shared" ? 1
             : space == "local"               ? 2
             : space.substr(0, 5) == "param"  ? 3
             : space == "const"               ? 4
                                              : 0;
  emit();
}

}  // namespace simgpu::lower
