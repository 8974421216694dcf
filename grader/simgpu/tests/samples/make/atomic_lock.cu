/// @file
/// A lock of atomics around a sum, and an atomic maximum of doubles by compare-and-swap.
#include "buffer.cuh"

struct Lock {
  int* state;
  __device__ void lock() {
    while (atomicCAS(state, 0, 1) != 0) {
    }
    __threadfence();
  }
  __device__ void unlock() {
    __threadfence();
    atomicExch(state, 0);
  }
};

__device__ double atomic_max(double* address, double value) {
  auto* const word = reinterpret_cast<unsigned long long*>(address);
  unsigned long long old = *reinterpret_cast<volatile unsigned long long*>(word), assumed;
  do {
    assumed = old;
    if (__longlong_as_double(assumed) >= value) break;
    old = atomicCAS(word, assumed, __double_as_longlong(value));
  } while (old != assumed);
  return __longlong_as_double(old);
}

__global__ void sum(Lock lock, volatile double* total, double* most, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomic_max(most, static_cast<double>(i * 37 % 101));
  if (threadIdx.x == 0) {
    lock.lock();
    *total = *total + blockIdx.x;
    lock.unlock();
  }
}

int main() {
  const int blocks = 40, threads = 64;
  Buffer<int> state(1);
  Buffer<double> total(1), most(1);
  state.clear();
  total.clear();
  most.clear();
  sum<<<blocks, threads>>>(Lock{state}, total, most, blocks * threads);
  CHECK_LAUNCH();
  return verdict(total.host()[0] == blocks * (blocks - 1) / 2 && most.host()[0] == 100);
}
