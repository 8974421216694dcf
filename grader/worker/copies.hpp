/// @file
/// Bytes in and out of buffers of every memory kind: from images, whose rows lie side by side, to memory, whose rows may lie apart, and back.
#pragma once

#include <cstddef>
#include <string>

#include "worker/memory.hpp"

namespace course::worker {

/// Whether a copy is done when the call returns, or queued on the default stream. (Its source may be used again either way: bytes of
/// pageable memory are staged first.)
enum class copy_is { done, queued };

/// Copies image bytes [offset, offset + bytes) into an allocation. @return an empty text, or the runtime's error.
std::string copy_in(const allocation& to, std::size_t offset, const void* from, std::size_t bytes,
                    copy_is when = copy_is::done);
/// Copies image bytes out of an allocation. @return an empty text, or the runtime's error.
std::string copy_out(void* to, const allocation& from, std::size_t offset, std::size_t bytes);
/// Copies the whole image of an allocation to another one of the same image. @return an empty text, or the runtime's error.
std::string copy_between(const allocation& to, const allocation& from);

}  // namespace course::worker
