// expect: pass
/// @file
/// A table a warp, each block stores its sums, and a second kernel adds the blocks up: no atomic on global memory. On a
/// stream of its own that is joined to the given one; groups of the library in place of numbers of threads.
#include <cooperative_groups.h>

#include "histogram_shared.cuh"

namespace cg = cooperative_groups;
constexpr unsigned int bins = 256, block_threads = 256, warps = block_threads / 32, most_blocks = 4096;
__device__ unsigned int of_block[most_blocks][bins];

__global__ void count(const uint4* in, std::size_t whole, const unsigned char* rest, unsigned int left) {
  __shared__ unsigned int own[warps][bins];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  unsigned int* const table = own[warp.meta_group_rank()];
  for (unsigned int b = warp.thread_rank(); b < bins; b += 32) table[b] = 0;
  warp.sync();
  const std::size_t stride = std::size_t{gridDim.x} * block_threads;
  for (std::size_t i = std::size_t{blockIdx.x} * block_threads + block.thread_rank(); i < whole;
       i += stride) {
    const uint4 v = in[i];
    for (const unsigned int word : {v.x, v.y, v.z, v.w})
      for (int shift = 0; shift < 32; shift += 8) atomicAdd(&table[word >> shift & 0xffu], 1u);
  }
  if (blockIdx.x == 0 && block.thread_rank() < left) atomicAdd(&table[rest[block.thread_rank()]], 1u);
  block.sync();
  unsigned int sum = 0;
  for (unsigned int w = 0; w < warps; ++w) sum += own[w][block.thread_rank()];
  of_block[blockIdx.x][block.thread_rank()] = sum;
}

__global__ void add_up(unsigned int* counts, unsigned int blocks) {
  unsigned int sum = 0;
  for (unsigned int k = 0; k < blocks; ++k) sum += of_block[k][threadIdx.x];
  counts[threadIdx.x] = sum;
}

extern "C" void histogram_shared_run(const unsigned char* in, unsigned int* counts, std::size_t n,
                                     cudaStream_t stream) {
  static cudaStream_t own = nullptr;
  static cudaEvent_t ready = nullptr, done = nullptr;
  if (own == nullptr) {
    cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  }
  int device = 0, sm_count = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device);
  const unsigned int blocks = static_cast<unsigned int>(sm_count) * 8;
  const std::size_t whole = n / sizeof(uint4);
  cudaEventRecord(ready, stream);
  cudaStreamWaitEvent(own, ready, 0);
  count<<<blocks, block_threads, 0, own>>>(reinterpret_cast<const uint4*>(in), whole,
                                           in + whole * sizeof(uint4),
                                           static_cast<unsigned int>(n % sizeof(uint4)));
  add_up<<<1, bins, 0, own>>>(counts, blocks);
  cudaEventRecord(done, own);
  cudaStreamWaitEvent(stream, done, 0);
}
