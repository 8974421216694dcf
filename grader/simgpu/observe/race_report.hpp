/// @file
/// Turns conflicts into findings: one for each pair of instructions, with both threads and both lines, in
/// words for a student.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "simgpu/observe/observer.hpp"

namespace simgpu::observe {

/// One side of a conflict.
struct RaceParty {
  const Site* site = nullptr;
  AccessKind kind = AccessKind::load;
  std::uint64_t block = 0;   ///< linear
  std::uint32_t thread = 0;  ///< linear in the block
  bool copy = false;         ///< not the thread itself, but a bulk copy that it began
};

/// Two accesses that nothing orders.
struct Conflict {
  RaceParty now, earlier;
  Memory memory = Memory::global;
  std::uint64_t address = 0;  ///< of the word
  bool same_warp = false;     ///< lanes of one warp
  bool both_write = false;    ///< who reads the word writes it by the same instruction as the other
  /// What is particular about it.
  enum class Sort : std::uint8_t {
    plain,
    one_instruction,  ///< lanes write different values by one instruction: one of them survives. A warning
    same_value,       ///< both write the same: a finding of its own, a warning
    presumed,         ///< in order by all appearances, see Relation. A warning
    narrow_scope,     ///< both are atomic or otherwise strong, but not for each other
    not_made_yet,     ///< the earlier one initialises the mbarrier that this one uses
    may_have_ended,   ///< the other block need not be there any more: its memory goes with it
    no_proxy_fence,  ///< in order, but a bulk copy sees ordinary writes of its kernel only behind a fence for it
    read_only,       ///< in order, but the read goes by a way that does not see writes of its kernel
  } sort = Sort::plain;
};

/// Collects the conflicts of a launch.
class RaceReport {
 public:
  void begin_launch(const LaunchInfo& info);
  void add(const Conflict& conflict);
  /// The kernel has barriers of its own kinds: a missing one need not be a `__syncthreads()`.
  void uses_named_barriers() noexcept { named_ = true; }
  void uses_mbarriers() noexcept { mbarriers_ = true; }
  /// Hands over what was found, in order of first occurrence.
  void finish(Findings& findings);

 private:
  Finding describe(const Conflict& conflict) const;
  /// What the two did, which sentences on plain conflicts begin with.
  std::string facts_of(const Conflict& conflict, const Finding& finding) const;
  /// What is said of a conflict within a block, once all its barriers are known.
  std::string no_barrier() const;

  LaunchInfo launch_;
  bool named_ = false, mbarriers_ = false;
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool, bool, Conflict::Sort>, std::size_t>
      index_;  // sites, memory, of one warp
  enum class Rank : std::uint8_t { error, of_one_warp, warning };
  struct Found {
    Finding finding;
    Rank rank;
    std::string ending = {};  ///< of a conflict within a block: what may come of it
    std::string facts = {};   ///< of plain conflicts: what its message begins with
  };
  using Line = std::pair<std::string, std::uint32_t>;
  std::set<Line> read_there_,
      written_there_;  ///< lines that both read and write a word, two threads writing it
  std::vector<Found> found_;
};

/// @return blockIdx of a linear block number.
Dim3 index_in(const Dim3& extent, std::uint64_t linear) noexcept;
/// @return "(1,2,3)"
std::string text_of(const Dim3& index);
/// @return "line 41", or the instruction where no line is known; names the file if it is not @p known_file.
std::string place_of(const Site& site, const std::string& known_file);

}  // namespace simgpu::observe
