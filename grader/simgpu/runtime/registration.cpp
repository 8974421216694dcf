/// @file
/// The functions that nvcc's generated code calls: registration of fat binaries, kernels and variables, and launches.
#include <vector_types.h>

#include "simgpu/runtime/api.hpp"
#include "simgpu/runtime/capture.hpp"
#include "simgpu/runtime/launch.hpp"
#include "simgpu/runtime/module.hpp"
#include "simgpu/runtime/of_thread.hpp"
#include "simgpu/runtime/per_thread_stream.hpp"

using namespace simgpu::runtime;

namespace {

struct CallConfiguration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};

/// `<<<>>>` pushes, the generated stub pops: nested when an argument's constructor launches a kernel itself.
std::vector<CallConfiguration>& configurations() {
  return of_thread<std::vector<CallConfiguration>, CallConfiguration>();
}

/// The newest that the header of CUDA 13.0 knows.
constexpr int kLastAttribute = cudaLaunchAttributeNvlinkUtilCentricScheduling;

/// Events that a launch itself records: when all its blocks have begun, or when they have let the next kernel begin. On the modelled
/// clock both are its end.
cudaError_t record_launch_events(const LaunchRequest& request, cudaStream_t stream) {
  for (const auto& [id, value] : request.hints) {
    cudaEvent_t event = id == cudaLaunchAttributeLaunchCompletionEvent ? value.launchCompletionEvent.event
                        : id == cudaLaunchAttributeProgrammaticEvent   ? value.programmaticEvent.event
                                                                       : nullptr;
    if (event == nullptr) continue;
    if (const cudaError_t error = cudaEventRecord(event, stream); error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

Module* module_of(void** handle) {
  return reinterpret_cast<Module*>(handle);
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.modules.push_back(std::make_unique<Module>(wrapper));
  return reinterpret_cast<void**>(runtime.modules.back().get());
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** handle) {
  // A plugin is unloaded: its host addresses may be used again by the next one.
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  const Module* module = module_of(handle);
  std::erase_if(runtime.kernels_by_host, [&](const auto& item) { return item.second->module == module; });
  std::erase_if(runtime.variables_by_host, [&](const auto& item) { return item.second.module == module; });
  std::erase_if(runtime.kernel_handles, [&](const void* kernel) {
    return static_cast<const KernelEntry*>(kernel)->module == module;
  });
  std::erase_if(runtime.kernels, [&](const auto& entry) { return entry->module == module; });
  for (std::size_t i = 0; i < runtime.devices.size(); ++i)
    module_of(handle)->reset(runtime, static_cast<int>(i));
  std::erase_if(runtime.modules, [&](const auto& owned) { return owned.get() == module; });
}

void __cudaRegisterFunction(void** handle, const char* host_function, char*, const char* device_name, int,
                            uint3*, uint3*, dim3*, dim3*, int*) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  auto entry = std::make_unique<KernelEntry>();
  entry->module = module_of(handle);
  entry->name = device_name;
  runtime.kernels_by_host[host_function] = entry.get();
  runtime.kernel_handles.insert(entry.get());
  runtime.kernels.push_back(std::move(entry));
}

void __cudaRegisterVar(void** handle, char* host_variable, char*, const char* device_name, int, size_t bytes,
                       int constant, int) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  VariableEntry entry;
  entry.module = module_of(handle);
  entry.name = device_name;
  entry.bytes = bytes;
  entry.constant = constant != 0;
  runtime.variables_by_host[host_variable] = std::move(entry);
}

void __cudaRegisterManagedVar(void** handle, void** host_pointer, char*, const char* device_name, int,
                              size_t bytes, int constant, int) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  VariableEntry entry;
  entry.module = module_of(handle);
  entry.name = device_name;
  entry.bytes = bytes;
  entry.constant = constant != 0;
  entry.managed = true;
  entry.managed_pointer = host_pointer;
  entry.module->managed.push_back(entry);
  runtime.variables_by_host[host_pointer] = std::move(entry);
}

void __cudaRegisterHostVar(void**, const char*, char*, size_t) {}
void __cudaRegisterUnifiedTable(void**, void*) {}

/// Called before host code first touches a managed variable of the module.
char __cudaInitModule(void** handle) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  if (runtime.devices.empty()) return 0;
  return module_of(handle)->load(runtime, runtime.current()) == cudaSuccess ? 1 : 0;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, CUstream_st* stream) {
  configurations().push_back({grid, block, shared, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  auto& stack = configurations();
  if (stack.empty()) return cudaErrorMissingConfiguration;
  const CallConfiguration top = stack.back();
  stack.pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  KernelEntry* entry = runtime.kernel(host_function);
  if (entry == nullptr) return cudaErrorInvalidDeviceFunction;
  *kernel = reinterpret_cast<cudaKernel_t>(entry);
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** args, size_t shared,
                               cudaStream_t stream) {
  return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, args, shared, stream);
}

cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** args, size_t shared,
                                    cudaStream_t stream) {
  const PerThreadScope scope;
  return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, args, shared, stream);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** args, size_t shared,
                             cudaStream_t stream_handle) {
  return api("cudaLaunchKernel", [&](Runtime& runtime) -> cudaError_t {
    KernelEntry* entry = runtime.kernel(function);
    if (entry == nullptr)
      return function == nullptr ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidResourceHandle;
    Stream* stream = runtime.stream(stream_handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    LaunchRequest request{.grid = grid, .block = block, .cluster = {}, .dynamic_shared = shared};
    request.function = function;
    return spoil_on(launch(runtime, *entry, request, args, *stream), *stream);
  });
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** args,
                                        size_t shared, cudaStream_t stream_handle) {
  return api("cudaLaunchCooperativeKernel", [&](Runtime& runtime) -> cudaError_t {
    KernelEntry* entry = runtime.kernel(function);
    if (entry == nullptr) return cudaErrorInvalidResourceHandle;
    Stream* stream = runtime.stream(stream_handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    LaunchRequest request{
        .grid = grid, .block = block, .cluster = {}, .dynamic_shared = shared, .cooperative = true};
    request.function = function;
    return spoil_on(launch(runtime, *entry, request, args, *stream), *stream);
  });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** args) {
  return api("cudaLaunchKernelExC", [&](Runtime& runtime) -> cudaError_t {
    if (config == nullptr) return cudaErrorInvalidValue;
    KernelEntry* entry = runtime.kernel(function);
    if (entry == nullptr) return cudaErrorInvalidResourceHandle;
    Stream* stream = runtime.stream(config->stream);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    LaunchRequest request{.grid = config->gridDim,
                          .block = config->blockDim,
                          .cluster = {},
                          .dynamic_shared = config->dynamicSmemBytes};
    for (unsigned i = 0; i < config->numAttrs; ++i) {
      const cudaLaunchAttribute& attribute = config->attrs[i];
      if (attribute.id == cudaLaunchAttributeClusterDimension) {
        request.cluster =
            dim3(attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z);
      } else if (attribute.id == cudaLaunchAttributeCooperative) {
        request.cooperative = attribute.val.cooperative != 0;
      } else if (attribute.id < cudaLaunchAttributeIgnore || attribute.id > kLastAttribute) {
        return cudaErrorInvalidValue;
      } else if (attribute.id != cudaLaunchAttributeIgnore) {
        request.hints[attribute.id] = attribute.val;
      }
    }
    request.function = function;
    const cudaError_t error = spoil_on(launch(runtime, *entry, request, args, *stream), *stream);
    return error == cudaSuccess ? record_launch_events(request, config->stream) : error;
  });
}

}  // extern "C"
