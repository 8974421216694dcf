/// @file
/// Contract of phase_flip: the one function that `phase_flip.cu` provides, and the four device functions that it
/// may call. Never edited: the grader puts its own copy on the include path. No CUDA header is included, so
/// that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>
#include <cstdint>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Multiplies @p n floats: out[i] = factor * in[i].
///
/// Few blocks walk through many tiles. Each tile comes to shared memory by a bulk copy (`cp.async.bulk`), and an mbarrier
/// that serves one tile after the other says when it has come. Predicted traffic: 4 @p n bytes read and 4 @p n bytes
/// written, each once; at least 0.99 of what is read comes by bulk copy. Needs compute capability 9.0.
///
/// @param[out] out    Products. Device memory, shape @p n floats, aligned to 16 bytes. Holds arbitrary values before
///                    the call. Nothing behind it may be written.
/// @param[in]  in     Values. Device memory, shape @p n floats, aligned to 16 bytes. Read only: must be
///                    unchanged afterwards. Does not overlap @p out. Nothing behind it may be read.
/// @param[in]  n      Number of values. [elements] 0 is legal: nothing is written. Bulk copies move multiples of
///                    16 bytes, so up to three values at the end come by hand.
/// @param[in]  factor Any finite number.
/// @param[in]  blocks The most blocks that may be launched, at least 1. [blocks] Far fewer than there are tiles.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Compared bit for bit. Speed is not graded.
void phase_flip_run(float* out, const float* in, std::size_t n, float factor, unsigned int blocks,
                    cudaStream_t stream);

}  // extern "C"

#ifdef __CUDACC__

// Given device code: each function is an instruction or two (wait_phase: a loop around one). Sizes are in bytes and
// multiples of 16, addresses are aligned to 16 bytes.

/// A pointer to shared memory as the instructions below want it: an offset of 32 bits.
__device__ inline std::uint32_t shared_offset(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Makes @p barrier (8 bytes of shared memory) ready for use, in phase 0: a phase is complete when one thread has
/// called expect_bytes() and as many bytes have come. Once a barrier; a `__syncthreads()` must follow before
/// other threads use it.
__device__ inline void barrier_init(std::uint64_t* barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_offset(barrier)) : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // the copy engine must see it, too
}

/// Tells @p barrier how many bytes its current phase has to wait for. Once a phase, by one thread.
__device__ inline void expect_bytes(std::uint64_t* barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_offset(barrier)),
               "r"(bytes)
               : "memory");
}

/// Starts a copy of @p bytes from global to shared memory, and returns at once. The bytes are credited to
/// @p barrier as they come. Called by one thread.
__device__ inline void bulk_load(void* to_shared, const void* from_global, std::uint32_t bytes,
                                 std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_offset(to_shared)),
      "l"(__cvta_generic_to_global(from_global)), "r"(bytes), "r"(shared_offset(barrier))
      : "memory");
}

/// Waits until the latest completed phase of @p barrier has parity @p parity (0 for the first phase, 1 for the second,
/// 0 for the third, ...). What bulk_load() brought in that phase is visible then to the calling thread.
__device__ inline void wait_phase(std::uint64_t* barrier, std::uint32_t parity) {
  std::uint32_t complete = 0;
  while (complete == 0) {
    asm volatile(
        "{\n\t"
        ".reg .pred done;\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n\t"
        "selp.b32 %0, 1, 0, done;\n\t"
        "}"
        : "=r"(complete)
        : "r"(shared_offset(barrier)), "r"(parity)
        : "memory");
  }
}

#endif  // __CUDACC__
