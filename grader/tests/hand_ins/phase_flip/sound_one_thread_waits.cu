// expect: pass
/// @file
/// Thread 0 alone waits for the phase, and __syncthreads() hands it on; a ring of three buffers.
#include "phase_flip.cuh"
constexpr unsigned int floats = 1024, stages = 3, threads = 128;
__global__ void scale(float* __restrict__ out, const float* __restrict__ in, std::size_t n, float factor) {
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
  unsigned int s = 0, round = 0;
  for (std::size_t first = start; first < whole; first += step) {
    if (threadIdx.x == 0) wait_phase(&full[s], round & 1);
    __syncthreads();
    for (std::uint32_t k = threadIdx.x; k < count(first); k += threads) out[first + k] = factor * tile[s][k];
    __syncthreads();
    if (threadIdx.x == 0) ask(first + stages * step, s);
    if (++s == stages) {
      s = 0;
      ++round;
    }
  }
  const std::size_t i = whole + threadIdx.x;
  if (blockIdx.x == gridDim.x - 1 && i < n) out[i] = factor * in[i];
}
extern "C" void phase_flip_run(float* out, const float* in, std::size_t n, float factor, unsigned int blocks,
                               cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t tiles = (n + floats - 1) / floats;
  scale<<<static_cast<unsigned int>(tiles < blocks ? tiles : blocks), threads, 0, stream>>>(out, in, n,
                                                                                            factor);
}
