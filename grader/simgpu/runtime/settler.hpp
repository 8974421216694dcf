/// @file
/// For who touches memory that is closed ahead of an answer (closed_pages.hpp): a thread of the library's asks the device, since in the
/// handler of a fault nobody can. It begins with the first launch that is not waited for although host memory is shared.
#pragma once

namespace simgpu::runtime {

class Runtime;

/// Begins that thread, once. Under the lock of the API.
void begin_settler(Runtime& runtime);

/// For the handler: waits until the device has carried out what it was sent, and the client has closed and opened what it then said.
/// @return false: this thread holds the lock of the API, or the process is another's child, and nobody can ask for it. Async-signal-safe.
bool wait_until_settled() noexcept;

}  // namespace simgpu::runtime
