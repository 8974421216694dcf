/// @file
/// What the device answers and says, as plain data. Which command has which answer stands beside the command (command.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "simgpu/queue/command.hpp"

namespace simgpu::queue {

struct Allocated {
  std::uint64_t address = 0;
  std::uint32_t number = 0;  ///< under which reports list it
  friend bool operator==(const Allocated&, const Allocated&) = default;
};

/// What host code may ask about device code.
struct Loaded {
  struct Parameter {
    std::uint64_t offset = 0, bytes = 0;
    friend bool operator==(const Parameter&, const Parameter&) = default;
  };
  struct Kernel {
    std::string name;  ///< mangled
    std::vector<Parameter> parameters;
    std::uint64_t parameter_bytes = 0;
    std::optional<Dim> most_threads, exact_threads, cluster;  ///< as it was compiled for
    friend bool operator==(const Kernel&, const Kernel&) = default;
  };
  struct Variable {
    enum class Kind : std::uint32_t { global, constant, managed };
    std::string name;
    Kind kind = Kind::global;
    Allocated where = {};
    std::uint64_t bytes = 0;
    friend bool operator==(const Variable&, const Variable&) = default;
  };
  std::string problem;  ///< why it cannot be loaded, in a sentence; then all else is empty
  std::vector<Kernel> kernels;
  std::vector<Variable> variables;
  std::uint64_t constant_bytes = 0;  ///< of all `__constant__` variables
  friend bool operator==(const Loaded&, const Loaded&) = default;
};

/// What a kernel takes of an SM.
struct Footprint {
  std::uint32_t registers = 0;  ///< per thread, as reported or assumed
  std::optional<std::uint32_t> known_registers = {};
  std::uint32_t spill_bytes = 0;
  std::uint32_t stack_bytes = 0;  ///< known if the registers are
  std::uint32_t static_shared = 0;
  std::uint32_t local_bytes = 0;
  std::uint32_t max_threads = 1024;  ///< a block of this kernel can have
  friend bool operator==(const Footprint&, const Footprint&) = default;
};

/// A texture or surface object's, as kernels get it.
struct Handle {
  std::uint64_t value = 0;
  friend bool operator==(const Handle&, const Handle&) = default;
};

/// Whether a stream or an event is done, by the modelled clock.
struct Ready {
  bool value = false;
  friend bool operator==(const Ready&, const Ready&) = default;
};

struct Seconds {
  double value = 0;
  friend bool operator==(const Seconds&, const Seconds&) = default;
};

/// Of a condition.
struct Value {
  std::uint32_t value = 0;
  friend bool operator==(const Value&, const Value&) = default;
};

/// What stands in an answer, in order of the numbers by which records name it.
using AnswerBody = std::variant<std::monostate, Allocated, Loaded, Footprint, Handle, Ready, Seconds, Value>;

struct Answer {
  std::uint32_t status = 0;  ///< device::Status, which numbers errors as a `cudaError_t` does
  AnswerBody body = {};
  friend bool operator==(const Answer&, const Answer&) = default;
};

// --- What the device says unasked. ---

/// A stream has come to a marker: it stands still until the client says *done*.
struct Reached {
  std::uint64_t token = 0;
  friend bool operator==(const Reached&, const Reached&) = default;
};
/// What kernels printed, for the program's own output.
struct Said {
  std::string text;
  friend bool operator==(const Said&, const Said&) = default;
};
/// A kernel of this device has been stopped, or has gone on after a mistake.
struct Fault {
  std::uint32_t device = 0, status = 0;  ///< status 0: it has gone on
  std::string why;                       ///< a sentence; empty where the kernel has spoken for itself
  friend bool operator==(const Fault&, const Fault&) = default;
};

/// Pages that the host and unfinished work have in common: these are closed to the host from now on, and no others. Comes before the
/// answer of the command that changed it.
struct Closed {
  static constexpr std::uint32_t kMostRanges = 256;
  struct Range {
    std::uint64_t id = 0;              ///< whose touch it would be: Touched says it again
    std::uint64_t begin = 0, end = 0;  ///< whole pages, of memory that was allocated for both sides
    bool written = false;              ///< by the work; else it only reads them, and so may the host
    friend bool operator==(const Range&, const Range&) = default;
  };
  std::vector<Range> ranges;
  friend bool operator==(const Closed&, const Closed&) = default;
};

/// The connection ends here, because the client has broken the grammar: why, in a sentence.
struct Ended {
  std::string why;
  friend bool operator==(const Ended&, const Ended&) = default;
};

/// Anything that comes from the device. `sequence` is that of the command that an answer answers, and 0 of what is said unasked.
struct Message {
  std::uint64_t sequence = 0;
  std::variant<Answer, Reached, Said, Fault, Closed, Ended> body = {};
  bool busy = false;  ///< of an answer: something stands still, or in line behind that
  friend bool operator==(const Message&, const Message&) = default;
};

}  // namespace simgpu::queue
