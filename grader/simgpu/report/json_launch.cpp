/// @file
/// The part of the JSON form that describes a launch.
#include <algorithm>
#include <tuple>

#include "simgpu/report/json_parts.hpp"

namespace simgpu::report {
namespace {

Json timing_json(const TimingReport& timing) {
  return {{"seconds", timing.seconds},
          {"bound_by", timing.bound_by},
          {"launch_seconds", timing.launch_seconds},
          {"dram_seconds", timing.dram_seconds},
          {"l2_seconds", timing.l2_seconds},
          {"l1tex_seconds", timing.l1tex_seconds},
          {"issue_seconds", timing.issue_seconds},
          {"latency_seconds", timing.latency_seconds},
          {"occupancy", timing.occupancy},
          {"resident_blocks_per_sm", timing.resident_blocks_per_sm},
          {"occupancy_limiter", timing.occupancy_limiter}};
}

Json site_json(const SiteReport& site) {
  return {{"file", site.file},
          {"line", site.line},
          {"instruction", site.instruction},
          {"memory", name_of(site.memory)},
          {"kind", name_of(site.kind)},
          {"requests", site.requests},
          {"lanes", site.lanes},
          {"bytes_requested", site.bytes_requested},
          {"sectors", site.sectors},
          {"ideal_sectors", site.ideal_sectors},
          {"wavefronts", site.wavefronts},
          {"ideal_wavefronts", site.ideal_wavefronts},
          {"l1_hit_sectors", site.l1_hit_sectors},
          {"l2_hit_sectors", site.l2_hit_sectors},
          {"hint", name_of(site.hint)},
          {"non_coherent", site.non_coherent},
          {"hinted_bytes", site.hinted_bytes}};
}

Json road_json(const RoadReport& road) {
  return {
      {"requests", road.requests}, {"lanes", road.lanes}, {"bytes", road.bytes}, {"sectors", road.sectors}};
}

Json buffer_json(const BufferReport& b) {
  return {
      {"allocation", b.allocation},
      {"base", address_json(b.base)},
      {"bytes", b.bytes},
      {"memory", b.memory},
      {"kind", b.kind},
      {"name", b.name},
      {"device", b.device},
      {"load", road_json(b.load)},
      {"store", road_json(b.store)},
      {"atomic", road_json(b.atomic)},
      {"texture_requests", b.texture.requests},
      {"texture_lanes", b.texture.lanes},
      {"texture_bytes", b.texture.bytes},
      {"texture_sectors", b.texture.sectors},
      {"surface_store_bytes", b.surface_store.bytes},
      {"surface_store_sectors", b.surface_store.sectors},
      {"bulk_load_bytes", b.bulk_load.bytes},
      {"bulk_load_sectors", b.bulk_load.sectors},
      {"bulk_store_bytes", b.bulk_store.bytes},
      {"bulk_store_sectors", b.bulk_store.sectors},
      {"tensor_load_bytes", b.tensor_load.bytes},
      {"tensor_load_sectors", b.tensor_load.sectors},
      {"tensor_store_bytes", b.tensor_store.bytes},
      {"tensor_store_sectors", b.tensor_store.sectors},
      {"loaded_bytes", b.load.bytes + b.texture.bytes + b.bulk_load.bytes + b.tensor_load.bytes},
      {"loaded_sectors", b.load.sectors + b.texture.sectors + b.bulk_load.sectors + b.tensor_load.sectors},
      {"stored_bytes", b.store.bytes + b.surface_store.bytes + b.bulk_store.bytes + b.tensor_store.bytes},
      {"stored_sectors",
       b.store.sectors + b.surface_store.sectors + b.bulk_store.sectors + b.tensor_store.sectors},
      {"async_bytes", b.async_bytes},
      {"hinted_bytes", b.hinted_bytes}};
}

}  // namespace

Json launch_json(const LaunchReport& launch) {
  Json counters = Json::object();
  for (const auto& [name, value] : launch.counters) counters.add(name, value);
  std::vector<const SiteReport*> sorted;
  for (const SiteReport& site : launch.sites) sorted.push_back(&site);
  // Stable, so that equal keys (an unrolled loop's copies) keep the order of the code.
  std::stable_sort(sorted.begin(), sorted.end(), [](const SiteReport* a, const SiteReport* b) {
    return std::tie(a->file, a->line, a->instruction) < std::tie(b->file, b->line, b->instruction);
  });
  Json sites = Json::array();
  for (const SiteReport* site : sorted) sites.push_back(site_json(*site));
  Json buffers = Json::array();
  for (const BufferReport& buffer : launch.buffers) buffers.push_back(buffer_json(buffer));
  return {{"kernel", demangle(launch.mangled)},
          {"mangled", launch.mangled},
          {"device", launch.device},
          {"grid", triple(launch.grid)},
          {"block", triple(launch.block)},
          {"static_shared_bytes", launch.static_shared_bytes},
          {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
          {"registers", or_null(launch.registers)},
          {"spill_bytes", or_null(launch.spill_bytes)},
          {"stack_frame_bytes", or_null(launch.stack_frame_bytes)},
          {"local_bytes", launch.local_bytes},
          {"ok", launch.ok},
          {"warp_instructions", launch.warp_instructions},
          {"counters", std::move(counters)},
          {"timing", timing_json(launch.timing)},
          {"sites", std::move(sites)},
          {"buffers", std::move(buffers)},
          {"buffers_omitted", launch.buffers_omitted}};
}

}  // namespace simgpu::report
