/// @file
/// Primes below a bound: each small prime strikes its multiples.
#include "buffer.cuh"

__global__ void strike(unsigned* composite, int prime, int limit) {
  const int multiple = prime * (prime + blockIdx.x * blockDim.x + threadIdx.x);
  if (multiple < limit) atomicOr(&composite[multiple / 32], 1u << multiple % 32);
}

int main() {
  const int limit = 20000;
  Buffer<unsigned> composite(limit / 32 + 1);
  composite.clear();
  std::vector<bool> small(142, true);
  for (int p = 2; p * p < limit; ++p) {
    if (!small[p]) continue;
    for (int m = p * p; m < 142; m += p) small[m] = false;
    strike<<<divide_up(limit / p, 256), 256>>>(composite, p, limit);
  }
  CHECK_LAUNCH();
  const auto bits = composite.host();
  int primes = 0;
  for (int i = 2; i < limit; ++i) primes += (bits[i / 32] >> i % 32 & 1) == 0;
  std::printf("%d primes below %d\n", primes, limit);
  return verdict(primes == 2262);
}
