/// @file
/// From a parsed module to a program: which functions each kernel reaches, where shared variables and
/// parameters lie.
#include "simgpu/lower/program.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <tuple>

#include "simgpu/lower/builder.hpp"

namespace simgpu::lower {
namespace {

std::size_t align_up(std::size_t value, std::size_t align) {
  return align ? (value + align - 1) / align * align : value;
}

/// Local memory that a kernel with recursive functions may use beyond one activation of each function.
/// [bytes]
constexpr std::uint32_t kRecursionLocalBytes = 16 * 1024;
/// Stack of a thread for alloca() [bytes].
constexpr std::uint32_t kAllocaBytes = 16 * 1024;

template <class Visit>
void visit_names(const ptx::Operand& o, Visit&& visit) {
  if (!o.name.empty() && o.name[0] != '%') visit(o.name);
  for (const ptx::Operand& e : o.elements) visit_names(e, visit);
}

std::optional<observe::Dim3> dim_of(const std::optional<std::uint32_t> (&d)[3]) {
  if (!d[0]) return std::nullopt;
  return observe::Dim3{*d[0], d[1].value_or(1), d[2].value_or(1)};
}

}  // namespace

/// The one friend of Program: fills it.
struct Builder {
  const ptx::Module& module;
  Program program;
  ModuleFacts facts;
  Code& code;
  ConstantPool pool;

  explicit Builder(const ptx::Module& m) : module(m), code(*program.code_), pool(code) {}

  void gather_facts(const AddressOf& address_of) {
    facts.module = &module;
    facts.address_of = &address_of;
    for (const ptx::Variable& v : module.variables) facts.variables.emplace(v.name, &v);
    for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
      const ptx::Function& f = module.functions[i];
      auto [it, fresh] = facts.functions.emplace(f.name, i);
      if (!fresh && f.has_body) it->second = i;
    }
    auto take = [&](std::string_view name) {
      if (auto it = facts.functions.find(name); it != facts.functions.end())
        facts.address_taken.insert(it->second);
    };
    for (const ptx::Variable& v : module.variables)
      if (v.initializer)
        for (const auto& r : v.initializer->relocations) take(r.symbol);
    for (const ptx::Function& f : module.functions)
      for (const ptx::Instruction& in : f.instructions)
        if (in.opcode != "call")
          for (const ptx::Operand& o : in.operands) visit_names(o, take);
  }

  void number_sites() {
    for (const ptx::Function& f : module.functions) {
      facts.first_site.push_back(static_cast<std::uint32_t>(program.sites_.size()));
      for (const ptx::Instruction& in : f.instructions)
        program.sites_.push_back({static_cast<std::uint32_t>(program.sites_.size()), in.full_name(), f.name,
                                  std::string(module.file_path(in.location.file)), in.location.line,
                                  in.ptx_line});
    }
    facts.hidden_site = static_cast<std::uint32_t>(program.sites_.size());
    code.site_count = program.sites_.size();
  }

  [[noreturn]] static void refuse(const ptx::Function& kernel, std::string reason) {
    throw Refusal{{"kernel " + kernel.name + " " + std::move(reason), kernel.ptx_line}};
  }

  /// Functions that @p kernel may run, itself first.
  std::vector<std::uint32_t> reachable(std::uint32_t kernel) const {
    std::vector<std::uint32_t> order{kernel};
    std::vector<bool> seen(module.functions.size());
    seen[kernel] = true;
    bool indirect = false;
    auto add = [&](std::uint32_t f) {
      if (!seen[f] && module.functions[f].has_body && !module.functions[f].is_entry)
        seen[f] = true, order.push_back(f);
    };
    for (std::size_t n = 0; n < order.size(); ++n)
      for (const ptx::Instruction& in : module.functions[order[n]].instructions) {
        for (const ptx::Operand& o : in.operands)
          visit_names(o, [&](const std::string& name) {
            if (auto it = facts.functions.find(name); it != facts.functions.end()) add(it->second);
          });
        if (in.opcode != "call" || indirect) continue;
        for (const ptx::Operand& o : in.operands) indirect |= o.kind == ptx::Operand::Kind::reg;
        if (indirect)
          for (std::uint32_t f : facts.address_taken) add(f);
      }
    return order;
  }

  void lay_out_shared(KernelFacts& k, const ptx::Function& kernel) const {
    std::vector<const ptx::Variable*> fixed, dynamic;
    std::unordered_set<const ptx::Variable*> seen;
    auto add = [&](const ptx::Variable& v) {
      if (v.space != ptx::Space::shared || !seen.insert(&v).second) return;
      (v.is_extern || v.bytes == 0 ? dynamic : fixed).push_back(&v);
    };
    for (std::uint32_t f : k.functions) {
      for (const ptx::Variable& v : module.functions[f].variables) add(v);
      for (const ptx::Instruction& in : module.functions[f].instructions)
        for (const ptx::Operand& o : in.operands)
          visit_names(o, [&](const std::string& name) {
            if (auto it = facts.variables.find(name); it != facts.variables.end()) add(*it->second);
          });
    }
    std::size_t at = 0, dynamic_align = 1;
    for (const ptx::Variable* v : fixed) {
      at = align_up(at, std::max<std::size_t>(v->align, 1));
      k.shared_offset[v] = static_cast<std::uint32_t>(at);
      at += v->bytes;
      if (at > kMostSharedBytes)
        refuse(kernel, "has more than " + std::to_string(kMostSharedBytes) +
                           " bytes of shared variables, all that a block can have (" + v->name +
                           " among them).");
    }
    for (const ptx::Variable* v : dynamic) dynamic_align = std::max(dynamic_align, v->align);
    if (!dynamic.empty()) at = align_up(at, std::max<std::size_t>(dynamic_align, 16));
    for (const ptx::Variable* v : dynamic) k.shared_offset[v] = static_cast<std::uint32_t>(at);
    k.static_shared_bytes = static_cast<std::uint32_t>(at);
  }

  /// Deepest sum of local bytes along calls from the first of the kernel's functions, which are [first, last) of
  /// code.functions; sets @p recursive when calls form a cycle.
  std::uint64_t local_depth(const KernelFacts& k, std::uint32_t first, std::uint32_t last,
                            bool& recursive) const {
    std::vector<std::uint32_t> taken;
    for (std::uint32_t t : facts.address_taken)
      if (auto it = k.code_function.find(t); it != k.code_function.end()) taken.push_back(it->second);
    struct Node {
      enum { unseen, open, done } state = unseen;
      std::vector<std::uint32_t> callees;
      std::uint64_t deepest = 0;  ///< of the callees
    };
    std::vector<Node> nodes(last - first);
    for (std::uint32_t f = first; f < last; ++f) {
      std::vector<std::uint32_t>& callees = nodes[f - first].callees;
      bool indirect = false;
      for (std::uint32_t pc = code.functions[f].entry; pc < code.functions[f].end; ++pc) {
        if (code.instructions[pc].op != Op::call) continue;
        const CallOp& call = code.calls[code.instructions[pc].aux];
        if (call.indirect && !indirect) callees.insert(callees.end(), taken.begin(), taken.end());
        indirect |= call.indirect;
        if (!call.indirect && call.builtin == Builtin::none) callees.push_back(call.function);
      }
    }
    const auto own = [&](std::uint32_t f) { return align_up(code.functions[f].local_bytes, 16); };
    std::vector<std::uint32_t> path{first};
    nodes[0].state = Node::open;
    while (true) {
      Node& node = nodes[path.back() - first];
      if (!node.callees.empty()) {
        const std::uint32_t callee = node.callees.back();
        Node& next = nodes[callee - first];
        if (next.state == Node::unseen) {
          next.state = Node::open;
          path.push_back(callee);
          continue;
        }
        node.callees.pop_back();
        if (next.state == Node::open)
          recursive = true;
        else
          node.deepest = std::max(node.deepest, next.deepest + own(callee));
        continue;
      }
      node.state = Node::done;
      if (path.size() == 1) return node.deepest + own(first);
      path.pop_back();
    }
  }

  void build_kernel(std::uint32_t index) {
    const ptx::Function& f = module.functions[index];
    KernelFacts k;
    k.functions = reachable(index);
    lay_out_shared(k, f);
    std::size_t instructions = code.instructions.size();
    for (std::uint32_t fi : k.functions) instructions += module.functions[fi].instructions.size() + 1;
    if (instructions > kMostInstructions)
      refuse(f, "makes the module too large: its kernels and the functions that they call have more than " +
                    std::to_string(kMostInstructions) + " instructions.");
    Kernel kernel;
    kernel.name = f.name;
    kernel.address = kFunctionBase + 16ull * index;
    std::size_t at = 0;
    for (const ptx::Variable& p : f.parameters) {
      at = align_up(at, std::max<std::size_t>(p.align, 1));
      kernel.parameters.push_back({at, p.bytes, p.align});
      k.parameter_offset[p.name] = static_cast<std::uint32_t>(at);
      at += p.bytes;
      if (at > kMostKernelParameterBytes)
        refuse(f, "has more than " + std::to_string(kMostKernelParameterBytes) + " bytes of parameters.");
    }
    kernel.parameter_bytes = at;
    kernel.static_shared_bytes = k.static_shared_bytes;
    for (const auto& [variable, offset] : k.shared_offset)
      kernel.shared_variables.push_back(
          {variable->name, offset, variable->is_extern ? 0u : static_cast<std::uint32_t>(variable->bytes)});
    std::sort(kernel.shared_variables.begin(), kernel.shared_variables.end(),
              [](const auto& a, const auto& b) {
                return std::tie(a.offset, a.symbol) < std::tie(b.offset, b.symbol);
              });
    kernel.max_threads = dim_of(f.maxntid);
    kernel.required_threads = dim_of(f.reqntid);
    kernel.required_cluster = dim_of(f.reqnctapercluster);
    const auto first = static_cast<std::uint32_t>(code.functions.size());
    for (std::uint32_t i = 0; i < k.functions.size(); ++i) k.code_function[k.functions[i]] = first + i;
    for (std::uint32_t fi : k.functions)
      FunctionLowering(facts, k, module.functions[fi], fi, code, pool).run();
    const auto last = static_cast<std::uint32_t>(code.functions.size());
    bool recursive = false;
    const std::uint64_t local = local_depth(k, first, last, recursive);
    if (local > kMostLocalBytes)
      refuse(f, "and the functions that it calls need " + std::to_string(local) +
                    " bytes of local memory, more than the " + std::to_string(kMostLocalBytes) +
                    " that a thread can have.");
    kernel.local_bytes = static_cast<std::uint32_t>(local) + (recursive ? kRecursionLocalBytes : 0);
    std::uint32_t alloca_bytes = 0;
    for (std::uint32_t i = first; i < last; ++i)
      if (code.functions[i].uses_alloca) alloca_bytes = kAllocaBytes;
    if (alloca_bytes)
      kernel.local_bytes = static_cast<std::uint32_t>(align_up(kernel.local_bytes, 16)) + alloca_bytes;
    kernel.entry = static_cast<std::uint32_t>(code.kernels.size());
    bool reads_clock = false;
    for (std::uint32_t i = first; i < last; ++i)
      for (std::uint32_t pc = code.functions[i].entry; pc < code.functions[i].end; ++pc) {
        const Ins& ins = code.instructions[pc];
        reads_clock |= lower::reads_clock(ins);
      }
    code.kernels.push_back({first, last, recursive, alloca_bytes, reads_clock});
    kernel.code = &code;
    program.kernels_.push_back(std::move(kernel));
  }
};

Program::Program() : code_(std::make_unique<Code>()) {}
Program::~Program() = default;
Program::Program(Program&& other) noexcept
    : kernels_(std::move(other.kernels_)), sites_(std::move(other.sites_)), code_(std::move(other.code_)) {
  if (code_) code_->sites = &sites_;
}
Program& Program::operator=(Program&& other) noexcept {
  kernels_ = std::move(other.kernels_);
  sites_ = std::move(other.sites_);
  code_ = std::move(other.code_);
  if (code_) code_->sites = &sites_;
  return *this;
}

const Kernel* Program::kernel(std::string_view mangled_name) const noexcept {
  for (const Kernel& k : kernels_)
    if (k.name == mangled_name) return &k;
  return nullptr;
}

std::uint64_t function_address(const ptx::Module& module, std::string_view name) {
  std::uint64_t address = 0;
  for (std::size_t i = 0; i < module.functions.size(); ++i)
    if (module.functions[i].name == name && (address == 0 || module.functions[i].has_body))
      address = kFunctionBase + 16 * i;
  return address;
}

LowerResult lower(const ptx::Module& module, const AddressOf& address_of) {
  LowerResult result;
  if (module.address_size != 64) {
    result.error = LowerError{"The PTX text has .address_size " + std::to_string(module.address_size) +
                                  "; only 64-bit code is simulated: compile with nvcc -m64.",
                              0};
    return result;
  }
  try {
    Builder builder(module);
    builder.gather_facts(address_of);
    builder.number_sites();
    for (std::uint32_t i = 0; i < module.functions.size(); ++i)
      if (module.functions[i].is_entry && module.functions[i].has_body) builder.build_kernel(i);
    result.program.emplace(std::move(builder.program));
  } catch (Refusal& refusal) {
    result.error = std::move(refusal.error);
  } catch (const std::exception&) {  // std::bad_alloc, std::length_error
    result.error = LowerError{"there is not enough memory to make this module ready.", 0};
  }
  return result;
}

}  // namespace simgpu::lower
