/// @file
/// The program's threads, as either side counts them: whether somebody could still act while one of them waits. The client's library
/// has threads of its own in the program, which act for nobody; they are known by their name.
#pragma once

namespace simgpu::link {

/// What a thread of the library's is called. [at most 15 characters]
inline constexpr const char* kOwnThread = "simgpu-own";

/// @param process 0: the calling one
/// @return its threads but the library's own; 1 if the system does not tell.
int threads_of_program(int process = 0);

}  // namespace simgpu::link
