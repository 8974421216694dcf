/// @file
/// Contract of event_timing: the one function that `event_timing.cu` provides, the work that it times, and what the
/// grader reads of its own watch. Never edited: the grader puts its own copy on the include path. No CUDA header is
/// included, so that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

/// Launches that the grader's watch can hold; later ones are launched, and not looked at.
constexpr int most_launches = 64;

extern "C" {

/// @brief Times given work on a given stream, and says how fast it moves its bytes.
///
/// launch_work() below launches the work. Its first launch in each call of this function takes longer than all later ones:
/// it warms up. Wanted is the time of a later launch, on the device: one of them, or the mean or median of several. At
/// least two launches, and two events of your own.
///
/// @param[in]  in           Numbers for the work. Device memory, shape @p n floats, aligned to 128 bytes. Read only: must
///                          be unchanged afterwards. Does not overlap @p out.
/// @param[out] out          Where the work writes. Device memory, shape @p n floats, aligned to 128 bytes. What stands
///                          there afterwards is of no interest.
/// @param[in]  n            Numbers, another count in another call. [elements] At least 1.
/// @param[in]  passes       How often one launch of the work copies each number. [passes] At least 1.
/// @param[out] milliseconds Time of one launch that is not the first. [ms] Within 3 % of what the grader saw of such
///                          launches in this call. Ordinary host memory, 1 number.
/// @param[out] gigabytes_per_second Bytes that one such launch asks for, read and written, over its time. [10^9 bytes a
///                          second] Within 3 %. Ordinary host memory, 1 number.
/// @param[in]  stream       Stream on which the work is launched.
/// @note Both figures are there when the function returns.
void event_timing_run(const float* in, float* out, std::size_t n, unsigned int passes, double* milliseconds,
                      double* gigabytes_per_second, cudaStream_t stream);

/// @brief Given, for the grader: what its own watch has seen since the last call of this function. Then it is empty.
/// @param[out] seen How many launches; milliseconds of the first; the least and the most of the others, 0 if there were
///                  none. 4 numbers, left as they are if nothing was launched.
void event_timing_seen(double* seen);

}  // extern "C"

#ifdef __CUDACC__

/// Given: out[i] = in[i], `passes` times over. Volatile: each pass loads and stores.
/// Launch contract: one-dimensional grid of at least n threads.
__global__ void copy_again_and_again(const volatile float* in, volatile float* out, std::size_t n,
                                     unsigned int passes) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (unsigned int pass = 0; pass < passes; ++pass) out[i] = in[i];
}

/// The grader's own watch.
inline struct {
  cudaEvent_t before[most_launches], after[most_launches];  ///< made at the first launch of all
  bool made;
  int launches;
} graders_watch = {};

/// Given: launches the work on `stream`, and does not wait for it. Not to be captured into a graph: the watch records events.
///
/// The first launch of each run makes four times as many passes. Much real work is like this: whatever is made once, loaded
/// once or cached falls into the first launch.
inline void launch_work(const float* in, float* out, std::size_t n, unsigned int passes,
                        cudaStream_t stream) {
  auto& watch = graders_watch;
  if (!watch.made) {
    for (cudaEvent_t& event : watch.before) cudaEventCreate(&event);
    for (cudaEvent_t& event : watch.after) cudaEventCreate(&event);
    watch.made = true;
  }
  constexpr unsigned int block_threads = 256, first_takes = 4;
  const auto blocks = static_cast<unsigned int>((n + block_threads - 1) / block_threads);
  const bool first = watch.launches == 0, looks = watch.launches < most_launches;
  if (looks) cudaEventRecord(watch.before[watch.launches], stream);
  copy_again_and_again<<<blocks, block_threads, 0, stream>>>(in, out, n,
                                                             first ? first_takes * passes : passes);
  if (looks) cudaEventRecord(watch.after[watch.launches++], stream);
}

extern "C" void event_timing_seen(double* seen) {
  auto& watch = graders_watch;
  if (watch.launches == 0) return;
  seen[0] = watch.launches;
  seen[1] = seen[2] = seen[3] = 0;
  for (int launch = 0; launch < watch.launches; ++launch) {
    float milliseconds = 0;
    cudaEventSynchronize(watch.after[launch]);
    cudaEventElapsedTime(&milliseconds, watch.before[launch], watch.after[launch]);
    if (launch == 0) seen[1] = milliseconds;
    if (launch == 1) seen[2] = seen[3] = milliseconds;
    if (launch > 1) seen[2] = fmin(seen[2], milliseconds), seen[3] = fmax(seen[3], milliseconds);
  }
  watch.launches = 0;
}

#endif  // __CUDACC__
