/// @file
/// What of a report only the client knows, which runs in the program's process: calls by name, errors that were returned, handles that
/// the program has. All else the device has counted. They are told apart because a program can say of itself what it likes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simgpu/report/report.hpp"

namespace simgpu::report {

struct ClientPart {
  std::vector<ApiCall> api;  ///< in order of first call
  ErrorReport errors;
  std::vector<std::string> unsupported;   ///< API names, in order of first call
  std::uint64_t streams = 0, events = 0;  ///< alive
  std::uint64_t persisting_limit = 0;     ///< cudaLimitPersistingL2CacheSize, the largest of any device
};

/// Puts it into what the device has counted.
void add(Report& report, ClientPart part);

/// What a program left behind when it ended: one warning that lists it. For a report that has both parts.
void add_leaks(Report& report);

}  // namespace simgpu::report
