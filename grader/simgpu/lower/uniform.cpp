/// @file
/// See uniform.hpp.
#include "simgpu/lower/uniform.hpp"

#include <algorithm>
#include <cstdint>

#include "simgpu/lower/builder.hpp"

namespace simgpu::lower {
namespace {

/// The same in all threads of a block.
bool of_the_block(Special s) {
  switch (s) {
    case Special::ctaid_x:
    case Special::ctaid_y:
    case Special::ctaid_z:
    case Special::nctaid_x:
    case Special::nctaid_y:
    case Special::nctaid_z:
    case Special::ntid_x:
    case Special::ntid_y:
    case Special::ntid_z:
      return true;
    default:
      return false;
  }
}

/// The same operands give the same result.
bool computes(const Ins& ins) {
  switch (ins.cls) {
    case Class::fp32:
    case Class::fp64:
    case Class::integer:
    case Class::multiply:
    case Class::divide:
    case Class::special:
    case Class::conversion:
      return true;
    default:
      return ins.op == Op::special_register && of_the_block(static_cast<Special>(ins.imm));
  }
}

class Search {
 public:
  Search(std::span<const Ins> body, const Code& code, std::size_t registers)
      : body_(body), code_(code), writes_(registers), uniform_(registers) {}

  std::vector<bool> run() {
    for (const Ins& ins : body_)
      each_written(ins, [&](Operand o) { writes_[o] += ins.guard == kNoGuard ? 1 : 2; });
    for (bool changed = true; changed;) {
      changed = false;
      for (const Ins& ins : body_) {
        if (!yields_one(ins)) continue;
        each_written(ins, [&](Operand o) {
          if (uniform_[o] || writes_[o] != 1) return;
          uniform_[o] = changed = true;
        });
      }
    }
    return std::move(uniform_);
  }

  /// Begins with the belief that all are, and takes back what is not.
  std::vector<bool> run_in_step() {
    uniform_.assign(uniform_.size(), true);
    for (bool changed = true; changed;) {
      changed = false;
      for (const Ins& ins : body_) {
        const std::size_t guard = ins.guard / 2;
        const bool for_all = ins.guard == kNoGuard || (guard < uniform_.size() && uniform_[guard]);
        if (for_all && yields_one(ins)) continue;
        each_written(ins, [&](Operand o) {
          if (!uniform_[o]) return;
          uniform_[o] = false;
          changed = true;
        });
      }
    }
    return std::move(uniform_);
  }

 private:
  template <class F>
  void each_written(const Ins& ins, F f) const {
    const auto take = [&](Operand o) {
      if (o < writes_.size()) f(o);
    };
    each_operand(ins, ins.defs, take);
    if (ins.flags & kVector) each_result(code_.memory_ops[ins.aux], take);
    if (ins.flags & kMatrix)
      for (const Operand o : code_.matrix_ops[ins.aux2].results) take(o);
  }

  bool yields_one(const Ins& ins) const {
    const bool parameter = (ins.flags & kVector) && ins.cls == Class::memory &&
                           code_.memory_ops[ins.aux].kind == observe::AccessKind::load &&
                           (code_.memory_ops[ins.aux].space == AddressSpace::param ||
                            code_.memory_ops[ins.aux].space == AddressSpace::constant);
    if (!parameter && !computes(ins)) return false;
    const auto one = [&](Field field, Operand o) {
      return !(ins.uses & field) || (o & kPoolBit) != 0 || (o < uniform_.size() && uniform_[o]);
    };
    return one(kFieldA, ins.a) && one(kFieldB, ins.b) && one(kFieldC, ins.c) && one(kFieldD, ins.d) &&
           one(kFieldE, ins.e) && one(kFieldF, ins.f);
  }

  std::span<const Ins> body_;
  const Code& code_;
  std::vector<std::uint32_t> writes_;
  std::vector<bool> uniform_;
};

}  // namespace

std::vector<bool> uniform_registers(std::span<const Ins> body, const Code& code, std::size_t registers) {
  return Search(body, code, registers).run();
}

std::vector<bool> uniform_in_step(std::span<const Ins> body, const Code& code, std::size_t registers) {
  return Search(body, code, registers).run_in_step();
}

}  // namespace simgpu::lower
