/// @file
/// Folding, see groups.hpp.
#include "simgpu/report/groups.hpp"

#include <string_view>

namespace simgpu::report {
namespace {

std::uint64_t counter(const LaunchReport& launch, std::string_view name) {
  for (const auto& [key, value] : launch.counters) {
    if (key == name) return value;
  }
  return 0;
}

bool same_shape(const LaunchReport& a, const LaunchReport& b) {
  return a.mangled == b.mangled && a.grid == b.grid && a.block == b.block &&
         a.dynamic_shared_bytes == b.dynamic_shared_bytes;
}

void add_times(TimingReport& sum, const TimingReport& more) {
  sum.seconds += more.seconds;
  sum.launch_seconds += more.launch_seconds;
  sum.dram_seconds += more.dram_seconds;
  sum.l2_seconds += more.l2_seconds;
  sum.l1tex_seconds += more.l1tex_seconds;
  sum.issue_seconds += more.issue_seconds;
  sum.latency_seconds += more.latency_seconds;
}

void add_sites(Group& group, const std::vector<SiteReport>& more) {
  for (const SiteReport& site : more) {
    const auto [place, fresh] = group.site_places.try_emplace(
        Group::SiteKey{site.file, site.line, site.memory, site.kind}, group.sites.size());
    if (fresh) {
      group.sites.push_back(site);
      continue;
    }
    SiteReport& same = group.sites[place->second];
    same.requests += site.requests;
    same.lanes += site.lanes;
    same.bytes_requested += site.bytes_requested;
    same.sectors += site.sectors;
    same.ideal_sectors += site.ideal_sectors;
    same.wavefronts += site.wavefronts;
    same.ideal_wavefronts += site.ideal_wavefronts;
  }
}

}  // namespace

std::vector<Group> group_launches(const std::vector<LaunchReport>& launches) {
  std::vector<Group> groups;
  std::multimap<std::string_view, std::size_t> by_name;
  for (const LaunchReport& launch : launches) {
    Group* group = nullptr;
    const auto [begin, end] = by_name.equal_range(launch.mangled);
    for (auto it = begin; it != end && group == nullptr; ++it) {
      if (same_shape(*groups[it->second].first, launch)) group = &groups[it->second];
    }
    if (group == nullptr) {
      by_name.emplace(launch.mangled, groups.size());
      group = &groups.emplace_back();
      group->first = &launch;
    }
    ++group->launches;
    if (!launch.ok) ++group->failed;
    add_times(group->sum, launch.timing);
    double& bound = group->seconds_by_bound[launch.timing.bound_by];
    bound += launch.timing.seconds;
    if (group->launches == 1 || bound > group->seconds_by_bound[group->sum.bound_by])
      group->sum.bound_by = launch.timing.bound_by;
    if (launch.timing.seconds > group->longest_seconds) {
      group->longest_seconds = launch.timing.seconds;
      group->sum.occupancy = launch.timing.occupancy;
      group->sum.resident_blocks_per_sm = launch.timing.resident_blocks_per_sm;
      group->sum.occupancy_limiter = launch.timing.occupancy_limiter;
    }
    group->dram_bytes += static_cast<double>(counter(launch, "dram__bytes_read.sum") +
                                             counter(launch, "dram__bytes_write.sum"));
    add_sites(*group, launch.sites);
  }
  return groups;
}

}  // namespace simgpu::report
