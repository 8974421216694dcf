// expect: pass
/// @file
/// Tiles and reductions of cooperative groups in place of shuffles by hand, on a stream of its own that is joined
/// to the given one.
#include "row_softmax.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

constexpr unsigned int block_threads = 128;

__global__ void softmax(const float* in, float* out, std::size_t rows, unsigned int cols) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const std::size_t row = std::size_t{blockIdx.x} * warp.meta_group_size() + warp.meta_group_rank();
  if (row >= rows) return;
  float value[32], largest = -INFINITY, sum = 0.0f;
  for (int k = 0; k < 32; ++k) {
    const unsigned int c = warp.thread_rank() + 32 * k;
    value[k] = c < cols ? in[row * cols + c] : -INFINITY;
  }
  for (int k = 0; k < 32; ++k) largest = fmaxf(largest, value[k]);
  largest = cg::reduce(warp, largest, cg::greater<float>());
  for (int k = 0; k < 32; ++k) sum += value[k] = __expf(value[k] - largest);
  sum = cg::reduce(warp, sum, cg::plus<float>());
  for (int k = 0; k < 32; ++k) {
    const unsigned int c = warp.thread_rank() + 32 * k;
    if (c < cols) out[row * cols + c] = __fdividef(value[k], sum);
  }
}

extern "C" void row_softmax_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  static cudaStream_t own = nullptr;
  static cudaEvent_t begun = nullptr, done = nullptr;
  if (!own) {
    cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&begun, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  }
  cudaEventRecord(begun, stream);
  cudaStreamWaitEvent(own, begun, 0);
  softmax<<<static_cast<unsigned int>((rows + 3) / 4), block_threads, 0, own>>>(
      in, out, rows, static_cast<unsigned int>(cols));
  cudaEventRecord(done, own);
  cudaStreamWaitEvent(stream, done, 0);
}
