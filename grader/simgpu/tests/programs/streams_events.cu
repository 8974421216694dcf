// Streams with priorities, host functions and callbacks in order, events between streams, overlap on the clock.
#include <atomic>

#include "program.hpp"

__global__ void scale(float* data, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= by;
}

static std::atomic<int> calls{0};
static void CUDART_CB host_function(void* data) {
  *static_cast<int*>(data) = ++calls;
}
static void CUDART_CB callback(cudaStream_t, cudaError_t status, void* data) {
  if (status == cudaSuccess) *static_cast<int*>(data) = ++calls;
}

int main() {
  int least = 0, greatest = 0;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT(least >= greatest);
  cudaStream_t streams[4];
  for (int i = 0; i < 4; ++i)
    CHECK(cudaStreamCreateWithPriority(&streams[i], cudaStreamNonBlocking, i % 2 ? greatest : least));
  int priority = 99;
  CHECK(cudaStreamGetPriority(streams[1], &priority));
  EXPECT(priority == greatest);
  const int n = 1 << 16;
  float *host = nullptr, *device[4];
  CHECK(cudaMallocHost(&host, 4 * n * sizeof(float)));
  for (int i = 0; i < 4 * n; ++i) host[i] = float(i % 1000);
  cudaEvent_t start, done[4], stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start, streams[0]));
  int order[4] = {};
  for (int i = 0; i < 4; ++i) {
    CHECK(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
    CHECK(cudaMalloc(&device[i], n * sizeof(float)));
    CHECK(cudaMemcpyAsync(device[i], host + i * n, n * sizeof(float), cudaMemcpyHostToDevice, streams[i]));
    scale<<<n / 256, 256, 0, streams[i]>>>(device[i], float(i + 2), n);
    CHECK(cudaMemcpyAsync(host + i * n, device[i], n * sizeof(float), cudaMemcpyDeviceToHost, streams[i]));
    if (i % 2)
      CHECK(cudaLaunchHostFunc(streams[i], host_function, &order[i]));
    else
      CHECK(cudaStreamAddCallback(streams[i], callback, &order[i], 0));
    CHECK(cudaEventRecord(done[i], streams[i]));
    if (i > 0) CHECK(cudaStreamWaitEvent(streams[0], done[i], 0));
  }
  CHECK(cudaEventRecord(stop, streams[0]));
  CHECK(cudaEventSynchronize(stop));
  EXPECT(cudaEventQuery(stop) == cudaSuccess && cudaStreamQuery(streams[0]) == cudaSuccess);
  float ms = -1;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  EXPECT(ms > 0);
  EXPECT(cudaEventElapsedTime(&ms, done[0], stop) == cudaErrorInvalidResourceHandle);
  (void)cudaGetLastError();
  EXPECT(calls == 4);
  for (int i = 0; i < 4; ++i) EXPECT(order[i] > 0);
  for (int i = 0; i < 4 * n; ++i) EXPECT(host[i] == float(i % 1000) * float(i / n + 2));
  for (int i = 0; i < 4; ++i) {
    CHECK(cudaEventDestroy(done[i]));
    CHECK(cudaStreamDestroy(streams[i]));
    CHECK(cudaFree(device[i]));
  }
  CHECK(cudaFreeHost(host));
  return ok();
}
