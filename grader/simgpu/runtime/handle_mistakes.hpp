/// @file
/// What a program is told that uses a handle behind its end, or one that never was: the error alone does not even say which argument it
/// is about. Whoever looks for something by its handle says so here if there is no such thing; if the call then fails, a sentence is made
/// of it.
///
/// For calls under the lock of the API.
#pragma once

#include <cstdint>
#include <string>

namespace simgpu::runtime {

enum class Handle : std::uint8_t { stream, event, graph, instance, node, pool, symbol, kernel };

/// There is such a thing from now on: another of its kind may have had the same handle.
void handle_made(Handle kind, const void* handle);
/// It has been destroyed.
void handle_destroyed(Handle kind, const void* handle);
/// It was looked for in vain.
void handle_missed(Handle kind, const void* handle);
/// A call begins: what an earlier one has missed is no concern of its.
void forget_missed_handles();
/// @param call that has failed
/// @return a sentence for the report about the first handle that it has missed; empty if it has missed none.
std::string handle_mistake(const char* call);

}  // namespace simgpu::runtime
