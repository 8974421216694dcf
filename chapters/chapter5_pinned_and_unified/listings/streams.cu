/// @file
/// Lesson 5, "two streams": a copy on one stream and a kernel on another. With an event between
/// them the kernel waits for the copy, and the copy back waits for the kernel. Checks the
/// result.
#include "../../chapter2_shared_memory/listings/check.cuh"

/// Adds 1 to each value.
/// Launch contract: at least n threads.
__global__ void count_up(int* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ++values[i];
}

// [unordered]
/// Wrong: up and down on one stream, work on another, and nothing says who comes first.
/// Compiled, never run.
void up_work_down_unordered(int* host, int* values, int n, cudaStream_t copies,
                            cudaStream_t work) {
  cudaMemcpyAsync(values, host, n * sizeof(int), cudaMemcpyHostToDevice, copies);
  count_up<<<(n + 255) / 256, 256, 0, work>>>(values, n);
  cudaMemcpyAsync(host, values, n * sizeof(int), cudaMemcpyDeviceToHost, copies);
}
// [unordered]

// [events]
/// Up on one stream, work on another, down on the first again. `host` is page-locked.
void up_work_down(int* host, int* values, int n, cudaStream_t copies, cudaStream_t work,
                  cudaEvent_t here, cudaEvent_t done) {
  cudaMemcpyAsync(values, host, n * sizeof(int), cudaMemcpyHostToDevice, copies);
  cudaEventRecord(here, copies);    // a mark behind the copy
  cudaStreamWaitEvent(work, here);  // work waits for the mark; the host does not
  count_up<<<(n + 255) / 256, 256, 0, work>>>(values, n);
  cudaEventRecord(done, work);
  cudaStreamWaitEvent(copies, done);
  cudaMemcpyAsync(host, values, n * sizeof(int), cudaMemcpyDeviceToHost, copies);
}
// [events]

int main() {
  constexpr int n = 5000;
  int* host = nullptr;
  must(cudaHostAlloc(&host, n * sizeof(int), cudaHostAllocDefault), "cudaHostAlloc");
  for (int i = 0; i < n; ++i) host[i] = 7 * i;
  device_array<int> values(n);

  cudaStream_t copies, work;
  must(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking), "stream");
  must(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking), "stream");
  cudaEvent_t here, done;
  must(cudaEventCreateWithFlags(&here, cudaEventDisableTiming), "event");
  must(cudaEventCreateWithFlags(&done, cudaEventDisableTiming), "event");

  up_work_down(host, values.data(), n, copies, work, here, done);
  must(cudaStreamSynchronize(copies), "wait for the copies' stream");

  bool right = true;
  for (int i = 0; i < n; ++i) right = right && host[i] == 7 * i + 1;
  cudaEventDestroy(here);
  cudaEventDestroy(done);
  cudaStreamDestroy(copies);
  cudaStreamDestroy(work);
  cudaFreeHost(host);
  return verdict("up, work and down on two streams", right);
}
