/// @file
/// See runs_in_steps.hpp.
#include "worker/runs_in_steps.hpp"

#include <cuda_runtime_api.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "protocol/names.hpp"
#include "worker/copies.hpp"
#include "worker/device.hpp"
#include "worker/simulator.hpp"

namespace course::worker {

using nlohmann::json;
namespace op = protocol::op;

std::optional<json> runs_in_steps::answer(std::string_view operation, const json& request) {
  std::optional<json> reply;
  if (operation == op::kPlace) reply = place(request);
  if (operation == op::kFill) reply = fill(request);
  if (operation == op::kBefore) reply = before();
  if (operation == op::kReady) reply = ready(request);
  if (operation == op::kTimed) reply = timed(request);
  if (operation == op::kCollect) reply = collect_outputs(request);
  if (operation == op::kGather) reply = gather(request);
  if (operation == op::kAfter) reply = after();
  // What only this side knows of the report that the judge now takes: last of all, so that nothing is left out.
  if (reply && request.value("part", false)) (*reply)["part"] = take_report();
  return reply;
}

buffer_set& runs_in_steps::set(std::size_t index) {
  if (!is_timed_ && index == 0) return case_set_;
  return sets_.at(index);
}

json runs_in_steps::places() {
  auto all = json::array();
  for (std::size_t index = 0; index < (is_timed_ ? sets_.size() : 1); ++index) {
    auto list = json::array();
    for (std::size_t buffer = 0; buffer < program_.buffers.size(); ++buffer) {
      const auto& image = set(index).image(buffer);
      const auto& place = set(index).place(buffer);
      list.push_back({reinterpret_cast<std::uintptr_t>(image.pointer),
                      reinterpret_cast<std::uintptr_t>(place.pointer), place.pitch});
    }
    all.push_back(std::move(list));
  }
  return all;
}

json runs_in_steps::place(const json& request) {
  configure(request);
  devices_ = request.value("devices", 1);
  const auto count = request.value("sets", std::size_t{0});
  is_timed_ = count > 0;
  if (is_timed_) {
    tear_down_all();
    case_set_.release();
    drop_sets();
  }
  program_ = program(request, plugin_);
  repeats_before_ = request.value("repeats_before", false);
  if (!is_timed_) case_set_.plan(program_, nullptr);
  for (std::size_t index = 0; index < count; ++index)
    sets_.emplace_back().plan(program_, index == 0 ? nullptr : &sets_.front());
  return {{"places", places()}};
}

// For `restore` the judge has written the images that lie on the device.
json runs_in_steps::fill(const json& request) {
  if (request.contains("writes")) {
    map_arena(request);
    for (const auto& write : request.at("writes")) {
      const auto bytes = bytes_of(write, "bytes");
      const auto* const from = arena_at(bytes_of(write, "arena"), bytes);
      require(
          copy_in(slice_of(set(bytes_of(write, "set")), write, true), bytes_of(write, "offset"), from, bytes),
          "filling inputs");
    }
  }
  if (request.value("restore", false)) {
    for (std::size_t index = 0; index < (is_timed_ ? sets_.size() : 1); ++index) set(index).restore(program_);
    if (const int status = synchronise(); status != 0)
      throw std::runtime_error(std::string("the device is not usable: ") +
                               cudaGetErrorString(static_cast<cudaError_t>(status)));
    if (!is_timed_) reset_persisting_l2(stream_);
  }
  return json::object();
}

json runs_in_steps::before() {
  json reply;
  if (is_timed_) {
    set_up_all(reply);
  } else {
    const auto found = case_set_.make(program_, phase::before, stream_);
    const int call_error = cudaGetLastError();
    case_set_.bring_home();
    const int sync_error = after_before_calls(program_);
    tell(reply, found);
    reply["call_error"] = error_of(call_error);
    reply["sync_error"] = error_of(sync_error);
  }
  reply["answers"] = answers_of(program_, set(0));
  reply["addresses"] = addresses_of(program_, set(0));
  reply["places"] = places();
  return reply;
}

// With `hold` a host function goes before the timed calls, as on a card: what is queued behind it need not wait for the host's pace.
json runs_in_steps::ready(const json& request) {
  bring_sets_home();
  const auto nothing = [](void*) {};
  if (request.value("hold", false) &&
      cudaLaunchHostFunc(static_cast<cudaStream_t>(stream_), nothing, nullptr) != cudaSuccess)
    cudaGetLastError();
  return json::object();
}

json runs_in_steps::timed(const json& request) {
  const auto launches = request.value("launches", std::size_t{0}),
             first = request.value("first_set", std::size_t{0});
  const bool events = request.value("clock", std::string("events")) == "events";
  if (is_timed_ && sets_.empty()) throw std::runtime_error("no buffer sets are prepared");
  const auto stream = static_cast<cudaStream_t>(stream_);
  if (events) cudaEventRecord(static_cast<cudaEvent_t>(start_), stream);
  const double begin = seconds_now();
  const auto found =
      is_timed_ ? make_timed(first, launches) : case_set_.make(program_, phase::timed, stream_);
  int call_error = is_timed_ ? 0 : cudaGetLastError();
  if (events) cudaEventRecord(static_cast<cudaEvent_t>(stop_), stream);
  const int sync_error = synchronise();
  json reply{{"wall_seconds", seconds_now() - begin}, {"sync_error", error_of(sync_error)}};
  if (is_timed_ || (call_error == 0 && sync_error == 0)) call_error = cudaGetLastError();
  cudaGetLastError();
  reply["call_error"] = error_of(call_error);
  tell(reply, found);
  const auto& used = set(is_timed_ ? first % sets_.size() : 0);
  reply["answers"] = answers_of(program_, used);
  reply["addresses"] = addresses_of(program_, used);
  reply["threads_before"] = threads_at_load_;
  reply["threads"] = thread_count();
  return reply;
}

json runs_in_steps::collect_outputs(const json& request) {
  const auto found = is_timed_ ? collect(request.value("first_set", std::size_t{0}),
                                         request.value("launches", std::size_t{0}))
                               : case_set_.make(program_, phase::collect, stream_);
  json reply{{"sync_error", error_of(synchronise())}};
  tell(reply, found);
  reply["answers"] = answers_of(program_, set(0));
  return reply;
}

json runs_in_steps::gather(const json& request) {
  map_arena(request);
  for (const auto& read : request.at("reads")) {
    const auto bytes = bytes_of(read, "bytes");
    auto* const to = arena_at(bytes_of(read, "arena"), bytes);
    require(copy_out(to, slice_of(set(bytes_of(read, "set")), read, false), bytes_of(read, "offset"), bytes),
            "reading outputs");
  }
  return json::object();
}

json runs_in_steps::after() {
  json reply = json::object();
  if (is_timed_) {
    tear_down_all();
  } else {
    tell(reply, case_set_.make(program_, phase::after, stream_));
    synchronise();
    cudaGetLastError();
    reply["answers"] = answers_of(program_, case_set_);
  }
  reply["threads_before"] = threads_at_load_;
  reply["threads_after"] = thread_count();
  return reply;
}

}  // namespace course::worker
