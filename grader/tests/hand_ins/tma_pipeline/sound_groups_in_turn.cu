// expect: pass
// on gpu: too_slow
/// @file
/// Sound in another style: one elected lane asks; six stages; workers in two groups that take turns; parities as bits of a word.
#include "tma_pipeline.cuh"

__device__ void put(float* out, const float* box, unsigned x, unsigned y, unsigned w, unsigned h, float rate,
                    unsigned who, unsigned of) {
  for (unsigned i = who; i < 120 * 30; i += of) {
    const unsigned c = i % 120, r = i / 120;
    if (x + c >= w || y + r >= h) continue;
    const float* const p = box + (r + 1) * 128 + c + 4;
    out[(size_t)(y + r) * w + x + c] = p[0] + rate * (p[-128] + p[-1] + p[1] + p[128] - 4.0f * p[0]);
  }
}

// producer warp of its own, one elected lane; six stages; consumers in two groups that take turns; parity bits in one word
__global__ void kernel(float* out, const __grid_constant__ CUtensorMap map, unsigned w, unsigned h,
                       float rate, unsigned across, unsigned tiles) {
  extern __shared__ __align__(128) float boxes[];
  __shared__ std::uint64_t full[6], empty[6];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x < 6) {
    barrier_init(&full[threadIdx.x]);
    barrier_init(&empty[threadIdx.x], 128);
  }
  __syncthreads();
  if (warp == 8) {
    unsigned bits = ~0u, s = 0;
    unsigned leader;
    asm volatile("{.reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p;}" : "=r"(leader));
    if (!leader) return;
    for (unsigned t = blockIdx.x; t < tiles; t += gridDim.x) {
      wait_phase(&empty[s], bits >> s & 1);
      bits ^= 1u << s;
      expect_bytes(&full[s], 16384);
      tensor_load(boxes + s * 4096, &map, (int)(t % across * 120) - 4, (int)(t / across * 30) - 1, &full[s]);
      s = s == 5 ? 0 : s + 1;
    }
    return;
  }
  const unsigned group = warp / 4;
  unsigned k = 0, bits = 0;
  for (unsigned t = blockIdx.x; t < tiles; t += gridDim.x, ++k) {
    if (k % 2 != group) continue;
    const unsigned s = k % 6;
    wait_phase(&full[s], bits >> s & 1);
    bits ^= 1u << s;
    put(out, boxes + s * 4096, t % across * 120, t / across * 30, w, h, rate, threadIdx.x % 128, 128);
    arrive(&empty[s]);
  }
}

extern "C" void tma_pipeline_run(float* out, const float* in, std::size_t width, std::size_t height,
                                 float rate, unsigned int blocks, cudaStream_t stream) {
  if (!width || !height) return;
  const unsigned across = (width + 119) / 120, tiles = across * ((height + 29) / 30);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 6 * 16384);
  const unsigned grid = tiles < blocks ? tiles : blocks;
  kernel<<<grid, 288, 6 * 16384, stream>>>(out, image_map(in, width, height), (unsigned)width,
                                           (unsigned)height, rate, across, tiles);
}
