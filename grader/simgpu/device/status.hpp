/// @file
/// How a command went: the values of a `cudaError_t`, without a CUDA header. The client holds them against that header.
#pragma once

#include <cstdint>

namespace simgpu::device {

enum class Status : std::uint32_t {
  success = 0,
  invalid_value = 1,
  invalid_device_function = 98,
  invalid_resource_handle = 400,
  illegal_address = 700,
  launch_timeout = 702,
  assertion = 710,
  illegal_instruction = 715,
  misaligned_address = 716,
  launch_failure = 719,
  not_supported = 801,
};

}  // namespace simgpu::device
