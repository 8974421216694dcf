// expect: pass
/// @file
/// Sound in another style: every warp has a buffer and a barrier of its own, and walks alone. Where 4 does not divide n, the last
/// warp's lanes bring what is left.
#include "phase_flip.cuh"

constexpr unsigned int warps = 4;
constexpr std::uint32_t tile_floats = 512;

__global__ void products(float* out, const float* in, std::size_t n, float factor) {
  alignas(128) __shared__ float4 tiles[warps][tile_floats / 4];
  __shared__ std::uint64_t barriers[warps];
  const unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  float4* const tile = tiles[warp];
  std::uint64_t* const full = &barriers[warp];
  if (lane == 0) barrier_init(full);
  __syncwarp();
  const std::size_t whole = n / 4 * 4;
  unsigned int tiles_before = 0;
  for (std::size_t at = (std::size_t{blockIdx.x} * warps + warp) * tile_floats; at < whole;
       at += std::size_t{gridDim.x} * warps * tile_floats, ++tiles_before) {
    const auto count = static_cast<std::uint32_t>(whole - at < tile_floats ? whole - at : tile_floats);
    if (lane == 0) {
      expect_bytes(full, count * 4);
      bulk_load(tile, in + at, count * 4, full);
    }
    wait_phase(full, tiles_before % 2);
    auto* const to = reinterpret_cast<float4*>(out + at);
    for (std::uint32_t v = lane; v < count / 4; v += 32) {
      const float4 x = tile[v];
      to[v] = make_float4(factor * x.x, factor * x.y, factor * x.z, factor * x.w);
    }
    __syncwarp();
  }
  if (blockIdx.x == gridDim.x - 1 && warp == warps - 1 && whole + lane < n)
    out[whole + lane] = factor * in[whole + lane];
}

extern "C" void phase_flip_run(float* out, const float* in, std::size_t n, float factor, unsigned int blocks,
                               cudaStream_t stream) {
  if (n > 0) products<<<blocks, 32 * warps, 0, stream>>>(out, in, n, factor);
}
