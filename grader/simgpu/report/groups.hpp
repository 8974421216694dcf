/// @file
/// Launches of one kernel with one shape, added up: a program that launches a kernel a thousand times has one thing to say of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "simgpu/report/report.hpp"

namespace simgpu::report {

/// All launches of a kernel with one shape.
struct Group {
  const LaunchReport* first = nullptr;
  std::uint64_t launches = 0, failed = 0;
  TimingReport sum;  ///< times added up; bound by what most of that time was; the rest of the longest launch
  std::map<std::string, double> seconds_by_bound;
  double longest_seconds = -1;
  double dram_bytes = 0;
  std::vector<SiteReport> sites;  ///< merged by source line, memory and kind of access

  using SiteKey = std::tuple<std::string, std::uint32_t, observe::Memory, observe::AccessKind>;
  std::map<SiteKey, std::size_t> site_places;  ///< in `sites`
};

/// @return groups in order of their first launch; they point into @p launches.
std::vector<Group> group_launches(const std::vector<LaunchReport>& launches);

}  // namespace simgpu::report
