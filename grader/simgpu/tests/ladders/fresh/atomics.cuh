/// @file
/// Atomics of shared memory and of the L2, by type. Part of fresh.cu.
#pragma once

#include "fresh.cuh"

namespace {

__global__ void weights_of_bytes(const unsigned* in, const float* weight, float* bins, std::size_t n) {
  __shared__ float mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < n; i += stride()) atomicAdd(&mine[in[i] & 255], weight[i]);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
__global__ void moments_of_classes(const unsigned* in, const float* value, double* bins, std::size_t n) {
  __shared__ double mine[64];
  if (threadIdx.x < 64) mine[threadIdx.x] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < n; i += stride())
    atomicAdd(&mine[in[i] >> 26], static_cast<double>(value[i]));
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
__global__ void vote(const unsigned* in, unsigned long long* bins, std::size_t n) {
  for (std::size_t i = global_index(); i < n; i += stride()) atomicAdd(&bins[in[i] >> 21], 1ull);
}
__global__ void last_of_cells(const unsigned* in, int* cells, std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) atomicMax(&cells[in[i] >> 18], static_cast<int>(i));
}
__global__ void insert_keys(const unsigned* keys, unsigned* slots, std::size_t n, unsigned size) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const unsigned key = keys[i] | 1;
  unsigned at = place_of(scrambled(key), size);
  for (;;) {
    const unsigned there = atomicCAS(&slots[at], 0u, key);
    if (there == 0 || there == key) return;
    at = at + 1 == size ? 0 : at + 1;
  }
}

void Fresh::atomics() {
  run(
      "weights of bytes in shared memory", one / 2,
      [&] { weights_of_bytes<<<resident, 256>>>(words, in, out, n / 4); },
      [&] {
        double sum = 0;
        for (std::size_t b = 0; b < 256; ++b) sum += value(b);
        return near(sum / static_cast<double>(n / 4), 0.5 + 6.5535 / 2, 0.01);
      });
  run(
      "sums of classes in shared memory, double", one / 4,
      [&] { moments_of_classes<<<sms * 4, 256>>>(words, in, reinterpret_cast<double*>(out), n / 8); },
      [&] {
        double sum = 0;
        for (std::size_t b = 0; b < 64; ++b) sum += Checked::at(reinterpret_cast<const double*>(out), b);
        return near(sum / static_cast<double>(n / 8), 0.5 + 6.5535 / 2, 0.01);
      });
  run(
      "votes, 64 bits", one / 16,
      [&] { vote<<<resident, 256>>>(words, reinterpret_cast<unsigned long long*>(out), n / 16); },
      [&] {
        unsigned long long sum = 0;
        for (std::size_t b = 0; b < 2048; ++b)
          sum += Checked::at(reinterpret_cast<const unsigned long long*>(out), b);
        return sum == n / 16;
      });
  run(
      "last of 16384 cells", one / 16,
      [&] { last_of_cells<<<blocks(n / 16), 256>>>(words, reinterpret_cast<int*>(out), n / 16); },
      [&] { return number(word_of(n / 16 - 1) >> 18) == n / 16 - 1; });
  run(
      "keys into a hash table", one / 32,
      [&] { insert_keys<<<blocks(n / 32), 256>>>(words, numbers, n / 32, static_cast<unsigned>(n / 16)); },
      [&] {
        const auto size = static_cast<unsigned>(n / 16);
        return each(n / 32, [&](std::size_t i) {
          const unsigned key = word_of(i) | 1;
          for (unsigned at = place_of(scrambled(key), size), tries = 0; tries < 1000;
               ++tries, at = at + 1 == size ? 0 : at + 1) {
            const unsigned there = number(at);
            if (there == key) return true;
            if (there == 0) return false;
          }
          return false;
        });
      });
}

}  // namespace
