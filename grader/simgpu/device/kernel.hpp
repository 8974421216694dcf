/// @file
/// A kernel from its launch to its end. One that waits for somebody else stands still meanwhile, and then has observers for itself:
/// other kernels run beside it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simgpu/device/gpu.hpp"
#include "simgpu/exec/run.hpp"
#include "simgpu/observe/races.hpp"
#include "simgpu/observe/traffic.hpp"
#include "simgpu/observe/uninitialised.hpp"
#include "simgpu/timing/occupancy.hpp"

namespace simgpu::device {

struct Kernel {
  Stream stream;
  std::string name;  ///< its symbol
  Footprint footprint;
  exec::Launch launch;
  std::optional<queue::Window> window;
  queue::Id module = 0;
  /// What it has begun, which is carried out once it has ended.
  struct Child {
    queue::Work work;
    bool tail = false;  ///< after all others
  };
  std::vector<Child> children;
  timing::BlockNeeds needs;
  timing::Occupancy occupancy;
  double fills = 0;  ///< share of the device's places that its blocks take, at most 1

  std::unique_ptr<observe::Traffic> traffic;              ///< its own; nullptr: the device's
  std::unique_ptr<observe::Races> races;                  ///< as well
  std::unique_ptr<observe::Uninitialised> uninitialised;  ///< as well
  StreamChecks::Kernel watched;
  bool pages = false;  ///< there is managed memory
  ManagedPages::Demand demand;

  bool stood_still = false, ended = false;
  timing::Instant begin = 0;       ///< if it stood still
  timing::Instant released = 0;    ///< the end of what it waited for last
  std::uint64_t at_release = 0;    ///< Run::instructions() then
  std::unique_ptr<exec::Run> run;  ///< last: it uses the observers above
};

}  // namespace simgpu::device
