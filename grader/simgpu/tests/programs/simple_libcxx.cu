// libcu++ atomics and cuda::std types; a spin lock that every thread of a warp takes.
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/tuple>

#include "program.hpp"

__device__ cuda::atomic<int, cuda::thread_scope_device> total{0};
__device__ int lock_word = 0;
__device__ int guarded = 0;

__global__ void count(int* out) {
  total.fetch_add(1, cuda::memory_order_relaxed);
  cuda::std::array<int, 4> a = {1, 2, 3, int(threadIdx.x)};
  int sum = 0;
  for (int v : a) sum += v;
  const auto pair = cuda::std::make_tuple(sum, 2.5f);
  const cuda::std::complex<float> z(1, 2);
  out[blockIdx.x * blockDim.x + threadIdx.x] = cuda::std::get<0>(pair) + int((z * z).imag());
}

__global__ void spin() {
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock_word, 0, 1) == 0) {
      __threadfence();
      volatile int* p = &guarded;
      *p = *p + 1;
      __threadfence();
      atomicExch(&lock_word, 0);
      done = true;
    }
  }
}

int main() {
  int* out = nullptr;
  CHECK(cudaMalloc(&out, 1024 * sizeof(int)));
  count<<<8, 128>>>(out);
  auto got = to_host(out, 1024);
  for (int i = 0; i < 1024; ++i) EXPECT(got[i] == 6 + i % 128 + 4);
  int all = 0;
  CHECK(cudaMemcpyFromSymbol(&all, total, sizeof all));
  EXPECT(all == 1024);
  spin<<<4, 64>>>();
  CHECK(cudaMemcpyFromSymbol(&all, guarded, sizeof all));
  EXPECT(all == 256);
  return ok();
}
