/// @file
/// Decoding of branches, calls, barriers and warp-wide instructions.
#include "simgpu/lower/builder.hpp"

namespace simgpu::lower {
namespace {

constexpr std::string_view kRuntime = "__cudaCDP2";  // how nvcc names the runtime's functions in kernels

bool device_call_from(std::string_view name, DeviceCall& call) {
  constexpr std::pair<std::string_view, DeviceCall> kCalls[] = {
#define DEVICE_CALL(id, name) {"__cudaCDP2" name, DeviceCall::id},
#include "simgpu/container/device_calls.def"
#undef DEVICE_CALL
  };
  if (name == "cudaGraphSetConditional") return call = DeviceCall::graph_set_conditional, true;
  for (const auto& [spelling, one] : kCalls)
    if (name == spelling) return call = one, true;
  return false;
}

}  // namespace

void FunctionLowering::decode_branch() {
  ins_.cls = Class::control;
  const std::string_view op = in_->opcode;
  if (op == "ret")
    ins_.op = Op::ret;
  else if (op == "exit")
    ins_.op = Op::exit;
  else if (op == "trap")
    ins_.op = Op::trap;
  else if (op == "brkpt")
    ins_.op = Op::brkpt;
  else if (op == "bra") {
    ins_.op = Op::bra;
    const auto it = label_of_.find(operand(0).name);
    if (it == label_of_.end()) fail("the label " + operand(0).name + " does not exist");
    ins_.aux = it->second;
  } else {  // brx.idx index, list
    ins_.op = Op::brx_idx;
    set(kFieldA, source(operand(0), 4), kUse);
    ins_.aux = branch_table(operand(1).name);
  }
  emit();
}

/// The table of a `.branchtargets` list; made when the first branch needs it.
std::uint32_t FunctionLowering::branch_table(const std::string& label) {
  if (const auto known = table_of_.find(label); known != table_of_.end()) return known->second;
  BranchTable table;
  for (const ptx::NamedList& list : function_.lists)
    if (list.label == label)
      for (const std::string& name : list.names) {
        const auto it = label_of_.find(name);
        if (it == label_of_.end()) fail("the label " + name + " does not exist");
        table.targets.push_back(it->second);
      }
  if (table.targets.empty()) fail("its list of targets is empty");
  code_.target_count += table.targets.size();
  if (code_.target_count > kMostTargets)
    refuse("has more targets of brx.idx than can be simulated.", in_->ptx_line);
  const auto index = static_cast<std::uint32_t>(code_.tables.size());
  code_.tables.push_back(std::move(table));
  table_of_.emplace(label, index);
  return index;
}

void FunctionLowering::decode_call() {
  using Kind = ptx::Operand::Kind;
  ins_.cls = Class::control;
  ins_.op = Op::call;
  CallOp call;
  const ptx::Operand* target = nullptr;
  for (const ptx::Operand& o : in_->operands) {
    if (o.kind == Kind::list) {
      for (const ptx::Operand& e : o.elements) {
        const Symbol s = e.name.empty() ? Symbol{} : symbol(e.name);
        if (s.kind != SymbolKind::frame_param) fail("it passes an argument other than through .param");
        (target ? call.arguments : call.results)
            .push_back({static_cast<std::uint32_t>(s.value), static_cast<std::uint32_t>(s.variable->bytes)});
      }
    } else if (!target) {
      target = &o;
    }
  }
  if (!target) fail("it names no function");
  call.name = target->name;
  if (target->kind == Kind::reg) {
    call.indirect = true;
    set(kFieldA, source(*target, 8), kUse);
  } else {
    const auto it = module_.functions.find(target->name);
    const ptx::Function* f = it == module_.functions.end() ? nullptr : &module_.module->functions[it->second];
    const auto code =
        it == module_.functions.end() ? kernel_.code_function.end() : kernel_.code_function.find(it->second);
    if (f && f->has_body && code != kernel_.code_function.end()) {
      call.function = code->second;
    } else if (call.name == "vprintf") {
      call.builtin = Builtin::vprintf;
    } else if (call.name == "__assertfail" || call.name == "__assert_fail") {
      call.builtin = Builtin::assertfail;
    } else if (call.name == "malloc") {
      call.builtin = Builtin::malloc;
    } else if (call.name == "free") {
      call.builtin = Builtin::free;
    } else if (device_call_from(call.name, call.device_call)) {
      call.builtin = Builtin::runtime;
    } else if (call.name.starts_with(kRuntime)) {
      fail("cuda" + call.name.substr(kRuntime.size()) +
           " is not simulated in a kernel; call it from the host");
    } else {
      fail("the function " + call.name +
           " has no body and is not one of the device runtime's that are simulated");
    }
  }
  ins_.aux = static_cast<std::uint32_t>(code_.calls.size());
  code_.calls.push_back(std::move(call));
  emit();
}

Operand FunctionLowering::mask_source(const ptx::Operand& o) {
  ins_.flags |= kGather;
  return source(o, 4);
}

void FunctionLowering::decode_warp() {
  const std::string_view op = in_->opcode;
  const bool sync = has("sync");
  ins_.cls = Class::shuffle;
  ins_.latency = 23;  // of a shuffle
  const std::string_view type =
      in_->modifiers.empty() ? std::string_view{} : std::string_view(in_->modifiers.back());
  if (op == "activemask") {
    ins_.op = Op::activemask;
    set(kFieldD, destination(operand(0), 4), kDef);
    return emit();
  }
  if (op == "shfl") {
    ins_.op = has("up")     ? Op::shfl_up
              : has("down") ? Op::shfl_down
              : has("bfly") ? Op::shfl_bfly
                            : Op::shfl_idx;
    const ptx::Operand& to = operand(0);
    set(kFieldD, destination(to, 4), kDef);
    if (!to.pipe.empty()) set(kFieldF, predicate_destination(to.pipe), kDef);
    set(kFieldA, source(operand(1), 4), kUse);
    set(kFieldB, source(operand(2), 4), kUse);
    set(kFieldC, source(operand(3), 4), kUse);
    if (sync) set(kFieldE, mask_source(operand(4)), kUse);
    return emit();
  }
  if (op == "vote") {
    const bool ballot = has("ballot");
    ins_.op = ballot ? Op::vote_ballot : has("all") ? Op::vote_all : has("any") ? Op::vote_any : Op::vote_uni;
    set(kFieldD, ballot ? destination(operand(0), 4) : predicate_destination(operand(0).name), kDef);
    set(kFieldA, predicate_source(operand(1)), kUse);
    if (sync) set(kFieldE, mask_source(operand(2)), kUse);
    // A comparison among lanes: two cycles of its scheduler's unit, and nothing of the load-store unit.
    ins_.cls = Class::integer;
    ins_.latency = info_of(ins_.op).latency;
    return emit();
  }
  if (op == "match") {
    const unsigned width = type == "b64" ? 8 : 4;
    const bool all = has("all");
    ins_.op = all ? (width == 8 ? Op::match_all_b64 : Op::match_all_b32)
                  : (width == 8 ? Op::match_any_b64 : Op::match_any_b32);
    set(kFieldD, destination(operand(0), 4), kDef);
    if (!operand(0).pipe.empty()) set(kFieldF, predicate_destination(operand(0).pipe), kDef);
    set(kFieldA, source(operand(1), width), kUse);
    set(kFieldE, mask_source(operand(2)), kUse);
    ins_.latency = info_of(ins_.op).latency;
    return emit();
  }
  if (op == "redux") {
    ins_.latency = info_of(Op::redux).latency;
    MemoryOp m;
    constexpr std::pair<const char*, AtomicOp> kOps[] = {{"add", AtomicOp::add}, {"min", AtomicOp::min},
                                                         {"max", AtomicOp::max}, {"and", AtomicOp::and_},
                                                         {"or", AtomicOp::or_},  {"xor", AtomicOp::xor_}};
    bool found = false;
    for (const auto& [word, o] : kOps)
      if (has(word)) m.atomic = o, found = true;
    if (!found || !number_type_from(type, m.type) || is_float(m.type))
      fail("this reduction is not simulated");
    ins_.op = Op::redux;
    ins_.imm = static_cast<std::int64_t>(m.atomic) | (is_signed(m.type) ? 256 : 0);
    set(kFieldD, destination(operand(0), 4), kDef);
    set(kFieldA, source(operand(1), 4), kUse);
    set(kFieldE, mask_source(operand(2)), kUse);
    return emit();
  }
  // elect.sync d|p, mask
  ins_.op = Op::elect;
  set(kFieldD, destination(operand(0), 4), kDef);
  if (!operand(0).pipe.empty()) set(kFieldF, predicate_destination(operand(0).pipe), kDef);
  set(kFieldE, mask_source(operand(1)), kUse);
  emit();
}

void FunctionLowering::decode_barrier() {
  ins_.cls = Class::control;
  ins_.latency = 20;
  if (has("warp")) {
    ins_.op = Op::bar_warp_sync;
    // Of lanes that are together: the machine issues an instruction that does nothing.
    ins_.cls = Class::other;
    set(kFieldE, mask_source(operand(0)), kUse);
    return emit();
  }
  if (has("cluster")) {
    ins_.op = has("arrive") ? Op::barrier_cluster_arrive : Op::barrier_cluster_wait;
    if (has("relaxed")) ins_.flags |= kTwo;
    return emit();
  }
  if (in_->opcode == "barrier" && !has("aligned")) ins_.flags |= kTwo;  // each thread for itself
  std::size_t next = 0;
  if (has("red")) {
    ins_.op = Op::bar_red;
    ins_.imm = has("popc") ? 0 : has("and") ? 1 : 2;
    set(kFieldD, ins_.imm == 0 ? destination(operand(0), 4) : predicate_destination(operand(0).name), kDef);
    next = 1;
  } else {
    ins_.op = has("arrive") ? Op::bar_arrive : Op::bar_sync;
  }
  set(kFieldA, source(operand(next++), 4), kUse);
  const bool red = ins_.op == Op::bar_red;
  if (in_->operands.size() > next + (red ? 1 : 0)) set(kFieldB, source(operand(next++), 4), kUse);
  if (red) set(kFieldC, predicate_source(operand(next)), kUse);
  emit();
}

}  // namespace simgpu::lower
