/// @file
/// block_reduction: the sum of many floats. The one file of this exercise that is edited and handed in; the
/// contract is in block_reduction.cuh, the task in README.md.
#include "block_reduction.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;  // a power of two

/// Adds the block's share of the input to *out.
/// Launch contract: one-dimensional grid and blocks, block_threads threads a block; any number of blocks.
__global__ void block_reduction_kernel(const float* in, float* out, std::size_t n) {
  // Given: each thread walks the input with a stride of all threads and adds up its own share in a register.
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  float sum = 0.0f;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) sum += in[i];

  // TODO 1: thread 0 needs the total of the block, and has its own share only. Where can the 256 threads lay
  // down their shares so that others can read them? Who adds what in which step, and who has to wait for whom?
  float total = sum;
  return;  // goes away with TODO 1: until then the kernel does no work

  // Given: one atomic addition a block.
  if (threadIdx.x == 0) atomicAdd(out, total);
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  // TODO 2: every block adds to *out. What does it hold at this point, and what must it hold?

  // Given: as many blocks as the GPU holds at once (2048 threads an SM), fewer for a short input, never none.
  int device = 0;
  int sm_count = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device);
  const std::size_t resident = std::size_t(sm_count) * (2048 / block_threads);
  const std::size_t wanted = (n + block_threads - 1) / block_threads;
  const std::size_t blocks = wanted == 0 ? 1 : wanted < resident ? wanted : resident;
  block_reduction_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(in, out, n);
}
// <<< your code
