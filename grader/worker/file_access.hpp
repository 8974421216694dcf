/// @file
/// Which files a worker keeps (Landlock): its own plugin, the machine's libraries, what the C library and the
/// driver ask the kernel, and the GPU's device nodes. Not the other plugins - the reference is one - nor
/// solutions, results, homes. Nothing but devices can be written.
#pragma once

#include <filesystem>

namespace course::worker {

/// Keeps what a program in @p plugin needs, for this thread and all that it starts. Call it before the plugin
/// is loaded. Threads that the driver has started already keep what they have.
/// @param simulated without the driver's files and devices.
/// @return false where the kernel has no Landlock; then nothing has changed.
bool keep_needed_files(const std::filesystem::path& plugin, bool simulated);

}  // namespace course::worker
