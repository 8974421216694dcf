/// @file
/// What the device says of itself.
#include "check.cuh"

int main() {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  std::printf("Detected %d CUDA capable device(s)\n", count);
  int driver = 0, runtime = 0;
  CHECK(cudaDriverGetVersion(&driver));
  CHECK(cudaRuntimeGetVersion(&runtime));
  bool right = count > 0 && driver >= runtime;
  for (int d = 0; d < count; ++d) {
    cudaDeviceProp p{};
    CHECK(cudaSetDevice(d));
    CHECK(cudaGetDeviceProperties(&p, d));
    int clock_khz = 0;
    CHECK(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, d));
    std::printf("Device %d: \"%s\"\n", d, p.name);
    std::printf("  Driver / runtime version:  %d.%d / %d.%d\n", driver / 1000, driver % 100 / 10,
                runtime / 1000, runtime % 100 / 10);
    std::printf("  Compute capability:        %d.%d\n", p.major, p.minor);
    std::printf("  Global memory:             %.0f MiB\n", static_cast<double>(p.totalGlobalMem) / 1048576);
    std::printf("  Multiprocessors:           %d at %.2f GHz\n", p.multiProcessorCount, clock_khz * 1e-6);
    std::printf("  L2 cache:                  %d bytes\n", p.l2CacheSize);
    std::printf("  Shared memory per block:   %zu bytes\n", p.sharedMemPerBlock);
    std::printf("  Registers per block:       %d\n", p.regsPerBlock);
    std::printf("  Warp size:                 %d\n", p.warpSize);
    std::printf("  Max grid:                  %d x %d x %d\n", p.maxGridSize[0], p.maxGridSize[1],
                p.maxGridSize[2]);
    std::printf("  Unified addressing:        %s\n", p.unifiedAddressing ? "yes" : "no");
    right = right && p.warpSize == 32 && p.maxThreadsPerBlock == 1024 && p.multiProcessorCount > 0;
  }
  return verdict(right);
}
