/// @file
/// What the programs must be told that use handles which are none (order_handles.cu), beside CUDA's error.
#pragma once

#include "expectations.hpp"

/// @param error that the call returns, and the program sees in the end
constexpr Expectation bad_handle(const char* name, int error, const char* says) {
  return {"order_handles", name, "bad_call", nullptr, error, says, true, error};
}

inline constexpr Expectation kHandleExpectations[] = {
    {"order_handles", "sound_destroyed_behind_the_last_use", nullptr, nullptr, 0},
    {"order_handles", "sound_made_again", nullptr, nullptr, 0},
    bad_handle("kernel_into_destroyed_stream", 400,
               "cudaLaunchKernel was given a stream that has been destroyed before (cudaStreamDestroy)"),
    bad_handle("copy_into_destroyed_stream", 400,
               "cudaMemsetAsync was given a stream that has been destroyed"),
    bad_handle("destroyed_stream_waited_for", 400, "destroy it behind its last use"),
    bad_handle("stream_destroyed_twice", 400, "has been destroyed already: destroy it once"),
    bad_handle("destroyed_event_recorded", 400,
               "cudaEventRecord was given an event that has been destroyed before (cudaEventDestroy)"),
    bad_handle("destroyed_event_waited_for", 400, "destroy it behind its last use"),
    bad_handle("null_event_recorded", 400,
               "was given a null handle for an event: make one first (cudaEventCreate)"),
    bad_handle("destroyed_graph_instantiated", 1,
               "a graph that has been destroyed before (cudaGraphDestroy)"),
    bad_handle("destroyed_instance_launched", 1,
               "cudaGraphLaunch was given an executable graph that has been destroyed before"),
    bad_handle("destroyed_node_joined", 1, "a node that has been destroyed before (cudaGraphDestroyNode"),
    bad_handle(
        "graph_in_a_circle", 1,
        "node 0 (empty) comes after node 2 (empty), that after node 1 (empty), that after node 0 (empty) "
        "again, so none of them can be the first"),
    bad_handle("node_before_itself", 1, "an edge from a node to itself"),
    bad_handle("edge_drawn_twice", 1, "an edge that is there already"),
    bad_handle("node_of_another_graph", 1, "a node of another graph"),
    bad_handle("copy_to_what_is_no_symbol", 13, "no __device__, __constant__ or __managed__ variable"),
    bad_handle("symbol_by_its_name", 13, "nor its name as text"),
    bad_handle("attributes_of_what_is_no_kernel", 400, "no __global__ function of this program"),
    {"order_handles", "sound_joined_side_of_a_capture_destroyed", nullptr, nullptr, 0},
    bad_handle("side_of_a_capture_destroyed_unjoined", 904,
               "The capture took in a second stream, and the first does not wait for it in the end"),
    bad_handle("captured_stream_destroyed", 0, "what has been captured is lost"),
};
