/// @file
/// Copied and sent: memory of the host that is only written, constants renewed before each of twelve kernels,
/// a kilobyte up and down with a kernel between.
#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

__constant__ float renewed[64];

__global__ void add_renewed(float* out, int round) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] += renewed[(i / 32 + round) % 64];
}
__global__ void count_up(unsigned* words) {
  words[threadIdx.x] = words[threadIdx.x] * 3 + 1;
}

}  // namespace

void transfers(Set& s) {
  const std::size_t m = s.n / 32;
  float* combined = nullptr;
  ladder::check(cudaHostAlloc(&combined, m * 4, cudaHostAllocWriteCombined), "cudaHostAlloc");
  for (std::size_t i = 0; i < m; ++i) combined[i] = float_of(i + 5);
  s.run(
      "memory only written by the host, up", 4.0 * real(m),
      [&] { cudaMemcpyAsync(s.out, combined, m * 4, cudaMemcpyHostToDevice); },
      [&] { return floats(s, m, [](std::size_t i) { return double{float_of(i + 5)}; }); });
  cudaFreeHost(combined);
  float values[12][64];
  for (unsigned k = 0; k < 12 * 64; ++k) values[k / 64][k % 64] = float_of(k);
  s.run_whole(
      "constants renewed before each of twelve kernels", 12 * (256.0 + 8 * 128 * 11),
      [&] {
        cudaMemsetAsync(s.out, 0, 4 * 128 * 11);
        for (int k = 0; k < 12; ++k) {
          cudaMemcpyToSymbolAsync(renewed, values[k], sizeof renewed, 0, cudaMemcpyHostToDevice);
          add_renewed<<<11, 128>>>(s.out, k);
        }
      },
      [&] {
        return floats(s, 128 * 11, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < 12; ++k) sum += float_of(k * 64 + (i / 32 + k) % 64);
          return sum;
        });
      });
  unsigned* pinned = nullptr;
  ladder::check(cudaMallocHost(&pinned, 1024), "cudaMallocHost");
  s.run_whole(
      "a kilobyte up, a kernel, a kilobyte down, ten times", 10 * 2048.0,
      [&] {
        for (unsigned k = 0; k < 256; ++k) pinned[k] = k + 1;
        for (int k = 0; k < 10; ++k) {
          cudaMemcpyAsync(s.out, pinned, 1024, cudaMemcpyHostToDevice);
          count_up<<<1, 256>>>(s.numbers());
          cudaMemcpyAsync(pinned, s.out, 1024, cudaMemcpyDeviceToHost);
          cudaStreamSynchronize(nullptr);
        }
      },
      [&] {
        for (unsigned k = 0; k < 256; ++k) {
          unsigned want = k + 1;
          for (int step = 0; step < 10; ++step) want = want * 3 + 1;
          if (pinned[k] != want || s.number(k) != want) return false;
        }
        return true;
      });
  cudaFreeHost(pinned);
}

}  // namespace held_out_7
