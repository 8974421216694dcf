/// @file
/// SIMGPU_REPORT=text|json[:path]: the report of the whole program when it ends, without any change to the program.
#pragma once

namespace simgpu::runtime {

/// Registers the writer with atexit if the environment asks for a report.
void register_exit_report();

}  // namespace simgpu::runtime
