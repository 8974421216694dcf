/// @file
/// The copy engine's instructions as functions, for all exercises of this chapter: mbarriers, bulk copies, tensor copies. Each
/// function is an instruction or two (wait_phase: a loop around one). Part of the contracts, so never edited: the grader puts
/// its own copy on the include path. No CUDA header is included, so that nvcc and a host compiler both read it.
///
/// Sizes are in bytes and multiples of 16, addresses are aligned to 16 bytes. Needs compute capability 9.0.
#pragma once

#include <cstdint>

#ifdef __CUDACC__

/// A pointer to shared memory as the instructions below want it: an offset of 32 bits.
__device__ inline std::uint32_t shared_offset(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// --- Barriers: 8 bytes of shared memory that count arrivals, and bytes that the copy engine brings

/// Makes @p barrier ready for use, in phase 0. A phase is complete when as many threads as @p arrivals says have arrived,
/// by arrive() or expect_bytes(), and as many bytes have come as were expected. Once a barrier, by one thread; a
/// `__syncthreads()` must follow before other threads use it.
__device__ inline void barrier_init(std::uint64_t* barrier, std::uint32_t arrivals = 1) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_offset(barrier)), "r"(arrivals)
               : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // the copy engine must see it, too
}

/// Arrives at @p barrier, and tells it how many bytes its current phase has to wait for. By one thread for each phase.
__device__ inline void expect_bytes(std::uint64_t* barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_offset(barrier)),
               "r"(bytes)
               : "memory");
}

/// Arrives at @p barrier. What the calling thread read and wrote before is done for those that wait for this phase.
__device__ inline void arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_offset(barrier)) : "memory");
}

/// Waits until the phase of @p barrier with parity @p parity (0 for the first phase, 1 for the second, 0 for the
/// third, ...) is complete. Returns at once when the barrier is in the phase after it. What copies brought in that phase is
/// visible then to the calling thread, and to the copies that it starts.
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

// --- Bulk copies: bytes in a row

/// Starts a copy of @p bytes from global to shared memory, and returns at once. The bytes are credited to
/// @p barrier as they come.
__device__ inline void bulk_load(void* to_shared, const void* from_global, std::uint32_t bytes,
                                 std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_offset(to_shared)),
      "l"(__cvta_generic_to_global(from_global)), "r"(bytes), "r"(shared_offset(barrier))
      : "memory");
}

/// Starts a copy of @p bytes from shared to global memory, and returns at once.
__device__ inline void bulk_store(void* to_global, const void* from_shared, std::uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                   __cvta_generic_to_global(to_global)),
               "r"(shared_offset(from_shared)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// Waits until all but the @p pending latest bulk stores of the calling thread have read their shared memory: it
/// may be filled again then, or given up at the kernel's end.
template <int pending>
__device__ inline void bulk_store_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}

// --- Tensor copies: a box of a two-dimensional tensor, as its map (CUtensorMap, encoded by cuTensorMapEncodeTiled) describes it

/// Starts a copy of the box at column @p x and row @p y to shared memory, and returns at once. What lies outside the tensor comes as
/// the map's fill and counts as bytes all the same: the whole box is credited to @p barrier. @p map lies in a `const
/// __grid_constant__` parameter or in global memory, aligned to 64 bytes; @p to_shared is aligned to 128 bytes (1024 with a
/// swizzle of 128 bytes).
__device__ inline void tensor_load(void* to_shared, const void* map, std::int32_t x, std::int32_t y,
                                   std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3}], [%4];" ::"r"(shared_offset(to_shared)),
      "l"(map), "r"(x), "r"(y), "r"(shared_offset(barrier))
      : "memory");
}

/// Starts a copy of the box at column @p x and row @p y from shared memory to the tensor, and returns at once. What lies
/// outside the tensor is not written. Waited for like a bulk store.
__device__ inline void tensor_store(const void* map, std::int32_t x, std::int32_t y,
                                    const void* from_shared) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
               "r"(x), "r"(y), "r"(shared_offset(from_shared))
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// Makes what the calling thread wrote to shared memory visible to the copies out of it. By each thread that wrote; then a
/// barrier; then the store, by one thread.
__device__ inline void writes_for_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// --- Clusters: blocks that run at the same time, near each other, and may write into each other's shared memory. A kernel says
// how many with `__cluster_dims__(blocks, 1, 1)`; the grid is a multiple of it. A place in shared memory has the same offset in all.

/// The number of the calling thread's block in its cluster, from 0 on.
__device__ inline std::uint32_t cluster_rank() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

/// Waits until all threads of all blocks of the cluster have come here. What they wrote before is visible then, an mbarrier's
/// initialisation too. A block must not end while another may still reach into its shared memory.
__device__ inline void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

/// Starts a copy of @p bytes from global memory to the shared memory of several blocks of the cluster, and returns at once. Bit r of
/// @p blocks stands for the block of rank r. In each of them the bytes come to the place of @p to_shared and are credited to the
/// place of @p barrier: each block expects them for itself. They are read once.
__device__ inline void bulk_load_multicast(void* to_shared, const void* from_global, std::uint32_t bytes,
                                           std::uint64_t* barrier, std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, "
      "[%3], %4;" ::"r"(shared_offset(to_shared)),
      "l"(__cvta_generic_to_global(from_global)), "r"(bytes), "r"(shared_offset(barrier)), "h"(blocks)
      : "memory");
}

/// Arrives at the barrier that lies at the place of @p barrier in the block of rank @p rank. What the calling thread read and wrote before is
/// done for those in the cluster that wait for this phase with wait_phase_of_cluster().
__device__ inline void arrive_at(std::uint64_t* barrier, std::uint32_t rank) {
  asm volatile(
      "{\n\t"
      ".reg .b32 there;\n\t"
      "mapa.shared::cluster.u32 there, %0, %1;\n\t"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n\t"
      "}" ::"r"(shared_offset(barrier)),
      "r"(rank)
      : "memory");
}

/// As wait_phase(), for a barrier of the own block at which threads of other blocks arrive.
__device__ inline void wait_phase_of_cluster(std::uint64_t* barrier, std::uint32_t parity) {
  std::uint32_t complete = 0;
  while (complete == 0) {
    asm volatile(
        "{\n\t"
        ".reg .pred done;\n\t"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%1], %2;\n\t"
        "selp.b32 %0, 1, 0, done;\n\t"
        "}"
        : "=r"(complete)
        : "r"(shared_offset(barrier)), "r"(parity)
        : "memory");
  }
}

#endif  // __CUDACC__
