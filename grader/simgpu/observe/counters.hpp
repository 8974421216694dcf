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
  std::uint64_t host_link_read_bytes = 0;   ///< from pinned or registered host memory, in sectors
  std::uint64_t host_link_write_bytes = 0;  ///< to pinned or registered host memory, in sectors

  // Bulk and tensor copies: past the L1 and its counters. [bytes moved, those outside a tensor included]
  std::uint64_t bulk_load_bytes = 0, bulk_store_bytes = 0;

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
  std::uint64_t ideal_wavefronts = 0;  ///< the fewest that the access width and the active lanes allow
};

/// What went through one SM's L1/shared pipe: input of the timing model.
struct SmTraffic {
  std::uint64_t data_wavefronts = 0;  ///< shared, global and local, all in one pipe
  std::uint64_t tag_wavefronts = 0;   ///< global and local (approximate)
  std::uint64_t fill_sectors = 0;     ///< L2 -> L1 or registers
  std::uint64_t store_sectors = 0;    ///< L1 -> L2: stores, atomics
  std::uint64_t store_lines = 0;      ///< global stores: 128-byte lines touched by each request, summed
};

}  // namespace simgpu::observe
