/// @file
/// What old and careful programs ask of and set on every device before they begin.
#include "check.cuh"

__global__ void nothing() {}

int main() {
  int devices = 0, driver = 0, runtime = 0;
  CHECK(cudaGetDeviceCount(&devices));
  CHECK(cudaDriverGetVersion(&driver));
  CHECK(cudaRuntimeGetVersion(&runtime));
  bool right = driver >= runtime;
  for (int d = 0; d < devices; ++d) {
    CHECK(cudaSetDevice(d));
    char bus[32];
    int back = -1, mode = -1;
    CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, d));
    CHECK(cudaDeviceGetByPCIBusId(&back, bus));
    CHECK(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, d));
    right = right && back == d && mode != cudaComputeModeProhibited;
    for (int other = 0; other < devices; ++other) {
      int can = 0;
      if (other != d) CHECK(cudaDeviceCanAccessPeer(&can, d, other));
      if (can) CHECK(cudaDeviceEnablePeerAccess(other, 0));
    }
    std::size_t heap = 0;
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
    CHECK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    cudaSharedMemConfig banks{};
    CHECK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    CHECK(cudaFuncSetSharedMemConfig(reinterpret_cast<const void*>(nothing), cudaSharedMemBankSizeDefault));
    CHECK(cudaDeviceGetSharedMemConfig(&banks));
    CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
    right = right && heap >= 32 << 20 && banks == cudaSharedMemBankSizeFourByte;
    nothing<<<1, 32>>>();
    CHECK_LAUNCH();
  }
  return verdict(right);
}
