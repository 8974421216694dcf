// expect: race
/// @file
/// The halves of the block meet apart from each other, and thread 0 asks for the next tile when its own half has read.
#include "phase_flip.cuh"
constexpr std::uint32_t floats = 1024;
constexpr unsigned int stages = 2;
__global__ void scale(float* out, const float* in, std::size_t n, float factor) {
  alignas(128) __shared__ float tile[stages][floats];
  __shared__ std::uint64_t full[stages];
  const std::size_t whole = n / 4 * 4, step = std::size_t{gridDim.x} * floats,
                    start = std::size_t{blockIdx.x} * floats;
  const auto count = [&](std::size_t first) {
    return static_cast<std::uint32_t>(whole - first < floats ? whole - first : floats);
  };
  const auto ask = [&](std::size_t first, unsigned int s) {
    if (first >= whole) return;
    expect_bytes(&full[s], 4 * count(first));
    bulk_load(tile[s], in + first, 4 * count(first), &full[s]);
  };
  if (threadIdx.x == 0) {
    for (auto& b : full) barrier_init(&b);
    for (unsigned int s = 0; s < stages; ++s) ask(start + s * step, s);
  }
  __syncthreads();
  unsigned int s = 0, round = 0;
  for (std::size_t first = start; first < whole; first += step) {
    wait_phase(&full[s], round & 1);
    for (std::uint32_t k = threadIdx.x; k < count(first); k += 256) out[first + k] = factor * tile[s][k];
    asm volatile("bar.sync %0, 128;" ::"r"(1 + threadIdx.x / 128) : "memory");
    if (threadIdx.x == 0) ask(first + stages * step, s);
    if (++s == stages) {
      s = 0;
      ++round;
    }
  }
  const std::size_t i = whole + threadIdx.x;
  if (blockIdx.x == 0 && i < n) out[i] = factor * in[i];
}
extern "C" void phase_flip_run(float* out, const float* in, std::size_t n, float factor, unsigned int blocks,
                               cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t tiles = (n + floats - 1) / floats;
  scale<<<static_cast<unsigned int>(tiles < blocks ? tiles : blocks), 256, 0, stream>>>(out, in, n, factor);
}
