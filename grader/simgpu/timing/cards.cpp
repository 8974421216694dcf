/// @file
/// See cards.hpp.
#include "simgpu/timing/cards.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace simgpu::timing {
namespace {

using nlohmann::json;

constexpr std::uint64_t kPage = 2u << 20;

HostCosts read_host_costs(const json& from) {
  HostCosts h;
  const auto take = [&](const char* key, double& value) { from.at(key).get_to(value); };
  take("launch_call", h.launch_call);
  take("copy_call", h.copy_call);
  take("link_up_call", h.link_up_call);
  take("link_down_call", h.link_down_call);
  take("fill_call", h.fill_call);
  take("pageable_call", h.pageable_call);
  take("pageable_return", h.pageable_return);
  take("fill_call_byte", h.fill_call_byte);
  take("fill_call_bytes", h.fill_call_bytes);
  take("fill_plane", h.fill_plane);
  take("event_call", h.event_call);
  take("wait_call", h.wait_call);
  take("wait_return", h.wait_return);
  take("graph_call", h.graph_call);
  take("allocate", h.allocate);
  take("free", h.free);
  take("allocate_byte", h.allocate_byte);
  take("free_byte", h.free_byte);
  take("lock", h.lock.call);
  take("lock_byte", h.lock.byte);
  take("lock_own", h.lock_own.call);
  take("lock_own_byte", h.lock_own.byte);
  take("managed_call", h.managed_call);
  take("stream_call", h.stream_call);
  take("slab_call", h.slab_call);
  take("pool_call", h.pool_call);
  take("pool_grow", h.pool_grow);
  take("pool_trim", h.pool_trim);
  take("link_latency", h.link_latency);
  take("engine_change", h.engine_change);
  take("host_function", h.host_function);
  take("load_latency", h.load_latency);
  take("cooperative_launch", h.cooperative_launch);
  take("grid_barrier", h.grid_barrier);
  take("graph_gap", h.graph_gap);
  take("graph_node", h.graph_node);
  take("graph_engine_change", h.graph_engine_change);
  take("graph_root", h.graph_root);
  take("graph_fork", h.graph_fork);
  take("graph_join", h.graph_join);
  take("graph_copy_least", h.graph_copy_least);
  take("graph_copy_node", h.graph_copy_node);
  take("graph_node_least", h.graph_node_least);
  take("graph_node_least_alone", h.graph_node_least_alone);
  take("prefetch_start", h.prefetch_start);
  take("prefetch_slow_bytes_per_second", h.prefetch_slow_bytes_per_second);
  take("prefetch_bytes_per_second", h.prefetch_bytes_per_second);
  take("prefetch_behind", h.prefetch_behind);
  take("fault_start", h.fault_start);
  take("fault_run", h.fault_run);
  take("homecoming_start", h.homecoming_start);
  take("homecoming_bytes_per_second", h.homecoming_bytes_per_second);
  take("homecoming_written", h.homecoming_written);
  return h;
}

Device read(const json& from) {
  Device d;
  const auto take = [&](const char* key, auto& value) { from.at(key).get_to(value); };
  take("card", d.card);
  take("name", d.name);
  take("calibrated", d.calibrated);
  d.major = from.at("compute_capability").at(0);
  d.minor = from.at("compute_capability").at(1);
  take("slice", d.slice);
  take("sm_count", d.sm_count);
  take("clock_hz", d.clock_hz);
  take("memory_clock_hz", d.memory_clock_hz);
  take("memory_bus_bits", d.memory_bus_bits);
  take("memory_bytes", d.memory_bytes);
  take("l2_bytes", d.l2_bytes);
  take("persisting_l2_share", d.persisting_l2_share);
  take("threads_per_sm", d.threads_per_sm);
  d.warps_per_sm = d.threads_per_sm / 32;
  take("blocks_per_sm", d.blocks_per_sm);
  take("shared_per_sm", d.shared_per_sm);
  take("shared_per_block_optin", d.shared_per_block_optin);
  take("shared_reserved_per_block", d.shared_reserved_per_block);
  take("l1_and_shared_bytes", d.l1_and_shared_bytes);
  take("copy_engines", d.copy_engines);
  take("fp32_lanes", d.fp32_lanes);
  take("float_to_double", d.float_to_double);
  take("tensor_halves", d.tensor_halves);
  take("ecc", d.ecc);
  take("dram_peak", d.card_dram_peak);
  take("copy_ceiling", d.card_copy_ceiling);
  take("dram_one_way", d.card_dram_one_way);
  take("dram_fill", d.card_dram_fill);
  take("l2_atomic_sectors", d.card_l2_atomic_sectors);
  take("l2_slices", d.card_l2_slices);
  take("l2_lone_sector_cycles", d.l2_lone_sector_cycles);
  take("remote_line_cycles", d.remote_line_cycles);
  take("remote_sector_cycles", d.remote_sector_cycles);
  take("remote_store_line_cycles", d.remote_store_line_cycles);
  take("remote_lane_cycles", d.remote_lane_cycles);
  take("remote_turn_cycles", d.remote_turn_cycles);
  take("remote_part_cycles", d.remote_part_cycles);
  take("remote_served_line_cycles", d.remote_served_line_cycles);
  take("remote_latency_cycles", d.remote_latency_cycles);
  take("fence_cycles", d.fence_cycles);
  take("remote_loop_cycles", d.remote_loop_cycles);
  take("remote_loop_turn_cycles", d.remote_loop_turn_cycles);
  take("bulk_l2_latency_cycles", d.bulk_l2_latency_cycles);
  take("copy_rows", d.card_copy_rows);
  take("idle_launch", d.idle_launch_seconds);
  take("link_up", d.link_up);
  take("link_down", d.link_down);
  take("pageable_up", d.pageable_up);
  take("pageable_down", d.pageable_down);
  take("link_rows", d.link_rows);
  take("peer", d.peer);
  d.host = read_host_costs(from.at("host"));
  return d;
}

/// Whole cards.
const std::vector<Device>& cards() {
  static const std::vector<Device> kCards = [] {
    std::vector<Device> all;
    for (const std::string_view text : card_texts()) all.push_back(read(json::parse(text)));
    std::sort(all.begin(), all.end(), [](const Device& a, const Device& b) { return a.card < b.card; });
    return all;
  }();
  return kCards;
}

}  // namespace

std::vector<std::string> card_names() {
  std::vector<std::string> names;
  for (const Device& one : cards()) names.push_back(one.card);
  return names;
}

std::optional<Device> card_named(std::string_view card, std::uint32_t slice) {
  const auto found =
      std::find_if(cards().begin(), cards().end(), [&](const Device& one) { return one.card == card; });
  if (found == cards().end()) return std::nullopt;
  Device d = *found;
  if (slice != 0) d.slice = slice;
  if (d.sm_count % d.slice != 0) return std::nullopt;
  d.sm_count /= d.slice;
  d.l2_bytes /= d.slice;
  d.memory_bytes = d.memory_bytes / d.slice / kPage * kPage;
  return d;
}

}  // namespace simgpu::timing
