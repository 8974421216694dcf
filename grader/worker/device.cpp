/// @file
/// See device.hpp.
#include "worker/device.hpp"

#include <cuda_runtime_api.h>

#include <string>

#include "worker/simulator.hpp"

namespace course::worker {
namespace {

int attribute(cudaDeviceAttr which) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, which, 0) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return value;
}

std::string hexadecimal(const unsigned char* bytes, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += "0123456789abcdef"[bytes[i] >> 4];
    text += "0123456789abcdef"[bytes[i] & 15];
  }
  return text;
}

}  // namespace

nlohmann::json start_device() {
  nlohmann::json answer{{"device", false}, {"simulated", simulated()}};
  const auto refuse = [&](cudaError_t status) {
    answer["reason"] = std::string(cudaGetErrorString(status)) + " (" + cudaGetErrorName(status) + ")";
    return answer;
  };
  int count = 0;
  if (const auto status = cudaGetDeviceCount(&count); status != cudaSuccess) return refuse(status);
  if (count < 1) return refuse(cudaErrorNoDevice);
  if (const auto status = cudaFree(nullptr); status != cudaSuccess) return refuse(status);
  cudaDeviceProp properties{};
  if (const auto status = cudaGetDeviceProperties(&properties, 0); status != cudaSuccess)
    return refuse(status);

  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  std::size_t free_bytes = 0, total_bytes = 0;
  cudaMemGetInfo(&free_bytes, &total_bytes);
  answer["device"] = true;
  answer["properties"] = {
      {"name", properties.name},
      {"uuid", hexadecimal(reinterpret_cast<const unsigned char*>(properties.uuid.bytes), 16)},
      {"compute_capability", std::to_string(properties.major) + "." + std::to_string(properties.minor)},
      {"sm_count", properties.multiProcessorCount},
      {"l2_bytes", properties.l2CacheSize},
      {"total_bytes", total_bytes},
      {"free_bytes", free_bytes},
      {"memory_clock_hz", 1e3 * attribute(cudaDevAttrMemoryClockRate)},
      {"memory_bus_bits", attribute(cudaDevAttrGlobalMemoryBusWidth)},
      {"sm_clock_hz", 1e3 * attribute(cudaDevAttrClockRate)},
      {"driver_version", driver},
      {"runtime_version", runtime},
  };
  return answer;
}

void reset_persisting_l2(void* stream) {
  if (simulated()) return;
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
  cudaCtxResetPersistingL2Cache();
  cudaStreamAttrValue window{};
  window.accessPolicyWindow.num_bytes = 0;
  cudaStreamSetAttribute(static_cast<cudaStream_t>(stream), cudaStreamAttributeAccessPolicyWindow, &window);
  cudaGetLastError();
}

}  // namespace course::worker
