/// @file
/// Contract of pinned_upload: the three functions that `pinned_upload.cu` provides, and the question that the grader
/// asks about their memory. Never edited: the grader puts its own copy on the include path. No CUDA header is included,
/// so that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Allocates the host memory that pinned_upload_run() uploads from. Called once for many uploads, and not timed.
///
/// Page-locked memory, wherever the system gives it. Where it does not, ordinary memory: slow is better than nothing. The
/// grader lets each call that could lock pages fail once (cudaHostAlloc, cudaMallocHost, cudaHostRegister), to see what
/// the function makes of it. An error that you have dealt with is looked at, by cudaGetLastError(): nobody finds it later.
///
/// @param[in] n Numbers to make room for. [elements] 0 is legal.
/// @return host memory for @p n floats, aligned to 4 bytes; null if @p n is 0. Its contents are arbitrary: the grader
///         writes the numbers.
float* pinned_upload_alloc(std::size_t n);

/// @brief Copies @p n numbers from host memory to the device. Timed by the judge's own clock, from the call until the
/// whole device is idle; called many times with the same memory and other numbers.
///
/// Predicted traffic: 4 @p n bytes up the host link, each number once, by copies.
///
/// @param[in]  host   The numbers: what pinned_upload_alloc() returned, shape @p n. Read only: must be unchanged
///                    afterwards. Null if @p n is 0.
/// @param[out] device Where they go. Device memory, shape @p n floats, aligned to 256 bytes. Does not overlap @p host,
///                    and holds arbitrary values before the call.
/// @param[in]  n      As in pinned_upload_alloc(). [elements] 0 is legal: nothing is written.
/// @param[in]  stream Stream on which the copy is ordered. The call may return before the copy is done.
/// @note Compared bit for bit.
void pinned_upload_run(const float* host, float* device, std::size_t n, cudaStream_t stream);

/// @brief Frees what pinned_upload_alloc() returned, whichever kind it is. Called once, when the device is idle.
/// @param[in] host What pinned_upload_alloc() returned; may be null.
void pinned_upload_free(float* host);

/// @brief Given, for the grader: how much of the memory is page-locked.
/// @param[in] host First of the numbers; may be null, and may have been freed.
/// @param[in] n    How many they are. [elements]
/// @return 4 @p n if the first and the last of them lie in page-locked memory, otherwise 0. [bytes]
std::size_t pinned_upload_locked(const float* host, std::size_t n);

}  // extern "C"

#ifdef __CUDACC__

/// Asked by the address alone, so that it may be asked about memory that is gone.
extern "C" std::size_t pinned_upload_locked(const float* host, std::size_t n) {
  if (n == 0) return 0;
  const float* const ends[] = {host, host + n - 1};
  for (const float* const end : ends) {
    cudaPointerAttributes attributes{};
    if (cudaPointerGetAttributes(&attributes, end) != cudaSuccess) {
      cudaGetLastError();
      return 0;
    }
    if (attributes.type != cudaMemoryTypeHost) return 0;
  }
  return n * sizeof(float);
}

#endif  // __CUDACC__
