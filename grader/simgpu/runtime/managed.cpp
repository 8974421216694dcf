/// @file
/// Managed memory: prefetch, advice, and what was said about a range.
#include <algorithm>
#include <cstring>

#include "simgpu/runtime/api.hpp"
#include "simgpu/runtime/place.hpp"

using namespace simgpu;
using namespace simgpu::runtime;

namespace {

bool known(const Runtime& runtime, const cudaMemLocation& location) {
  switch (location.type) {
    case cudaMemLocationTypeDevice:
      return runtime.valid_device(location.id);
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
    case cudaMemLocationTypeHostNumaCurrent:
      return true;
    default:
      return false;
  }
}

/// A location as one number, as older programs ask for it: a device's index, cudaCpuDeviceId, or cudaInvalidDeviceId.
int number(const cudaMemLocation& location) {
  switch (location.type) {
    case cudaMemLocationTypeDevice:
      return location.id;
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
    case cudaMemLocationTypeHostNumaCurrent:
      return cudaCpuDeviceId;
    default:
      return cudaInvalidDeviceId;
  }
}

/// A location as the device takes it.
std::uint32_t place_number(const cudaMemLocation& location) {
  return location.type == cudaMemLocationTypeDevice ? static_cast<std::uint32_t>(location.id)
                                                    : queue::Move::kHost;
}

/// As it is kept: the host is one place, whatever id was given.
cudaMemLocation kept(cudaMemLocation location) {
  if (location.type == cudaMemLocationTypeHost) location.id = cudaCpuDeviceId;
  return location;
}

cudaError_t prefetch(Runtime& runtime, const void* pointer, std::size_t bytes,
                     const cudaMemLocation& location, Stream& stream) {
  const Place where = place(runtime, pointer, bytes);
  if (location.type == cudaMemLocationTypeDevice && !runtime.valid_device(location.id))
    return cudaErrorInvalidDevice;
  if (bytes != 0 && where.valid && !where.managed()) {
    return runtime.explain(
        cudaErrorInvalidValue,
        "cudaMemPrefetchAsync takes managed memory, and was given other memory: allocate it "
        "by cudaMallocManaged, or leave the call out.");
  }
  if (bytes == 0 || !where.valid || !known(runtime, location)) return cudaErrorInvalidValue;
  if (AllocationInfo* info = runtime.info_of(*where.allocation)) info->last_prefetch = kept(location);
  return runtime.send(stream, queue::Move{.place = place_number(location),
                                          .address = reinterpret_cast<std::uint64_t>(pointer),
                                          .bytes = bytes});
}

bool all_managed(Runtime& runtime, void* const* pointers, const std::size_t* sizes, std::size_t count) {
  if (pointers == nullptr || sizes == nullptr || count == 0) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const Place where = place(runtime, pointers[i], sizes[i]);
    if (!where.valid || !where.managed() || sizes[i] == 0) return false;
  }
  return true;
}

/// Location k is that of the ranges from @p first_of_location [k] on.
cudaError_t prefetch_all(Runtime& runtime, void* const* pointers, const std::size_t* sizes, std::size_t count,
                         const cudaMemLocation* locations, const std::size_t* first_of_location,
                         std::size_t location_count, unsigned long long flags, cudaStream_t handle) {
  Stream* stream = runtime.stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (locations == nullptr || first_of_location == nullptr || location_count == 0 ||
      first_of_location[0] != 0 || flags != 0 || !all_managed(runtime, pointers, sizes, count)) {
    return cudaErrorInvalidValue;
  }
  std::size_t which = 0;
  for (std::size_t i = 0; i < count; ++i) {
    while (which + 1 < location_count && first_of_location[which + 1] <= i) ++which;
    const cudaError_t error = prefetch(runtime, pointers[i], sizes[i], locations[which], *stream);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t range_attribute(Runtime& runtime, void* data, std::size_t size, cudaMemRangeAttribute attribute,
                            const void* pointer, std::size_t bytes) {
  const Place where = place(runtime, pointer, bytes);
  if (data == nullptr || size < sizeof(int) || !where.valid || !where.managed()) return cudaErrorInvalidValue;
  const AllocationInfo* info = runtime.info_of(*where.allocation);
  const bool list = attribute == cudaMemRangeAttributeAccessedBy;
  if (info == nullptr || (list ? size % sizeof(int) != 0 : size != sizeof(int))) return cudaErrorInvalidValue;
  switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
      *static_cast<int*>(data) = info->read_mostly ? 1 : 0;
      return cudaSuccess;
    case cudaMemRangeAttributePreferredLocation:
      *static_cast<int*>(data) = number(info->preferred);
      return cudaSuccess;
    case cudaMemRangeAttributePreferredLocationType:
      *static_cast<int*>(data) = info->preferred.type;
      return cudaSuccess;
    case cudaMemRangeAttributePreferredLocationId:
      *static_cast<int*>(data) = info->preferred.id;
      return cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocation:
      *static_cast<int*>(data) = number(info->last_prefetch);
      return cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocationType:
      *static_cast<int*>(data) = info->last_prefetch.type;
      return cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocationId:
      *static_cast<int*>(data) = info->last_prefetch.id;
      return cudaSuccess;
    case cudaMemRangeAttributeAccessedBy: {
      int* out = static_cast<int*>(data);
      const std::size_t count = size / sizeof(int);
      std::fill(out, out + count, int{cudaInvalidDeviceId});
      std::size_t i = 0;
      for (const int device : info->accessed_by) {
        if (i < count) out[i++] = device;
      }
      return cudaSuccess;
    }
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace

extern "C" {

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation location,
                                 unsigned int flags, cudaStream_t handle) {
  return api("cudaMemPrefetchAsync", [&](Runtime& runtime) -> cudaError_t {
    Stream* stream = runtime.stream(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (flags != 0) return cudaErrorInvalidValue;
    return prefetch(runtime, pointer, bytes, location, *stream);
  });
}

cudaError_t cudaMemPrefetchBatchAsync(void** pointers, size_t* sizes, size_t count,
                                      cudaMemLocation* locations, size_t* first_of_location,
                                      size_t location_count, unsigned long long flags, cudaStream_t handle) {
  return api("cudaMemPrefetchBatchAsync", [&](Runtime& runtime) {
    return prefetch_all(runtime, pointers, sizes, count, locations, first_of_location, location_count, flags,
                        handle);
  });
}

// What a discarded range holds is undefined until it is written again. It keeps its bytes here.
cudaError_t cudaMemDiscardBatchAsync(void** pointers, size_t* sizes, size_t count, unsigned long long flags,
                                     cudaStream_t handle) {
  return api("cudaMemDiscardBatchAsync", [&](Runtime& runtime) -> cudaError_t {
    if (runtime.stream(handle) == nullptr) return cudaErrorInvalidResourceHandle;
    return all_managed(runtime, pointers, sizes, count) && flags == 0 ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void** pointers, size_t* sizes, size_t count,
                                                cudaMemLocation* locations, size_t* first_of_location,
                                                size_t location_count, unsigned long long flags,
                                                cudaStream_t handle) {
  return api("cudaMemDiscardAndPrefetchBatchAsync", [&](Runtime& runtime) {
    return prefetch_all(runtime, pointers, sizes, count, locations, first_of_location, location_count, flags,
                        handle);
  });
}

cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation location) {
  return api("cudaMemAdvise", [&](Runtime& runtime) -> cudaError_t {
    const Place where = place(runtime, pointer, bytes);
    if (bytes == 0 || !where.valid || !where.managed()) return cudaErrorInvalidValue;
    AllocationInfo* info = runtime.info_of(*where.allocation);
    if (info == nullptr) return cudaErrorInvalidValue;
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    using What = queue::Advise::What;
    switch (advice) {
      case cudaMemAdviseSetReadMostly:
        info->read_mostly = true;
        return runtime.tell(queue::Advise{What::read_mostly, queue::Move::kHost, address, bytes});
      case cudaMemAdviseUnsetReadMostly:
        info->read_mostly = false;
        return runtime.tell(queue::Advise{What::read_mostly_no_more, queue::Move::kHost, address, bytes});
      case cudaMemAdviseUnsetPreferredLocation:
        info->preferred = {cudaMemLocationTypeInvalid, cudaInvalidDeviceId};
        return runtime.tell(queue::Advise{What::prefer_none, queue::Move::kHost, address, bytes});
      default:
        break;
    }
    if (!known(runtime, location)) return cudaErrorInvalidValue;
    switch (advice) {
      case cudaMemAdviseSetPreferredLocation:
        info->preferred = kept(location);
        return runtime.tell(queue::Advise{What::prefer, place_number(location), address, bytes});
      case cudaMemAdviseSetAccessedBy:
        info->accessed_by.insert(number(location));
        return runtime.tell(queue::Advise{What::map, place_number(location), address, bytes});
      case cudaMemAdviseUnsetAccessedBy:
        info->accessed_by.erase(number(location));
        return runtime.tell(queue::Advise{What::unmap, place_number(location), address, bytes});
      default:
        return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaMemRangeGetAttribute(void* data, size_t size, cudaMemRangeAttribute attribute,
                                     const void* pointer, size_t bytes) {
  return api("cudaMemRangeGetAttribute", [&](Runtime& runtime) {
    return range_attribute(runtime, data, size, attribute, pointer, bytes);
  });
}

cudaError_t cudaMemRangeGetAttributes(void** data, size_t* sizes, cudaMemRangeAttribute* attributes,
                                      size_t count, const void* pointer, size_t bytes) {
  return api("cudaMemRangeGetAttributes", [&](Runtime& runtime) -> cudaError_t {
    if (data == nullptr || sizes == nullptr || attributes == nullptr) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      const cudaError_t error = range_attribute(runtime, data[i], sizes[i], attributes[i], pointer, bytes);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}

}  // extern "C"
