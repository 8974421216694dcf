/// @file
/// Begins a thread of the library's in the program: it gets no signals, and nobody takes it for one of the program's.
#pragma once

#include <functional>

namespace simgpu::runtime {

void begin_own_thread(std::function<void()> run);

}  // namespace simgpu::runtime
