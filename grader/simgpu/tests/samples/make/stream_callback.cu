/// @file
/// Two streams meet by an event; a host function tells that the work is done.
#include "check.cuh"

__global__ void fill(int* data, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = value;
}
__global__ void add(int* to, const int* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] += from[i];
}

void CUDART_CB tell(void* flag) {
  *static_cast<int*>(flag) = 1;
}

int main() {
  const int n = 1000;
  int *a = nullptr, *b = nullptr, *host = nullptr, told = 0;
  CHECK(cudaMalloc(&a, n * sizeof(int)));
  CHECK(cudaMalloc(&b, n * sizeof(int)));
  CHECK(cudaHostAlloc(&host, n * sizeof(int), cudaHostAllocDefault));
  cudaStream_t first, second;
  cudaEvent_t filled;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
  fill<<<4, 256, 0, first>>>(a, n, 40);
  CHECK(cudaEventRecord(filled, first));
  fill<<<4, 256, 0, second>>>(b, n, 2);
  CHECK(cudaStreamWaitEvent(second, filled, 0));
  add<<<4, 256, 0, second>>>(b, a, n);
  CHECK(cudaMemcpyAsync(host, b, n * sizeof(int), cudaMemcpyDeviceToHost, second));
  CHECK(cudaLaunchHostFunc(second, tell, &told));
  CHECK(cudaStreamSynchronize(second));
  bool right = told == 1;
  for (int i = 0; i < n; ++i) right = right && host[i] == 42;
  CHECK(cudaEventDestroy(filled));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  CHECK(cudaFreeHost(host));
  return verdict(right);
}
