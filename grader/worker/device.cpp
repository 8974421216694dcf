/// @file
/// See device.hpp.
#include "worker/device.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
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

// Host to device from page-locked memory: the median of five copies of 32 MiB, between events.
double link_rate() {
  constexpr std::size_t kBytes = std::size_t{32} << 20;
  void *host = nullptr, *device = nullptr;
  cudaEvent_t start = nullptr, stop = nullptr;
  std::array<float, 5> milliseconds{};
  bool good = cudaHostAlloc(&host, kBytes, cudaHostAllocDefault) == cudaSuccess &&
              cudaMalloc(&device, kBytes) == cudaSuccess && cudaEventCreate(&start) == cudaSuccess &&
              cudaEventCreate(&stop) == cudaSuccess;
  for (auto& one : milliseconds) {
    good = good && cudaEventRecord(start, nullptr) == cudaSuccess &&
           cudaMemcpyAsync(device, host, kBytes, cudaMemcpyHostToDevice, nullptr) == cudaSuccess &&
           cudaEventRecord(stop, nullptr) == cudaSuccess && cudaEventSynchronize(stop) == cudaSuccess &&
           cudaEventElapsedTime(&one, start, stop) == cudaSuccess;
  }
  if (start) cudaEventDestroy(start);
  if (stop) cudaEventDestroy(stop);
  if (device) cudaFree(device);
  if (host) cudaFreeHost(host);
  cudaGetLastError();
  std::sort(milliseconds.begin(), milliseconds.end());
  return good && milliseconds[2] > 0
             ? static_cast<double>(kBytes) / (1e-3 * static_cast<double>(milliseconds[2]))
             : 0;
}

}  // namespace

nlohmann::json start_device(bool measure_link) {
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
  if (measure_link) answer["link_bytes_per_second"] = link_rate();
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
      {"devices", count},
      {"shared_bytes_per_block", properties.sharedMemPerBlock},
      {"shared_bytes_per_block_optin", properties.sharedMemPerBlockOptin},
      {"shared_bytes_per_sm", properties.sharedMemPerMultiprocessor},
      {"registers_per_sm", properties.regsPerMultiprocessor},
      {"threads_per_sm", properties.maxThreadsPerMultiProcessor},
      {"threads_per_block", properties.maxThreadsPerBlock},
      {"attributes",
       {{"ConcurrentManagedAccess", attribute(cudaDevAttrConcurrentManagedAccess)},
        {"ManagedMemory", attribute(cudaDevAttrManagedMemory)},
        {"CanMapHostMemory", attribute(cudaDevAttrCanMapHostMemory)},
        {"AsyncEngineCount", attribute(cudaDevAttrAsyncEngineCount)},
        {"CooperativeLaunch", attribute(cudaDevAttrCooperativeLaunch)},
        {"ClusterLaunch", properties.major >= 9 ? 1 : 0},
        {"MaxPersistingL2CacheSize", attribute(cudaDevAttrMaxPersistingL2CacheSize)},
        {"MemoryPoolsSupported", attribute(cudaDevAttrMemoryPoolsSupported)}}},
  };
  return answer;
}

void reset_persisting_l2(void* stream) {
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
  cudaCtxResetPersistingL2Cache();
  cudaStreamAttrValue window{};
  window.accessPolicyWindow.num_bytes = 0;
  cudaStreamSetAttribute(static_cast<cudaStream_t>(stream), cudaStreamAttributeAccessPolicyWindow, &window);
  cudaGetLastError();
}

}  // namespace course::worker
