/// @file
/// A launch that can stand still and be continued.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "simgpu/exec/executor.hpp"

namespace simgpu::exec {

/// A launch. A kernel all of whose threads look at words of memory that nobody changes waits for somebody
/// else: the host, a copy, another kernel. It is continued once one of those words has changed.
class Run {
 public:
  enum class State : std::uint8_t { ended, waiting };
  enum class Patience : std::uint8_t {
    brief,    ///< stands still as soon as it seems to wait for somebody else
    patient,  ///< ... when it has tried for long; a count of tries may have run out meanwhile
    full,     ///< ... and looking at the clock has not helped either: time leaps for it
  };

  /// @param observers told of every access, in order; may be empty. They, @p memory and @p findings must outlive this object.
  Run(Launch launch, memory::DeviceMemory& memory, std::vector<observe::Observer*> observers,
      observe::Findings& findings, Services services);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Begins or continues. Data faults are reported to the findings and end the launch; nothing is thrown for what a kernel
  /// does, however broken. What one has executed while it waited is not counted if it is then continued briefly.
  State go_on(Patience patience);
  /// Of one that waits: whether a word that it looks at has changed.
  bool may_go_on() const;
  /// Of one that waits: whether it looks at memory that somebody else could write at all.
  bool looks_at_memory() const;
  /// One that waits ends with a `deadlock` finding. @param more is said after what waits where.
  void give_up(const std::string& more, bool warning = false);
  /// Of one that waits: file and line at which it looks at memory; no file and 0 if they are not known.
  std::pair<std::string, std::uint32_t> place() const;
  /// Its blocks that hold a place, per SM.
  std::vector<std::uint32_t> resident_blocks() const;
  /// Of one that waits: whether it looks at a clock meanwhile.
  bool looks_at_clock() const;
  /// Its clocks leap. [cycles]
  void leap(std::uint64_t cycles);
  /// All leaps so far: time that passed while nothing could happen. [cycles]
  std::uint64_t cycles_leapt() const;
  /// Warp instructions so far, those of waiting loops included.
  std::uint64_t instructions() const;
  /// Once it has ended.
  Result take_result();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace simgpu::exec
