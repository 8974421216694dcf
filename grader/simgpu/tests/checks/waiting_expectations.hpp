/// @file
/// What the programs must be told in which a kernel waits for somebody who can never act (order_waiting.cu); their sound twins,
/// nothing.
#pragma once

#include "expectations.hpp"

inline constexpr Expectation kWaitingExpectations[] = {
    {"order_waiting", "sound_host_raises_mapped_flag", nullptr, nullptr, 0},
    {"order_waiting", "sound_host_raises_managed_flag", nullptr, nullptr, 0},
    {"order_waiting", "sound_host_writes_data_and_flag", nullptr, nullptr, 0},
    {"order_waiting", "sound_stream_is_asked", nullptr, nullptr, 0},
    {"order_waiting", "sound_mailbox", nullptr, nullptr, 0},
    {"order_waiting", "sound_other_host_thread", nullptr, nullptr, 0},
    {"order_waiting", "sound_other_host_thread_calls", nullptr, nullptr, 0},
    {"order_waiting", "sound_copy_raises_flag", nullptr, nullptr, 0},
    {"order_waiting", "sound_copy_brings_data_and_flag", nullptr, nullptr, 0},
    {"order_waiting", "sound_set_raises_flag", nullptr, nullptr, 0},
    {"order_waiting", "sound_default_stream_beside_a_non_blocking_one", nullptr, nullptr, 0},
    {"order_waiting", "sound_producer_first", nullptr, nullptr, 0},
    {"order_waiting", "sound_consumer_first", nullptr, nullptr, 0},
    {"order_waiting", "sound_ping_pong", nullptr, nullptr, 0},
    {"order_waiting", "sound_host_function_releases", nullptr, nullptr, 0},
    {"order_waiting", "sound_graph_releases", nullptr, nullptr, 0},
    {"order_waiting", "sound_event_behind_it", nullptr, nullptr, 0},
    {"order_waiting", "sound_copies_behind_it", nullptr, nullptr, 0},
    {"order_waiting", "sound_host_function_behind_it", nullptr, nullptr, 0},
    {"order_waiting", "sound_memory_behind_it", nullptr, nullptr, 0},
    {"order_waiting", "sound_graph_behind_it", nullptr, nullptr, 0},
    {"order_waiting", "sound_stream_destroyed_meanwhile", nullptr, nullptr, 0},
    {"order_waiting", "sound_plain_flag_raised_before", nullptr, nullptr, 0},
    {"order_waiting", "sound_gives_up_in_the_end", nullptr, nullptr, 0},
    {"order_waiting", "sound_gives_up_while_asked", nullptr, nullptr, 0},

    {"order_waiting", "plain_flag_raised_by_the_host", "runaway", "looks_once", 702,
     "the compiler has read that once, before the loop"},
    {"order_waiting", "plain_flag_raised_by_another_stream", "runaway", "looks_once", 702, "that never ends"},

    {"order_waiting", "host_waits_first", "deadlock", "waits", 702,
     "Kernel waits on the default stream waits for somebody else to change it: the host waits in "
     "cudaDeviceSynchronize, and has no other thread"},
    {"order_waiting", "host_waits_for_the_event_first", "deadlock", "waits", 702,
     "the host waits in cudaEventSynchronize"},
    {"order_waiting", "released_by_the_same_stream", "deadlock", "waits", 702,
     "cudaMemsetAsync on stream 1 cannot begin: work of one stream runs in order"},
    {"order_waiting", "released_by_the_default_stream", "deadlock", "waits", 702,
     "Kernel raises on the default stream cannot begin before the work on stream 1 is done: the default "
     "stream and "
     "blocking streams wait for each other"},
    {"order_waiting", "released_by_a_blocking_copy", "deadlock", "waits", 702,
     "cudaMemcpy on the default stream cannot begin before the work on stream 1 is done"},
    {"order_waiting", "no_place_beside_it", "deadlock", "waits", 702,
     "Kernel fills_the_device on stream 2 cannot begin: its blocks find no place on the SMs"},
    {"order_waiting", "event_behind_what_waits", "deadlock", "waits", 702,
     "cudaStreamWaitEvent on stream 2 waits for an event that is recorded behind work which is not done"},
    {"order_waiting", "two_wait_for_each_other", "deadlock", "waits", 702,
     "Kernel follows on stream 2 waits as well, at order_waiting.cu:"},
    {"order_waiting", "memory_is_freed_first", "deadlock", "waits", 702, "the host waits in cudaFree"},
    {"order_waiting", "other_thread_sleeps", "deadlock", "waits", 702,
     "its other threads have not done it for 10 s"},
    {"order_waiting", "node_of_a_graph", "deadlock", "waits", 702,
     "As a node of a graph it has to end before the call returns here"},
};
