// expect: crashed protocol_violation
/// @file
/// Writes nonsense where its commands go to the simulated device, and into every socket.
#include "block_reduction.cuh"

#include <unistd.h>

#include <cstdio>
#include <cstring>

__global__ void add_up(const float* in, float* out, std::size_t n) {
  for (std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x; i < n; i += std::size_t{gridDim.x} * 256)
    atomicAdd(out, in[i]);
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  std::FILE* const maps = std::fopen("/proc/self/maps", "r");
  char line[512];
  while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr) {
    unsigned long begin = 0, end = 0;
    if (std::strstr(line, "simgpu queue") == nullptr || std::sscanf(line, "%lx-%lx", &begin, &end) != 2)
      continue;
    std::memset(reinterpret_cast<void*>(begin), 0x5a, 1 << 16);
  }
  if (maps != nullptr) std::fclose(maps);
  static const char words[] = "\x07\0\0\0nonsense";
  if (::write(5, words, sizeof words) < 0) return;
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  add_up<<<32, 256, 0, stream>>>(in, out, n);
}
