/// @file
/// Looks for the first number whose hash begins with zeros, as miners do.
#include "buffer.cuh"

__host__ __device__ unsigned hash(unsigned n) {
  unsigned h = 2166136261u;
  for (int k = 0; k < 4; ++k) h = (h ^ (n >> (8 * k) & 255u)) * 16777619u;
  h ^= h >> 15;
  h *= 0x85EBCA6Bu;
  return h ^ h >> 13;
}

__global__ void search(unsigned first, unsigned target, unsigned* found) {
  const unsigned n = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (hash(n) < target) atomicMin(found, n);
}

int main() {
  const unsigned target = 1u << 18, none = 0xffffffffu;
  Buffer<unsigned> found(std::vector<unsigned>{none});
  unsigned answer = none, first = 0;
  for (; answer == none; first += 64 * 256) {
    search<<<64, 256>>>(first, target, found);
    answer = found.host()[0];
  }
  unsigned expected = 0;
  while (hash(expected) >= target) ++expected;
  std::printf("%u has the hash %08x\n", answer, hash(answer));
  return verdict(answer == expected);
}
