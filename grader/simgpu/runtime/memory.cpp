/// @file
/// Allocation and release of device and host memory; what a pointer points to.
#include <algorithm>
#include <string>

#include "simgpu/runtime/api.hpp"
#include "simgpu/runtime/capture.hpp"
#include "simgpu/runtime/exchanged_pages.hpp"
#include "simgpu/runtime/graph_memory.hpp"
#include "simgpu/runtime/place.hpp"

using namespace simgpu;
using namespace simgpu::runtime;
using memory::Allocation;
using memory::AllocationKind;

namespace simgpu::runtime {

Place place(Runtime& runtime, const void* pointer, std::size_t bytes) {
  Place place;
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const Allocation* allocation = runtime.memory.find(address);
  // Memory that was registered once is ordinary memory again after its release.
  if (allocation != nullptr && !allocation->live && allocation->kind == AllocationKind::registered) {
    allocation = nullptr;
  }
  const bool in_device_range =
      address >= memory::kDeviceBase && address - memory::kDeviceBase < memory::kDeviceRange;
  if (allocation == nullptr) {
    place.valid = pointer != nullptr && !in_device_range;
    return place;
  }
  place.allocation = allocation;
  place.valid = allocation->live && allocation->contains(address, bytes);
  if (allocation->live && !place.valid) place.beyond = address + bytes - allocation->end();
  if (const AllocationInfo* info = runtime.info_of(*allocation)) place.device = info->device;
  return place;
}

}  // namespace simgpu::runtime

namespace {

/// Rows of pitched memory start at multiples of this, as on an H200. [bytes]
constexpr std::size_t kPitch = 512;

cudaError_t give(Runtime& runtime, void** out, std::size_t bytes, AllocationKind kind, unsigned flags = 0) {
  if (out == nullptr) return cudaErrorInvalidValue;
  if (runtime.devices.empty()) return cudaErrorNoDevice;
  if (const cudaError_t error = refuse_unsafe(runtime); error != cudaSuccess) return error;
  if (bytes == 0) {
    *out = nullptr;
    return cudaSuccess;
  }
  AllocationInfo info;
  info.device = runtime.current();
  info.flags = flags;
  // cudaMalloc promises more than a cache line; a page boundary would hide misaligned arithmetic, so no more than that.
  const Allocation* allocation = runtime.allocate(bytes, kind, std::move(info));
  if (allocation == nullptr) return cudaErrorMemoryAllocation;
  *out = reinterpret_cast<void*>(allocation->base);
  return cudaSuccess;
}

bool is_host_kind(AllocationKind kind) {
  return kind == AllocationKind::pinned;
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return api("cudaMalloc",
             [&](Runtime& runtime) { return give(runtime, pointer, bytes, AllocationKind::device); });
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return api("cudaMallocPitch", [&](Runtime& runtime) -> cudaError_t {
    if (pitch == nullptr) return cudaErrorInvalidValue;
    const std::size_t row = (width + kPitch - 1) / kPitch * kPitch;
    if (height != 0 && row > SIZE_MAX / height) return cudaErrorMemoryAllocation;
    const cudaError_t error = give(runtime, pointer, row * height, AllocationKind::device);
    if (error == cudaSuccess) *pitch = row;
    return error;
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  return api("cudaMalloc3D", [&](Runtime& runtime) -> cudaError_t {
    if (pitched == nullptr) return cudaErrorInvalidValue;
    const std::size_t row = (extent.width + kPitch - 1) / kPitch * kPitch;
    void* pointer = nullptr;
    const cudaError_t error =
        give(runtime, &pointer, row * extent.height * extent.depth, AllocationKind::device);
    if (error == cudaSuccess) {
      pitched->ptr = pointer;
      pitched->pitch = row;
      pitched->xsize = extent.width;
      pitched->ysize = extent.height;
    }
    return error;
  });
}

cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned int flags) {
  return api("cudaMallocManaged", [&](Runtime& runtime) -> cudaError_t {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return cudaErrorInvalidValue;
    return give(runtime, pointer, bytes, AllocationKind::managed, flags);
  });
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return api("cudaMallocHost",
             [&](Runtime& runtime) { return give(runtime, pointer, bytes, AllocationKind::pinned); });
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
  return api("cudaHostAlloc", [&](Runtime& runtime) -> cudaError_t {
    constexpr unsigned kKnown = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if ((flags & ~kKnown) != 0) return cudaErrorInvalidValue;
    return give(runtime, pointer, bytes, AllocationKind::pinned, flags);
  });
}

cudaError_t cudaFree(void* pointer) {
  return api("cudaFree", [&](Runtime& runtime) -> cudaError_t {
    if (pointer == nullptr) return cudaSuccess;
    if (const cudaError_t error = refuse_unsafe(runtime); error != cudaSuccess) return error;
    const auto base = reinterpret_cast<std::uint64_t>(pointer);
    const Allocation* allocation = runtime.memory.find(base);
    if (allocation == nullptr) {
      return runtime.explain(cudaErrorInvalidValue,
                             "cudaFree was given a pointer that cudaMalloc did not return.");
    }
    if (!allocation->live) {
      return runtime.explain(cudaErrorInvalidValue, "cudaFree was given memory that has been freed already.");
    }
    if (!allocation->name.empty()) {
      return runtime.explain(cudaErrorInvalidValue, "cudaFree was given the variable " + allocation->name +
                                                        ", which lives as long as the program.");
    }
    if (allocation->base != base) {
      return runtime.explain(
          cudaErrorInvalidValue,
          "cudaFree was given a pointer into the middle of an allocation; it takes the one that "
          "cudaMalloc returned.");
    }
    if (allocation->kind != AllocationKind::device && allocation->kind != AllocationKind::managed) {
      return runtime.explain(cudaErrorInvalidValue,
                             "cudaFree was given memory that is not from cudaMalloc; cudaHostAlloc's goes to "
                             "cudaFreeHost.");
    }
    runtime.wait_for_device();
    const AllocationInfo* const info = runtime.info_of(*allocation);
    if (info != nullptr && info->device != runtime.current()) {
      runtime.tell(queue::Synchronise{.what = queue::Synchronise::What::device,
                                      .id = static_cast<std::uint32_t>(info->device),
                                      .asked = false});
    }
    if (const auto memory = graph_memory_at(runtime, pointer)) {
      return memory->give_back() ? cudaSuccess : cudaErrorInvalidValue;
    }
    runtime.release(base);
    return cudaSuccess;
  });
}

cudaError_t cudaFreeHost(void* pointer) {
  return api("cudaFreeHost", [&](Runtime& runtime) -> cudaError_t {
    if (pointer == nullptr) return cudaSuccess;
    if (const cudaError_t error = refuse_unsafe(runtime); error != cudaSuccess) return error;
    const auto base = reinterpret_cast<std::uint64_t>(pointer);
    const Allocation* allocation = runtime.memory.find(base);
    if (allocation == nullptr || !allocation->live || allocation->base != base ||
        !is_host_kind(allocation->kind)) {
      return runtime.explain(
          cudaErrorInvalidValue,
          allocation != nullptr && allocation->live && !is_host_kind(allocation->kind)
              ? "cudaFreeHost was given device memory; free it with cudaFree."
              : "cudaFreeHost was given a pointer that cudaMallocHost or cudaHostAlloc did not "
                "return, or that has been freed already.");
    }
    runtime.wait_for_device();
    runtime.release(base);
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int flags) {
  return api("cudaHostRegister", [&](Runtime& runtime) -> cudaError_t {
    constexpr unsigned kKnown = cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterReadOnly;
    if (pointer == nullptr || bytes == 0 || (flags & ~kKnown) != 0) return cudaErrorInvalidValue;
    const Place where = place(runtime, pointer, 1);
    if (!where.pageable() && where.allocation->kind != AllocationKind::registered) {
      return runtime.explain(
          cudaErrorInvalidValue,
          "cudaHostRegister was given memory that CUDA allocated; it takes the program's own host memory.");
    }
    AllocationInfo info;
    info.device = runtime.current();
    info.flags = flags;
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    if (const std::string why = runtime.view.registered(address, bytes); !why.empty()) {
      return runtime.explain(
          cudaErrorNotSupported,
          "cudaHostRegister was given memory whose pages cannot be shared with the device: " + why + ".");
    }
    cudaError_t error = cudaSuccess;
    const auto mapped = runtime.ask<queue::Allocated>(
        queue::Map{.device = static_cast<std::uint32_t>(info.device), .address = address, .bytes = bytes},
        error);
    if (!mapped) {
      runtime.view.unregistered(address, bytes);
      return error;
    }
    const Allocation* allocation = runtime.memory.add(*mapped, bytes, AllocationKind::registered);
    runtime.allocations[allocation->base] = std::move(info);
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return api("cudaHostUnregister", [&](Runtime& runtime) -> cudaError_t {
    const auto base = reinterpret_cast<std::uint64_t>(pointer);
    const Allocation* allocation = runtime.memory.find(base);
    if (allocation == nullptr || !allocation->live) return cudaErrorHostMemoryNotRegistered;
    if (allocation->base != base || allocation->kind != AllocationKind::registered)
      return cudaErrorInvalidValue;
    runtime.wait_for_device();
    const bool is_there = is_mapped(base, allocation->bytes);
    runtime.release(base);
    if (is_there) return cudaSuccess;
    // The device might have worked on pages that were nobody's, or another's, by then.
    return runtime.explain(
        cudaSuccess,
        "cudaHostUnregister was given memory that the program freed (free, delete, munmap) "
        "while it was registered: unregister it first, then free it.");
  });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int flags) {
  return api("cudaHostGetDevicePointer", [&](Runtime& runtime) -> cudaError_t {
    if (device == nullptr || flags != 0) return cudaErrorInvalidValue;
    const Place where = place(runtime, host, 1);
    if (!where.valid || !where.pinned()) return cudaErrorInvalidValue;
    *device = host;  // unified addressing: one address for both
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned int* flags, void* host) {
  return api("cudaHostGetFlags", [&](Runtime& runtime) -> cudaError_t {
    if (flags == nullptr) return cudaErrorInvalidValue;
    const Place where = place(runtime, host, 1);
    if (!where.valid || !where.pinned()) return cudaErrorInvalidValue;
    const AllocationInfo* info = runtime.info_of(*where.allocation);
    *flags = (info != nullptr ? info->flags : 0) | cudaHostAllocMapped;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return api(
      "cudaPointerGetAttributes",
      [&](Runtime& runtime) -> cudaError_t {
        if (attributes == nullptr) return cudaErrorInvalidValue;
        *attributes = {};
        const Place where = place(runtime, pointer, 1);
        void* const address = const_cast<void*>(pointer);
        if (where.allocation == nullptr || !where.allocation->live) {
          attributes->type = cudaMemoryTypeUnregistered;
          attributes->device = cudaInvalidDeviceId;
          attributes->hostPointer = address;
          return cudaSuccess;
        }
        attributes->device = where.device;
        attributes->devicePointer = address;
        if (where.pinned()) {
          attributes->type = cudaMemoryTypeHost;
          attributes->hostPointer = address;
        } else if (where.managed()) {
          attributes->type = cudaMemoryTypeManaged;
          attributes->hostPointer = address;
        } else {
          attributes->type = cudaMemoryTypeDevice;
        }
        return cudaSuccess;
      },
      Faults::ignore);
}

}  // extern "C"
