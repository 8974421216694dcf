/// @file
/// What a program (or the course's worker) may ask the simulated GPU beyond the CUDA runtime's API. Plain C, no CUDA headers.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// Changes how the following launches are run.
/// @param json an object with any of:
///   "checks": bool - races, uninitialised reads, leaks (bounds and alignment are always checked); default true
///   "order": "forward" | "reversed" - order of blocks and warps; default "forward"
///   "warp_instruction_limit": integer - per launch; 0 for none; default 4e9
///   "timing": bool - sample block times for the latency part of the model, and the bytes that threads have in flight; default true
///   "fail": [{"call": "cudaMalloc", "nth": 2, "error": 2}, ...] - the nth call of that name from now on (default: the first) does
///     nothing and returns this cudaError_t (default: cudaErrorUnknown); replaces the list of before, [] empties it
///   "devices": integer, 1 to 16 - simulated GPUs, all with peer access; default 1, or SIMGPU_DEVICES. There can be fewer only while
///     those that go hold nothing: no memory, streams, events or kernels
/// @return 0, or -1 if the text is not such an object (nothing is changed then).
int simgpu_configure(const char* json);

/// Everything seen since the last call (or the start): launches with counters and modelled time, findings, API calls, live
/// allocations. JSON, schema "simgpu.report/2" (grader/simgpu/report/schema.md).
/// Where a grader has started the device (SIMGPU_DOOR) it takes the report itself: then this is the part that only the program's side
/// knows, calls by name, errors and handles alive, as the grader's channel wants it.
/// @return a text that stays valid until the next call; never null.
const char* simgpu_take_report(void);

/// The number under which reports list the allocation that @p pointer points into ("buffers" of a launch).
/// @return -1 if it points into none that the simulator knows: the program's own memory, or freed memory.
long long simgpu_allocation_of(const void* pointer);

#ifdef __cplusplus
}
#endif
