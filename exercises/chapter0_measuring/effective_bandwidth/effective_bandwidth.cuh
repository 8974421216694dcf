/// @file
/// Contract of effective_bandwidth: the one function that `effective_bandwidth.cu` provides, the three kernels that it
/// judges, and the function that launches and times them. Never edited: the grader puts its own copy on the include
/// path. No CUDA header is included, so that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

/// The given kernels; figures of kernel k stand at place k.
constexpr int kernel_copy = 0;          ///< copies n floats
constexpr int kernel_sum = 1;           ///< adds up sum_rows rows of n / sum_rows floats, column by column
constexpr int kernel_strided_copy = 2;  ///< copies every copy_stride-th float, n / copy_stride of them
constexpr int kernels = 3;

constexpr std::size_t sum_rows = 8;
constexpr std::size_t copy_stride = 16;

extern "C" {

/// @brief Says of three given kernels how many bytes they move, how fast, and what share of a memory's peak that is.
///
/// Bytes are the bytes that a kernel *asks for*: what its threads load and what they store, each access counted, whatever
/// the hardware moves besides. Time is what time_kernel() below hands out; it launches the kernel for you. For k in
/// {kernel_copy, kernel_sum, kernel_strided_copy}, each figure within 3 % of the grader's for the same time:
///
/// @param[in]  in               Values for the kernels. Device memory, shape @p n floats, aligned to 128 bytes. Read
///                              only: must be unchanged afterwards. Does not overlap @p out.
/// @param[out] out              Where the kernels write. Device memory, shape @p n floats, aligned to 128 bytes. What
///                              stands there afterwards is of no interest.
/// @param[in]  n                Size of the kernels' work, another one in another call. [elements] At least 32.
/// @param[in]  memory_clock_khz Clock of the memory whose peak counts. [kHz] Memory of this kind makes two transfers a
///                              clock. Not always this device's: the grader asks about other memories too.
/// @param[in]  bus_width_bits   Width of one transfer of that memory. [bits]
/// @param[out] bytes            Bytes that one launch of kernel k asks for. [bytes] Ordinary host memory, 3 numbers.
/// @param[out] gigabytes_per_second Effective bandwidth of kernel k. [10^9 bytes a second] Host memory, 3 numbers.
/// @param[out] share_of_peak    That bandwidth over the memory's peak, 1 is all of it. Host memory, 3 numbers.
/// @param[in]  stream           Stream on which the kernels are launched.
/// @note All figures are there when the function returns.
void effective_bandwidth_run(const float* in, float* out, std::size_t n, int memory_clock_khz,
                             int bus_width_bits, double* bytes, double* gigabytes_per_second,
                             double* share_of_peak, cudaStream_t stream);

/// @brief Given, for the grader: the times that time_kernel() has handed out since the last call of this function.
/// @param[out] milliseconds Of kernel k at place k, 3 numbers; one that was not asked for is left as it is.
void effective_bandwidth_times(double* milliseconds);

}  // extern "C"

#ifdef __CUDACC__

/// Given: out[i] = in[i].
/// Launch contract: one-dimensional grid of at least n threads.
__global__ void copy(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

/// Given: out[c] = the sum of in[r * columns + c] over all sum_rows rows r.
/// Launch contract: one-dimensional grid of at least columns threads.
__global__ void sum(const float* in, float* out, std::size_t columns) {
  const std::size_t c = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  float total = 0.0f;
  for (std::size_t r = 0; r < sum_rows; ++r) total += in[r * columns + c];
  out[c] = total;
}

/// Given: out[k] = in[k * copy_stride].
/// Launch contract: one-dimensional grid of at least count threads.
__global__ void strided_copy(const float* in, float* out, std::size_t count) {
  const std::size_t k = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < count) out[k] = in[k * copy_stride];
}

/// The times that were handed out, for the grader; 0: none.
inline double handed_out_milliseconds[kernels] = {};

/// Given: launches a kernel on `stream`, once to warm up and three times between two events, and waits for it.
/// @param kernel kernel_copy, kernel_sum or kernel_strided_copy.
/// @return the median of the three times. [ms] Asked again in the same run, it hands out the same time.
inline double time_kernel(int kernel, const float* in, float* out, std::size_t n, cudaStream_t stream) {
  double& handed_out = handed_out_milliseconds[kernel];
  if (handed_out > 0) return handed_out;
  constexpr int launches = 3;
  constexpr unsigned int block_threads = 256;
  const std::size_t threads = kernel == kernel_copy  ? n
                              : kernel == kernel_sum ? n / sum_rows
                                                     : n / copy_stride;
  const auto blocks = static_cast<unsigned int>((threads + block_threads - 1) / block_threads);

  cudaEvent_t before = nullptr, after = nullptr;
  cudaEventCreate(&before);
  cudaEventCreate(&after);
  float milliseconds[launches] = {};
  for (int launch = -1; launch < launches; ++launch) {  // number -1 is the warm-up
    cudaEventRecord(before, stream);
    if (kernel == kernel_copy) copy<<<blocks, block_threads, 0, stream>>>(in, out, threads);
    if (kernel == kernel_sum) sum<<<blocks, block_threads, 0, stream>>>(in, out, threads);
    if (kernel == kernel_strided_copy) strided_copy<<<blocks, block_threads, 0, stream>>>(in, out, threads);
    cudaEventRecord(after, stream);
    cudaEventSynchronize(after);
    if (launch >= 0) cudaEventElapsedTime(&milliseconds[launch], before, after);
  }
  cudaEventDestroy(before);
  cudaEventDestroy(after);
  const float least = fminf(fminf(milliseconds[0], milliseconds[1]), milliseconds[2]);
  const float most = fmaxf(fmaxf(milliseconds[0], milliseconds[1]), milliseconds[2]);
  handed_out = static_cast<double>(milliseconds[0]) + milliseconds[1] + milliseconds[2] - least - most;
  return handed_out;
}

extern "C" void effective_bandwidth_times(double* milliseconds) {
  for (int kernel = 0; kernel < kernels; ++kernel) {
    if (handed_out_milliseconds[kernel] > 0) milliseconds[kernel] = handed_out_milliseconds[kernel];
    handed_out_milliseconds[kernel] = 0;
  }
}

#endif  // __CUDACC__
