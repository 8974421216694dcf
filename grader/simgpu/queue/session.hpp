/// @file
/// What may follow what: the rules of runtime/queue.md that need to know what was said before. A device in a process of its own asks it about each
/// command before it carries it out, and tells it what it has answered.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simgpu/queue/answer.hpp"
#include "simgpu/queue/command.hpp"

namespace simgpu::queue {

class Session {
 public:
  static constexpr std::uint32_t kVersion = 1, kMostDevices = 16;
  /// Of a graph.
  static constexpr std::uint32_t kMostNodes = 1u << 20;
  static constexpr std::uint32_t kMostConditions = 1u << 20;
  /// Of what is passed in pieces, all together.
  static constexpr std::uint64_t kMostPassed = std::uint64_t{1} << 37;

  /// @param staging_bytes of the pages that both sides map for ordinary memory
  explicit Session(std::uint64_t staging_bytes) : staging_bytes_(staging_bytes) {}

  /// Judges @p command and, if it is sound, takes note of what it begins and ends.
  /// @return a sentence about what is wrong: then the connection ends.
  std::optional<std::string> admit(const Command& command);

  // --- what the device answers, and what it says unasked ---
  /// An *allocate* gave these bytes.
  void allocated(Allocate::Kind kind, std::uint64_t address, std::uint64_t bytes);
  /// A *load* of @p module went well: its kernels take parameters of these sizes, and its variables lie at these. [bytes]
  void loaded(Id module, std::vector<std::uint64_t> parameter_bytes,
              const std::vector<Loaded::Variable>& variables = {});
  /// An *object* has this handle.
  void made(Object::What what, std::uint64_t handle);
  /// A *closed* named ranges of these ids, the largest of which is this.
  void closed(std::uint64_t largest_id) { closed_ = std::max(closed_, largest_id); }
  /// A stream has come to this marker.
  void reached(std::uint64_t token);

  /// The grader has changed the number of devices. Those that are added or go have a legacy stream each.
  void set_devices(std::uint32_t count);

 private:
  struct Range {
    std::uint64_t end = 0;
    bool device = false;  ///< else pages that both sides map
    bool mapping = false;
    std::uint32_t of = 0;  ///< the device whose *reset* takes it back
    Id module = 0;         ///< whose variable it is; 0: nobody's
  };
  class Judge;

  bool within(bool device, std::uint64_t address, std::uint64_t bytes) const;

  std::uint64_t staging_bytes_;
  std::uint64_t sequence_ = 0;
  std::uint64_t closed_ = 0;  ///< the largest id that a *closed* has named
  bool greeted_ = false, gone_ = false;
  std::uint32_t devices_ = 0;
  std::map<std::uint64_t, Range> ranges_;  ///< by begin; apart from each other
  std::map<Id, std::uint32_t> streams_;    ///< to their device
  std::map<Id, std::vector<std::uint64_t>> modules_;
  std::uint32_t allocates_on_ = 0;  ///< the device of the *allocate* that is being answered
  std::set<Id> events_;
  std::set<Id> conditions_;
  std::set<std::pair<Object::What, std::uint64_t>> objects_;
  std::map<std::uint64_t, bool> tokens_;            ///< to whether it was reached
  std::uint64_t passed_ = 0;                        ///< bytes that wait for the command that takes them
  std::map<std::uint64_t, std::uint64_t> brought_;  ///< by a copy's sequence: bytes to be fetched
  /// One that runs.
  struct RunningGraph {
    Id stream = 0;
    std::uint32_t nodes = 0;
    std::set<std::uint32_t> placed;
    std::optional<std::uint32_t> inside;  ///< the node that is carried out
  };
  std::vector<RunningGraph> graphs_;  ///< the innermost last
};

}  // namespace simgpu::queue
