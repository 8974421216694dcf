/// @file
/// Times copies of several sizes each way, from pageable and from pinned memory.
#include <cstring>

#include "timer.cuh"

int main() {
  const size_t most = 1 << 20;
  void *pinned = nullptr, *device = nullptr, *pageable = malloc(most);
  CHECK(cudaMallocHost(&pinned, most));
  CHECK(cudaMalloc(&device, most));
  memset(pageable, 0x5A, most);
  memset(pinned, 0, most);
  GpuTimer timer;
  bool right = true;
  for (size_t bytes = 1 << 14; bytes <= most; bytes <<= 2) {
    timer.start();
    CHECK(cudaMemcpy(device, pageable, bytes, cudaMemcpyHostToDevice));
    timer.stop();
    const float up = timer.milliseconds();
    timer.start();
    CHECK(cudaMemcpy(pinned, device, bytes, cudaMemcpyDeviceToHost));
    timer.stop();
    const float down = timer.milliseconds();
    std::printf("%8zu bytes: up %6.2f GB/s, down %6.2f GB/s\n", bytes, bytes * 1e-6 / up,
                bytes * 1e-6 / down);
    right = right && up > 0 && down > 0 && memcmp(pinned, pageable, bytes) == 0;
  }
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaFree(device));
  free(pageable);
  return verdict(right);
}
