/// @file
/// What the programs must be told whose flags pass nothing on, between kernels and to the host (order_telling.cu), and whose kernels do not wait
/// for the one that they may begin before (order_programmatic.cu); their sound twins, nothing.
#pragma once

#include "expectations.hpp"

inline constexpr const char* kNotWaited = "Call cudaGridDependencySynchronize() (griddepcontrol.wait) first";
inline constexpr const char* kUnfenced = "behind a __threadfence_system() (one of the device is too narrow)";

inline constexpr Expectation kTellingExpectations[] = {
    {"order_telling", "sound_producer_first", nullptr, nullptr, 0},
    {"order_telling", "sound_consumer_first", nullptr, nullptr, 0},
    {"order_telling", "sound_relay_in_order", nullptr, nullptr, 0},
    {"order_telling", "sound_relay_backwards", nullptr, nullptr, 0},
    {"order_telling", "sound_relay_from_the_middle", nullptr, nullptr, 0},
    {"order_telling", "sound_kernel_tells_host", nullptr, nullptr, 0},
    {"order_telling", "sound_flag_says_how_far_it_is", nullptr, nullptr, 0},
    {"order_telling", "sound_next_kernel_tells_host", nullptr, nullptr, 0},
    {"order_telling", "sound_waiting_kernel_tells_host", nullptr, nullptr, 0},
    {"order_telling", "sound_word_is_waited_for", nullptr, nullptr, 0},
    {"order_telling", "relaxed_store", "race", "passed", 0, "nothing that orders the two"},
    {"order_telling", "relaxed_store_consumer_first", "race", "passed", 0, "nothing that orders the two"},
    {"order_telling", "relaxed_load_consumer_first", "race", "passed", 0, "nothing that orders the two"},
    {"order_telling", "host_told_without_fence", "race", "told", 0, kUnfenced},
    {"order_telling", "host_told_with_fence_of_device", "race", "told", 0, kUnfenced},
    {"order_telling", "word_is_read_too_early", "race", nullptr, 0,
     "The host reads byte 0 of an allocation of 256 bytes of pinned memory, which cudaMemcpyAsync"},

    {"order_programmatic", "sound_all_wait", nullptr, nullptr, 0},
    {"order_programmatic", "sound_one_waits_for_its_block", nullptr, nullptr, 0},
    {"order_programmatic", "sound_next_is_not_let", nullptr, nullptr, 0},
    {"order_programmatic", "sound_host_waits_between", nullptr, nullptr, 0},
    {"order_programmatic", "sound_copy_between", nullptr, nullptr, 0},
    {"order_programmatic", "sound_ordinary_launch", nullptr, nullptr, 0},
    {"order_programmatic", "sound_steps", nullptr, nullptr, 0},
    {"order_programmatic", "sound_waits_in_a_graph", nullptr, nullptr, 0},
    {"order_programmatic", "one_waits_without_barrier", "race", "primary", 0, kNotWaited},
    {"order_programmatic", "waits_too_late", "race", "primary", 0, kNotWaited},
    {"order_programmatic", "waits_never", "race", "primary", 0,
     "it was launched to begin before that one has ended"},
    {"order_programmatic", "writes_before_waiting", "race", "primary", 0, kNotWaited},
    {"order_programmatic", "every_other_step_waits", "race", "step", 0, kNotWaited},
    {"order_programmatic", "waits_never_in_a_graph", "race", "primary", 0, kNotWaited},
};
