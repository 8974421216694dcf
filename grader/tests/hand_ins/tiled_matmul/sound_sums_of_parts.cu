// expect: pass
/// @file
/// The sums are cut in two along k, each half on a stream of its own, joined by events; the second half is added by atomics.
#include "tiled_matmul.cuh"

namespace {

constexpr int side = 32;

__global__ void add_product(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                            std::size_t k, std::size_t first, std::size_t end) {
  __shared__ float left[side][side], right[side][side];
  const int x = threadIdx.x, y = threadIdx.y;  // 32 x 8 threads, four rows each
  const std::size_t row = std::size_t{blockIdx.y} * side, col = std::size_t{blockIdx.x} * side + x;
  float sum[4] = {};
  for (std::size_t slice = first; slice < end; slice += side) {
    for (int i = y; i < side; i += 8) {
      left[i][x] = row + i < m && slice + x < end ? a[(row + i) * k + slice + x] : 0.0f;
      right[i][x] = slice + i < end && col < n ? b[(slice + i) * n + col] : 0.0f;
    }
    __syncthreads();
    for (int l = 0; l < side; ++l)
      for (int i = 0; i < 4; ++i) sum[i] += left[y + 8 * i][l] * right[l][x];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    if (row + y + 8 * i < m && col < n) atomicAdd(&c[(row + y + 8 * i) * n + col], sum[i]);
}

}  // namespace

extern "C" void tiled_matmul_run(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                                 std::size_t k, cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  cudaMemsetAsync(c, 0, m * n * sizeof(float), stream);
  const dim3 blocks(static_cast<unsigned int>((n + side - 1) / side),
                    static_cast<unsigned int>((m + side - 1) / side));
  const dim3 threads(side, 8);
  cudaStream_t own = nullptr;
  cudaEvent_t ready = nullptr, done = nullptr;
  cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  cudaEventRecord(ready, stream);
  cudaStreamWaitEvent(own, ready, 0);
  add_product<<<blocks, threads, 0, stream>>>(a, b, c, m, n, k, 0, k / 2);
  add_product<<<blocks, threads, 0, own>>>(a, b, c, m, n, k, k / 2, k);
  cudaEventRecord(done, own);
  cudaStreamWaitEvent(stream, done, 0);
  cudaEventDestroy(ready);
  cudaEventDestroy(done);
  cudaStreamDestroy(own);
}
