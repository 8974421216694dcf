/// @file
/// What the grader, or the environment, says of how work is carried out.
#pragma once

#include <cstdint>

#include "simgpu/device/checks.hpp"
#include "simgpu/exec/executor.hpp"

namespace simgpu::device {

struct Settings {
  Checks checks;
  bool keep_going = false;  ///< after mistakes of bounds and of order; see exec::Launch
  exec::Order order = exec::Order::forward;
  std::uint64_t warp_instruction_limit = 4'000'000'000;
  bool timing = true;
  bool quiet = false;  ///< says nothing of long kernels
};

}  // namespace simgpu::device
