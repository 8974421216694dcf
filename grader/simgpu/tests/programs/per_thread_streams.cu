// Built with --default-stream per-thread: several host threads, each with its own default stream.
#include <thread>

#include "program.hpp"

__global__ void fill(int* data, int value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = value * 1000 + i;
}

int main() {
  std::vector<std::thread> threads;
  int wrong[4] = {1, 1, 1, 1};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t, &wrong] {
      const int n = 3000;
      int* d = nullptr;
      CHECK(cudaMalloc(&d, n * sizeof(int)));
      fill<<<(n + 127) / 128, 128>>>(d, t, n);
      CHECK(cudaStreamSynchronize(0));
      std::vector<int> host(n);
      CHECK(cudaMemcpyAsync(host.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost));
      CHECK(cudaStreamSynchronize(cudaStreamPerThread));
      wrong[t] = 0;
      for (int i = 0; i < n; ++i) wrong[t] += host[i] != t * 1000 + i;
      CHECK(cudaFree(d));
    });
  for (auto& t : threads) t.join();
  for (int w : wrong) EXPECT(w == 0);
  return ok();
}
