/// @file
/// Host code that reads or writes through a device pointer faults, as on hardware; here it is also told why, by what the client knows of
/// memory. And a fault in pages that are closed for a while is none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simgpu/runtime/allocations.hpp"

namespace simgpu::runtime {

/// Installs a SIGSEGV/SIGBUS handler that prints one sentence if the address is one of @p known, then lets the fault take its
/// usual course (an earlier handler, else the default action).
void install_host_fault_handler(const Allocations& known);

/// Whether a fault would come to that handler: the program may have set one of its own since.
bool host_faults_come_here();

/// A driver function that the program has asked for by name and did not get: a program that does not look at the answer calls a null
/// pointer next, which the handler can explain then.
void note_missing_driver_function(const char* name) noexcept;

/// Explains a fault of host code at @p address in one or two sentences, without a line end. Meant for a SIGSEGV handler: it allocates
/// nothing and takes no lock.
/// @param buffer receives the text, always NUL-terminated if @p size > 0.
/// @return length of the text; 0 if the address has nothing to do with a device (an ordinary fault).
std::size_t explain_host_fault(const Allocations& known, std::uint64_t address, char* buffer,
                               std::size_t size) noexcept;

}  // namespace simgpu::runtime
