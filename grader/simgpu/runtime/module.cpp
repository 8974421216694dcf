/// @file
/// From a registered fat binary to kernels that can run.
#include "simgpu/runtime/module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "simgpu/container/fat_binary.hpp"
#include "simgpu/observe/uninitialised.hpp"
#include "simgpu/runtime/target_check.hpp"

namespace simgpu::runtime {
namespace {

/// Path of the shared object or program that holds @p address; empty if unknown.
std::string holder_of(const void* address) {
  Dl_info info;
  if (address == nullptr || dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  return info.dli_fname;
}

memory::AllocationKind kind_of(const ptx::Variable& variable) {
  if (variable.managed) return memory::AllocationKind::managed;
  return variable.space == ptx::Space::constant ? memory::AllocationKind::constant
                                                : memory::AllocationKind::global;
}

/// What a symbol in an initialiser stands for: a variable's address, or a function's (a table of function pointers).
std::uint64_t symbol_value(const ptx::Module& module, const lower::AddressOf& address_of,
                           const std::string& symbol) {
  if (const std::uint64_t address = address_of(symbol); address != 0) return address;
  return lower::function_address(module, symbol);
}

}  // namespace

Module::Module(const void* wrapper) : wrapper_(wrapper) {}
Module::Module(std::string text) : text_(std::move(text)) {}

cudaError_t Module::fail(cudaError_t error, std::string problem) {
  error_ = error;
  problem_ = std::move(problem);
  // A program's own fault is for its report; that its device code cannot run at all has to be seen without one.
  const std::string holder = holder_of(wrapper_);
  std::fprintf(stderr, "simgpu: the device code%s%s cannot run: %s\n", holder.empty() ? "" : " of ",
               holder.c_str(), problem_.c_str());
  return error;
}

cudaError_t Module::parse() {
  if (parsed_) return error_;
  parsed_ = true;
  if (text_.starts_with("\x7f"
                        "ELF")) {
    return fail(cudaErrorNoKernelImageForDevice,
                "This is machine code (a cubin), which the simulated GPU does not read: load PTX, or a fat "
                "binary that "
                "holds some (nvcc -fatbin -gencode arch=compute_90,code=compute_90).");
  }
  const bool is_container =
      wrapper_ == nullptr && text_.size() >= 16 && container::container_size(text_.data()) != 0;
  if (wrapper_ != nullptr || is_container) {
    const container::FatBinary binary =
        is_container ? container::read_container(text_) : container::read_fat_binary(wrapper_);
    if (!binary.problem.empty()) return fail(cudaErrorInvalidKernelImage, binary.problem);
    const container::PickedPtx picked = container::pick_ptx(binary, Runtime::get().gpu.card.arch());
    if (picked.entry == nullptr) return fail(cudaErrorNoKernelImageForDevice, picked.problem);
    text_ = picked.entry->bytes;
  }
  ptx::ParseResult result = ptx::parse(text_);
  if (result.error) {
    return fail(cudaErrorInvalidPtx, fmt::format("PTX line {}, column {}: {}", result.error->line,
                                                 result.error->column, result.error->message));
  }
  if (std::string missing = missing_on(*result.module, Runtime::get().gpu.card.arch()); !missing.empty())
    return fail(cudaErrorInvalidPtx, std::move(missing));
  ptx_ = std::move(result.module);
  return cudaSuccess;
}

cudaError_t Module::load(Runtime& runtime, int device) {
  if (runtime.devices.empty()) return cudaErrorNoDevice;
  if (const cudaError_t error = parse(); error != cudaSuccess) return error;
  if (instances_.contains(device)) return cudaSuccess;
  return prepare(runtime, device);
}

cudaError_t Module::prepare(Runtime& runtime, int device) {
  Instance instance;
  // First all addresses, then the values: an initialiser may name a variable that comes later.
  for (const ptx::Variable& variable : ptx_->variables) {
    const bool in_memory = variable.space == ptx::Space::global || variable.space == ptx::Space::constant;
    if (!in_memory || variable.is_extern) continue;
    const memory::Allocation* allocation =
        runtime.gpu.memory.allocate(std::max<std::size_t>(variable.bytes, 1), kind_of(variable),
                                    std::max<std::size_t>(variable.align, 1), variable.name);
    if (allocation == nullptr) {
      return fail(cudaErrorMemoryAllocation, fmt::format("No room for the variable {}.", variable.name));
    }
    if (variable.managed) runtime.gpu.stream_checks.shares_memory();
    // Addresses are handed out once, so the bytes are still zero: a huge variable costs memory where it is used only.
    runtime.gpu.uninitialised->mark_initialised(allocation->base, allocation->bytes);
    instance.variables.emplace(variable.name, allocation);
  }
  const auto address_of = [&](std::string_view symbol) -> std::uint64_t {
    const auto it = instance.variables.find(symbol);
    return it == instance.variables.end() ? 0 : it->second->base;
  };
  lower::LowerResult lowered = lower::lower(*ptx_, address_of);
  if (lowered.error) {
    return fail(cudaErrorInvalidPtx,
                (lowered.error->ptx_line ? fmt::format("PTX line {}: ", lowered.error->ptx_line) : "") +
                    lowered.error->message);
  }
  instance.program = std::move(*lowered.program);
  for (const ptx::Variable& variable : ptx_->variables) {
    const auto it = instance.variables.find(variable.name);
    if (it == instance.variables.end() || !variable.initializer) continue;
    const memory::Allocation& allocation = *it->second;
    const auto& image = variable.initializer->bytes;
    std::memcpy(allocation.host, image.data(), std::min<std::size_t>(image.size(), allocation.bytes));
    for (const auto& relocation : variable.initializer->relocations) {
      const std::uint64_t value = (symbol_value(*ptx_, address_of, relocation.symbol) +
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
  for (const VariableEntry& variable : managed) {
    const auto it = instance.variables.find(variable.name);
    if (it != instance.variables.end()) *variable.managed_pointer = reinterpret_cast<void*>(it->second->base);
  }
  instance.id = ++runtime.modules_made;
  for (const auto& [name, allocation] : instance.variables) runtime.gpu.variables[allocation->base] = device;
  const Instance& kept = instances_.emplace(device, std::move(instance)).first->second;
  runtime.gpu.modules[kept.id] = {&kept.program, {}};
  runtime.gpu.modules[kept.id].footprints.resize(kept.program.kernels().size());
  return cudaSuccess;
}

const lower::Kernel* Module::kernel(int device, const std::string& name) const {
  const auto it = instances_.find(device);
  return it == instances_.end() ? nullptr : it->second.program.kernel(name);
}

const std::vector<observe::Site>& Module::sites(int device) const {
  return instances_.at(device).program.sites();
}

const memory::Allocation* Module::variable(int device, const std::string& name) const {
  const auto it = instances_.find(device);
  if (it == instances_.end()) return nullptr;
  const auto found = it->second.variables.find(name);
  return found == it->second.variables.end() ? nullptr : found->second;
}

std::size_t Module::constant_bytes() const {
  std::size_t bytes = 0;
  if (!ptx_) return bytes;
  for (const ptx::Variable& variable : ptx_->variables) {
    if (variable.space == ptx::Space::constant && !variable.is_extern) bytes += variable.bytes;
  }
  return bytes;
}

Module::Loaded Module::loaded(int device, const lower::Kernel& kernel) const {
  const Instance& instance = instances_.at(device);
  return {instance.id, static_cast<std::uint32_t>(&kernel - instance.program.kernels().data())};
}

Module::~Module() {
  for (const auto& [device, instance] : instances_) Runtime::get().gpu.modules.erase(instance.id);
}

std::vector<std::string> Module::kernel_names(int device) const {
  std::vector<std::string> names;
  const auto it = instances_.find(device);
  if (it == instances_.end()) return names;
  for (const lower::Kernel& kernel : it->second.program.kernels()) names.push_back(kernel.name);
  return names;
}

std::optional<timing::KernelResources> Module::resources(const std::string& kernel) {
  if (!resources_read_) {
    resources_read_ = true;
    const std::string holder = holder_of(wrapper_);
    if (!holder.empty()) resources_ = timing::read_resource_report(timing::resource_report_path(holder));
    if (!resources_ && error_ == cudaSuccess && !text_.empty())
      resources_ = timing::compile_resource_report(text_);
  }
  if (!resources_) return std::nullopt;
  const timing::KernelResources* found = resources_->find(kernel);
  return found != nullptr ? std::optional(*found) : std::nullopt;
}

void Module::reset(Runtime& runtime, int device) {
  const auto it = instances_.find(device);
  if (it == instances_.end()) return;
  runtime.gpu.modules.erase(it->second.id);
  for (const auto& [name, allocation] : it->second.variables) {
    runtime.gpu.variables.erase(allocation->base);
    runtime.gpu.memory.free(allocation->base);
  }
  instances_.erase(it);
}

}  // namespace simgpu::runtime
