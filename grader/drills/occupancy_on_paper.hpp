/// @file
/// Resident blocks as one works them out on paper, with any one step left out: that is what a mistake answers. The right
/// answers of the drill come from the simulated GPU (timing/occupancy.hpp); the drill asks only where the two agree.
#pragma once

#include <cstdint>
#include <string>

#include "simgpu/timing/occupancy.hpp"

namespace course::drills::paper {

using simgpu::timing::BlockNeeds;
using simgpu::timing::Device;

/// The steps; a mistake leaves one out.
struct steps {
  bool threads = true;      ///< an SM holds so many threads
  bool blocks = true;       ///< an SM holds so many blocks
  bool registers = true;    ///< registers are shared out
  bool shared = true;       ///< shared memory is shared out
  bool whole_warps = true;  ///< a block takes whole warps: 100 threads are four
  bool granule = true;      ///< a warp's registers are rounded up
  bool reserve = true;      ///< the system takes shared memory for each block
};

/// How many blocks each resource alone allows.
struct limits {
  std::int64_t threads = 0, blocks = 0, registers = 0, shared = 0;

  std::int64_t least() const;
  /// The only resource that allows no more than the least: 't', 'b', 'r' or 's'; 0 where two tie.
  char decided_by() const;
  /// "threads allow 21 blocks, the SM 32, registers 17, shared memory 25"
  std::string text() const;
};

/// What a resource allows whose step is left out. [blocks]
inline constexpr std::int64_t kNoLimit = 1'000'000;

limits limits_of(const Device& card, const BlockNeeds& needs, const steps& taken = {});

/// The most bytes of shared memory a block may use such that @p blocks of them fit.
std::int64_t shared_for(const Device& card, std::int64_t blocks, const steps& taken = {});

/// The most registers a thread may use such that @p blocks blocks of @p threads threads fit.
std::int64_t registers_for(const Device& card, std::uint64_t threads, std::int64_t blocks,
                           const steps& taken = {});

}  // namespace course::drills::paper
