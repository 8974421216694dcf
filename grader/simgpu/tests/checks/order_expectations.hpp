/// @file
/// What the wrong programs about the order of threads must be told (order_*.cu); their sound twins, nothing.
#pragma once

#include "expectations.hpp"

inline constexpr const char* kNoSyncwarp = "no __syncwarp() lies between them";
inline constexpr const char* kNoSyncthreads = "no __syncthreads() lies between them";
// Of kernels that have such barriers: the missing one need not be a __syncthreads().
inline constexpr const char* kNoNamed = "no named barrier (bar.sync with a number) that both come to";
inline constexpr const char* kNoMbarrier =
    "no mbarrier (cuda::barrier) that one arrives at and the other waits for";
inline constexpr const char* kBlocks = "nothing orders the two blocks";

inline constexpr Expectation kOrderExpectations[] = {
    // Lanes meet by mask and kind.
    {"order_warps", "sound_shuffle_in_both_arms", nullptr, nullptr, 0},
    {"order_warps", "sound_shuffle_across_arms", nullptr, nullptr, 0},
    {"order_warps", "sound_votes_in_both_arms", nullptr, nullptr, 0},
    {"order_warps", "sound_syncwarp_in_both_arms", nullptr, nullptr, 0},
    {"order_warps", "sound_reductions_in_both_arms", nullptr, nullptr, 0},
    {"order_warps", "sound_match_in_calls", nullptr, nullptr, 0},
    {"order_warps", "sound_early_exit", nullptr, nullptr, 0},
    {"order_warps", "sound_shuffle_in_groups", nullptr, nullptr, 0},
    {"order_warps", "sound_aggregated_atomics", nullptr, nullptr, 0},
    {"order_warps", "shuffle_in_one_arm", "deadlock", "shuffle_arms", 702, "for lanes 16-31 of its warp"},
    {"order_warps", "votes_of_two_kinds", "deadlock", "vote_arms", 702,
     "never execute this kind of instruction"},
    {"order_warps", "syncwarp_of_two_masks", "deadlock", "sync_arms", 702, "with the same mask"},
    {"order_warps", "reductions_of_two_kinds", "deadlock", "reduce_arms", 702,
     "never execute this kind of instruction"},
    {"order_warps", "shuffle_from_ended_lane", "undefined_shuffle", "after_exit", 0,
     "takes no part in this shuffle", true},
    {"order_warps", "shuffle_from_outside_the_mask", "undefined_shuffle", "shuffle_groups", 0,
     "takes no part in this shuffle", true},
    {"order_warps", "shuffle_of_half_by_all", "undefined_mask", "pass_up", 0, "does not name its own lane"},
    {"order_warps", "ballot_of_the_lanes_below", "undefined_mask", "ranks", 0, "does not name its own lane"},

    // Memory within a warp.
    {"order_warps", "sound_mirror", nullptr, nullptr, 0},
    {"order_warps", "sound_halves", nullptr, nullptr, 0},
    {"order_warps", "sound_warp_scan", nullptr, nullptr, 0},
    {"order_warps", "sound_carry", nullptr, nullptr, 0},
    {"order_warps", "sound_tiles", nullptr, nullptr, 0},
    {"order_warps", "no_syncwarp", "race", "mirror", 0, kNoSyncwarp},
    {"order_warps", "shuffle_for_syncwarp", "race", "mirror", 0, kNoSyncwarp},
    {"order_warps", "vote_for_syncwarp", "race", "mirror", 0, kNoSyncwarp},
    {"order_warps", "syncwarp_of_half", "race", "mirror", 0, kNoSyncwarp},
    {"order_warps", "overwritten_before_read", "race", "warp_scan", 0, kNoSyncwarp},
    {"order_warps", "carry_too_early", "race", "carry", 0, kNoSyncwarp},
    {"order_warps", "tile_reads_the_next_tile", "race", "tiles", 0, kNoSyncwarp},

    // Barriers of a block, and of some of its threads.
    {"order_barriers", "sound_named_barriers", nullptr, nullptr, 0},
    {"order_barriers", "sound_named_barrier_of_all", nullptr, nullptr, 0},
    {"order_barriers", "sound_producers_and_consumer", nullptr, nullptr, 0},
    {"order_barriers", "sound_counted_barrier", nullptr, nullptr, 0},
    {"order_barriers", "sound_counting_barriers", nullptr, nullptr, 0},
    {"order_barriers", "sound_leavers", nullptr, nullptr, 0},
    {"order_barriers", "sound_barrier_object", nullptr, nullptr, 0},
    {"order_barriers", "sound_ring", nullptr, nullptr, 0},
    {"order_barriers", "barrier_of_the_other_half", "race", "halves", 0, kNoNamed},
    {"order_barriers", "consumer_only_arrives", "race", "feeder", 0, kNoNamed},
    {"order_barriers", "written_after_arriving", "race", "feeder", 0, kNoNamed},
    {"order_barriers", "buffer_never_empty", "race", "feeder", 0, kNoNamed},
    {"order_barriers", "one_producer_left_out", "race", "feeder", 0, kNoNamed},
    {"order_barriers", "barrier_counts_half", "race", "counted", 0, kNoNamed},
    {"order_barriers", "outsider_of_a_barrier_object", "race", "barrier_object", 0, kNoMbarrier},
    {"order_barriers", "written_between_arrival_and_wait", "race", "barrier_object", 0, kNoMbarrier},
    {"order_barriers", "ring_without_return", "race", "ring", 0, kNoMbarrier},

    // Clusters.
    {"order_clusters", "sound_exchange", nullptr, nullptr, 0},
    {"order_clusters", "sound_relaxed_arrival_behind_fence", nullptr, nullptr, 0},
    {"order_clusters", "sound_through_global", nullptr, nullptr, 0},
    {"order_clusters", "sound_shared_bins", nullptr, nullptr, 0},
    {"order_clusters", "barrier_of_the_block_only", "race", "exchange", 0, kBlocks},
    {"order_clusters", "written_between_arrive_and_wait", "race", "exchange", 0, kBlocks},
    {"order_clusters", "relaxed_arrival", "race", "exchange", 0, kBlocks},
    {"order_clusters", "cluster_barrier_is_no_grid_barrier", "race", "through_global", 0, kBlocks},
    {"order_clusters", "bins_read_too_early", "race", "shared_bins", 0, kBlocks},

    // Flags, by both sides and by scope.
    {"order_flags", "sound_release_and_acquire", nullptr, nullptr, 0},
    {"order_flags", "sound_fences_on_both_sides", nullptr, nullptr, 0},
    {"order_flags", "sound_flag_in_block", nullptr, nullptr, 0},
    {"order_flags", "sound_speaker", nullptr, nullptr, 0},
    {"order_flags", "sound_relay", nullptr, nullptr, 0},
    {"order_flags", "sound_ticket", nullptr, nullptr, 0},
    {"order_flags", "sound_ticket_in_atomic_order", nullptr, nullptr, 0},
    {"order_flags", "sound_lock", nullptr, nullptr, 0},
    {"order_flags", "sound_lanes_at_a_lock", nullptr, nullptr, 0},
    {"order_flags", "sound_atomics_of_the_block", nullptr, nullptr, 0},
    {"order_flags", "sound_grid_phases", nullptr, nullptr, 0},
    {"order_flags", "sound_one_value", nullptr, nullptr, 0},
    {"order_flags", "sound_compaction", nullptr, nullptr, 0},
    {"order_flags", "relaxed_store", "race", "pass_atomic", 0, kBlocks},
    {"order_flags", "relaxed_load", "race", "pass_atomic", 0, kBlocks},
    {"order_flags", "no_fence_of_the_writer", "race", "pass_volatile", 0, kBlocks},
    {"order_flags", "no_fence_of_the_reader", "race", "pass_volatile", 0, kBlocks},
    {"order_flags", "writer_fences_for_its_block", "race", "pass_volatile", 0, kBlocks},
    {"order_flags", "reader_fences_for_its_block", "race", "pass_volatile", 0, kBlocks},
    {"order_flags", "waits_for_the_wrong_flag", "race", "pass_volatile", 0, kBlocks},
    {"order_flags", "flag_in_block_without_fences", "race", "pass_in_block", 0, kNoSyncthreads},
    {"order_flags", "others_not_synced_before_release", "race", "speaker", 0, kBlocks},
    {"order_flags", "others_not_synced_after_acquire", "race", "speaker", 0, kBlocks},
    {"order_flags", "compaction_without_waiting", "race", "compact", 0, kBlocks},
    {"order_flags", "relay_breaks_off", "race", "relay", 0, kBlocks},
    {"order_flags", "ticket_not_fenced_behind", "race", "last_block", 0,
     "no __threadfence() follows that atomic", true},
    {"order_flags", "lock_not_fenced_behind", "race", "locked", 0, kBlocks},
    {"order_flags", "lock_not_fenced_before_release", "race", "locked", 0, kBlocks},
    {"order_flags", "atomics_of_the_block_across_blocks", "race", "count_in_block", 0, "(its scope)"},
    {"order_flags", "one_value_by_many_threads", "same_value_race", "set_flag", 0,
     "both write the same value", true},
    {"order_flags", "one_value_by_two_blocks", "same_value_race", "set_flag", 0, "both write the same value",
     true},
    {"order_flags", "two_values_by_two_blocks", "race", "set_flag", 0, kBlocks},

    // The copy engine and textures.
    {"order_copies", "sound_bulk_load_of_written", nullptr, nullptr, 0},
    {"order_copies", "sound_bulk_store_passed_on", nullptr, nullptr, 0},
    {"order_copies", "sound_bulk_store_read_back", nullptr, nullptr, 0},
    {"order_copies", "sound_bulk_stores_apart", nullptr, nullptr, 0},
    {"order_copies", "sound_bulk_additions", nullptr, nullptr, 0},
    {"order_copies", "sound_bulk_stages", nullptr, nullptr, 0},
    {"order_copies", "sound_texture_of_an_earlier_kernel", nullptr, nullptr, 0},
    {"order_copies", "sound_surface_writes_apart", nullptr, nullptr, 0},
    {"order_copies", "bulk_load_before_the_barrier", "race", "copied_in", 0, "the copy engine takes part"},
    {"order_copies", "source_overwritten_too_early", "race", "copied_in", 0, "has not been waited for"},
    {"order_copies", "bulk_store_not_waited_for", "race", "copied_out", 0, "has not been waited for"},
    {"order_copies", "bulk_store_only_read", "race", "copied_out", 0, "has not been waited for"},
    {"order_copies", "bulk_store_read_too_early", "race", "read_back", 0, "has not been waited for"},
    {"order_copies", "bulk_stores_to_one_place", "race", "stored", 0, "bulk copy"},
    {"order_copies", "texture_of_the_same_kernel", "race", "fetch", 0, kBlocks},
    {"order_copies", "surface_writes_to_one_place", "race", "write_surface", 0, kBlocks},
};
