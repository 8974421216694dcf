/// @file
/// Stream-ordered allocation and memory pools. Work runs in order of issue, so an allocation is ready at once and a release
/// takes effect at once: a use after cudaFreeAsync in the same stream is a use after free, as it should be.
#include <algorithm>
#include <string>

#include "simgpu/runtime/api.hpp"
#include "simgpu/runtime/capture.hpp"
#include "simgpu/runtime/graph.hpp"
#include "simgpu/runtime/graph_memory.hpp"
#include "simgpu/runtime/place.hpp"

using namespace simgpu;
using namespace simgpu::runtime;

namespace {

Pool* find(Runtime& runtime, cudaMemPool_t handle) {
  Pool* pool = reinterpret_cast<Pool*>(handle);
  if (runtime.pools.contains(pool)) return pool;
  handle_missed(Handle::pool, handle);
  return nullptr;
}

cudaMemPool_t handle_of(Pool* pool) {
  return reinterpret_cast<cudaMemPool_t>(pool);
}

cudaError_t allocate_from(Runtime& runtime, const char* name, Pool& pool, void** out, std::size_t bytes,
                          Stream& stream) {
  if (out == nullptr) return cudaErrorInvalidValue;
  if (bytes == 0) {
    *out = nullptr;
    return cudaSuccess;
  }
  if (stream.capture != nullptr) {  // the graph's own memory: one address for all launches
    if (stream.capture->spoilt) return cudaErrorStreamCaptureInvalidated;
    auto memory = allocate_for_graph(runtime, bytes, pool.device);
    if (memory == nullptr) return cudaErrorMemoryAllocation;
    const std::size_t node = add_node(*stream.capture, cudaGraphNodeTypeMemAlloc, {}, stream.capture_tail);
    stream.capture_tail = {node};
    GraphNode& made = stream.capture->nodes[node];
    *out = memory->pointer();
    make_allocation_node(made, std::move(memory));
    made.allocation_parameters.dptr = *out;
    made.allocation_parameters.bytesize = bytes;
    made.allocation_parameters.poolProps.allocType = cudaMemAllocationTypePinned;
    made.allocation_parameters.poolProps.location = {cudaMemLocationTypeDevice, pool.device};
    return cudaSuccess;
  }
  if (pool.most != 0 && bytes > pool.most - std::min(pool.most, pool.used)) return cudaErrorMemoryAllocation;
  AllocationInfo info;
  info.device = pool.device;
  info.pool = &pool;
  const memory::Allocation* allocation = runtime.allocate(
      bytes, pool.host ? memory::AllocationKind::pinned : memory::AllocationKind::device, std::move(info),
      256, {.use = queue::Allocate::Use::pool, .stream = stream.name(), .call = queue::call_named(name)});
  if (allocation == nullptr) return cudaErrorMemoryAllocation;
  pool.used += bytes;
  pool.used_high = std::max(pool.used_high, pool.used);
  pool.reserved = std::max(pool.reserved, Pool::chunks(pool.used));
  pool.reserved_high = std::max(pool.reserved_high, pool.reserved);
  *out = reinterpret_cast<void*>(allocation->base);
  return cudaSuccess;
}

/// cudaFreeAsync takes what cudaMalloc gave too, and a host pool's memory.
bool can_be_freed(Runtime& runtime, const memory::Allocation& allocation) {
  const AllocationInfo* info = runtime.info_of(allocation);
  return allocation.kind == memory::AllocationKind::device || (info != nullptr && info->pool != nullptr);
}

/// Where the pool is kept that is used at @p location now. @return nullptr for places and kinds of memory that are not simulated.
Pool** pool_of(Runtime& runtime, const cudaMemLocation* location, cudaMemAllocationType type) {
  if (location == nullptr || type != cudaMemAllocationTypePinned) return nullptr;
  if (location->type == cudaMemLocationTypeHost) {
    static Pool* host = &runtime.host_pool;
    return &host;
  }
  if (location->type != cudaMemLocationTypeDevice || !runtime.valid_device(location->id)) return nullptr;
  return &runtime.devices[static_cast<std::size_t>(location->id)]->pool;
}

/// Where a pool attribute is kept. @return nullptr if it is none that can be set.
int* reuse_flag(Pool& pool, cudaMemPoolAttr attribute) {
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
      return &pool.reuse_follow;
    case cudaMemPoolReuseAllowOpportunistic:
      return &pool.reuse_opportunistic;
    case cudaMemPoolReuseAllowInternalDependencies:
      return &pool.reuse_internal;
    default:
      return nullptr;
  }
}

}  // namespace

extern "C" {

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t handle) {
  return api("cudaMallocAsync", [&](Runtime& runtime) -> cudaError_t {
    Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    return allocate_from(runtime, "cudaMallocAsync", *runtime.device_of(*stream).pool, pointer, bytes,
                         *stream);
  });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool_handle,
                                    cudaStream_t handle) {
  return api("cudaMallocFromPoolAsync", [&](Runtime& runtime) -> cudaError_t {
    Stream* stream = runtime.stream(handle);
    Pool* pool = find(runtime, pool_handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (pool == nullptr) return cudaErrorInvalidValue;
    return allocate_from(runtime, "cudaMallocFromPoolAsync", *pool, pointer, bytes, *stream);
  });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
  return api("cudaFreeAsync", [&](Runtime& runtime) -> cudaError_t {
    Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (pointer == nullptr) return cudaSuccess;
    const auto base = reinterpret_cast<std::uint64_t>(pointer);
    const memory::Allocation* allocation = runtime.memory.find(base);
    if (allocation == nullptr || !allocation->live || allocation->base != base ||
        !can_be_freed(runtime, *allocation)) {
      const char* const what =
          allocation == nullptr ? "a pointer that no call of CUDA's allocated"
          : !allocation->live   ? "memory that has been freed already"
          : allocation->base != base
              ? "a pointer into the middle of an allocation; it takes the one that was allocated"
              : "memory that is neither from cudaMallocAsync nor from cudaMalloc";
      return runtime.explain(cudaErrorInvalidValue, std::string("cudaFreeAsync was given ") + what + ".");
    }
    auto memory = graph_memory_at(runtime, pointer);
    if (stream->capture != nullptr) {
      if (stream->capture->spoilt) return cudaErrorStreamCaptureInvalidated;
      if (memory == nullptr) return spoil_on(cudaErrorInvalidValue, *stream);
      const std::size_t node = add_node(*stream->capture, cudaGraphNodeTypeMemFree, {}, stream->capture_tail);
      stream->capture_tail = {node};
      make_free_node(stream->capture->nodes[node], std::move(memory));
      return cudaSuccess;
    }
    if (memory != nullptr) return memory->give_back(stream) ? cudaSuccess : cudaErrorInvalidValue;
    runtime.release(base, {.stream = stream->name(), .call = queue::call_named("cudaFreeAsync")});
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return api("cudaDeviceGetDefaultMemPool", [&](Runtime& runtime) -> cudaError_t {
    if (pool == nullptr) return cudaErrorInvalidValue;
    if (!runtime.valid_device(device)) return cudaErrorInvalidDevice;
    *pool = handle_of(&runtime.devices[static_cast<std::size_t>(device)]->default_pool);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return api("cudaDeviceGetMemPool", [&](Runtime& runtime) -> cudaError_t {
    if (pool == nullptr) return cudaErrorInvalidValue;
    if (!runtime.valid_device(device)) return cudaErrorInvalidDevice;
    *pool = handle_of(runtime.devices[static_cast<std::size_t>(device)]->pool);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle) {
  return api("cudaDeviceSetMemPool", [&](Runtime& runtime) -> cudaError_t {
    Pool* pool = find(runtime, handle);
    if (!runtime.valid_device(device)) return cudaErrorInvalidDevice;
    if (pool == nullptr) return cudaErrorInvalidValue;
    runtime.devices[static_cast<std::size_t>(device)]->pool = pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* location,
                                     cudaMemAllocationType type) {
  return api("cudaMemGetDefaultMemPool", [&](Runtime& runtime) -> cudaError_t {
    if (pool == nullptr || pool_of(runtime, location, type) == nullptr) return cudaErrorInvalidValue;
    *pool = handle_of(location->type == cudaMemLocationTypeHost
                          ? &runtime.host_pool
                          : &runtime.devices[static_cast<std::size_t>(location->id)]->default_pool);
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* location, cudaMemAllocationType type) {
  return api("cudaMemGetMemPool", [&](Runtime& runtime) -> cudaError_t {
    Pool** const place = pool_of(runtime, location, type);
    if (pool == nullptr || place == nullptr) return cudaErrorInvalidValue;
    *pool = handle_of(*place);
    return cudaSuccess;
  });
}

cudaError_t cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType type, cudaMemPool_t handle) {
  return api("cudaMemSetMemPool", [&](Runtime& runtime) -> cudaError_t {
    Pool** const place = pool_of(runtime, location, type);
    Pool* pool = find(runtime, handle);
    if (place == nullptr || pool == nullptr) return cudaErrorInvalidValue;
    *place = pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return api("cudaMemPoolCreate", [&](Runtime& runtime) -> cudaError_t {
    if (pool == nullptr || properties == nullptr) return cudaErrorInvalidValue;
    const bool host = properties->location.type == cudaMemLocationTypeHost;
    const bool on_device = properties->location.type == cudaMemLocationTypeDevice &&
                           runtime.valid_device(properties->location.id);
    if (properties->allocType != cudaMemAllocationTypePinned || (!host && !on_device))
      return cudaErrorInvalidValue;
    auto* made = new Pool;
    made->host = host;
    made->device = host ? runtime.current() : properties->location.id;
    made->most = properties->maxSize;
    runtime.pools.insert(made);
    handle_made(Handle::pool, made);
    *pool = handle_of(made);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
  return api("cudaMemPoolDestroy", [&](Runtime& runtime) -> cudaError_t {
    Pool* pool = find(runtime, handle);
    if (pool == nullptr) return cudaErrorInvalidValue;
    if (pool == &runtime.host_pool) return cudaErrorInvalidValue;
    for (const auto& state : runtime.devices) {
      if (pool == &state->default_pool) return cudaErrorInvalidValue;
      if (state->pool == pool) state->pool = &state->default_pool;
    }
    for (auto& [base, info] : runtime.allocations) {
      if (info.pool == pool) info.pool = nullptr;
    }
    runtime.pools.erase(pool);
    handle_destroyed(Handle::pool, pool);
    delete pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t bytes) {
  return api("cudaMemPoolTrimTo", [&](Runtime& runtime) -> cudaError_t {
    Pool* pool = find(runtime, handle);
    if (pool == nullptr) return cudaErrorInvalidValue;
    pool->reserved = std::max(Pool::chunks(pool->used), std::min(pool->reserved, Pool::chunks(bytes)));
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return api("cudaMemPoolSetAttribute", [&](Runtime& runtime) -> cudaError_t {
    Pool* pool = find(runtime, handle);
    if (pool == nullptr || value == nullptr) return cudaErrorInvalidValue;
    if (int* flag = reuse_flag(*pool, attribute)) {
      *flag = *static_cast<int*>(value);
    } else if (attribute == cudaMemPoolAttrReleaseThreshold) {
      pool->release_threshold = *static_cast<std::uint64_t*>(value);
      if (!pool->host)
        runtime.tell(queue::Limit{static_cast<std::uint32_t>(pool->device), queue::Limit::Which::pool,
                                  pool->release_threshold});
    } else if (*static_cast<std::uint64_t*>(value) != 0) {
      return cudaErrorInvalidValue;  // the high marks may only be reset
    } else if (attribute == cudaMemPoolAttrUsedMemHigh) {
      pool->used_high = pool->used;
    } else if (attribute == cudaMemPoolAttrReservedMemHigh) {
      pool->reserved_high = pool->reserved;
    } else {
      return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return api("cudaMemPoolGetAttribute", [&](Runtime& runtime) -> cudaError_t {
    Pool* pool = find(runtime, handle);
    if (pool == nullptr || value == nullptr) return cudaErrorInvalidValue;
    if (const int* flag = reuse_flag(*pool, attribute)) {
      *static_cast<int*>(value) = *flag;
      return cudaSuccess;
    }
    auto& out = *static_cast<std::uint64_t*>(value);
    switch (attribute) {
      case cudaMemPoolAttrReleaseThreshold:
        out = pool->release_threshold;
        return cudaSuccess;
      case cudaMemPoolAttrUsedMemCurrent:
        out = pool->used;
        return cudaSuccess;
      case cudaMemPoolAttrReservedMemCurrent:
        out = pool->reserved;
        return cudaSuccess;
      case cudaMemPoolAttrUsedMemHigh:
        out = pool->used_high;
        return cudaSuccess;
      case cudaMemPoolAttrReservedMemHigh:
        out = pool->reserved_high;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const cudaMemAccessDesc* list, size_t count) {
  return api("cudaMemPoolSetAccess", [&](Runtime& runtime) -> cudaError_t {
    const Pool* pool = find(runtime, handle);
    if (pool == nullptr || (list == nullptr && count > 0)) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      const cudaMemAccessDesc& wish = list[i];
      if (wish.location.type == cudaMemLocationTypeHost && pool->host) continue;
      if (wish.location.type != cudaMemLocationTypeDevice || !runtime.valid_device(wish.location.id)) {
        return cudaErrorInvalidDevice;
      }
      if (wish.flags == cudaMemAccessFlagsProtRead) return cudaErrorNotSupported;
      // A device cannot lose access to its own memory.
      if (wish.flags == cudaMemAccessFlagsProtNone && wish.location.id == pool->device)
        return cudaErrorInvalidDevice;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t handle, cudaMemLocation* location) {
  return api("cudaMemPoolGetAccess", [&](Runtime& runtime) -> cudaError_t {
    if (flags == nullptr || location == nullptr || find(runtime, handle) == nullptr)
      return cudaErrorInvalidValue;
    *flags = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
  });
}

}  // extern "C"
