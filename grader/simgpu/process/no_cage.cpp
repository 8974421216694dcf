/// @file
/// A device that was built without the grader's sandbox. A grader is told that nothing is closed, and may decline.
#include "simgpu/process/cage.hpp"

namespace simgpu::process {

std::vector<std::string> enter(const Cage& cage, int /*client*/) {
  if (!cage.closed) return {};
  return {"limits_unavailable", "no_new_privileges_unavailable", "landlock_unavailable",
          "seccomp_unavailable"};
}

}  // namespace simgpu::process
