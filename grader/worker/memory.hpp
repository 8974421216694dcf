/// @file
/// Buffers of every memory kind: where one lies, how it comes to be there and goes again; also those whose memory the student's program owns
/// or whose rows it chose the distance of. What goes in and out of them is copies.hpp's.
#pragma once

#include <driver_types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "protocol/names.hpp"

namespace course::worker {

/// One allocation, as a request describes it, and where it lies now.
struct allocation {
  protocol::memory_kind kind = protocol::memory_kind::device;
  int device = 0;         ///< ordinal
  std::size_t bytes = 0;  ///< of its image
  void* pointer = nullptr;
  bool ours = true;           ///< false: the student's memory, or another set's
  std::size_t rows = 0;       ///< with a pitch: rows
  std::size_t row_bytes = 0;  ///< bytes of a row in the image
  std::size_t pitch = 0;      ///< bytes from row to row in memory; 0: side by side

  /// Host memory, which the host itself may touch without asking the runtime.
  bool on_host() const {
    return kind != protocol::memory_kind::device && kind != protocol::memory_kind::managed;
  }
  /// Without a row there is no distance between rows: such a buffer is the few bytes that give it an address.
  bool has_pitch() const { return pitch != 0 && rows != 0; }
  bool same_place(const allocation& other) const {
    return kind == other.kind && device == other.device && bytes == other.bytes && pitch == other.pitch &&
           rows == other.rows;
  }
};

/// The runtime's name and sentence for @p status; empty for success.
std::string error_text(cudaError_t status);

/// Makes the allocation that @p place describes, unless @p place.pointer is set already.
/// @return an empty text, or the runtime's error.
std::string provide(allocation& place);
/// Frees it if it is ours.
void release(allocation& place);

/// Moves the pages of managed memory to the host, where a timed call is to find them; queued, not waited for. Does nothing to other memory, nor
/// on devices whose pages move at each launch anyhow (ConcurrentManagedAccess is 0).
void bring_home(const allocation& what);
/// Writes to each page of managed memory from the host, what is there already. Under cudaMemAdviseSetReadMostly a page that came home has
/// its copy on the device still, until someone writes: a run that finds its inputs there measures no transfer. Nothing may be under way on
/// the pages.
void write_at_home(const allocation& what);

}  // namespace course::worker
