/// @file
/// Built as relocatable device code that nobody else uses, and with a default stream for each thread.
#include <thread>

#include "buffer.cuh"

__device__ int offset = 2;

__global__ void add_offset(int* data) {
  data[threadIdx.x] += offset;
}

int main() {
  Buffer<int> first(std::vector<int>(64, 1)), second(std::vector<int>(64, 2));
  CHECK(cudaDeviceSynchronize());  // both copies have arrived before anybody uses them
  std::thread other([&] {
    add_offset<<<1, 64>>>(second);
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
  });
  add_offset<<<1, 64>>>(first);
  CHECK(cudaStreamSynchronize(cudaStreamPerThread));
  other.join();
  return verdict(first.host()[5] == 3 && second.host()[63] == 4);
}
