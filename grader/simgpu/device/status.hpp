/// @file
/// How a command went: the values of a `cudaError_t`, without a CUDA header. The client holds them against that header.
#pragma once

#include <cstdint>

namespace simgpu::device {

enum class Status : std::uint32_t {
  success = 0,
  invalid_value = 1,
  memory_allocation = 2,
  invalid_device_function = 98,
  no_kernel_image = 209,
  invalid_ptx = 218,
  invalid_resource_handle = 400,
  not_ready = 600,
  illegal_address = 700,
  launch_timeout = 702,
  assertion = 710,
  already_registered = 712,
  illegal_instruction = 715,
  misaligned_address = 716,
  launch_failure = 719,
  not_supported = 801,
};

}  // namespace simgpu::device
