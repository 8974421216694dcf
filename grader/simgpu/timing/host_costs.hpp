/// @file
/// What surrounds the kernels: what calls take of the host, and the ways between the host, the engines and each other. Latencies: they
/// do not shrink with a slice. Measured one by one by tests/ladders/calls.cu; timing/calibration.md says which figure is from where.
#pragma once

namespace simgpu::timing {

/// Of locking memory of the host into its pages, and as much of the end of it.
struct LockCosts {
  double call = 0;  ///< [seconds]
  double byte = 0;  ///< ... more for each byte
};

/// [seconds], unless the name says otherwise.
struct HostCosts {
  // --- calls ---
  double launch_call = 4.5e-6;      ///< many small launches, one after the other, last no shorter
  double copy_call = 5.1e-6;        ///< of a copy within the device, or within the host's memory
  double link_up_call = 2.4e-6;     ///< of a copy from page-locked memory
  double link_down_call = 1.75e-6;  ///< ... and to it
  double pageable_call =
      2.1e-6;  ///< of a copy from pageable memory, beside the bytes that the host puts into a buffer
  double pageable_return = 1.0e-6;  ///< ... and to it, from the end of the copy
  double fill_call = 1.1e-6;        ///< of a fill of few bytes
  double fill_plane = 3.35e-6;      ///< of each plane of a box, whose planes are filled one by one
  double fill_call_byte = 1.1e-10;  ///< ... more for each byte; of more than fill_call_bytes it is a launch
  double fill_call_bytes = 4096;
  double event_call = 0.15e-6;  ///< of recording an event, or of making a stream wait for one
  double wait_call = 0.4e-6;    ///< of waiting for what is done already
  double wait_return = 1.2e-6;  ///< from the end of what the host waits for until it goes on
  double graph_call = 2.0e-6;
  double allocate = 42e-6, free = 35e-6;              ///< memory of the device, ...
  double allocate_byte = 6e-14, free_byte = 2.5e-13;  ///< ... more for each byte; ...
  LockCosts lock = {500e-6, 2.2e-10};                 ///< memory of the host, page-locked
  LockCosts lock_own = {49e-6, 2.5e-11};              ///< ... that the program has already (cudaHostRegister)
  double managed_call = 9e-6;                         ///< of managed memory, had or given back
  double stream_call = 3.5e-6;  ///< of a stream that is made; as much again when it ends is not in the model
  double slab_call = 1.3e-6;    ///< ... either, of a small allocation beside others (device/slabs.hpp)
  double pool_call = 0.65e-6;   ///< of taking from a pool, or of giving back to it
  double pool_grow = 58e-6;     ///< ... of taking what the pool has to get first
  double pool_trim = 22e-6;  ///< of a wait at which a pool gives back what its threshold does not let it keep

  // --- on the device ---
  double link_latency =
      3.5e-6;  ///< from the call of a copy over the link until an idle engine begins with it
  double engine_change =
      3.5e-6;  ///< until a copy over the link hears that the kernel is done for which it waits, or a kernel of the copy
  double host_function = 33e-6;        ///< that a stream stands still for a function of the host, at least
  double load_latency = 1.08e-6;       ///< until a kernel has what it loads from the host's memory
  double cooperative_launch = 1.6e-6;  ///< what a cooperative launch takes longer
  double grid_barrier = 0.64e-6;       ///< of a barrier of the whole grid, beyond what its instructions take
  double graph_gap = 1.1e-6;           ///< between what comes before a graph in its stream and its first node
  double graph_node = 0.6e-6;          ///< what a kernel costs as a graph's node, instead of a launch
  double graph_engine_change = 5.5e-6;  ///< engine_change between nodes
  double graph_root = 1.0e-6;           ///< by how much later each further node begins that waits for none
  double graph_fork = 0.28e-6;          ///< ... and that waits for the same one
  double graph_join = 0.2e-6;           ///< ... and one that waits for several
  double graph_copy_least = 1.2e-6;     ///< a fill, or a copy within the device, lasts no shorter as a node
  double graph_copy_node = 0.4e-6;      ///< what it costs there, instead of its start elsewhere
  double graph_node_least = 0.93e-6;    ///< a node lasts no shorter ...
  double graph_node_least_alone = 0.7e-6;  ///< ... if it has nothing to do with memory

  // --- pages of managed memory ---
  double prefetch_start = 62e-6;  ///< from a prefetch's turn in its stream until its first byte moves
  double prefetch_slow_bytes_per_second = 29e9;  ///< of a whole card's first megabytes
  double prefetch_bytes_per_second = 50e9;       ///< ... and of those behind them, ...
  double prefetch_behind = 290e-6;               ///< ... which so much time was lost for
  double fault_start = 60e-6;  ///< of a kernel that meets faults, beyond the way of their bytes
  double fault_run =
      8e-6;  ///< of each further piece of memory that faults bring, 64 kB or more from the one before
  double homecoming_start =
      20e-6;  ///< of a touch of the host's, or of several beside each other, before the first page comes
  double homecoming_bytes_per_second = 5.5e9;  ///< of the pages around it
  double homecoming_written = 15e-6;           ///< of a page that is changed where each side had a copy
};

}  // namespace simgpu::timing
