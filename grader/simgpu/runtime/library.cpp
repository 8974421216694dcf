/// @file
/// Libraries of device code loaded at run time from PTX or a fat binary.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "simgpu/container/fat_binary.hpp"
#include "simgpu/runtime/api.hpp"
#include "simgpu/runtime/module.hpp"

using namespace simgpu;
using namespace simgpu::runtime;

namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243B1;

Module* find(Runtime& runtime, cudaLibrary_t handle) {
  const auto* module = reinterpret_cast<const Module*>(handle);
  for (const auto& owned : runtime.modules) {
    if (owned.get() == module) return owned.get();
  }
  return nullptr;
}

/// The handle of a kernel of @p module, made when it is first asked for.
KernelEntry* entry_of(Runtime& runtime, Module& module, const std::string& name) {
  for (const auto& entry : runtime.kernels) {
    if (entry->module == &module && entry->name == name) return entry.get();
  }
  auto entry = std::make_unique<KernelEntry>();
  entry->module = &module;
  entry->name = name;
  runtime.kernel_handles.insert(entry.get());
  runtime.kernels.push_back(std::move(entry));
  return runtime.kernels.back().get();
}

cudaError_t add(Runtime& runtime, cudaLibrary_t* library, std::unique_ptr<Module> module) {
  const cudaError_t error = module->load(runtime, runtime.current());
  if (error != cudaSuccess) return runtime.explain(error, module->problem());
  *library = reinterpret_cast<cudaLibrary_t>(module.get());
  runtime.modules.push_back(std::move(module));
  return cudaSuccess;
}

cudaError_t variable(Runtime& runtime, void** pointer, std::size_t* bytes, cudaLibrary_t library,
                     const char* name) {
  Module* module = find(runtime, library);
  if (module == nullptr) return cudaErrorInvalidResourceHandle;
  if (name == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t error = module->load(runtime, runtime.current()); error != cudaSuccess) return error;
  const memory::Allocation* allocation = module->variable(runtime.current(), name);
  if (allocation == nullptr) return cudaErrorSymbolNotFound;
  if (pointer != nullptr) *pointer = reinterpret_cast<void*>(allocation->base);
  if (bytes != nullptr) *bytes = allocation->bytes;
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**,
                                unsigned int, cudaLibraryOption*, void**, unsigned int) {
  return api("cudaLibraryLoadData", [&](Runtime& runtime) -> cudaError_t {
    if (library == nullptr || code == nullptr) return cudaErrorInvalidValue;
    const auto* bytes = static_cast<const char*>(code);
    std::uint32_t magic = 0;  // which holds no zero, while a text may be shorter
    if (strnlen(bytes, sizeof magic) == sizeof magic) std::memcpy(&magic, code, sizeof magic);
    if (magic == kWrapperMagic) return add(runtime, library, std::make_unique<Module>(code));
    const std::size_t container = magic != 0 ? container::container_size(code) : 0;
    return add(runtime, library,
               std::make_unique<Module>(container != 0 ? std::string(bytes, container) : std::string(bytes)));
  });
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* path, cudaJitOption*, void**,
                                    unsigned int, cudaLibraryOption*, void**, unsigned int) {
  return api("cudaLibraryLoadFromFile", [&](Runtime& runtime) -> cudaError_t {
    if (library == nullptr || path == nullptr) return cudaErrorInvalidValue;
    std::FILE* file = std::fopen(path, "rb");
    if (file == nullptr) return cudaErrorFileNotFound;
    std::string text;
    char buffer[1 << 16];
    for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, n);
    std::fclose(file);
    return add(runtime, library, std::make_unique<Module>(std::move(text)));
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return api("cudaLibraryUnload", [&](Runtime& runtime) -> cudaError_t {
    Module* module = find(runtime, library);
    if (module == nullptr) return cudaErrorInvalidResourceHandle;
    std::erase_if(runtime.kernel_handles, [&](const void* kernel) {
      return static_cast<const KernelEntry*>(kernel)->module == module;
    });
    std::erase_if(runtime.kernels, [&](const auto& entry) { return entry->module == module; });
    for (std::size_t i = 0; i < runtime.devices.size(); ++i) module->reset(runtime, static_cast<int>(i));
    std::erase_if(runtime.modules, [&](const auto& owned) { return owned.get() == module; });
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return api("cudaLibraryGetKernel", [&](Runtime& runtime) -> cudaError_t {
    Module* module = find(runtime, library);
    if (module == nullptr) return cudaErrorInvalidResourceHandle;
    if (kernel == nullptr || name == nullptr) return cudaErrorInvalidValue;
    if (const cudaError_t error = module->load(runtime, runtime.current()); error != cudaSuccess)
      return error;
    if (module->kernel(runtime.current(), name) == nullptr) return cudaErrorSymbolNotFound;
    *kernel = reinterpret_cast<cudaKernel_t>(entry_of(runtime, *module, name));
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryGetGlobal(void** pointer, size_t* bytes, cudaLibrary_t library, const char* name) {
  return api("cudaLibraryGetGlobal",
             [&](Runtime& runtime) { return variable(runtime, pointer, bytes, library, name); });
}

cudaError_t cudaLibraryGetManaged(void** pointer, size_t* bytes, cudaLibrary_t library, const char* name) {
  return api("cudaLibraryGetManaged", [&](Runtime& runtime) -> cudaError_t {
    void* found = nullptr;
    const cudaError_t error = variable(runtime, &found, bytes, library, name);
    if (error != cudaSuccess) return error;
    const memory::Allocation* allocation = runtime.memory.find(reinterpret_cast<std::uint64_t>(found));
    if (allocation == nullptr || allocation->kind != memory::AllocationKind::managed)
      return cudaErrorSymbolNotFound;
    if (pointer != nullptr) *pointer = found;
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryGetKernelCount(unsigned int* count, cudaLibrary_t library) {
  return api("cudaLibraryGetKernelCount", [&](Runtime& runtime) -> cudaError_t {
    Module* module = find(runtime, library);
    if (module == nullptr) return cudaErrorInvalidResourceHandle;
    if (count == nullptr) return cudaErrorInvalidValue;
    *count = static_cast<unsigned>(module->kernel_names(runtime.current()).size());
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned int count, cudaLibrary_t library) {
  return api("cudaLibraryEnumerateKernels", [&](Runtime& runtime) -> cudaError_t {
    Module* module = find(runtime, library);
    if (module == nullptr) return cudaErrorInvalidResourceHandle;
    if (kernels == nullptr) return cudaErrorInvalidValue;
    unsigned i = 0;
    for (const std::string& name : module->kernel_names(runtime.current())) {
      if (i == count) break;
      kernels[i++] = reinterpret_cast<cudaKernel_t>(entry_of(runtime, *module, name));
    }
    return cudaSuccess;
  });
}

}  // extern "C"
