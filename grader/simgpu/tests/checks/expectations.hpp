/// @file
/// The table: what each wrong program must be told. Errors are those that a CUDA program sees on an H200; where that
/// lets an access pass (it lies within some page) the simulated GPU is the stricter one, where it hangs there is a
/// time-out here.
#pragma once

#include <ostream>

struct Expectation {
  const char* program;
  const char* name;       ///< the case
  const char* kind;       ///< of the one finding; nullptr: there must be none
  const char* mark;       ///< of its line; nullptr: it has none
  int error;              ///< cudaError_t that the program sees in the end
  const char* says = "";  ///< part of the message
  bool warning = false;
  int call = 0;  ///< cudaError_t that the wrong call returned
};

inline void PrintTo(const Expectation& e, std::ostream* out) {
  *out << e.program << ' ' << e.name;
}

inline constexpr Expectation kExpectations[] = {
    // Out of bounds: where it is, and next to what.
    {"memory_mutants", "one_beyond", "out_of_bounds", "one_beyond", 700,
     "Thread (36,0,0) of block (1,0,0) writes 4 bytes"},
    {"memory_mutants", "one_before", "out_of_bounds", "one_before", 700,
     "4 bytes before the start of allocation"},
    {"memory_mutants", "below_zero", "out_of_bounds", "below_zero", 700, "may have gone below zero"},
    {"memory_mutants", "far_away", "out_of_bounds", "far_away", 700, "far from any allocation"},
    {"memory_mutants", "next_row", "out_of_bounds", "next_row", 700, "just beyond the end of allocation"},
    {"memory_mutants", "host_pointer", "out_of_bounds", "add_one", 700, "host's own memory"},
    {"memory_mutants", "unpinned_heap", "out_of_bounds", "add_one", 700, "host's own memory"},
    {"memory_mutants", "null_pointer", "out_of_bounds", "add_one", 700, "a null pointer"},
    {"memory_mutants", "shared_beyond", "out_of_bounds", "shared_beyond", 700,
     "just beyond the end of the block's 256 bytes"},
    {"memory_mutants", "shared_before", "out_of_bounds", "shared_beyond", 700,
     "4 bytes before the start of the block's"},
    {"memory_mutants", "dynamic_too_small", "out_of_bounds", "dynamic_too_small", 700,
     "0 static, 64 dynamic"},
    {"memory_mutants", "dynamic_forgotten", "out_of_bounds", "dynamic_too_small", 700, "0 static, 0 dynamic"},
    {"memory_mutants", "sound_mapped_beyond_the_cluster", nullptr, nullptr, 0},
    {"memory_mutants", "beyond_the_cluster", "out_of_bounds", "beyond_the_cluster", 700,
     "the block of rank 4, but its cluster has 4 blocks"},
    {"memory_mutants", "far_beyond_the_cluster", "out_of_bounds", "beyond_the_cluster", 700,
     "but its cluster has 4 blocks"},
    {"memory_mutants", "local_beyond", "out_of_bounds", "local_beyond", 700,
     "an index runs past a local array"},
    {"memory_mutants", "constant_beyond", "out_of_bounds", "constant_beyond", 700,
     "the variable table (64 bytes)"},
    {"memory_mutants", "sound_constant_written", nullptr, nullptr, 0},
    {"memory_mutants", "variable_beyond", "out_of_bounds", "variable_beyond", 700,
     "the variable counters (40 bytes)"},
    {"memory_mutants", "heap_beyond", "out_of_bounds", "heap_beyond", 700, "just beyond the end"},
    {"memory_mutants", "surface_beyond", "out_of_bounds", "surface_beyond", 700,
     "writes a surface at (64, 0)"},
    {"memory_mutants", "use_after_free", "use_after_free", "add_one", 700, "which has been freed"},
    {"memory_mutants", "use_after_free_async", "use_after_free", "add_one", 700, "which has been freed"},
    {"memory_mutants", "heap_after_free", "use_after_free", "heap_after_free", 700, "which has been freed"},
    {"memory_mutants", "heap_double_free", "bad_call", "heap_double_free", 719, "freed already"},
    {"memory_mutants", "misaligned_vector", "misaligned", "misaligned_vector", 716, "not a multiple of 16"},
    {"memory_mutants", "misaligned_word", "misaligned", "misaligned_word", 716, "not a multiple of 4"},
    {"memory_mutants", "misaligned_shared", "misaligned", "misaligned_shared", 716,
     "shared memory offset 0x21"},

    // Reads of what nobody wrote.
    {"memory_mutants", "never_filled", "uninitialised_read", "never_filled", 0,
     "byte 0 of an allocation of 4096 bytes"},
    {"memory_mutants", "half_filled", "uninitialised_read", "never_filled", 0, "byte 1024 of an allocation"},
    {"memory_mutants", "copied_never_filled", "uninitialised_read", "copied_never_filled", 0,
     "that nobody wrote"},
    {"memory_mutants", "staged_never_filled", "uninitialised_read", "staged_never_filled", 0,
     "that nobody wrote"},
    {"memory_mutants", "halo_not_loaded", "uninitialised_read", "halo_not_loaded", 0,
     "shared memory starts with whatever was there"},
    {"memory_mutants", "local_not_set", "uninitialised_read", "local_not_set", 0, "that it never set"},
    {"memory_mutants", "field_not_set", "uninitialised_read", "field_not_set", 0,
     "byte 4 of an allocation of 256 bytes"},
    {"memory_mutants", "branch_never_filled", "uninitialised_read", "branch_never_filled", 0,
     "byte 0 of an allocation"},
    {"memory_mutants", "index_never_filled", "uninitialised_read", "index_never_filled", 0,
     "byte 0 of an allocation"},
    {"memory_mutants", "counter_not_cleared", "uninitialised_read", "counter_not_cleared", 0,
     "byte 0 of an allocation"},
    {"memory_mutants", "sound_padding", nullptr, nullptr, 0},
    {"memory_mutants", "sound_lines", nullptr, nullptr, 0},
    {"memory_mutants", "lines_unwritten", "uninitialised_read", "lines_unwritten", 0, "that nobody wrote"},
    {"memory_mutants", "padding_summed", "uninitialised_read", "padding_summed", 0, "that nobody wrote"},
    {"memory_mutants", "sound_vector_tail", nullptr, nullptr, 0},
    {"memory_mutants", "sound_loaded_ahead", nullptr, nullptr, 0},

    // Races.
    {"sync_mutants", "reverse_unsynced", "race", "reverse_unsynced", 0,
     "no __syncthreads() lies between them"},
    {"sync_mutants", "reduce_unsynced", "race", "reduce_unsynced", 0, "no __syncthreads() lies between them"},
    {"sync_mutants", "tile_overwritten", "race", "tile_overwritten", 0,
     "no __syncthreads() lies between them"},
    {"sync_mutants", "stencil_in_place", "race", "stencil_in_place", 0,
     "no __syncthreads() lies between them"},
    {"sync_mutants", "scan_one_buffer", "race", "scan_one_buffer", 0, "no __syncthreads() lies between them"},
    {"sync_mutants", "warp_unsynced", "race", "warp_unsynced", 0, "no __syncwarp() lies between them"},
    {"sync_mutants", "wrong_buffer", "race", "wrong_buffer", 0, "no __syncthreads() lies between them"},
    {"sync_mutants", "plain_histogram", "race", "plain_histogram", 0, "Use an atomic operation"},
    {"sync_mutants", "read_among_atomics", "race", "read_among_atomics", 0, "updates atomically"},
    {"sync_mutants", "start_unsynced", "race", "start_unsynced", 0, "updates atomically"},
    {"sync_mutants", "total_unguarded", "race", "total_unguarded", 0, "nothing orders the two blocks"},
    {"sync_mutants", "blocks_in_place", "race", "blocks_in_place", 0},
    {"sync_mutants", "flag_without_fence", "race", "flag_without_fence", 0, "nothing orders the two blocks"},
    {"sync_mutants", "ticket_without_fence", "race", "ticket_without_fence", 0,
     "nothing orders the two blocks"},
    {"sync_mutants", "no_grid_sync", "race", "no_grid_sync", 0, "nothing orders the two blocks"},
    {"sync_mutants", "sound_early_return", nullptr, nullptr, 0},
    {"sync_mutants", "sound_cas_loop", nullptr, nullptr, 0},

    // Barriers that some do not reach, and waiting without end.
    {"sync_mutants", "barrier_in_branch", "divergent_barrier", "barrier_in_branch", 719,
     "that thread (16,0,0)"},
    {"sync_mutants", "barrier_in_uneven_loop", "divergent_barrier", "barrier_in_uneven_loop", 719,
     "of the same warp"},
    {"sync_mutants", "barrier_count", "deadlock", "barrier_count", 702,
     "for 96 threads, of which 32 have come"},
    {"sync_mutants", "block_not_resident", "deadlock", "block_not_resident", 702, "blocks have not begun"},
    {"sync_mutants", "nobody_sets_it", "deadlock", "nobody_sets_it", 702,
     "1 warp of 1 block waits in a loop"},
    {"sync_mutants", "lock_order", "deadlock", "lock_order", 702, "2 warps of 2 blocks wait in loops"},
    {"sync_mutants", "grid_sync_without_one", "deadlock", "grid_sync", 702, "3 warps of 3 blocks"},
    {"sync_mutants", "grid_sync_ordinary_launch", "trap", "grid_sync", 719, "cudaLaunchCooperativeKernel"},

    // Asynchronous copies.
    {"async_mutants", "copy_not_waited_for", "missing_wait", "copy_not_waited_for", 719,
     "has not been waited for"},
    {"async_mutants", "one_stage_too_few", "missing_wait", "one_stage_too_few", 719,
     "has not been waited for"},
    {"async_mutants", "copies_of_others", "race", "copies_of_others", 0,
     "no __syncthreads() lies between them"},
    {"async_mutants", "bulk_not_waited_for", "missing_wait", "bulk_use", 719, "is still writing"},
    {"async_mutants", "mbarrier_parity", "missing_wait", "bulk_use", 719,
     "with the parity or token of that phase"},
    {"async_mutants", "bulk_too_many_bytes_expected", "deadlock", "bulk_wait", 702,
     "1024 bytes that were announced"},
    {"async_mutants", "mbarrier_count", "deadlock", "bulk_wait", 702, "lacks 1 of 2 arrivals"},
    {"async_mutants", "barrier_waits_for_half", "deadlock", "barrier_waits_for_half", 702,
     "lacks 32 of 64 arrivals"},
    {"async_mutants", "no_proxy_fence", "missing_fence", "no_proxy_fence", 719, "fence.proxy.async"},
    {"async_mutants", "tile_reused_too_early", "missing_wait", "tile_reused_too_early", 719,
     "has not read yet"},
    {"async_mutants", "bulk_source_misaligned", "misaligned", "bulk_misaligned", 716, "not a multiple of 16"},
    {"async_mutants", "bulk_beyond", "out_of_bounds", "bulk_beyond", 700, "overlaps the end of allocation"},
    {"async_mutants", "mbarrier_not_initialised", "illegal_instruction", "mbarrier_not_initialised", 715,
     "has not been initialised"},
    {"async_mutants", "sound_bulk", nullptr, nullptr, 0},
    {"async_mutants", "sound_bulk_out", nullptr, nullptr, 0},

    // The host's side.
    {"host_mutants", "too_many_threads", "bad_call", nullptr, 1, "2048 threads is too large", true},
    {"host_mutants", "no_blocks", "bad_call", nullptr, 1, "The grid has no blocks", true},
    {"host_mutants", "too_much_shared", "bad_call", nullptr, 1, "1048576 bytes of dynamic", true},
    {"host_mutants", "grid_too_tall", "bad_call", nullptr, 1, "y and z go up to 65535", true},
    {"host_mutants", "stack_overflow", "stack_overflow", "stack_overflow", 700,
     "by calling depth(int, int*)"},
    {"host_mutants", "trap", "trap", "trapped", 719, "executed a trap"},
    {"host_mutants", "condition_of_nobody", "bad_call", "condition_of_nobody", 719,
     "a handle that cudaGraphConditionalHandleCreate has not given"},
    {"host_mutants", "failing_loop", "trap", "failing_loop", 719, "executed a trap"},
    {"host_mutants", "free_twice", "bad_call", nullptr, 1, "freed already", true, 1},
    {"host_mutants", "free_inside", "bad_call", nullptr, 1, "the middle of an allocation", true, 1},
    {"host_mutants", "free_host_of_device", "bad_call", nullptr, 1, "free it with cudaFree", true, 1},
    {"host_mutants", "free_of_malloc", "bad_call", nullptr, 1, "that cudaMalloc did not return", true, 1},
    {"host_mutants", "freed_while_registered", "bad_call", nullptr, 0, "unregister it first", true},
    {"host_mutants", "copy_too_much", "bad_call", nullptr, 1, "ends 128 bytes beyond its allocation", true,
     1},
    {"host_mutants", "copy_wrong_way", "bad_call", nullptr, 1, "in the right order", true, 1},
    {"host_mutants", "set_too_much", "bad_call", nullptr, 1, "beyond its allocation of 128 bytes", true, 1},
    {"host_mutants", "leaked_memory", "leak", nullptr, 0, "1 allocation (100 bytes)", true},
    {"host_mutants", "leaked_stream", "leak", nullptr, 0, "1 stream", true},
    {"host_mutants", "leaked_event", "leak", nullptr, 0, "1 event", true},
    {"host_mutants", "leaked_array", "leak", nullptr, 0, "1 allocation (1024 bytes)", true},
    {"host_mutants", "leaked_pinned", "leak", nullptr, 0, "1 allocation (100 bytes)", true},
};
