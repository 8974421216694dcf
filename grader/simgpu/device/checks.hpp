/// @file
/// Which checks are made. Bounds, alignment and what makes a kernel stop are no checks in this sense: they are always found.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace simgpu::device {

struct Checks {
  bool races = true;          ///< two threads of a kernel with no order between them; shuffles from nowhere
  bool uninitialised = true;  ///< reads of what nobody wrote
  bool streams = true;        ///< work of different streams, and the host, with no order between them
  bool leaks = true;          ///< what is still allocated when the program ends
  static Checks all(bool on) { return {on, on, on, on}; }
};

/// Reads "on", "off" (also 1, 0), or the words of checks.def with commas: those and no others.
/// @return nothing where a word is unknown.
std::optional<Checks> checks_of(std::string_view text);
/// "on, off, or some of races, uninitialised, ... with commas between": for the sentence about an unknown word.
std::string checks_known();

}  // namespace simgpu::device
