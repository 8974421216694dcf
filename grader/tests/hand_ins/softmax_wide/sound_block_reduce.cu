// expect: pass
/// @file
/// The library brings the block together (cub::BlockReduce), on a stream of its own that is joined to the given one.
#include <cub/block/block_reduce.cuh>

#include "softmax_wide.cuh"

constexpr unsigned int most = 32;

template <unsigned int threads>
__global__ void __launch_bounds__(threads) softmax_row(const float* in, float* out, unsigned int cols) {
  using reduction = cub::BlockReduce<float, threads>;
  __shared__ typename reduction::TempStorage scratch;
  __shared__ float for_all;
  const float* const from = in + std::size_t{blockIdx.x} * cols + threadIdx.x;
  float* const to = out + std::size_t{blockIdx.x} * cols + threadIdx.x;
  const unsigned int left = cols - threadIdx.x;  // threads <= 1024 <= cols
  float share[most];
#pragma unroll
  for (unsigned int k = 0; k < most; ++k)
    share[k] = k * threads < left ? __ldcs(from + k * threads) : -INFINITY;
  float own = share[0];
#pragma unroll
  for (unsigned int k = 1; k < most; ++k) own = own < share[k] ? share[k] : own;
  const float largest = reduction(scratch).Reduce(own, [](float a, float b) { return a < b ? b : a; });
  if (threadIdx.x == 0) for_all = largest;
  __syncthreads();
  own = for_all;
  float sum = 0;
#pragma unroll
  for (unsigned int k = 0; k < most; ++k) sum += share[k] = __expf(share[k] - own);
  sum = reduction(scratch).Sum(sum);
  __syncthreads();
  if (threadIdx.x == 0) for_all = 1 / sum;
  __syncthreads();
#pragma unroll
  for (unsigned int k = 0; k < most; ++k)
    if (k * threads < left) __stcs(to + k * threads, share[k] * for_all);
}

extern "C" void softmax_wide_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                 cudaStream_t stream) {
  if (rows == 0) return;
  static cudaStream_t own = nullptr;
  static cudaEvent_t ready = nullptr, done = nullptr;
  if (own == nullptr) {
    cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  }
  cudaEventRecord(ready, stream);
  cudaStreamWaitEvent(own, ready, 0);
  const auto blocks = static_cast<unsigned int>(rows);
  const auto length = static_cast<unsigned int>(cols);
  if (cols <= 4096) {
    softmax_row<128><<<blocks, 128, 0, own>>>(in, out, length);
  } else if (cols <= 8192) {
    softmax_row<256><<<blocks, 256, 0, own>>>(in, out, length);
  } else if (cols <= 16384) {
    softmax_row<512><<<blocks, 512, 0, own>>>(in, out, length);
  } else {
    softmax_row<1024><<<blocks, 1024, 0, own>>>(in, out, length);
  }
  cudaEventRecord(done, own);
  cudaStreamWaitEvent(stream, done, 0);
}
