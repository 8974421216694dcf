/// @file
/// Devices: how many, which one, what they can do, their limits, synchronisation and reset.
#include <cstdio>
#include <cstring>

#include "simgpu/runtime/api.hpp"
#include "simgpu/runtime/capture.hpp"
#include "simgpu/runtime/device_attributes.hpp"
#include "simgpu/runtime/module.hpp"

using namespace simgpu;
using namespace simgpu::runtime;

namespace simgpu::runtime {

std::optional<int> device_attribute(const Runtime& runtime, int attribute, int device) {
  const timing::Device& d = runtime.card;
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      return static_cast<int>(d.sm_count);
    case cudaDevAttrL2CacheSize:
      return static_cast<int>(d.l2_bytes);
    case cudaDevAttrMaxPersistingL2CacheSize:
      return static_cast<int>(static_cast<double>(d.l2_bytes) * d.persisting_l2_share);
    case cudaDevAttrComputeCapabilityMajor:
      return static_cast<int>(d.major);
    case cudaDevAttrComputeCapabilityMinor:
      return static_cast<int>(d.minor);
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return static_cast<int>(d.threads_per_sm);
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return static_cast<int>(d.blocks_per_sm);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(d.shared_per_sm);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(d.shared_per_block_optin);
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return static_cast<int>(d.shared_reserved_per_block);
    case cudaDevAttrClockRate:
      return static_cast<int>(d.clock_hz / 1000);
    case cudaDevAttrMemoryClockRate:
      return static_cast<int>(d.memory_clock_hz / 1000);
    case cudaDevAttrAsyncEngineCount:
      return static_cast<int>(d.copy_engines);
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      return static_cast<int>(d.float_to_double);
    case cudaDevAttrEccEnabled:
      return d.ecc ? 1 : 0;
    case cudaDevAttrClusterLaunch:
      return d.arch() >= 90 ? 1 : 0;
    case cudaDevAttrMaxAccessPolicyWindowSize:
      if (d.persisting_l2_share <= 0) return 0;
      break;
    case cudaDevAttrPciDeviceId:
      return device;
    case cudaDevAttrMultiGpuBoardGroupID:
      return device;
    // The bus is as narrow as the slice, so that clock x width gives the slice's bandwidth.
    case cudaDevAttrGlobalMemoryBusWidth:
      return static_cast<int>(d.memory_bus_bits / d.slice);
    // Textures and IPC wait for a later stage of the simulator.
    case cudaDevAttrIpcEventSupport:
      return 0;
    default:
      break;
  }
  switch (attribute) {
#define A(number, value) \
  case number:           \
    return value;
#include "simgpu/runtime/device_attributes.def"
#undef A
    default:
      return std::nullopt;
  }
}

}  // namespace simgpu::runtime

namespace {

int attribute(const Runtime& runtime, int which, int device = 0) {
  return device_attribute(runtime, which, device).value_or(0);
}

void fill_properties(const Runtime& runtime, int index, cudaDeviceProp& p) {
  std::memset(&p, 0, sizeof p);
  const timing::Device& d = runtime.card;
  const auto get = [&](int which) { return attribute(runtime, which, index); };
  std::snprintf(p.name, sizeof p.name, "Simulated %s, 1/%u slice", d.name.c_str(), d.slice);
  // A stable id that is plainly not a real card's.
  const char uuid[] = "simgpu-h200-0000";
  std::memcpy(p.uuid.bytes, uuid, sizeof p.uuid.bytes);
  p.uuid.bytes[15] = static_cast<char>('0' + index);
  p.totalGlobalMem = d.memory_bytes;
  p.sharedMemPerBlock = d.shared_per_block_default;
  p.regsPerBlock = static_cast<int>(d.registers_per_sm);
  p.warpSize = 32;
  p.memPitch = 2147483647;
  p.maxThreadsPerBlock = static_cast<int>(d.threads_per_block_max);
  p.maxThreadsDim[0] = 1024, p.maxThreadsDim[1] = 1024, p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 2147483647, p.maxGridSize[1] = 65535, p.maxGridSize[2] = 65535;
  p.totalConstMem = 65536;
  p.major = static_cast<int>(d.major);
  p.minor = static_cast<int>(d.minor);
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.multiProcessorCount = static_cast<int>(d.sm_count);
  p.integrated = 0;
  p.canMapHostMemory = 1;
  p.maxTexture1D = get(cudaDevAttrMaxTexture1DWidth);
  p.maxTexture1DMipmap = get(cudaDevAttrMaxTexture1DMipmappedWidth);
  p.maxTexture2D[0] = get(cudaDevAttrMaxTexture2DWidth),
  p.maxTexture2D[1] = get(cudaDevAttrMaxTexture2DHeight);
  p.maxTexture2DMipmap[0] = get(cudaDevAttrMaxTexture2DMipmappedWidth);
  p.maxTexture2DMipmap[1] = get(cudaDevAttrMaxTexture2DMipmappedHeight);
  p.maxTexture2DLinear[0] = get(cudaDevAttrMaxTexture2DLinearWidth);
  p.maxTexture2DLinear[1] = get(cudaDevAttrMaxTexture2DLinearHeight);
  p.maxTexture2DLinear[2] = get(cudaDevAttrMaxTexture2DLinearPitch);
  p.maxTexture2DGather[0] = get(cudaDevAttrMaxTexture2DGatherWidth);
  p.maxTexture2DGather[1] = get(cudaDevAttrMaxTexture2DGatherHeight);
  p.maxTexture3D[0] = get(cudaDevAttrMaxTexture3DWidth),
  p.maxTexture3D[1] = get(cudaDevAttrMaxTexture3DHeight);
  p.maxTexture3D[2] = get(cudaDevAttrMaxTexture3DDepth);
  p.maxTexture3DAlt[0] = get(cudaDevAttrMaxTexture3DWidthAlt);
  p.maxTexture3DAlt[1] = get(cudaDevAttrMaxTexture3DHeightAlt);
  p.maxTexture3DAlt[2] = get(cudaDevAttrMaxTexture3DDepthAlt);
  p.maxTextureCubemap = get(cudaDevAttrMaxTextureCubemapWidth);
  p.maxTexture1DLayered[0] = get(cudaDevAttrMaxTexture1DLayeredWidth);
  p.maxTexture1DLayered[1] = get(cudaDevAttrMaxTexture1DLayeredLayers);
  p.maxTexture2DLayered[0] = get(cudaDevAttrMaxTexture2DLayeredWidth);
  p.maxTexture2DLayered[1] = get(cudaDevAttrMaxTexture2DLayeredHeight);
  p.maxTexture2DLayered[2] = get(cudaDevAttrMaxTexture2DLayeredLayers);
  p.maxTextureCubemapLayered[0] = get(cudaDevAttrMaxTextureCubemapLayeredWidth);
  p.maxTextureCubemapLayered[1] = get(cudaDevAttrMaxTextureCubemapLayeredLayers);
  p.maxSurface1D = get(cudaDevAttrMaxSurface1DWidth);
  p.maxSurface2D[0] = get(cudaDevAttrMaxSurface2DWidth),
  p.maxSurface2D[1] = get(cudaDevAttrMaxSurface2DHeight);
  p.maxSurface3D[0] = get(cudaDevAttrMaxSurface3DWidth),
  p.maxSurface3D[1] = get(cudaDevAttrMaxSurface3DHeight);
  p.maxSurface3D[2] = get(cudaDevAttrMaxSurface3DDepth);
  p.maxSurface1DLayered[0] = get(cudaDevAttrMaxSurface1DLayeredWidth);
  p.maxSurface1DLayered[1] = get(cudaDevAttrMaxSurface1DLayeredLayers);
  p.maxSurface2DLayered[0] = get(cudaDevAttrMaxSurface2DLayeredWidth);
  p.maxSurface2DLayered[1] = get(cudaDevAttrMaxSurface2DLayeredHeight);
  p.maxSurface2DLayered[2] = get(cudaDevAttrMaxSurface2DLayeredLayers);
  p.maxSurfaceCubemap = get(cudaDevAttrMaxSurfaceCubemapWidth);
  p.maxSurfaceCubemapLayered[0] = get(cudaDevAttrMaxSurfaceCubemapLayeredWidth);
  p.maxSurfaceCubemapLayered[1] = get(cudaDevAttrMaxSurfaceCubemapLayeredLayers);
  p.surfaceAlignment = 512;
  p.concurrentKernels = 1;
  p.ECCEnabled = d.ecc ? 1 : 0;
  p.pciDeviceID = index;
  p.asyncEngineCount = get(cudaDevAttrAsyncEngineCount);
  p.unifiedAddressing = 1;
  p.memoryBusWidth = get(cudaDevAttrGlobalMemoryBusWidth);
  p.l2CacheSize = get(cudaDevAttrL2CacheSize);
  p.persistingL2CacheMaxSize = get(cudaDevAttrMaxPersistingL2CacheSize);
  p.maxThreadsPerMultiProcessor = static_cast<int>(d.threads_per_sm);
  p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = 1;
  p.localL1CacheSupported = 1;
  p.sharedMemPerMultiprocessor = d.shared_per_sm;
  p.regsPerMultiprocessor = static_cast<int>(d.registers_per_sm);
  p.managedMemory = 1;
  p.multiGpuBoardGroupID = index;
  p.concurrentManagedAccess = 1;
  p.computePreemptionSupported = 1;
  p.canUseHostPointerForRegisteredMem = 1;
  p.cooperativeLaunch = 1;
  p.sharedMemPerBlockOptin = d.shared_per_block_optin;
  p.maxBlocksPerMultiProcessor = static_cast<int>(d.blocks_per_sm);
  p.accessPolicyMaxWindowSize = get(cudaDevAttrMaxAccessPolicyWindowSize);
  p.reservedSharedMemPerBlock = d.shared_reserved_per_block;
  p.hostRegisterSupported = 1;
  p.memoryPoolsSupported = 1;
  p.clusterLaunch = get(cudaDevAttrClusterLaunch);
  p.deviceNumaId = -1;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return api(
      "cudaGetDeviceCount",
      [&](Runtime& runtime) -> cudaError_t {
        if (count == nullptr) return cudaErrorInvalidValue;
        *count = static_cast<int>(runtime.devices.size());
        return runtime.devices.empty() ? cudaErrorNoDevice : cudaSuccess;
      },
      Faults::ignore);
}

cudaError_t cudaGetDevice(int* device) {
  return api(
      "cudaGetDevice",
      [&](Runtime& runtime) -> cudaError_t {
        if (device == nullptr) return cudaErrorInvalidValue;
        if (runtime.devices.empty()) return cudaErrorNoDevice;
        *device = runtime.current();
        return cudaSuccess;
      },
      Faults::ignore);
}

cudaError_t cudaSetDevice(int device) {
  return api(
      "cudaSetDevice",
      [&](Runtime& runtime) -> cudaError_t {
        if (!runtime.valid_device(device))
          return runtime.devices.empty() ? cudaErrorNoDevice : cudaErrorInvalidDevice;
        runtime.set_current(device);
        return cudaSuccess;
      },
      Faults::ignore);
}

cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) {
  return api("cudaInitDevice", [&](Runtime& runtime) -> cudaError_t {
    return runtime.valid_device(device) ? cudaSuccess : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaSetValidDevices(int* devices, int length) {
  return api("cudaSetValidDevices", [&](Runtime& runtime) -> cudaError_t {
    for (int i = 0; i < length; ++i) {
      if (devices == nullptr || !runtime.valid_device(devices[i])) return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wish) {
  return api("cudaChooseDevice", [&](Runtime&) -> cudaError_t {
    if (device == nullptr || wish == nullptr) return cudaErrorInvalidValue;
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  return api("cudaSetDeviceFlags", [&](Runtime& runtime) -> cudaError_t {
    const unsigned schedule = flags & cudaDeviceScheduleMask;
    const bool one = (schedule & (schedule - 1)) == 0;
    if ((flags & ~unsigned{cudaDeviceMask}) != 0 || !one) return cudaErrorInvalidValue;
    runtime.current_device().flags = flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  return api("cudaGetDeviceFlags", [&](Runtime& runtime) -> cudaError_t {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = runtime.current_device().flags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return api(
      "cudaGetDeviceProperties",
      [&](Runtime& runtime) -> cudaError_t {
        if (properties == nullptr) return cudaErrorInvalidValue;
        if (!runtime.valid_device(device)) return cudaErrorInvalidDevice;
        fill_properties(runtime, device, *properties);
        return cudaSuccess;
      },
      Faults::ignore);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  return api(
      "cudaDeviceGetAttribute",
      [&](Runtime& runtime) -> cudaError_t {
        if (value == nullptr) return cudaErrorInvalidValue;
        if (!runtime.valid_device(device)) return cudaErrorInvalidDevice;
        const std::optional<int> found = device_attribute(runtime, which, device);
        if (!found) return cudaErrorInvalidValue;
        *value = *found;
        return cudaSuccess;
      },
      Faults::ignore);
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  return api("cudaDeviceGetByPCIBusId", [&](Runtime& runtime) -> cudaError_t {
    if (device == nullptr || id == nullptr) return cudaErrorInvalidValue;
    unsigned domain = 0, bus = 0, slot = 0;
    if (std::sscanf(id, "%x:%x:%x", &domain, &bus, &slot) != 3) return cudaErrorInvalidValue;
    if (!runtime.valid_device(static_cast<int>(slot))) {
      return cudaErrorInvalidDevice;
    }
    *device = static_cast<int>(slot);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  return api("cudaDeviceGetPCIBusId", [&](Runtime& runtime) -> cudaError_t {
    if (id == nullptr || length < 13) return cudaErrorInvalidValue;
    if (!runtime.valid_device(device)) return cudaErrorInvalidDevice;
    std::snprintf(id, static_cast<std::size_t>(length), "0000:00:%02x.0", device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize(void) {
  return api("cudaDeviceSynchronize", [&](Runtime& runtime) -> cudaError_t {
    if (spoil_captures_of_device(runtime)) return cudaErrorStreamCaptureUnsupported;
    runtime.wait_for_device(/*asked=*/true);
    runtime.shrink_pools();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceReset(void) {
  return api(
      "cudaDeviceReset",
      [&](Runtime& runtime) -> cudaError_t {
        const int index = runtime.current();
        DeviceState& state = runtime.current_device();
        runtime.tell(queue::Reset{static_cast<std::uint32_t>(index)});
        std::vector<std::uint64_t> mine;
        for (const auto& [base, info] : runtime.allocations) {
          if (info.device == index) mine.push_back(base);
        }
        for (const std::uint64_t base : mine) runtime.forget(base);
        const std::set<Stream*> all = runtime.streams;
        for (Stream* stream : all)
          if (stream->device == index && !stream->built_in) runtime.drop_stream(stream);
        std::erase_if(runtime.events, [&](Event* event) {
          if (event->device != index) return false;
          if (event->recorded) runtime.tell(queue::EventGone{event->id});
          delete event;
          return true;
        });
        for (const auto& module : runtime.modules) module->reset(runtime, index);
        state.fault = cudaSuccess;
        state.stopped_by = device::Status::success;
        state.limits.clear();
        state.peers.clear();
        return cudaSuccess;
      },
      Faults::ignore);
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return api("cudaDeviceSetLimit", [&](Runtime& runtime) -> cudaError_t {
    const int which = static_cast<int>(limit);
    if (which < 0 || which > 9) return cudaErrorInvalidValue;
    if (limit == cudaLimitDevRuntimeSyncDepth) return cudaErrorUnsupportedLimit;
    if (limit == cudaLimitPersistingL2CacheSize &&
        value > static_cast<std::size_t>(attribute(runtime, cudaDevAttrMaxPersistingL2CacheSize))) {
      return cudaErrorInvalidValue;
    }
    // What hardware can set aside for each thread.
    if (limit == cudaLimitStackSize && value > (512u << 10)) return cudaErrorInvalidValue;
    runtime.current_device().limits[which] = value;
    using Which = queue::Limit::Which;
    const auto device = static_cast<std::uint32_t>(runtime.current());
    if (limit == cudaLimitMallocHeapSize) runtime.tell(queue::Limit{device, Which::heap, value});
    if (limit == cudaLimitPersistingL2CacheSize)
      runtime.tell(queue::Limit{device, Which::persisting_l2, value});
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return api("cudaDeviceGetLimit", [&](Runtime& runtime) -> cudaError_t {
    if (value == nullptr) return cudaErrorInvalidValue;
    const int which = static_cast<int>(limit);
    // The defaults of an H200.
    static const std::map<int, std::size_t> defaults{
        {cudaLimitStackSize, 1024},           {cudaLimitPrintfFifoSize, 8650752},
        {cudaLimitMallocHeapSize, 8388608},   {cudaLimitDevRuntimePendingLaunchCount, 2048},
        {cudaLimitMaxL2FetchGranularity, 64}, {cudaLimitPersistingL2CacheSize, 0}};
    const auto& set = runtime.current_device().limits;
    if (const auto it = set.find(which); it != set.end()) {
      *value = it->second;
    } else if (const auto def = defaults.find(which); def != defaults.end()) {
      *value = def->second;
    } else {
      return which < 0 || which > 9 ? cudaErrorInvalidValue : cudaErrorUnsupportedLimit;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return api("cudaDeviceGetCacheConfig", [&](Runtime& runtime) -> cudaError_t {
    if (config == nullptr) return cudaErrorInvalidValue;
    *config = static_cast<cudaFuncCache>(runtime.current_device().cache_preference);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return api("cudaDeviceSetCacheConfig", [&](Runtime& runtime) -> cudaError_t {
    if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual) return cudaErrorInvalidValue;
    runtime.current_device().cache_preference = config;
    return cudaSuccess;
  });
}

// Banks of shared memory have had four bytes since compute capability 5.0: other widths are accepted and change nothing.
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return api("cudaDeviceGetSharedMemConfig", [&](Runtime&) -> cudaError_t {
    if (config == nullptr) return cudaErrorInvalidValue;
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  return api("cudaDeviceSetSharedMemConfig", [&](Runtime&) -> cudaError_t {
    return config < cudaSharedMemBankSizeDefault || config > cudaSharedMemBankSizeEightByte
               ? cudaErrorInvalidValue
               : cudaSuccess;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return api("cudaDeviceGetStreamPriorityRange", [&](Runtime&) -> cudaError_t {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTarget,
                                               cudaFlushGPUDirectRDMAWritesScope) {
  return api("cudaDeviceFlushGPUDirectRDMAWrites", [&](Runtime&) -> cudaError_t { return cudaSuccess; });
}

cudaError_t cudaCtxResetPersistingL2Cache(void) {
  return api("cudaCtxResetPersistingL2Cache", [&](Runtime&) -> cudaError_t { return cudaSuccess; });
}

cudaError_t cudaDriverGetVersion(int* version) {
  return api(
      "cudaDriverGetVersion",
      [&](Runtime&) -> cudaError_t {
        if (version == nullptr) return cudaErrorInvalidValue;
        *version = CUDART_VERSION;
        return cudaSuccess;
      },
      Faults::ignore);
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return api(
      "cudaRuntimeGetVersion",
      [&](Runtime&) -> cudaError_t {
        if (version == nullptr) return cudaErrorInvalidValue;
        *version = CUDART_VERSION;
        return cudaSuccess;
      },
      Faults::ignore);
}

cudaError_t cudaProfilerStart(void) {
  return api("cudaProfilerStart", [&](Runtime&) -> cudaError_t { return cudaSuccess; });
}

cudaError_t cudaProfilerStop(void) {
  return api("cudaProfilerStop", [&](Runtime&) -> cudaError_t { return cudaSuccess; });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return api("cudaMemGetInfo", [&](Runtime& runtime) -> cudaError_t {
    std::size_t ignored = 0;
    if (free == nullptr) free = &ignored;
    if (total == nullptr) total = &ignored;
    std::uint64_t used = 0;
    for (const auto& [base, info] : runtime.allocations) {
      const memory::Allocation* allocation = runtime.memory.find(base);
      if (allocation != nullptr && info.device == runtime.current() &&
          allocation->kind == memory::AllocationKind::device) {
        used += allocation->bytes;
      }
    }
    const std::uint64_t all = runtime.card.memory_bytes;
    *total = all;
    *free = all - std::min<std::uint64_t>(all, used);
    return cudaSuccess;
  });
}

}  // extern "C"
