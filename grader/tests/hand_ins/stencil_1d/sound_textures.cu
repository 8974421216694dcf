// expect: pass
/// @file
/// Reads its inputs through a texture object. A texture's memory begins at a multiple of 512 bytes, and the
/// input need not: the few values before are loaded as usual.
#include "stencil_1d.cuh"

#include <cstdint>

constexpr int radius = 3;
constexpr std::size_t ghosts = 32;  // readable on both sides, says the contract
constexpr unsigned int block_threads = 256;

/// An input of which element @p skipped is the texture's first.
struct input {
  const float* values;
  cudaTextureObject_t texture;
  std::ptrdiff_t skipped;

  __device__ float operator[](std::ptrdiff_t i) const {
    return i < skipped ? values[i] : tex1Dfetch<float>(texture, static_cast<int>(i - skipped));
  }
};

__global__ void seven(input in, float* out, std::size_t n) {
  __shared__ float tile[block_threads + 2 * radius];
  const int t = static_cast<int>(threadIdx.x);
  const std::size_t i = std::size_t{blockIdx.x} * block_threads + threadIdx.x;
  const auto center = static_cast<std::ptrdiff_t>(i);
  if (i < n + radius) tile[t + radius] = in[center];
  if (t < radius) {
    tile[t] = in[center - radius];
    if (i + block_threads < n + radius) tile[t + radius + block_threads] = in[center + block_threads];
  }
  __syncthreads();
  if (i >= n) return;
  float sum = 0.0f;
  for (int d = -radius; d <= radius; ++d) sum += tile[t + radius + d];
  out[i] = sum;
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
  seven<<<static_cast<unsigned int>((n + block_threads - 1) / block_threads), block_threads, 0, stream>>>(
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
