/// @file
/// What happens when the program ends, without any change to it. SIMGPU_REPORT=text|json|trace[:path]: the report of the whole
/// program. SIMGPU_ERROR_EXITCODE=N: a program that would end well ends with N if an error was found, so that CI sees it.
#pragma once

namespace simgpu::runtime {

/// Registers the handler if the environment asks for one of them. An error in the sense of the exit code is a finding that is no
/// warning, of those that the program did not take itself (simgpu_take_report: what it does about them is its own affair).
void register_exit_report();

}  // namespace simgpu::runtime
