// expect: pass
// on gpu: too_slow
/// @file
/// Reads its inputs through a texture object. A texture's memory begins at a multiple of 512 bytes, and the
/// input need not: the few values before are loaded as usual.
#include "stencil_1d.cuh"

#include <cstdint>

constexpr int radius = 8;
constexpr std::size_t ghosts = 32;  // readable on both sides, says the contract
constexpr unsigned int block_threads = 256, tile_outputs = 4 * block_threads;

/// An input of which element @p skipped is the texture's first.
struct input {
  const float* values;
  cudaTextureObject_t texture;
  std::ptrdiff_t skipped;

  __device__ float operator[](std::ptrdiff_t i) const {
    return i < skipped ? values[i] : tex1Dfetch<float>(texture, static_cast<int>(i - skipped));
  }
};

__global__ void window_sums(input in, float* out, std::size_t n) {
  __shared__ float tile[tile_outputs + 2 * radius];
  const std::size_t first = std::size_t{blockIdx.x} * tile_outputs;
  for (unsigned int k = threadIdx.x; k < tile_outputs + 2 * radius && first + k < n + 2 * radius;
       k += block_threads)
    tile[k] = in[static_cast<std::ptrdiff_t>(first + k) - radius];
  __syncthreads();
  for (unsigned int k = threadIdx.x; k < tile_outputs && first + k < n; k += block_threads) {
    float sum = 0.0f;
    for (int d = 0; d <= 2 * radius; ++d) sum += tile[k + d];
    out[first + k] = sum;
  }
}

/// Writes @p n outputs, fewer than a linear texture has elements.
static void one_part(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  constexpr std::size_t alignment = 512;
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(in) % alignment;
  const std::size_t skipped = beyond == 0 ? 0 : (alignment - beyond) / sizeof(float);
  input how{in, 0, static_cast<std::ptrdiff_t>(n + ghosts)};
  if (skipped < n + ghosts) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<float*>(in + skipped);
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = (n + ghosts - skipped) * sizeof(float);
    cudaTextureDesc reading{};
    reading.readMode = cudaReadModeElementType;
    cudaCreateTextureObject(&how.texture, &resource, &reading, nullptr);
    how.skipped = static_cast<std::ptrdiff_t>(skipped);
  }
  window_sums<<<static_cast<unsigned int>((n + tile_outputs - 1) / tile_outputs), block_threads, 0, stream>>>(
      how, out, n);
  if (how.texture == 0) return;
  cudaStreamSynchronize(stream);  // the texture must outlive the kernel
  cudaDestroyTextureObject(how.texture);
}

extern "C" void stencil_1d_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  constexpr std::size_t part = std::size_t{1} << 26;  // a linear texture has at most 2^27 elements
  for (std::size_t first = 0; first < n; first += part)
    one_part(in + first, out + first, n - first < part ? n - first : part, stream);
}
