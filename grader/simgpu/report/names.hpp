/// @file
/// Names for a reader's line, where the whole name of a template's kernel would take half a page.
#pragma once

#include <string>

namespace simgpu::report {

/// "cub::DeviceReduceKernel<...>(...)" of a long name; all of a short one.
std::string shortened_name(const std::string& mangled);

}  // namespace simgpu::report
