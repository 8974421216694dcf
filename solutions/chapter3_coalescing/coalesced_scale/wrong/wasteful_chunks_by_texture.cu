// expect: too_slow|wasteful
/// @file
/// coalesced_scale: an array, times a factor. The one file of this exercise that is edited and handed in; the contract
/// is in coalesced_scale.cuh, the task in README.md.
#include "coalesced_scale.cuh"

// >>> your code
constexpr unsigned int block_threads = 128;
constexpr unsigned int chunk = 32;  // elements of a thread
constexpr unsigned int tile_elements = block_threads * chunk;

/// Right: each thread reads a chunk of its own through a texture, which has no lines of its own in a report; by way of
/// a tile the products are stored side by side.
/// Launch contract: one-dimensional grid of at least n / tile_elements blocks, rounded up, of block_threads threads.
__global__ void coalesced_scale_kernel(cudaTextureObject_t in, float* out, std::size_t n, float factor) {
  alignas(16) __shared__ float tile[tile_elements + block_threads];  // rows of chunk + 1
  const std::size_t first = std::size_t{blockIdx.x} * tile_elements;
  for (unsigned int k = 0; k < chunk; ++k) {
    const std::size_t i = first + threadIdx.x * chunk + k;
    if (i < n) tile[threadIdx.x * (chunk + 1) + k] = factor * tex1Dfetch<float>(in, static_cast<int>(i));
  }
  __syncthreads();
  for (unsigned int k = threadIdx.x; k < tile_elements; k += block_threads)
    if (first + k < n) out[first + k] = tile[k / chunk * (chunk + 1) + k % chunk];
}

extern "C" void coalesced_scale_run(const float* in, float* out, std::size_t n, float factor,
                                    cudaStream_t stream) {
  // As long as a linear texture can be; kept until the address or the length changes.
  constexpr std::size_t most = std::size_t{1} << 27;
  for (std::size_t begin = 0; begin < n; begin += most) {
    const std::size_t count = n - begin < most ? n - begin : most;
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = const_cast<float*>(in + begin);
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = count * sizeof(float);
    cudaTextureDesc how = {};
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
    const std::size_t blocks = (count + tile_elements - 1) / tile_elements;
    coalesced_scale_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(
        texture, out + begin, count, factor);
    cudaStreamSynchronize(stream);
    cudaDestroyTextureObject(texture);
  }
}
// <<< your code
