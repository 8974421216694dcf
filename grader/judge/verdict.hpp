/// @file
/// The words with which the judge answers. Both sets are closed: whoever reads result files can rely on them.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace course {

/// What became of an exercise. Only `pass` passes; missing, unsupported_device and inconclusive count as
/// skipped.
enum class verdict {
  pass,                 ///< right, idea gates met, pass gate met
  not_attempted,        ///< no output is written and nothing was tried
  missing,              ///< the tree has no such file
  compile_error,        ///< nvcc refuses it, or it cannot be loaded
  wrong_result,         ///< runs, and the output (or the way to it) is wrong
  out_of_bounds,        ///< touches memory outside its buffers, freed memory, or misaligned addresses
  race,                 ///< threads touch the same memory without order
  crashed,              ///< the program ends itself or is ended by a signal
  timeout,              ///< does not come to an end
  wasteful,             ///< right and fast enough, but an idea gate is missed
  too_slow,             ///< right, but below the pass gate
  inconclusive,         ///< the machine was too noisy to decide; never counts against anybody
  unsupported_device,   ///< this device cannot run the exercise
  unsupported_feature,  ///< the simulated GPU lacks an instruction or a call that the program uses
  harness_error,        ///< our fault, or the installation's
};

/// @return the word of @p which, as result files hold it.
std::string_view name_of(verdict which);
/// @return true for verdicts that CTest shall show as skipped.
bool counts_as_skipped(verdict which);

/// A second word that refines a verdict. Empty where the verdict says all.
namespace cause {
inline constexpr std::string_view none = "";
// compile_error (the first ones are the builder's, in its records)
inline constexpr std::string_view compile_timeout = "compile_timeout";
inline constexpr std::string_view forbidden_symbol = "forbidden_symbol";
inline constexpr std::string_view forbidden_include = "forbidden_include";
inline constexpr std::string_view undefined_symbol = "undefined_symbol";
inline constexpr std::string_view missing_function = "missing_function";
inline constexpr std::string_view empty_file = "empty_file";
inline constexpr std::string_view not_text = "not_text";
inline constexpr std::string_view too_large = "too_large";
// wrong_result
inline constexpr std::string_view mismatch = "mismatch";                  ///< values differ
inline constexpr std::string_view output_unwritten = "output_unwritten";  ///< elements still hold the poison
inline constexpr std::string_view inputs_modified = "inputs_modified";
inline constexpr std::string_view non_finite = "non_finite";  ///< NaN or infinity where a number is expected
inline constexpr std::string_view launch_failed = "launch_failed";  ///< a kernel never started
inline constexpr std::string_view runtime_error = "runtime_error";  ///< a CUDA call failed
inline constexpr std::string_view uninitialised_read = "uninitialised_read";
inline constexpr std::string_view wrong_at_timed_size = "wrong_at_timed_size";
inline constexpr std::string_view wrong_on_second_call = "wrong_on_second_call";
inline constexpr std::string_view work_off_device = "work_off_device";    ///< the kernels did not do the work
inline constexpr std::string_view faster_than_roof = "faster_than_roof";  ///< less time than the memory needs
inline constexpr std::string_view background_thread =
    "background_thread";  ///< threads left running after the call
inline constexpr std::string_view missing_wait =
    "missing_wait";  ///< asynchronous data read before they arrived
// out_of_bounds
inline constexpr std::string_view misaligned = "misaligned";
inline constexpr std::string_view use_after_free = "use_after_free";
inline constexpr std::string_view guard_zone = "guard_zone";  ///< bytes beside a buffer were overwritten
// race, timeout
inline constexpr std::string_view divergent_barrier = "divergent_barrier";
inline constexpr std::string_view order_dependent =
    "order_dependent";  ///< another order of blocks, another result
inline constexpr std::string_view deadlock = "deadlock";
inline constexpr std::string_view endless_loop = "endless_loop";
inline constexpr std::string_view too_much_slower =
    "too_much_slower";  ///< more than 5 x the reference: not measured further
// crashed
inline constexpr std::string_view segmentation_fault = "segmentation_fault";
inline constexpr std::string_view abort = "abort";
inline constexpr std::string_view other_signal = "signal";
inline constexpr std::string_view early_exit = "early_exit";  ///< the program ended the process itself
inline constexpr std::string_view protocol_violation =
    "protocol_violation";  ///< something wrote into the grader's channel
inline constexpr std::string_view device_assert = "device_assert";
inline constexpr std::string_view device_trap = "device_trap";
// too_slow, wasteful
inline constexpr std::string_view uncoalesced = "uncoalesced";
inline constexpr std::string_view bank_conflicts = "bank_conflicts";
inline constexpr std::string_view repeated_loads =
    "repeated_loads";                                             ///< the same bytes loaded again and again
inline constexpr std::string_view local_memory = "local_memory";  ///< spills or arrays indexed at run time
inline constexpr std::string_view atomics = "atomics";
inline constexpr std::string_view latency = "latency";            ///< too few bytes in flight
inline constexpr std::string_view occupancy = "occupancy";        ///< too few resident warps
inline constexpr std::string_view small_blocks = "small_blocks";  ///< bound by starting blocks
inline constexpr std::string_view instructions = "instructions";  ///< bound by instruction issue
inline constexpr std::string_view extra_traffic =
    "extra_traffic";  ///< more bytes to and from memory than needed
inline constexpr std::string_view unknown_bottleneck = "unknown_bottleneck";
// inconclusive
inline constexpr std::string_view noise = "noise";  ///< the interval straddles the gate
inline constexpr std::string_view unstable_reference =
    "unstable_reference";  ///< the reference differs from itself
inline constexpr std::string_view clock_mismatch =
    "clock_mismatch";  ///< events and the judge's clock disagree
// unsupported_device
inline constexpr std::string_view no_kernel_image = "no_kernel_image";  ///< built for other GPUs
inline constexpr std::string_view no_device = "no_device";
inline constexpr std::string_view not_enough_memory = "not_enough_memory";
// unsupported_feature
inline constexpr std::string_view unsupported_instruction = "unsupported_instruction";
inline constexpr std::string_view unsupported_call = "unsupported_call";
}  // namespace cause

/// Where in the student's file; line 0: unknown.
struct location {
  std::string file;
  unsigned line = 0;
};

}  // namespace course
