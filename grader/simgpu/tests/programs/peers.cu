// Two devices: peer access, peer copies, a kernel that reads the other's memory. With one device there is nothing to do.
#include "program.hpp"

__global__ void add_from(const int* theirs, int* mine, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) mine[i] += theirs[i];
}

int main() {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  if (count < 2) return ok();
  const int n = 5000;
  int *memory[2], can = 0;
  std::vector<int> in(n);
  for (int i = 0; i < n; ++i) in[i] = i;
  for (int d = 0; d < 2; ++d) {
    CHECK(cudaSetDevice(d));
    CHECK(cudaDeviceCanAccessPeer(&can, d, 1 - d));
    EXPECT(can == 1);
    CHECK(cudaDeviceEnablePeerAccess(1 - d, 0));
    EXPECT(cudaDeviceEnablePeerAccess(1 - d, 0) == cudaErrorPeerAccessAlreadyEnabled);
    (void)cudaGetLastError();
    CHECK(cudaMalloc(&memory[d], n * sizeof(int)));
  }
  CHECK(cudaSetDevice(0));
  CHECK(cudaMemcpy(memory[0], in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyPeer(memory[1], 1, memory[0], 0, n * sizeof(int)));
  CHECK(cudaSetDevice(1));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  add_from<<<(n + 255) / 256, 256, 0, stream>>>(memory[0], memory[1], n);
  CHECK(cudaMemcpyPeerAsync(memory[0], 0, memory[1], 1, n * sizeof(int), stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaSetDevice(0));
  const auto out = to_host(memory[0], n);
  for (int i = 0; i < n; ++i) EXPECT(out[i] == 2 * i);
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, memory[1]));
  EXPECT(attributes.device == 1 && attributes.type == cudaMemoryTypeDevice);
  CHECK(cudaDeviceDisablePeerAccess(1));
  return ok();
}
