/// @file
/// `__device__`, `__constant__` and `__managed__` variables, named by their host shadows.
#include <fmt/format.h>

#include "simgpu/runtime/api.hpp"
#include "simgpu/runtime/copies.hpp"
#include "simgpu/runtime/module.hpp"

using namespace simgpu;
using namespace simgpu::runtime;

namespace {

struct Symbol {
  cudaError_t error = cudaErrorInvalidSymbol;
  const memory::Allocation* allocation = nullptr;
};

Symbol find_symbol(Runtime& runtime, const void* shadow) {
  auto it = runtime.variables_by_host.find(shadow);
  if (it == runtime.variables_by_host.end()) {
    // A managed variable is passed by value of its pointer, which is the address of the memory itself.
    for (auto item = runtime.variables_by_host.begin(); item != runtime.variables_by_host.end(); ++item) {
      if (item->second.managed_pointer != nullptr && *item->second.managed_pointer == shadow) it = item;
    }
    if (it == runtime.variables_by_host.end()) {
      handle_missed(Handle::symbol, shadow);
      return {};
    }
  }
  const VariableEntry& entry = it->second;
  if (const cudaError_t error = entry.module->load(runtime, runtime.current()); error != cudaSuccess) {
    return {error, nullptr};
  }
  const memory::Allocation* allocation = entry.module->variable(runtime.current(), entry.name);
  if (allocation == nullptr) return {};
  return {cudaSuccess, allocation};
}

cudaError_t copy_symbol(const char* name, const void* shadow, void* host, const void* from, std::size_t bytes,
                        std::size_t offset, cudaMemcpyKind kind, cudaStream_t handle, bool wait) {
  return api(name, [&](Runtime& runtime) -> cudaError_t {
    Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    const Symbol symbol = find_symbol(runtime, shadow);
    if (symbol.error != cudaSuccess) return symbol.error;
    // The variable is the device's side.
    const cudaMemcpyKind other = host != nullptr ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
    if (kind != other && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) {
      return cudaErrorInvalidMemcpyDirection;
    }
    if (offset > symbol.allocation->bytes || bytes > symbol.allocation->bytes - offset) {
      return runtime.explain(
          cudaErrorInvalidValue,
          fmt::format("{}: {} bytes at offset {} do not fit the variable {} of {} bytes.", name, bytes,
                      offset, symbol.allocation->name, symbol.allocation->bytes));
    }
    void* const device = reinterpret_cast<void*>(symbol.allocation->base + offset);
    const std::size_t pitch = bytes;
    const CopyShape shape{.width = bytes, .to_pitch = pitch, .from_pitch = pitch};
    return host != nullptr ? copy(runtime, name, host, device, shape, kind, *stream, wait)
                           : copy(runtime, name, device, from, shape, kind, *stream, wait);
  });
}

}  // namespace

extern "C" {

cudaError_t cudaGetSymbolAddress(void** device, const void* shadow) {
  return api("cudaGetSymbolAddress", [&](Runtime& runtime) -> cudaError_t {
    if (device == nullptr) return cudaErrorInvalidValue;
    const Symbol symbol = find_symbol(runtime, shadow);
    if (symbol.error == cudaSuccess) *device = reinterpret_cast<void*>(symbol.allocation->base);
    return symbol.error;
  });
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* shadow) {
  return api("cudaGetSymbolSize", [&](Runtime& runtime) -> cudaError_t {
    if (bytes == nullptr) return cudaErrorInvalidValue;
    const Symbol symbol = find_symbol(runtime, shadow);
    if (symbol.error == cudaSuccess) *bytes = symbol.allocation->bytes;
    return symbol.error;
  });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  return copy_symbol("cudaMemcpyToSymbol", symbol, nullptr, from, bytes, offset, kind, nullptr, true);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_symbol("cudaMemcpyToSymbolAsync", symbol, nullptr, from, bytes, offset, kind, stream, false);
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  if (to == nullptr) return cudaErrorInvalidValue;
  return copy_symbol("cudaMemcpyFromSymbol", symbol, to, nullptr, bytes, offset, kind, nullptr, true);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  if (to == nullptr) return cudaErrorInvalidValue;
  return copy_symbol("cudaMemcpyFromSymbolAsync", symbol, to, nullptr, bytes, offset, kind, stream, false);
}

}  // extern "C"
