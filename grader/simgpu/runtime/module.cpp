/// @file
/// From a registered fat binary to code that devices have loaded.
#include "simgpu/runtime/module.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "simgpu/container/fat_binary.hpp"

namespace simgpu::runtime {
namespace {

/// The shared object or program that holds an address.
struct Holder {
  std::string path;  ///< empty if unknown
  bool library = false;
};
Holder holder_of(const void* address) {
  Dl_info info;
  link_map* map = nullptr;
  if (address == nullptr || dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 ||
      info.dli_fname == nullptr)
    return {};
  return {info.dli_fname,
          map != nullptr && map->l_name != nullptr && *map->l_name != '\0'};  // a program's own name is empty
}

memory::AllocationKind kind_of(queue::Loaded::Variable::Kind kind) {
  using Kind = queue::Loaded::Variable::Kind;
  return kind == Kind::managed    ? memory::AllocationKind::managed
         : kind == Kind::constant ? memory::AllocationKind::constant
                                  : memory::AllocationKind::global;
}

}  // namespace

Module::Module(const void* wrapper) : wrapper_(wrapper) {}
Module::Module(std::string text) : text_(std::move(text)) {}

cudaError_t Module::fail(cudaError_t error, std::string problem) {
  error_ = error;
  problem_ = std::move(problem);
  // A program's own fault is for its report; that its device code cannot run at all has to be seen without one.
  const std::string holder = holder_of(wrapper_).path;
  std::fprintf(stderr, "simgpu: the device code%s%s cannot run: %s\n", holder.empty() ? "" : " of ",
               holder.c_str(), problem_.c_str());
  return error;
}

cudaError_t Module::read(const Runtime& runtime) {
  if (read_) return error_;
  read_ = true;
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
    if (!binary.parts.empty()) {
      container::LinkedPtx linked = container::link_parts(binary, runtime.card.arch());
      if (!linked.problem.empty()) return fail(cudaErrorInvalidKernelImage, std::move(linked.problem));
      text_ = std::move(linked.text);
      return cudaSuccess;
    }
    const container::PickedPtx picked = container::pick_ptx(binary, runtime.card.arch());
    if (picked.only_machine_code && holder_of(wrapper_).library)
      return fail(cudaErrorNoKernelImageForDevice,
                  "It is a library that holds machine code and no PTX, which is what the simulated GPU "
                  "reads: build the library "
                  "under simgpu, or do without it where its maker gives machine code only.");
    if (picked.entry == nullptr) return fail(cudaErrorNoKernelImageForDevice, picked.problem);
    text_ = picked.entry->bytes;
  }
  return cudaSuccess;
}

cudaError_t Module::load(Runtime& runtime, int device) {
  if (runtime.devices.empty()) return cudaErrorNoDevice;
  if (const cudaError_t error = read(runtime); error != cudaSuccess) return error;
  if (instances_.contains(device)) return cudaSuccess;

  Instance instance;
  instance.id = ++runtime.modules_made;
  const auto* const bytes = reinterpret_cast<const std::byte*>(text_.data());
  cudaError_t error = cudaSuccess;
  auto loaded = runtime.ask<queue::Loaded>(queue::Load{.id = instance.id,
                                                       .device = static_cast<std::uint32_t>(device),
                                                       .code = {.inside = {bytes, bytes + text_.size()}},
                                                       .program = holder_of(wrapper_).path},
                                           error);
  if (!loaded || error != cudaSuccess)
    return fail(error, loaded ? std::move(loaded->problem) : std::string());
  instance.code = std::move(*loaded);
  for (const queue::Loaded::Variable& variable : instance.code.variables)
    instance.variables[variable.name] =
        runtime.memory.add(variable.where, variable.bytes, kind_of(variable.kind), variable.name);
  for (const VariableEntry& variable : managed) {
    const auto it = instance.variables.find(variable.name);
    if (it != instance.variables.end()) *variable.managed_pointer = reinterpret_cast<void*>(it->second->base);
  }
  instances_.emplace(device, std::move(instance));
  return cudaSuccess;
}

const queue::Loaded::Kernel* Module::kernel(int device, const std::string& name) const {
  const auto it = instances_.find(device);
  if (it == instances_.end()) return nullptr;
  const auto& all = it->second.code.kernels;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

Module::KernelName Module::name_of(int device, const queue::Loaded::Kernel& kernel) const {
  const Instance& instance = instances_.at(device);
  return {instance.id, static_cast<std::uint32_t>(&kernel - instance.code.kernels.data())};
}

std::optional<Footprint> Module::footprint(Runtime& runtime, int device, const std::string& name) {
  const queue::Loaded::Kernel* const found = kernel(device, name);
  if (found == nullptr) return std::nullopt;
  const KernelName in_queue = name_of(device, *found);
  auto& known = instances_.at(device).footprints;
  if (const auto it = known.find(in_queue.kernel); it != known.end()) return it->second;
  cudaError_t error = cudaSuccess;
  const auto asked =
      runtime.ask<Footprint>(queue::Needs{.module = in_queue.module, .kernel = in_queue.kernel}, error);
  if (asked) known[in_queue.kernel] = *asked;
  return asked;
}

const memory::Allocation* Module::variable(int device, const std::string& name) const {
  const auto it = instances_.find(device);
  if (it == instances_.end()) return nullptr;
  const auto found = it->second.variables.find(name);
  return found == it->second.variables.end() ? nullptr : found->second;
}

std::vector<std::string> Module::kernel_names(int device) const {
  std::vector<std::string> names;
  const auto it = instances_.find(device);
  if (it == instances_.end()) return names;
  for (const queue::Loaded::Kernel& kernel : it->second.code.kernels) names.push_back(kernel.name);
  return names;
}

std::size_t Module::constant_bytes() const {
  return instances_.empty() ? 0 : instances_.begin()->second.code.constant_bytes;
}

void Module::reset(Runtime& runtime, int device) {
  const auto it = instances_.find(device);
  if (it == instances_.end()) return;
  runtime.tell(queue::Unload{.id = it->second.id});
  for (const auto& [name, allocation] : it->second.variables) runtime.memory.free(allocation->base);
  instances_.erase(it);
}

}  // namespace simgpu::runtime
