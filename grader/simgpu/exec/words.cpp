/// @file
/// See words.hpp.
#include "simgpu/exec/words.hpp"

#include <fmt/format.h>

#include "simgpu/observe/shared_names.hpp"

namespace simgpu::exec {

std::string line_of(const Machine& machine, u32 site, const Ins& now) {
  if (site >= machine.sites.size() || machine.sites[site].line == 0) return "another place";
  const observe::Site& begun = machine.sites[site];
  const observe::Site* here = machine.site_of(now);
  if (begun.file.empty() || (here && here->file == begun.file)) return fmt::format("line {}", begun.line);
  return fmt::format("line {} of {}", begun.line, begun.file.substr(begun.file.find_last_of('/') + 1));
}

std::string shared_element_at(const Machine& machine, const Ins& now, u64 offset) {
  const observe::Site* here = machine.site_of(now);
  observe::LaunchInfo info;
  info.shared_bytes = static_cast<std::uint32_t>(machine.shared_bytes);
  info.shared_variables = machine.launch.kernel->shared_variables;
  return observe::shared_element(info, here ? *here : observe::Site{}, offset);
}

}  // namespace simgpu::exec
