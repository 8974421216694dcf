/// @file
/// What is counted of a launch, and under which name it is reported. Names are Nsight Compute's where the
/// meaning is the same, and begin with `simgpu__` where it has none.
#pragma once

#include <array>
#include <cstdint>

#include "simgpu/observe/observer.hpp"

namespace simgpu::observe {

/// Totals of one launch. Sectors are 32 bytes; "requests" are warp instructions with at least one active
/// lane.
struct Counters {
  // Global memory, as the L1 sees it. "atomic" returns a value, "reduction" does not.
  std::uint64_t global_load_requests = 0, global_store_requests = 0;
  std::uint64_t global_atomic_requests = 0, global_reduction_requests = 0;
  std::uint64_t global_load_sectors = 0, global_store_sectors = 0;
  std::uint64_t global_atomic_sectors = 0, global_reduction_sectors = 0;
  std::uint64_t global_load_hit_sectors = 0;                    ///< of global_load_sectors: found in the L1
  std::uint64_t global_load_bytes = 0, global_store_bytes = 0;  ///< asked for by lanes, repeats included
  std::uint64_t global_load_wavefronts = 0, global_store_wavefronts = 0;  ///< data stage, bank rule
  std::uint64_t tag_wavefronts = 0;       ///< tag stage: global, local (approximate)
  std::uint64_t global_atomic_lanes = 0;  ///< lanes of atomics and reductions that reach the L2 one by one

  // Shared memory. Conflicts are wavefronts beyond the fewest that the access width allows.
  std::uint64_t shared_load_requests = 0, shared_store_requests = 0, shared_atomic_requests = 0;
  std::uint64_t shared_load_wavefronts = 0, shared_store_wavefronts = 0, shared_atomic_wavefronts = 0;
  std::uint64_t shared_load_conflicts = 0, shared_store_conflicts = 0, shared_atomic_conflicts = 0;
  std::uint64_t shared_load_bytes = 0, shared_store_bytes = 0;
  std::uint64_t async_copy_wavefronts = 0;  ///< writes of cp.async into shared memory

  // Local memory: lane-contiguous words lie side by side.
  std::uint64_t local_load_requests = 0, local_store_requests = 0;
  std::uint64_t local_load_sectors = 0, local_store_sectors = 0;

  // Constant memory: one pass for each distinct word that a warp asks for.
  std::uint64_t constant_requests = 0, constant_passes = 0;

  // Textures and surfaces; sectors are approximate (memory/textures.hpp). Surface loads count as fetches.
  std::uint64_t texture_requests = 0, texture_fetches = 0;  ///< warp instructions; their active lanes
  std::uint64_t texture_sectors = 0, texture_hit_sectors = 0;
  std::uint64_t surface_store_requests = 0, surface_store_sectors = 0;

  // L2 and beyond.
  std::uint64_t l2_read_sectors = 0, l2_write_sectors = 0, l2_atomic_sectors = 0, l2_reduction_sectors = 0;
  std::uint64_t l2_read_hit_sectors = 0;
  std::uint64_t dram_read_bytes = 0;     ///< in granules of 64 bytes
  std::uint64_t dram_write_bytes = 0;    ///< dirty sectors evicted, and those left dirty at the launch's end
  std::uint64_t dram_flushed_bytes = 0;  ///< of dram_write_bytes: what was left dirty at the launch's end
  std::uint64_t dram_isolated_accesses = 0;  ///< accesses to 64 bytes of a line and not to its other half
  std::uint64_t host_link_read_bytes = 0;    ///< from pinned or registered host memory, in sectors
  std::uint64_t host_link_write_bytes = 0;   ///< to pinned or registered host memory, in sectors

  // Bulk and tensor copies: past the L1 and its counters. [bytes moved, those outside a tensor included]
  std::uint64_t bulk_load_bytes = 0, bulk_store_bytes = 0;
  std::uint64_t tensor_load_bytes = 0, tensor_store_bytes = 0;  ///< of them: by tensor maps
  std::uint64_t bulk_delivered_bytes =
      0;  ///< written into shared memory by bulk and tensor loads, in all blocks
  std::uint64_t multicast_bytes = 0, multicast_delivered_bytes = 0;  ///< of multicasts: loaded once, written
  // The least over all tensor copies; 0 if there were none.
  std::uint64_t tensor_load_swizzle = 0, tensor_load_row = 0;    ///< [bytes]
  std::uint64_t tensor_store_swizzle = 0, tensor_store_row = 0;  ///< [bytes]

  // Lanes and bytes behind the requests above.
  std::uint64_t async_copy_bytes = 0;                           ///< of global_load_bytes: by cp.async
  std::uint64_t hinted_load_bytes = 0, hinted_store_bytes = 0;  ///< of the bytes above: Access::evict_first
  std::uint64_t shared_atomic_lanes = 0;
  std::uint64_t local_load_bytes = 0, local_store_bytes = 0;
  /// Of the shared accesses: to another block's memory; and what bulk copies and st.async move there. [bytes]
  std::uint64_t remote_load_bytes = 0, remote_store_bytes = 0, remote_atomic_bytes = 0, remote_copy_bytes = 0;
  std::uint64_t texture_filtered = 0, texture_point = 0, texture_gathers = 0;  ///< of texture_fetches
  std::uint64_t surface_loads = 0;                                             ///< of texture_fetches
  std::uint64_t texture_bytes = 0, surface_store_bytes = 0;  ///< texels looked up x their bytes; bytes stored

  // Blocks at work. A block or warp touches global memory when it asks for a byte of it, by any road.
  std::uint64_t blocks = 0, threads = 0;  ///< launched
  std::uint64_t touching_blocks = 0, touching_warps = 0;
  std::uint64_t touching_block_threads = 0;  ///< block size, if any block touches global memory
  std::uint64_t least_touching_warps = 0;    ///< warps that do so, in the block that has the fewest (but one)
  std::uint64_t least_shared_load_bytes =
      0;  ///< that lanes load from shared memory, in the block that loads the fewest
  std::uint64_t shared_watched_bytes =
      0;  ///< loaded from shared memory, in the blocks that are watched (exchange.hpp)
  std::uint64_t shared_exchanged_bytes =
      0;  ///< those of them that another thread, or the copy engine, had stored
  std::uint64_t least_shared_taken_bytes =
      0;  ///< different bytes, brought by the copy engine or another block, that the watched block which takes the fewest has loaded
  std::uint64_t global_writing_warps = 0;  ///< that stored to global memory, or did an atomic there
  std::uint64_t shared_storing_warps = 0;  ///< that executed st.shared or cp.async

  // Barriers of a block, and of all blocks.
  std::uint64_t block_barriers = 0, least_block_barriers = 0, most_block_barriers = 0;
  std::uint64_t block_barrier_warps = 0;  ///< arrivals of warps
  std::uint64_t mbarriers = 0;            ///< distinct ones: places of a block's shared memory
  std::uint64_t mbarrier_inits = 0, most_mbarrier_inits = 0;  ///< in all; of one of them
  std::uint64_t repeated_mbarrier_inits = 0;  ///< of one that nobody had used since its initialisation before
  std::uint64_t mbarrier_arrivals = 0, mbarrier_expected_bytes = 0;
  std::uint64_t mbarrier_phases = 0, least_mbarrier_phases = 0;  ///< completed, in all; of one of them
  std::uint64_t mbarrier_byte_phases = 0;  ///< of each mbarrier: bytes announced to it x phases it completed

  // What is on its way while a block waits for an earlier asynchronous copy; see schema.md.
  std::uint64_t async_waits = 0, async_bytes_left = 0, async_copies_left = 0, most_async_bytes_left = 0;

  bool operator==(const Counters&) const = default;
};

/// A counter's name in reports and its place in Counters.
struct CounterName {
  const char* name;
  std::uint64_t Counters::*field;
};

/// All counters, in the order of the report.
inline constexpr std::array kCounterNames = {
    CounterName{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", &Counters::global_load_requests},
    CounterName{"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", &Counters::global_store_requests},
    CounterName{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", &Counters::global_load_sectors},
    CounterName{"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", &Counters::global_store_sectors},
    CounterName{"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", &Counters::global_atomic_requests},
    CounterName{"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", &Counters::global_reduction_requests},
    CounterName{"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", &Counters::global_atomic_sectors},
    CounterName{"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", &Counters::global_reduction_sectors},
    CounterName{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
                &Counters::global_load_hit_sectors},
    CounterName{"smsp__inst_executed_op_shared_ld.sum", &Counters::shared_load_requests},
    CounterName{"smsp__inst_executed_op_shared_st.sum", &Counters::shared_store_requests},
    CounterName{"smsp__inst_executed_op_shared_atom.sum", &Counters::shared_atomic_requests},
    CounterName{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", &Counters::shared_load_wavefronts},
    CounterName{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", &Counters::shared_store_wavefronts},
    CounterName{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
                &Counters::shared_atomic_wavefronts},
    CounterName{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", &Counters::shared_load_conflicts},
    CounterName{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
                &Counters::shared_store_conflicts},
    CounterName{"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum",
                &Counters::shared_atomic_conflicts},
    CounterName{"l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", &Counters::local_load_requests},
    CounterName{"l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", &Counters::local_store_requests},
    CounterName{"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", &Counters::local_load_sectors},
    CounterName{"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", &Counters::local_store_sectors},
    CounterName{"lts__t_sectors_op_read.sum", &Counters::l2_read_sectors},
    CounterName{"lts__t_sectors_op_write.sum", &Counters::l2_write_sectors},
    CounterName{"lts__t_sectors_op_atom.sum", &Counters::l2_atomic_sectors},
    CounterName{"lts__t_sectors_op_red.sum", &Counters::l2_reduction_sectors},
    CounterName{"lts__t_sectors_op_read_lookup_hit.sum", &Counters::l2_read_hit_sectors},
    CounterName{"dram__bytes_read.sum", &Counters::dram_read_bytes},
    CounterName{"dram__bytes_write.sum", &Counters::dram_write_bytes},
    CounterName{"simgpu__dram_bytes_flushed.sum", &Counters::dram_flushed_bytes},
    CounterName{"simgpu__dram_isolated_accesses.sum", &Counters::dram_isolated_accesses},
    CounterName{"simgpu__host_link_bytes_read.sum", &Counters::host_link_read_bytes},
    CounterName{"simgpu__host_link_bytes_write.sum", &Counters::host_link_write_bytes},
    CounterName{"simgpu__global_bytes_requested_op_ld.sum", &Counters::global_load_bytes},
    CounterName{"simgpu__global_bytes_requested_op_st.sum", &Counters::global_store_bytes},
    CounterName{"simgpu__shared_bytes_requested_op_ld.sum", &Counters::shared_load_bytes},
    CounterName{"simgpu__shared_bytes_requested_op_st.sum", &Counters::shared_store_bytes},
    CounterName{"simgpu__async_copy_wavefronts.sum", &Counters::async_copy_wavefronts},
    CounterName{"simgpu__data_wavefronts_mem_global_op_ld.sum", &Counters::global_load_wavefronts},
    CounterName{"simgpu__data_wavefronts_mem_global_op_st.sum", &Counters::global_store_wavefronts},
    CounterName{"simgpu__tag_wavefronts.sum", &Counters::tag_wavefronts},
    CounterName{"simgpu__global_atomic_lanes.sum", &Counters::global_atomic_lanes},
    CounterName{"simgpu__constant_passes.sum", &Counters::constant_passes},
    CounterName{"simgpu__constant_requests.sum", &Counters::constant_requests},
    CounterName{"simgpu__texture_requests.sum", &Counters::texture_requests},
    CounterName{"simgpu__texture_fetches.sum", &Counters::texture_fetches},
    CounterName{"simgpu__texture_sectors.sum", &Counters::texture_sectors},
    CounterName{"simgpu__texture_sectors_lookup_hit.sum", &Counters::texture_hit_sectors},
    CounterName{"simgpu__surface_requests_op_st.sum", &Counters::surface_store_requests},
    CounterName{"simgpu__surface_sectors_op_st.sum", &Counters::surface_store_sectors},
    CounterName{"simgpu__bulk_bytes_load.sum", &Counters::bulk_load_bytes},
    CounterName{"simgpu__bulk_bytes_store.sum", &Counters::bulk_store_bytes},
    CounterName{"simgpu__tensor_bytes_load.sum", &Counters::tensor_load_bytes},
    CounterName{"simgpu__tensor_bytes_store.sum", &Counters::tensor_store_bytes},
    CounterName{"simgpu__tensor_swizzle_bytes_load.min", &Counters::tensor_load_swizzle},
    CounterName{"simgpu__tensor_swizzle_bytes_store.min", &Counters::tensor_store_swizzle},
    CounterName{"simgpu__tensor_row_bytes_load.min", &Counters::tensor_load_row},
    CounterName{"simgpu__tensor_row_bytes_store.min", &Counters::tensor_store_row},
    CounterName{"simgpu__bulk_bytes_delivered.sum", &Counters::bulk_delivered_bytes},
    CounterName{"simgpu__multicast_bytes_requested.sum", &Counters::multicast_bytes},
    CounterName{"simgpu__multicast_bytes_delivered.sum", &Counters::multicast_delivered_bytes},
    CounterName{"simgpu__async_copy_bytes.sum", &Counters::async_copy_bytes},
    CounterName{"simgpu__async_waits.sum", &Counters::async_waits},
    CounterName{"simgpu__async_bytes_outstanding.sum", &Counters::async_bytes_left},
    CounterName{"simgpu__async_bytes_outstanding.max", &Counters::most_async_bytes_left},
    CounterName{"simgpu__async_copies_outstanding.sum", &Counters::async_copies_left},
    CounterName{"simgpu__hinted_bytes_op_ld.sum", &Counters::hinted_load_bytes},
    CounterName{"simgpu__hinted_bytes_op_st.sum", &Counters::hinted_store_bytes},
    CounterName{"simgpu__shared_atomic_lanes.sum", &Counters::shared_atomic_lanes},
    CounterName{"simgpu__remote_shared_bytes_op_ld.sum", &Counters::remote_load_bytes},
    CounterName{"simgpu__remote_shared_bytes_op_st.sum", &Counters::remote_store_bytes},
    CounterName{"simgpu__remote_shared_bytes_op_atom.sum", &Counters::remote_atomic_bytes},
    CounterName{"simgpu__remote_shared_bytes_copied.sum", &Counters::remote_copy_bytes},
    CounterName{"simgpu__local_bytes_requested_op_ld.sum", &Counters::local_load_bytes},
    CounterName{"simgpu__local_bytes_requested_op_st.sum", &Counters::local_store_bytes},
    CounterName{"simgpu__texture_fetches_filtered.sum", &Counters::texture_filtered},
    CounterName{"simgpu__texture_fetches_point.sum", &Counters::texture_point},
    CounterName{"simgpu__texture_fetches_gather.sum", &Counters::texture_gathers},
    CounterName{"simgpu__texture_fetches_surface.sum", &Counters::surface_loads},
    CounterName{"simgpu__texture_bytes_requested.sum", &Counters::texture_bytes},
    CounterName{"simgpu__surface_bytes_requested_op_st.sum", &Counters::surface_store_bytes},
    CounterName{"simgpu__blocks.sum", &Counters::blocks},
    CounterName{"simgpu__threads.sum", &Counters::threads},
    CounterName{"simgpu__blocks_touching_global.sum", &Counters::touching_blocks},
    CounterName{"simgpu__threads_per_touching_block.min", &Counters::touching_block_threads},
    CounterName{"simgpu__warps_touching_global.sum", &Counters::touching_warps},
    CounterName{"simgpu__warps_touching_global_per_block.min", &Counters::least_touching_warps},
    CounterName{"simgpu__shared_bytes_requested_op_ld_per_block.min", &Counters::least_shared_load_bytes},
    CounterName{"simgpu__shared_bytes_watched.sum", &Counters::shared_watched_bytes},
    CounterName{"simgpu__shared_bytes_exchanged.sum", &Counters::shared_exchanged_bytes},
    CounterName{"simgpu__shared_bytes_brought_and_taken_per_block.min", &Counters::least_shared_taken_bytes},
    CounterName{"simgpu__warps_writing_global.sum", &Counters::global_writing_warps},
    CounterName{"simgpu__warps_storing_shared.sum", &Counters::shared_storing_warps},
    CounterName{"simgpu__block_barriers.sum", &Counters::block_barriers},
    CounterName{"simgpu__block_barriers_per_block.min", &Counters::least_block_barriers},
    CounterName{"simgpu__block_barriers_per_block.max", &Counters::most_block_barriers},
    CounterName{"simgpu__block_barrier_warps.sum", &Counters::block_barrier_warps},
    CounterName{"simgpu__mbarriers.sum", &Counters::mbarriers},
    CounterName{"simgpu__mbarrier_inits.sum", &Counters::mbarrier_inits},
    CounterName{"simgpu__mbarrier_inits.max", &Counters::most_mbarrier_inits},
    CounterName{"simgpu__mbarrier_inits_repeated.sum", &Counters::repeated_mbarrier_inits},
    CounterName{"simgpu__mbarrier_arrivals.sum", &Counters::mbarrier_arrivals},
    CounterName{"simgpu__mbarrier_expect_bytes.sum", &Counters::mbarrier_expected_bytes},
    CounterName{"simgpu__mbarrier_completions.sum", &Counters::mbarrier_phases},
    CounterName{"simgpu__mbarrier_completions.min", &Counters::least_mbarrier_phases},
    CounterName{"simgpu__mbarrier_byte_completions.sum", &Counters::mbarrier_byte_phases},
};

/// Executions of a strong load that found words which other blocks of the launch have published (look_back.hpp).
struct Looks {
  std::uint64_t requests = 0;
  std::uint64_t blocks = 0;       ///< that executed such a one
  std::uint64_t words = 0;        ///< that were looked at, each once
  std::uint32_t most_blocks = 0;  ///< whose words one request looked at
};

/// One instruction's share of a launch. A generic instruction that reached several memories has one entry for
/// each.
struct SiteCounters {
  const Site* site = nullptr;
  Memory memory = Memory::global;
  AccessKind kind = AccessKind::load;
  std::uint64_t requests = 0;         ///< warp executions with at least one active lane
  std::uint64_t lanes = 0;            ///< active lanes, summed
  std::uint64_t bytes_requested = 0;  ///< lanes x bytes of the access
  std::uint64_t sectors = 0;          ///< global and local: distinct 32-byte sectors of each request, summed
  std::uint64_t ideal_sectors = 0;    ///< distinct bytes of each request / 32, rounded up, summed
  /// Passes through the data stage: shared, global and local by the bank rule; constant: distinct words.
  std::uint64_t wavefronts = 0;
  std::uint64_t turns =
      0;  ///< atomics of shared memory: lanes on the busiest address of each request, summed
  /// Stores of local and global memory: sectors that each request wrote in part, summed. Atomics of shared memory: wavefronts of a load from the same places.
  std::uint64_t passes = 0;
  // Of another block's shared memory: requests, lanes and 128-byte lines of each; of atomics, lanes beyond the first on a line's
  // busiest address.
  std::uint64_t remote_requests = 0, remote_lanes = 0, remote_lines = 0, remote_turns = 0;
  std::uint64_t remote_sectors = 0;  ///< 32 bytes of those lines that lanes ask for, each request by itself
  /// Of loads of global, local and texture memory: passes through the tag stage, four lines at once (approximate), and lines of which the L2
  /// has to send something.
  std::uint64_t tag_passes = 0, fills = 0;
  std::uint64_t texture_cycles = 0;    ///< as SmTraffic::texture_cycles
  bool one_address = false;            ///< atomics: as Access::one_address
  std::uint64_t ideal_wavefronts = 0;  ///< the fewest that the access width and the active lanes allow
  std::uint64_t l1_hit_sectors = 0;    ///< of `sectors` of loads: found in the L1
  std::uint64_t l2_hit_sectors = 0;    ///< ... of the rest, and of atomics: found in the L2
  /// Of requests of loads of global memory: that wait for something that the L1, or the L2, does not have yet (arrivals.hpp).
  std::uint64_t beyond_l1_requests = 0, beyond_l2_requests = 0;
  std::uint64_t host_requests = 0;  ///< of beyond_l2_requests: that wait for the host's memory
  std::uint64_t hinted_bytes = 0;   ///< of `bytes_requested`: Access::evict_first
  CacheHint hint = CacheHint::normal;
  bool non_coherent = false;  ///< ld.global.nc
  Looks looks;                ///< at what other blocks of the launch have published
};

/// What went through one SM's L1/shared pipe: input of the timing model.
struct SmTraffic {
  std::uint64_t data_wavefronts = 0;  ///< shared, global and local, all in one pipe
  std::uint64_t tag_wavefronts = 0;   ///< global and local (approximate)
  std::uint64_t fill_sectors = 0;     ///< L2 -> L1 or registers
  std::uint64_t lone_sectors = 0;     ///< of fill_sectors: the other one of its 64 bytes was not asked for
  std::uint64_t load_tags = 0;        ///< of loads, atomics and textures: as SiteCounters::tag_passes
  std::uint64_t store_sectors = 0;    ///< L1 -> L2: stores, atomics
  std::uint64_t store_lines = 0;      ///< global stores: 128-byte lines touched by each request, summed
  /// Of global and local stores: lines that a request writes in the main in parts of sectors, and sectors of those lines.
  std::uint64_t part_lines = 0, part_sectors = 0;
  std::uint64_t local_store_passes =
      0;  ///< sectors of local memory that stores wrote in part, each request by itself
  std::uint64_t load_lines = 0;       ///< the same of loads and atomics
  std::uint64_t constant_passes = 0;  ///< through the constant cache, of requests that ask for several words
  /// Pieces of 8 bytes of constant memory that were read into uniform registers, and where they lie [device addresses].
  std::uint64_t uniform_pieces = 0, uniform_begin = ~std::uint64_t{0}, uniform_end = 0;
  std::uint64_t texture_lines = 0;   ///< ... and of textures and surfaces
  std::uint64_t texture_cycles = 0;  ///< of the texture unit, for what it fetches [hundredths]
};

}  // namespace simgpu::observe
