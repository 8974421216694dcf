/// @file
/// Memory of graphs, and what a device tells of it.
#include "simgpu/runtime/graph_memory.hpp"

#include <algorithm>

#include "simgpu/runtime/api.hpp"

namespace simgpu::runtime {
namespace {

/// An H200 backs graph memory in chunks of this size. [bytes]
constexpr std::uint64_t kPage = 32u << 20;

std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

GraphMemoryUse& use_of(Runtime& runtime, int device) {
  return runtime.devices[static_cast<std::size_t>(device)]->graph_memory;
}

}  // namespace

GraphMemory::GraphMemory(Runtime& runtime, std::uint64_t base, std::size_t bytes, int device)
    : runtime_(runtime), base_(base), bytes_(bytes), device_(device) {}

GraphMemory::~GraphMemory() {
  const memory::Allocation* allocation = runtime_.memory.find(base_);
  AllocationInfo* info = allocation != nullptr && allocation->live ? runtime_.info_of(*allocation) : nullptr;
  if (info == nullptr || info->graph != this) return;  // cudaDeviceReset was first
  info->graph = nullptr;
  if (!in_use_) runtime_.release(base_);
}

void GraphMemory::take(const Stream& stream) {
  in_use_ = true;
  runtime_.tell(queue::Lease{.stream = stream.name(),
                             .call = queue::call_named("cudaMallocAsync"),
                             .ends = false,
                             .address = base_});
  GraphMemoryUse& use = use_of(runtime_, device_);
  use.used += whole_pages(bytes_);
  use.used_high = std::max(use.used_high, use.used);
  use.reserved = std::max(use.reserved, use.used);
  use.reserved_high = std::max(use.reserved_high, use.reserved);
}

bool GraphMemory::give_back(const Stream* stream) {
  if (!in_use_) return false;
  in_use_ = false;
  if (stream != nullptr)
    runtime_.tell(queue::Lease{.stream = stream->name(),
                               .call = queue::call_named("cudaFreeAsync"),
                               .ends = true,
                               .address = base_});
  GraphMemoryUse& use = use_of(runtime_, device_);
  use.used -= std::min(use.used, whole_pages(bytes_));
  return true;
}

std::shared_ptr<GraphMemory> allocate_for_graph(Runtime& runtime, std::size_t bytes, int device) {
  AllocationInfo info;
  info.device = device;
  const memory::Allocation* allocation = runtime.allocate(
      bytes, memory::AllocationKind::device, std::move(info), 256, {.use = queue::Allocate::Use::graph});
  if (allocation == nullptr) return nullptr;
  auto made = std::make_shared<GraphMemory>(runtime, allocation->base, bytes, device);
  runtime.info_of(*allocation)->graph = made.get();
  return made;
}

std::shared_ptr<GraphMemory> graph_memory_at(Runtime& runtime, const void* pointer) {
  const auto base = reinterpret_cast<std::uint64_t>(pointer);
  const memory::Allocation* allocation = runtime.memory.find(base);
  if (allocation == nullptr || !allocation->live || allocation->base != base) return nullptr;
  const AllocationInfo* info = runtime.info_of(*allocation);
  return info != nullptr && info->graph != nullptr ? info->graph->shared_from_this() : nullptr;
}

}  // namespace simgpu::runtime

using namespace simgpu::runtime;

extern "C" {

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  return api("cudaDeviceGetGraphMemAttribute", [&](Runtime& runtime) -> cudaError_t {
    if (!runtime.valid_device(device)) return cudaErrorInvalidDevice;
    if (value == nullptr) return cudaErrorInvalidValue;
    const GraphMemoryUse& use = use_of(runtime, device);
    auto& out = *static_cast<std::uint64_t*>(value);
    switch (attribute) {
      case cudaGraphMemAttrUsedMemCurrent:
        out = use.used;
        return cudaSuccess;
      case cudaGraphMemAttrUsedMemHigh:
        out = use.used_high;
        return cudaSuccess;
      case cudaGraphMemAttrReservedMemCurrent:
        out = use.reserved;
        return cudaSuccess;
      case cudaGraphMemAttrReservedMemHigh:
        out = use.reserved_high;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  return api("cudaDeviceSetGraphMemAttribute", [&](Runtime& runtime) -> cudaError_t {
    if (!runtime.valid_device(device)) return cudaErrorInvalidDevice;
    // The high marks may be reset to zero, which means to what is current; nothing else can be set.
    if (value == nullptr || *static_cast<std::uint64_t*>(value) != 0) return cudaErrorInvalidValue;
    GraphMemoryUse& use = use_of(runtime, device);
    if (attribute == cudaGraphMemAttrUsedMemHigh) {
      use.used_high = use.used;
    } else if (attribute == cudaGraphMemAttrReservedMemHigh) {
      use.reserved_high = use.reserved;
    } else {
      return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  return api("cudaDeviceGraphMemTrim", [&](Runtime& runtime) -> cudaError_t {
    if (!runtime.valid_device(device)) return cudaErrorInvalidDevice;
    use_of(runtime, device).reserved = use_of(runtime, device).used;
    return cudaSuccess;
  });
}

}  // extern "C"
