/// @file
/// Decoding of one function: names and operands, and the instructions that the opcode table describes
/// completely.
#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>

#include "simgpu/lower/builder.hpp"
#include "simgpu/lower/uniform.hpp"

namespace simgpu::lower {

Operand ConstantPool::row(std::uint64_t bits, unsigned width) {
  auto& rows = width == 8 ? rows64_ : rows32_;
  if (width != 8) bits &= 0xFFFF'FFFFu;
  if (auto it = rows.find(bits); it != rows.end()) return it->second;
  if (code_.pool.size() > kMostPoolWords) throw Refusal{{"the module holds too many different numbers.", 0}};
  const auto offset = static_cast<std::uint32_t>(code_.pool.size() * 8);
  const std::uint64_t word = width == 8 ? bits : bits << 32 | bits;
  code_.pool.resize(code_.pool.size() + (width == 8 ? 32 : 16), word);
  return rows[bits] = offset | kPoolBit;
}

FunctionLowering::FunctionLowering(const ModuleFacts& module, const KernelFacts& kernel,
                                   const ptx::Function& function, std::uint32_t module_index, Code& code,
                                   ConstantPool& pool)
    : module_(module), kernel_(kernel), function_(function), code_(code), pool_(pool) {
  result_.name = function.name;
  result_.module_index = module_index;
}

void FunctionLowering::fail(std::string reason) const {
  throw Undecodable{std::move(reason)};
}

void FunctionLowering::refuse(std::string reason, std::uint32_t ptx_line) const {
  throw Refusal{{"function " + function_.name + " " + std::move(reason), ptx_line}};
}

bool FunctionLowering::has(std::string_view modifier) const {
  for (const std::string& m : in_->modifiers)
    if (m == modifier) return true;
  return false;
}

bool FunctionLowering::has_prefix(std::string_view prefix) const {
  for (const std::string& m : in_->modifiers)
    if (m.compare(0, prefix.size(), prefix) == 0) return true;
  return false;
}

void FunctionLowering::declare_registers() {
  for (const ptx::RegisterDeclaration& r : function_.registers) {
    VirtualRegister v;
    const std::size_t bytes = ptx::size_of(r.type);
    v.width = r.type == ptx::Type::pred ? 0 : bytes <= 4 ? 4 : bytes <= 8 ? 8 : 16;
    v.declared_bytes = static_cast<std::uint8_t>(bytes);
    if (r.count != 0) {
      prefixes_.emplace(r.name, Prefix{v, r.count});
    } else if (names_.emplace(r.name, static_cast<std::uint32_t>(registers_.size())).second) {
      registers_.push_back(v);
    }
  }
  auto note = [&](auto&& self, const ptx::Operand& o) -> void {
    if (!o.name.empty()) read_names_.insert(o.name);
    for (const ptx::Operand& e : o.elements) self(self, e);
  };
  for (const ptx::Instruction& in : function_.instructions) {
    if (!in.guard.empty()) read_names_.insert(in.guard);
    const bool no_destination = in.opcode == "st" || in.opcode == "call" || in.opcode == "bra" ||
                                in.opcode == "red" || in.opcode == "bar" || in.opcode == "barrier" ||
                                in.opcode == "cp" || in.opcode == "sust" || in.opcode == "brx" ||
                                in.opcode == "mbarrier" || in.opcode == "stmatrix" ||
                                (in.opcode == "wmma" && !in.modifiers.empty() && in.modifiers[0] == "store");
    for (std::size_t i = no_destination ? 0 : 1; i < in.operands.size(); ++i) note(note, in.operands[i]);
  }
}

std::int64_t FunctionLowering::find_register(const std::string& name) {
  if (auto it = names_.find(name); it != names_.end()) return it->second;
  constexpr std::size_t kMostDigits = 9;
  std::size_t digits = name.size();
  while (digits > 0 && name.size() - digits < kMostDigits &&
         std::isdigit(static_cast<unsigned char>(name[digits - 1])))
    --digits;
  for (; digits < name.size(); ++digits) {  // a prefix may itself end in digits: %r1_<5>
    auto it = prefixes_.find(std::string_view(name).substr(0, digits));
    if (it == prefixes_.end()) continue;
    const auto number = static_cast<std::uint32_t>(std::stoul(name.substr(digits)));
    if (number >= it->second.count) continue;
    // Those of a run that are used get a number, however many are declared.
    const auto index = static_cast<std::uint32_t>(registers_.size());
    registers_.push_back(it->second.kind);
    names_.emplace(name, index);
    return index;
  }
  return -1;
}

void FunctionLowering::place_variables() {
  std::uint64_t param_at = 0, local_at = 0;
  const auto bounded = [&](std::uint64_t bytes, std::uint64_t most, const char* what,
                           const ptx::Variable& v) {
    if (bytes > most)
      refuse("needs " + std::to_string(bytes) + " bytes of " + what + ", more than the " +
                 std::to_string(most) + " that a thread can have.",
             v.ptx_line);
    return static_cast<std::uint32_t>(bytes);
  };
  auto place_param = [&](const ptx::Variable& v, std::vector<ParamSlot>* list) {
    const std::uint64_t align = std::max<std::size_t>(v.align, 8);
    param_at = (param_at + align - 1) / align * align;
    const std::uint32_t end = bounded(param_at + v.bytes, kMostFrameParameterBytes, "call parameters", v);
    const auto begin = static_cast<std::uint32_t>(param_at);
    symbols_[v.name] = {SymbolKind::frame_param, begin, &v};
    if (list) list->push_back({begin, static_cast<std::uint32_t>(v.bytes)});
    param_at = end;
  };
  if (function_.is_entry) {
    for (const ptx::Variable& p : function_.parameters)
      if (auto it = kernel_.parameter_offset.find(p.name); it != kernel_.parameter_offset.end())
        symbols_[p.name] = {SymbolKind::kernel_param, it->second, &p};
  } else {
    for (const ptx::Variable& p : function_.parameters) place_param(p, &result_.parameters);
    for (const ptx::Variable& p : function_.results) place_param(p, &result_.results);
  }
  for (const ptx::Variable& v : function_.variables) {
    if (v.space == ptx::Space::param) {
      place_param(v, nullptr);
    } else if (v.space == ptx::Space::local) {
      const std::uint64_t align = std::max<std::size_t>(v.align, 1);
      local_at = (local_at + align - 1) / align * align;
      symbols_[v.name] = {SymbolKind::local, local_at, &v};
      local_at = bounded(local_at + v.bytes, kMostLocalBytes, "local memory", v);
    } else if (auto it = kernel_.shared_offset.find(&v); it != kernel_.shared_offset.end()) {
      symbols_[v.name] = {SymbolKind::constant, it->second, &v};
    }
  }
  result_.param_stride = static_cast<std::uint32_t>((param_at + 15) / 16 * 16);
  result_.local_bytes = static_cast<std::uint32_t>(local_at);
}

FunctionLowering::Symbol FunctionLowering::symbol(const std::string& name) const {
  if (auto it = symbols_.find(name); it != symbols_.end()) return it->second;
  if (auto it = module_.variables.find(name); it != module_.variables.end()) {
    if (auto s = kernel_.shared_offset.find(it->second); s != kernel_.shared_offset.end())
      return {SymbolKind::constant, s->second, it->second};
    return {SymbolKind::constant, (*module_.address_of)(name), it->second};
  }
  if (auto it = module_.functions.find(name); it != module_.functions.end())
    return {SymbolKind::function, kFunctionBase + 16ull * it->second, nullptr};
  return {};
}

std::uint32_t FunctionLowering::temporary(unsigned width) {
  registers_.push_back({static_cast<std::uint8_t>(width), static_cast<std::uint8_t>(width)});
  return static_cast<std::uint32_t>(registers_.size() - 1);
}

std::uint32_t FunctionLowering::carry() {
  if (carry_ < 0) carry_ = temporary(0);
  return static_cast<std::uint32_t>(carry_);
}

void FunctionLowering::set(Field field, Operand value, bool def) {
  switch (field) {
    case kFieldD:
      ins_.d = value;
      break;
    case kFieldA:
      ins_.a = value;
      break;
    case kFieldB:
      ins_.b = value;
      break;
    case kFieldC:
      ins_.c = value;
      break;
    case kFieldE:
      ins_.e = value;
      break;
    case kFieldF:
      ins_.f = value;
      break;
  }
  if (value & kPoolBit) return;
  (def ? ins_.defs : ins_.uses) |= field;
}

const ptx::Operand& FunctionLowering::operand(std::size_t index) const {
  if (index >= in_->operands.size()) fail("it has too few operands");
  return in_->operands[index];
}

void FunctionLowering::emit() {
  body_.push_back(ins_);
}

void FunctionLowering::emit_hidden(Ins ins) {
  ins.flags |= kHidden;
  ins.site = module_.hidden_site;
  ins.guard = kNoGuard;
  body_.push_back(ins);
}

/// A row to read: a register, a literal, a special register or the address of a symbol.
Operand FunctionLowering::source(const ptx::Operand& o, unsigned width, bool floating,
                                 unsigned literal_bytes) {
  using Kind = ptx::Operand::Kind;
  switch (o.kind) {
    case Kind::reg: {
      if (const std::int64_t r = find_register(o.name); r >= 0) {
        if (registers_[r].width != width) fail("register " + o.name + " has the wrong size");
        if (o.negated) fail("a negated register stands where none can");
        return static_cast<Operand>(r);
      }
      const Special special = special_from(o.name);
      if (special == Special::count) fail("register " + o.name + " is not known");
      Ins move;
      move.op = Op::special_register;
      move.imm = static_cast<std::int64_t>(special);
      move.aux = special_bytes(special) == 8;
      move.d = temporary(width);
      if (width == 0 || (move.aux != 0) != (width == 8)) fail("register " + o.name + " has the wrong size");
      move.defs = kFieldD;
      emit_hidden(move);
      return move.d;
    }
    case Kind::integer: {
      std::uint64_t bits = o.bits;
      if (floating)
        bits = width == 8
                   ? std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(o.bits)))
                   : std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int64_t>(o.bits)));
      if (literal_bytes == 2) bits &= 0xFFFF;
      if (literal_bytes == 1) bits &= 0xFF;
      return pool_.row(bits, width);
    }
    case Kind::floating: {
      std::uint64_t bits = o.bits;
      if (width == 4 && o.floating_bytes == 8)
        bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
      if (width == 8 && o.floating_bytes == 4)
        bits = std::bit_cast<std::uint64_t>(
            static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
      return pool_.row(bits, width);
    }
    case Kind::symbol:
    case Kind::address: {
      const Symbol s = symbol(o.name);
      switch (s.kind) {
        case SymbolKind::constant:
        case SymbolKind::kernel_param:
        case SymbolKind::function:
          return pool_.row(s.value + static_cast<std::uint64_t>(o.offset), width);
        case SymbolKind::local: {
          Ins move;
          move.op = Op::local_address;
          move.imm = static_cast<std::int64_t>(s.value) + o.offset;
          move.aux = width == 8;
          move.d = temporary(width);
          move.defs = kFieldD;
          emit_hidden(move);
          return move.d;
        }
        case SymbolKind::frame_param:
          fail("it takes the address of the parameter " + o.name + " of a function");
        case SymbolKind::none:
          break;
      }
      fail("the name " + o.name + " is not known");
    }
    default:
      break;
  }
  fail("it has an operand of an unexpected form");
}

Operand FunctionLowering::destination(const ptx::Operand& o, unsigned width) {
  if (o.kind == ptx::Operand::Kind::discard) return temporary(width);
  const std::int64_t r = o.kind == ptx::Operand::Kind::reg ? find_register(o.name) : -1;
  if (r < 0) fail("its destination is not a register");
  if (registers_[r].width != width) fail("register " + o.name + " has the wrong size");
  return static_cast<Operand>(r);
}

Operand FunctionLowering::predicate_source(const ptx::Operand& o) {
  if (o.kind == ptx::Operand::Kind::integer) return pool_.row(o.bits ? ~0ull : 0, 4);
  const std::int64_t r = o.kind == ptx::Operand::Kind::reg ? find_register(o.name) : -1;
  if (r < 0 || registers_[r].width != 0) fail("it needs a predicate");
  if (!o.negated) return static_cast<Operand>(r);
  Ins invert;
  invert.op = Op::not_pred;
  invert.a = static_cast<Operand>(r);
  invert.d = temporary(0);
  invert.defs = kFieldD;
  invert.uses = kFieldA;
  emit_hidden(invert);
  return invert.d;
}

Operand FunctionLowering::predicate_destination(const std::string& name) {
  if (name == "_" || name.empty()) return temporary(0);
  const std::int64_t r = find_register(name);
  if (r < 0 || registers_[r].width != 0) fail("it needs a predicate to write");
  return static_cast<Operand>(r);
}

namespace {

/// Machine instructions of what PTX writes as one: a value from the special function unit, and what puts it right.
/// Exact divisions and roots of floats: what ptxas makes of them, and an issue for the branch around the slow way (H200's throughput:
/// tests/fixtures/h200_probes.json). The approximate ones scale subnormal inputs and results, unless they may be flushed. @return 0: not one of those.
std::uint8_t sequence_of(Op op, const std::vector<std::string>& modifiers) {
  const auto has = [&](std::string_view word) {
    return std::find(modifiers.begin(), modifiers.end(), word) != modifiers.end();
  };
  const bool approximate = has("approx") || has("full"), flushed = has("ftz");
  switch (op) {
    case Op::div_f32:
      return approximate ? (flushed ? 2 : 5) : kDivisionF32;
    case Op::sqrt_f32:
      return approximate ? (flushed ? 1 : 4) : kRootF32;
    case Op::rcp_f32:
      return approximate ? (flushed ? 1 : 4) : kReciprocalF32;
    case Op::rsqrt_f32:
    case Op::ex2_f32:
    case Op::lg2_f32:
      return flushed ? 1 : 4;
    case Op::sin_f32:
    case Op::cos_f32:
      return 2;
    case Op::div_f64:
    case Op::sqrt_f64:
      return 20;
    case Op::rcp_f64:
      return approximate ? 0 : 20;
    default:
      return 0;
  }
}

/// Does a branch to a function stand in the place of what takes @p slots machine instructions?
bool has_slow_path(Op op, std::uint8_t slots) {
  switch (op) {
    case Op::div_f32:
      return slots == kDivisionF32;
    case Op::sqrt_f32:
      return slots == kRootF32;
    case Op::rcp_f32:
      return slots == kReciprocalF32;
    default:
      return slots != 0 && (op == Op::div_f64 || op == Op::sqrt_f64 || op == Op::rcp_f64);
  }
}

/// From h200_probes_single.csv, less the sum or two and the loop around it.
std::uint8_t latency_of_sequence(Op op, std::uint8_t slots, std::uint8_t otherwise) {
  switch (op) {
    case Op::div_f32:
      return slots == kDivisionF32 ? 56 : otherwise;
    case Op::sqrt_f32:
      return slots == kRootF32 ? 55 : slots == 1 ? 20 : otherwise;
    case Op::rcp_f32:
      return slots == kReciprocalF32 ? 73 : otherwise;  // 84 cycles a link with a sum (H200, 2026-11-29)
    case Op::rsqrt_f32:
    case Op::ex2_f32:
    case Op::lg2_f32:
      return slots == 4 ? 37 : otherwise;
    case Op::div_f64:
      return 125;
    case Op::rcp_f64:
      return 75;
    case Op::sqrt_f64:
      return 93;
    default:
      return otherwise;
  }
}

}  // namespace

bool has_slow_path(const Ins& ins) {
  switch (ins.op) {
    case Op::div_u64:
    case Op::div_s64:
    case Op::rem_u64:
    case Op::rem_s64:
      return true;
    case Op::rounded_f32:
    case Op::rounded_f64:
      return sequence_of(static_cast<Op>(ins.aux), {}) != 0;
    case Op::div_f32:
    case Op::sqrt_f32:
    case Op::rcp_f32:
    case Op::div_f64:
    case Op::sqrt_f64:
    case Op::rcp_f64:
      return (ins.imm & kSlowPath) != 0;
    default:
      return false;
  }
}

bool FunctionLowering::decode_by_table(const ptx::Instruction& in) {
  std::string full = in.opcode, plain = in.opcode;
  std::string rounding;
  std::uint16_t flags = 0;
  bool rounds_as_said = false;
  for (const std::string& m : in.modifiers) {
    full += '.';
    full += m;
    rounds_as_said = rounds_as_said || m == "rn";
    if (m == "rn" || m == "approx" || m == "full" || m == "noftz") continue;
    if (m == "ftz") {
      flags |= kFtz;
      continue;
    }
    if (m == "sat") {
      flags |= kSat;
      continue;
    }
    if (m == "NaN") {
      flags |= kNan;
      continue;
    }
    if (m == "xorsign") {
      flags |= kXorSign;
      continue;
    }
    if (m == "abs" && (flags & kXorSign)) continue;
    if (m == "oob") {
      flags |= kTwo;
      continue;
    }
    if (m == "rz" || m == "rm" || m == "rp") {
      rounding = m;
      continue;
    }
    plain += '.';
    plain += m;
  }
  Op op = op_by_spelling(full);
  if (op != Op::count)
    flags = 0, rounding.clear();
  else
    op = op_by_spelling(plain);
  if (op == Op::count) return false;
  const OpInfo& info = info_of(op);
  const std::string_view signature = info.signature;
  const bool floating = info.cls == Class::fp32 || info.cls == Class::fp64 || info.cls == Class::special ||
                        signature.find('f') != std::string_view::npos;
  if ((flags || !rounding.empty()) && !floating) return false;
  const std::string_view type =
      in.modifiers.empty() ? std::string_view{} : std::string_view(in.modifiers.back());
  const unsigned literal_bytes = type.size() >= 2 && type.substr(type.size() - 2) == "16" ? 2 : 0;
  constexpr Field kFields[] = {kFieldD, kFieldA, kFieldB, kFieldC, kFieldE};
  std::size_t operands = 0;
  for (const char c : signature) operands += c != 'K' && c != 'k' && c != 'B';
  if (in.operands.size() != operands) return false;
  for (std::size_t i = 0; i < signature.size(); ++i) {
    const char c = signature[i];
    if (c == 'K' || c == 'k' || c == 'B') {
      if (c != 'k') set(kFieldE, carry(), kDef);
      if (c != 'K') set(kFieldE, carry(), kUse);
      continue;
    }
    const ptx::Operand& o = in.operands[i];
    if (c == 'i') {
      if (o.kind != ptx::Operand::Kind::integer) return false;
      ins_.imm = static_cast<std::int64_t>(o.bits);
      continue;
    }
    const unsigned width = c == 'x' || c == 'g' ? 8 : 4;
    if (i == 0)
      set(kFieldD,
          c == 'p' ? (o.kind == ptx::Operand::Kind::discard ? temporary(0) : predicate_destination(o.name))
                   : destination(o, width),
          kDef);
    else
      set(kFields[i], c == 'p' ? predicate_source(o) : source(o, width, c == 'f' || c == 'g', literal_bytes),
          kUse);
  }
  ins_.op = op;
  ins_.flags |= flags;
  ins_.cls = info.cls;
  ins_.latency = info.latency;
  if (!rounding.empty()) {
    const std::string_view name = info.name;
    const bool wide = name.substr(name.size() - 3) == "f64";
    ins_.aux = static_cast<std::uint32_t>(op);
    ins_.op = wide ? Op::rounded_f64 : Op::rounded_f32;
    ins_.imm = static_cast<std::int64_t>(rounding == "rz"   ? Rounding::zero
                                         : rounding == "rm" ? Rounding::down
                                                            : Rounding::up);
  }
  if (rounds_as_said && may_be_fused(op)) ins_.imm = kRoundsAsSaid;
  if (const std::uint8_t slots = sequence_of(op, in.modifiers); slots != 0 && rounding.empty()) {
    ins_.imm = slots | (has_slow_path(op, slots) ? kSlowPath : 0);
    ins_.latency = latency_of_sequence(op, slots, info.latency);
  }
  // Integer results of 16 bits in 32-bit rows stay zero-extended: the handlers see to it.
  emit();
  return true;
}

void FunctionLowering::decode(const ptx::Instruction& in) {
  const std::string_view op = in.opcode;
  if (op == "ld" || op == "ldu") return decode_load();
  if (op == "st") return decode_store();
  if (op == "mov") return decode_mov();
  if (op == "setp") return decode_setp();
  if (op == "bra" || op == "brx" || op == "ret" || op == "exit" || op == "trap" || op == "brkpt")
    return decode_branch();
  if (op == "cvt") return decode_cvt();
  if (op == "cvta") return decode_cvta();
  if (op == "bar" || op == "barrier") return decode_barrier();
  if (op == "shfl" || op == "vote" || op == "match" || op == "redux" || op == "activemask" || op == "elect")
    return decode_warp();
  if (op == "atom" || op == "red") return decode_atomic();
  if (op == "tex" || op == "tld4") return decode_texture();
  if (op == "suld" || op == "sust" || op == "sured") return decode_surface();
  if (op == "txq" || op == "suq") return decode_image_query();
  if (op == "alloca" || op == "stacksave" || op == "stackrestore") return decode_stack();
  if (op == "call") return decode_call();
  if (op == "set") return decode_set();
  if (op == "isspacep") return decode_isspacep();
  if (op == "membar" || op == "fence") return decode_fence();
  if (op == "cp") return decode_cp();
  if (op == "mbarrier") return decode_mbarrier();
  if (op == "mapa" || op == "getctarank") return decode_cluster_address();
  if (op == "ldmatrix" || op == "stmatrix" || op == "movmatrix") return decode_matrix();
  if (op == "wmma" || op == "mma") return decode_tensor();
  if (op == "lop3" && (has("and") || has("or"))) return decode_lop3_with_predicate();
  if (op == "prefetch" || op == "prefetchu" || op == "discard" || op == "applypriority" ||
      op == "griddepcontrol" || op == "pmevent" || op == "nanosleep")
    return decode_prefetch();
  if (op == "createpolicy") return decode_policy();
  if (is_video(op)) return decode_video();
  if (!decode_by_table(in)) fail("not simulated");
}

void FunctionLowering::run() {
  declare_registers();
  place_variables();
  for (const ptx::Label& l : function_.labels)
    label_of_.emplace(l.name, static_cast<std::uint32_t>(l.instruction));
  first_memory_op_ = static_cast<std::uint32_t>(code_.memory_ops.size());
  first_table_ = static_cast<std::uint32_t>(code_.tables.size());
  position_.reserve(function_.instructions.size() + 1);
  for (std::size_t i = 0; i < function_.instructions.size(); ++i) {
    const ptx::Instruction& in = function_.instructions[i];
    position_.push_back(static_cast<std::uint32_t>(body_.size()));
    in_ = &in;
    ins_ = Ins{};
    ins_.site = module_.first_site[result_.module_index] + static_cast<std::uint32_t>(i);
    const std::size_t hidden_from = body_.size();
    try {
      if (!in.guard.empty()) {
        const std::int64_t r = find_register(in.guard);
        if (r < 0 || registers_[r].width != 0) fail("its guard " + in.guard + " is not a predicate");
        ins_.guard = static_cast<std::uint32_t>(r) * 2 + in.guard_negated;
      }
      if (in.no_unroll) kept_loops_.push_back(static_cast<std::uint32_t>(hidden_from));
      decode(in);
    } catch (const Undecodable& u) {
      body_.resize(hidden_from);
      const std::uint32_t guard = ins_.guard, site = ins_.site;
      ins_ = Ins{};
      ins_.op = Op::unsupported;
      ins_.cls = Class::other;
      ins_.guard = guard;
      ins_.site = site;
      ins_.imm = static_cast<std::int64_t>(code_.reasons.size());
      code_.reasons.push_back(u.reason);
      emit();
    }
  }
  position_.push_back(static_cast<std::uint32_t>(body_.size()));
  Ins end;
  end.op = Op::ret;
  end.cls = Class::control;
  emit_hidden(end);
  link_branches();
  std::vector<Block> blocks = make_blocks();
  find_reconvergence(blocks);
  mark_branches();
  mark_waits(blocks);
  mark_divisors(blocks);
  join_accesses(blocks);
  mark_uniform_atomics();
  mark_uniform_constants();
  mark_folded(blocks);
  mark_merged(blocks);
  mark_halves(blocks);
  mark_register_banks(blocks);
  fuse_products(blocks);
  mark_addresses(blocks);
  allocate(blocks);
  result_.entry = static_cast<std::uint32_t>(code_.instructions.size());
  for (Ins& ins : body_) {
    if (ins.op == Op::bra) ins.aux += result_.entry;
    if ((ins.op == Op::bra || ins.op == Op::brx_idx) && ins.aux2 != kNoPc) ins.aux2 += result_.entry;
    code_.instructions.push_back(ins);
  }
  for (std::size_t t = first_table_; t < code_.tables.size(); ++t)
    for (std::uint32_t& target : code_.tables[t].targets) target += result_.entry;
  for (std::uint32_t& at : result_.fills_kept_by_all) at += result_.entry;
  for (std::uint32_t& at : result_.fills_kept_by_warp) at += result_.entry;
  result_.end = static_cast<std::uint32_t>(code_.instructions.size());
  code_.functions.push_back(std::move(result_));
}

namespace {

/// Would ptxas have a warp's lanes go to one address as one? It counts them where each adds the same constant, and reduces values of 32 bits
/// whose results nobody reads; values that somebody wants back go one by one (as its machine code for sm_90 shows).
bool is_combined(const MemoryOp& m, const Ins& ins) {
  if (is_float(m.type) || (ins.flags & kVector)) return false;
  if (m.atomic == AtomicOp::add && (ins.b & kPoolBit) != 0) return true;
  const bool reduces = m.atomic == AtomicOp::add || m.atomic == AtomicOp::min || m.atomic == AtomicOp::max ||
                       m.atomic == AtomicOp::and_ || m.atomic == AtomicOp::or_ || m.atomic == AtomicOp::xor_;
  return reduces && m.result_unused && m.element_bytes == 4;
}

}  // namespace

void FunctionLowering::mark_uniform_atomics() {
  if (std::none_of(body_.begin(), body_.end(), [](const Ins& ins) { return ins.op == Op::atom; })) return;
  const std::vector<bool> uniform = uniform_registers(body_, code_, registers_.size());
  for (const Ins& ins : body_) {
    if (ins.op != Op::atom) continue;
    MemoryOp& m = code_.memory_ops[ins.aux];
    const bool literal = !(ins.uses & kFieldA) || (ins.a & kPoolBit) != 0;
    m.uniform = literal || (ins.a < uniform.size() && uniform[ins.a]);
    m.one_address = m.uniform && is_combined(m, ins);
  }
}

}  // namespace simgpu::lower
