/// @file
/// See modules.hpp.
#include "simgpu/device/modules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include "simgpu/device/gpu.hpp"
#include "simgpu/device/status.hpp"
#include "simgpu/device/target_check.hpp"
#include "simgpu/observe/uninitialised.hpp"
#include "simgpu/ptx/module.hpp"
#include "simgpu/timing/occupancy.hpp"

namespace simgpu::device {
namespace {

using Variables = std::map<std::string, const memory::Allocation*, std::less<>>;

memory::AllocationKind kind_of(const ptx::Variable& variable) {
  if (variable.managed) return memory::AllocationKind::managed;
  return variable.space == ptx::Space::constant ? memory::AllocationKind::constant
                                                : memory::AllocationKind::global;
}

queue::Loaded::Variable::Kind word_for(memory::AllocationKind kind) {
  using Kind = queue::Loaded::Variable::Kind;
  return kind == memory::AllocationKind::managed    ? Kind::managed
         : kind == memory::AllocationKind::constant ? Kind::constant
                                                    : Kind::global;
}

queue::Answer refuse(Status status, std::string problem) {
  queue::Loaded nothing;
  nothing.problem = std::move(problem);
  return {static_cast<std::uint32_t>(status), std::move(nothing)};
}

/// What a symbol in an initialiser stands for: a variable's address, or a function's (a table of function pointers).
std::uint64_t symbol_value(const ptx::Module& module, const lower::AddressOf& address_of,
                           const std::string& symbol) {
  if (const std::uint64_t address = address_of(symbol); address != 0) return address;
  return lower::function_address(module, symbol);
}

void write_image(const ptx::Module& module, const ptx::Variable& variable,
                 const memory::Allocation& allocation, const lower::AddressOf& address_of) {
  const auto& image = variable.initializer->bytes;
  std::memcpy(allocation.host, image.data(), std::min<std::size_t>(image.size(), allocation.bytes));
  for (const auto& relocation : variable.initializer->relocations) {
    const std::uint64_t value = (symbol_value(module, address_of, relocation.symbol) +
                                 static_cast<std::uint64_t>(relocation.addend)) >>
                                relocation.shift;
    if (relocation.byte_offset > allocation.bytes ||
        relocation.size > allocation.bytes - relocation.byte_offset) {
      continue;
    }
    std::memcpy(allocation.host + relocation.byte_offset, &value,
                std::min<std::size_t>(relocation.size, sizeof value));
  }
}

std::optional<queue::Dim> words(const std::optional<observe::Dim3>& d) {
  if (!d) return std::nullopt;
  return queue::Dim{d->x, d->y, d->z};
}

queue::Loaded description_of(const ptx::Module& module, const lower::Program& program,
                             const Variables& variables) {
  queue::Loaded out;
  for (const lower::Kernel& kernel : program.kernels()) {
    queue::Loaded::Kernel& entry = out.kernels.emplace_back();
    entry.name = kernel.name;
    for (const lower::Parameter& parameter : kernel.parameters)
      entry.parameters.push_back({parameter.offset, parameter.bytes});
    entry.parameter_bytes = kernel.parameter_bytes;
    entry.most_threads = words(kernel.max_threads);
    entry.exact_threads = words(kernel.required_threads);
    entry.cluster = words(kernel.required_cluster);
  }
  for (const auto& [name, allocation] : variables)
    out.variables.push_back(
        {name, word_for(allocation->kind), {allocation->base, allocation->id}, allocation->bytes});
  for (const ptx::Variable& variable : module.variables) {
    if (variable.space == ptx::Space::constant && !variable.is_extern) out.constant_bytes += variable.bytes;
  }
  return out;
}

std::uint32_t largest_block(const timing::Device& device, std::uint32_t registers) {
  std::uint64_t threads = device.threads_per_block_max;
  while (threads > 32 &&
         timing::occupancy(device, {.threads = threads, .registers_per_thread = registers, .shared_bytes = 0})
                 .blocks_per_sm == 0) {
    threads = (threads - 1) / 32 * 32;
  }
  return static_cast<std::uint32_t>(threads);
}

const timing::KernelResources* resources_of(LoadedModule& module, const std::string& kernel) {
  if (!module.resources_read) {
    module.resources_read = true;
    if (!module.file.empty())
      module.resources = timing::read_resource_report(timing::resource_report_path(module.file));
    if (!module.resources && !module.text.empty())
      module.resources = timing::compile_resource_report(module.text);
    module.text = {};
  }
  return module.resources ? module.resources->find(kernel) : nullptr;
}

Footprint footprint_of(const timing::Device& card, LoadedModule& module, const lower::Kernel& kernel) {
  Footprint f;
  f.registers = timing::kAssumedRegisters;
  f.static_shared = kernel.static_shared_bytes;
  f.local_bytes = kernel.local_bytes;
  if (const timing::KernelResources* resources = resources_of(module, kernel.name)) {
    f.registers = std::max(resources->registers, 1u);
    f.known_registers = resources->registers;
    f.spill_bytes = resources->spill_store_bytes + resources->spill_load_bytes;
    f.stack_bytes = resources->stack_bytes;
    f.local_bytes = std::max(f.local_bytes, resources->stack_bytes);
  }
  f.max_threads = largest_block(card, f.registers);
  if (kernel.max_threads)
    f.max_threads = std::min(f.max_threads, static_cast<std::uint32_t>(kernel.max_threads->count()));
  return f;
}

}  // namespace

queue::Answer load(Gpu& gpu, const queue::Load& command) {
  const std::string_view text(reinterpret_cast<const char*>(command.code.inside.data()),
                              command.code.inside.size());
  ptx::ParseResult parsed = ptx::parse(text);
  if (parsed.error) {
    return refuse(Status::invalid_ptx, fmt::format("PTX line {}, column {}: {}", parsed.error->line,
                                                   parsed.error->column, parsed.error->message));
  }
  const ptx::Module& module = *parsed.module;
  if (std::string missing = missing_on(module, gpu.card.arch()); !missing.empty())
    return refuse(Status::invalid_ptx, std::move(missing));

  // First all addresses, then the values: an initialiser may name a variable that comes later.
  Variables variables;
  for (const ptx::Variable& variable : module.variables) {
    const bool in_memory = variable.space == ptx::Space::global || variable.space == ptx::Space::constant;
    if (!in_memory || variable.is_extern) continue;
    const memory::Allocation* allocation =
        gpu.memory.allocate(std::max<std::size_t>(variable.bytes, 1), kind_of(variable),
                            std::max<std::size_t>(variable.align, 1), variable.name);
    if (allocation == nullptr)
      return refuse(Status::memory_allocation, fmt::format("No room for the variable {}.", variable.name));
    if (variable.managed) {
      gpu.stream_checks.shares_memory();
      gpu.managed_pages.made(*allocation,
                             ManagedPages::kHost);  // as on an H200: the first kernel waits for it
    }
    // Addresses are handed out once, so the bytes are still zero: a huge variable costs memory where it is used only.
    gpu.uninitialised->mark_initialised(allocation->base, allocation->bytes);
    variables.emplace(variable.name, allocation);
  }
  const auto address_of = [&](std::string_view symbol) -> std::uint64_t {
    const auto it = variables.find(symbol);
    return it == variables.end() ? 0 : it->second->base;
  };
  lower::LowerResult lowered = lower::lower(module, address_of);
  if (lowered.error) {
    return refuse(Status::invalid_ptx,
                  (lowered.error->ptx_line ? fmt::format("PTX line {}: ", lowered.error->ptx_line) : "") +
                      lowered.error->message);
  }
  for (const ptx::Variable& variable : module.variables) {
    const auto it = variables.find(variable.name);
    if (it != variables.end() && variable.initializer) write_image(module, variable, *it->second, address_of);
  }
  queue::Loaded answer = description_of(module, *lowered.program, variables);
  LoadedModule& kept = gpu.modules[command.id];
  kept.program = std::move(*lowered.program);
  for (const auto& [name, allocation] : variables) {
    kept.variables.push_back(allocation->base);
    gpu.variables[allocation->base] = static_cast<int>(command.device);
  }
  kept.footprints.resize(kept.program.kernels().size());
  if (gpu.program_file.empty()) kept.text = text;
  kept.file = gpu.program_file.empty() ? command.program : gpu.program_file;
  return {0, std::move(answer)};
}

void unload(Gpu& gpu, queue::Id id) {
  const auto it = gpu.modules.find(id);
  if (it == gpu.modules.end()) return;
  for (const std::uint64_t base : it->second.variables) {
    gpu.variables.erase(base);
    gpu.managed_pages.freed(base);
    gpu.memory.free(base);
  }
  gpu.modules.erase(it);
}

FoundKernel find_kernel(Gpu& gpu, queue::Id id, std::uint32_t number) {
  const auto it = gpu.modules.find(id);
  if (it == gpu.modules.end() || number >= it->second.footprints.size()) return {};
  LoadedModule& module = it->second;
  const lower::Kernel& kernel = module.program.kernels()[number];
  std::optional<Footprint>& footprint = module.footprints[number];
  if (!footprint) footprint = footprint_of(gpu.card, module, kernel);
  return {&kernel, &*footprint};
}

}  // namespace simgpu::device
