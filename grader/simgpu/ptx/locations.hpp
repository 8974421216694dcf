/// @file
/// From `.loc` directives to the line that a student knows.
///
/// An instruction that came out of a toolkit header (`__shfl_sync`, cooperative groups) is charged to the
/// line that called into the header, along the `inlined_at` chain. A location in the student's own code stays
/// as it is, inlined or not.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "simgpu/ptx/module.hpp"

namespace simgpu::ptx {

/// @return whether @p path is a header that came with the toolkit or the system, judging by where it lies.
bool is_system_header(std::string_view path) noexcept;

/// All `.loc` directives of a text. nvcc writes `.file` at the text's end, so locations are settled when all
/// is read.
class Locations {
 public:
  struct Position {
    std::uint32_t file = 0, line = 0, column = 0;
    auto operator<=>(const Position&) const = default;
  };

  /// @param inlined_at where the function that holds @p position was called; file 0 if it was not inlined.
  /// @return the number by which settle() knows it, from 1.
  std::uint32_t add(Position position, Position inlined_at);

  /// Forgets what earlier functions inlined, so that chains do not cross functions.
  void begin_function() { latest_.clear(); }

  /// @return for each number the location to report; number 0 is unknown.
  std::vector<SourceLocation> settle(const Module& module) const;

 private:
  struct Entry {
    Position position, inlined_at;
    std::uint32_t parent = 0;  ///< number of the entry at `inlined_at`, 0 if none was written
  };
  std::vector<Entry> entries_;
  std::map<Position, std::uint32_t> latest_;
};

}  // namespace simgpu::ptx
