/// @file
/// The part of the JSON form that says what a program asked of the API.
#include "simgpu/report/json_parts.hpp"

namespace simgpu::report {
namespace {

Json copy_group_json(const CopyGroupReport& group) {
  return {{"direction", group.direction},
          {"from", group.from},
          {"to", group.to},
          {"from_device", or_null(group.from_device)},
          {"to_device", or_null(group.to_device)},
          {"asynchronous", group.asynchronous},
          {"copies", group.copies},
          {"bytes", group.bytes},
          {"streams", group.streams},
          {"in_own_stream", group.in_own_stream}};
}

Json copies_json(const CopyReport& copies) {
  Json groups = Json::array();
  for (const CopyGroupReport& group : copies.groups) groups.push_back(copy_group_json(group));
  return {{"host_to_device_bytes", copies.host_to_device_bytes},
          {"device_to_host_bytes", copies.device_to_host_bytes},
          {"device_to_device_bytes", copies.device_to_device_bytes},
          {"peer_bytes", copies.peer_bytes},
          {"host_to_host_bytes", copies.host_to_host_bytes},
          {"groups", std::move(groups)}};
}

Json waits_json(const WaitReport& waits) {
  return {{"total", waits.total},
          {"between_copies", waits.between_copies},
          {"unasked_between_copies", waits.unasked_between_copies},
          {"by_copy", waits.by_copy},
          {"by_stream", waits.by_stream},
          {"by_event", waits.by_event},
          {"by_device", waits.by_device},
          {"by_queries", waits.by_queries}};
}

Json events_json(const EventsReport& events) {
  Json records = Json::array();
  for (const EventReport& record : events.records) {
    records.push_back({{"event", record.event},
                       {"device", record.device},
                       {"stream", record.stream},
                       {"operations_before", record.operations_before},
                       {"seconds", record.seconds}});
  }
  const std::uint64_t omitted = events.recorded - events.records.size();
  return {{"recorded", events.recorded}, {"records", std::move(records)}, {"omitted", omitted}};
}

Json persistence_json(const PersistenceReport& persistence) {
  Json windows = Json::array();
  for (const WindowReport& window : persistence.windows) {
    windows.push_back({{"set_by", window.set_by},
                       {"allocation", or_null(window.allocation)},
                       {"offset", window.offset},
                       {"bytes", window.bytes},
                       {"hit_ratio", window.hit_ratio},
                       {"hit", window.hit},
                       {"miss", window.miss},
                       {"launches", window.launches}});
  }
  return {{"limit_bytes", persistence.limit_bytes}, {"windows", std::move(windows)}};
}

Json allocations_json(const AllocationReport& allocations) {
  Json kinds = Json::array();
  for (const AllocationKindReport& kind : allocations.kinds) {
    kinds.push_back({{"kind", kind.kind},
                     {"made_count", kind.made_count},
                     {"made_bytes", kind.made_bytes},
                     {"freed_count", kind.freed_count},
                     {"freed_bytes", kind.freed_bytes},
                     {"live_count", kind.live_count},
                     {"live_bytes", kind.live_bytes}});
  }
  return {{"live_count", allocations.live_count},
          {"live_bytes", allocations.live_bytes},
          {"page_locked_bytes", allocations.page_locked_bytes},
          {"kinds", std::move(kinds)}};
}

}  // namespace

void add_calls(const Report& report, Json& root) {
  Json api = Json::array();
  for (const ApiCall& call : report.api) api.push_back({{"name", call.name}, {"calls", call.calls}});
  root.add("api", api);
  root.add("errors", {{"calls", report.errors.calls},
                      {"largest", report.errors.largest},
                      {"first", report.errors.first},
                      {"first_call", report.errors.first_call}});
  root.add("copies", copies_json(report.copies));
  root.add("memsets", {{"calls", report.fills.calls}, {"bytes", report.fills.bytes}});
  root.add("host_waits", waits_json(report.host_waits));
  root.add("managed", {{"prefetched_to_device_bytes", report.managed.prefetched_to_device},
                       {"prefetched_to_host_bytes", report.managed.prefetched_to_host},
                       {"advised_bytes", report.managed.advised},
                       {"covered_bytes", report.managed.covered},
                       {"faulted_bytes", report.managed.faulted},
                       {"came_home_bytes", report.managed.came_home},
                       {"in_place_bytes", report.managed.in_place},
                       {"late_bytes", report.managed.late}});
  root.add("events", events_json(report.events));
  root.add("l2_persistence", persistence_json(report.persistence));
  root.add("allocations", allocations_json(report.allocations));
  root.add("live", {{"streams", report.live.streams},
                    {"events", report.live.events},
                    {"texture_objects", report.live.texture_objects},
                    {"surface_objects", report.live.surface_objects}});
}

}  // namespace simgpu::report
