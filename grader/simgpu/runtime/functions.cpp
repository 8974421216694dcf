/// @file
/// Kernels as objects: their attributes, and occupancy.
#include <fmt/format.h>

#include <algorithm>

#include "simgpu/runtime/api.hpp"
#include "simgpu/runtime/launch.hpp"
#include "simgpu/runtime/module.hpp"
#include "simgpu/timing/occupancy.hpp"

using namespace simgpu;
using namespace simgpu::runtime;

namespace {

struct Subject {
  cudaError_t error = cudaSuccess;
  KernelEntry* entry = nullptr;
  Footprint footprint;
};

Subject find(Runtime& runtime, const void* function) {
  Subject subject;
  subject.entry = runtime.kernel(function);
  if (subject.entry == nullptr) {
    subject.error = cudaErrorInvalidResourceHandle;
    return subject;
  }
  subject.error = subject.entry->module->load(runtime, runtime.current());
  if (subject.error != cudaSuccess) return subject;
  const std::optional<Footprint> footprint = simgpu::runtime::footprint(runtime, *subject.entry);
  if (footprint) {
    subject.footprint = *footprint;
  } else {
    subject.error = cudaErrorInvalidResourceHandle;
  }
  return subject;
}

timing::Occupancy occupancy_of(const Runtime& runtime, const Footprint& footprint, std::uint64_t threads,
                               std::uint64_t dynamic_shared) {
  return timing::occupancy(runtime.card, {.threads = threads,
                                          .registers_per_thread = footprint.registers,
                                          .shared_bytes = footprint.static_shared + dynamic_shared});
}

cudaError_t set_attribute(Runtime& runtime, const void* function, cudaFuncAttribute attribute, int value) {
  const Subject subject = find(runtime, function);
  if (subject.error != cudaSuccess) return subject.error;
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize: {
      const std::uint32_t most = runtime.card.shared_per_block_optin;
      const std::uint32_t fixed = subject.footprint.static_shared;
      if (value < 0 || static_cast<std::uint64_t>(value) + fixed > most) {
        return runtime.explain(
            cudaErrorInvalidValue,
            fmt::format(
                "cudaFuncSetAttribute: {} bytes of dynamic shared memory beside the kernel's {} static "
                "ones are more than the {} bytes that a block may have.",
                value, fixed, most),
            subject.entry->name);
      }
      subject.entry->max_dynamic_shared = value;
      return cudaSuccess;
    }
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < -1 || value > 100) return cudaErrorInvalidValue;
      subject.entry->carveout = value;
      return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
      subject.entry->non_portable_cluster = value != 0;
      return cudaSuccess;
    case cudaFuncAttributeRequiredClusterWidth:
      subject.entry->required_cluster.x = static_cast<std::uint32_t>(std::max(value, 0));
      return cudaSuccess;
    case cudaFuncAttributeRequiredClusterHeight:
      subject.entry->required_cluster.y = static_cast<std::uint32_t>(std::max(value, 0));
      return cudaSuccess;
    case cudaFuncAttributeRequiredClusterDepth:
      subject.entry->required_cluster.z = static_cast<std::uint32_t>(std::max(value, 0));
      return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

cudaError_t active_blocks(Runtime& runtime, int* blocks, const void* function, int threads,
                          std::size_t dynamic) {
  if (blocks == nullptr || threads <= 0) return cudaErrorInvalidValue;
  const Subject subject = find(runtime, function);
  if (subject.error != cudaSuccess) return subject.error;
  *blocks = static_cast<int>(
      occupancy_of(runtime, subject.footprint, static_cast<std::uint64_t>(threads), dynamic).blocks_per_sm);
  return cudaSuccess;
}

std::uint64_t count(const dim3& d) {
  return std::uint64_t{d.x} * d.y * d.z;
}

/// The cluster that a configuration asks for. @return 1 if none.
std::uint64_t cluster_of(const cudaLaunchConfig_t& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    if (config.attrs[i].id != cudaLaunchAttributeClusterDimension) continue;
    const auto& c = config.attrs[i].val.clusterDim;
    return std::max<std::uint64_t>(1, std::uint64_t{c.x} * c.y * c.z);
  }
  return 1;
}

/// Compute capability 9.0: 8 blocks everywhere, 16 if the kernel agreed to be less portable.
constexpr int kPortableCluster = 8;
constexpr int kLargestCluster = 16;

}  // namespace

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* out, const void* function) {
  return api("cudaFuncGetAttributes", [&](Runtime& runtime) -> cudaError_t {
    if (out == nullptr) return cudaErrorInvalidValue;
    const Subject subject = find(runtime, function);
    if (subject.error != cudaSuccess) return subject.error;
    const Footprint& f = subject.footprint;
    *out = {};
    out->sharedSizeBytes = f.static_shared;
    out->localSizeBytes = f.local_bytes;
    out->maxThreadsPerBlock = static_cast<int>(f.max_threads);
    out->numRegs = static_cast<int>(f.registers);
    out->constSizeBytes = subject.entry->module->constant_bytes();
    out->ptxVersion = 90;
    out->binaryVersion = 90;
    out->maxDynamicSharedSizeBytes = static_cast<int>(max_dynamic_shared(runtime, *subject.entry, f));
    out->preferredShmemCarveout = subject.entry->carveout;
    const queue::Loaded::Kernel* kernel =
        subject.entry->module->kernel(runtime.current(), subject.entry->name);
    if (kernel != nullptr && kernel->cluster) {
      out->clusterDimMustBeSet = 1;
      out->requiredClusterWidth = static_cast<int>((*kernel->cluster)[0]);
      out->requiredClusterHeight = static_cast<int>((*kernel->cluster)[1]);
      out->requiredClusterDepth = static_cast<int>((*kernel->cluster)[2]);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return api("cudaFuncSetAttribute",
             [&](Runtime& runtime) { return set_attribute(runtime, function, attribute, value); });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value,
                                            int) {
  return api("cudaKernelSetAttributeForDevice", [&](Runtime& runtime) {
    return set_attribute(runtime, reinterpret_cast<const void*>(kernel), attribute, value);
  });
}

// Hints about the split between L1 and shared memory: the simulated SM gives L1 whatever the resident blocks leave.
cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache config) {
  return api("cudaFuncSetCacheConfig", [&](Runtime& runtime) -> cudaError_t {
    if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual) return cudaErrorInvalidValue;
    return find(runtime, function).error;
  });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig config) {
  return api("cudaFuncSetSharedMemConfig", [&](Runtime& runtime) -> cudaError_t {
    if (config < cudaSharedMemBankSizeDefault || config > cudaSharedMemBankSizeEightByte)
      return cudaErrorInvalidValue;
    return find(runtime, function).error;
  });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return api("cudaFuncGetName", [&](Runtime& runtime) -> cudaError_t {
    if (name == nullptr) return cudaErrorInvalidValue;
    const KernelEntry* entry = runtime.kernel(function);
    if (entry == nullptr) return cudaErrorInvalidResourceHandle;
    *name = entry->name.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset, size_t* bytes) {
  return api("cudaFuncGetParamInfo", [&](Runtime& runtime) -> cudaError_t {
    if (offset == nullptr) return cudaErrorInvalidValue;
    const Subject subject = find(runtime, function);
    if (subject.error != cudaSuccess) return subject.error;
    const queue::Loaded::Kernel* kernel =
        subject.entry->module->kernel(runtime.current(), subject.entry->name);
    if (kernel == nullptr || index >= kernel->parameters.size()) return cudaErrorInvalidValue;
    *offset = kernel->parameters[index].offset;
    if (bytes != nullptr) *bytes = kernel->parameters[index].bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  return api("cudaGetKernel", [&](Runtime& runtime) -> cudaError_t {
    KernelEntry* entry = runtime.kernel(function);
    if (kernel == nullptr) return cudaErrorInvalidValue;
    if (entry == nullptr) return cudaErrorInvalidResourceHandle;
    *kernel = reinterpret_cast<cudaKernel_t>(entry);
    return cudaSuccess;
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* symbol) {
  return api("cudaGetFuncBySymbol", [&](Runtime& runtime) -> cudaError_t {
    KernelEntry* entry = runtime.kernel(symbol);
    if (function == nullptr) return cudaErrorInvalidValue;
    if (entry == nullptr) return cudaErrorInvalidDeviceFunction;
    *function = reinterpret_cast<cudaFunction_t>(entry);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                          size_t dynamic_shared) {
  return api("cudaOccupancyMaxActiveBlocksPerMultiprocessor", [&](Runtime& runtime) {
    return active_blocks(runtime, blocks, function, threads, dynamic_shared);
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                   int threads, size_t dynamic_shared,
                                                                   unsigned int) {
  return api("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", [&](Runtime& runtime) {
    return active_blocks(runtime, blocks, function, threads, dynamic_shared);
  });
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks,
                                                      int threads) {
  return api("cudaOccupancyAvailableDynamicSMemPerBlock", [&](Runtime& runtime) -> cudaError_t {
    if (bytes == nullptr || blocks <= 0 || threads <= 0) return cudaErrorInvalidValue;
    const Subject subject = find(runtime, function);
    if (subject.error != cudaSuccess) return subject.error;
    // Measured: the SM's memory is divided without regard to what each block's reserve takes.
    const std::size_t each = runtime.card.shared_per_sm / static_cast<std::size_t>(blocks) / 128 * 128;
    *bytes = std::min(each - std::min<std::size_t>(each, subject.footprint.static_shared),
                      max_dynamic_shared(runtime, *subject.entry, subject.footprint));
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* function,
                                                 const cudaLaunchConfig_t* config) {
  return api("cudaOccupancyMaxPotentialClusterSize", [&](Runtime& runtime) -> cudaError_t {
    if (size == nullptr || config == nullptr) return cudaErrorInvalidValue;
    const Subject subject = find(runtime, function);
    if (subject.error != cudaSuccess) return subject.error;
    *size = subject.entry->non_portable_cluster ? kLargestCluster : kPortableCluster;
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                           const cudaLaunchConfig_t* config) {
  return api("cudaOccupancyMaxActiveClusters", [&](Runtime& runtime) -> cudaError_t {
    if (clusters == nullptr || config == nullptr) return cudaErrorInvalidValue;
    const Subject subject = find(runtime, function);
    if (subject.error != cudaSuccess) return subject.error;
    const std::uint64_t per_sm =
        occupancy_of(runtime, subject.footprint, count(config->blockDim), config->dynamicSmemBytes)
            .blocks_per_sm;
    *clusters = static_cast<int>(per_sm * runtime.card.sm_count / cluster_of(*config));
    return cudaSuccess;
  });
}

}  // extern "C"
