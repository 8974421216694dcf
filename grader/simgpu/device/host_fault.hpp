/// @file
/// Host code that reads or writes through a device pointer faults, as on hardware; here it is also told why.
#pragma once

#include "simgpu/memory/device_memory.hpp"

namespace simgpu::device {

/// Installs a SIGSEGV/SIGBUS handler that prints one sentence if the address is @p memory's, then lets the fault take its
/// usual course (an earlier handler, else the default action).
void install_host_fault_handler(const memory::DeviceMemory& memory);

/// Whether a fault would come to that handler: the program may have set one of its own since.
bool host_faults_come_here();

}  // namespace simgpu::device
