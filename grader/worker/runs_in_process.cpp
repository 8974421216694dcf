/// @file
/// See runs_in_process.hpp.
#include "worker/runs_in_process.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "protocol/names.hpp"
#include "worker/copies.hpp"
#include "worker/device.hpp"
#include "worker/simulator.hpp"

namespace course::worker {
namespace {

using nlohmann::json;
namespace op = protocol::op;

// Keeps the stream busy until everything of a sample is queued, so that the host's pace is not part of the time. Gives way after a
// while: a function that synchronises inside would otherwise wait for ever.
struct gate {
  std::atomic<bool> open{false};
};

void CUDART_CB wait_for_gate(void* data) {
  const auto& waiting = *static_cast<gate*>(data);
  const double patience = seconds_now() + 0.005;
  while (!waiting.open.load(std::memory_order_acquire) && seconds_now() < patience) {
  }
}

}  // namespace

std::optional<json> runs_in_process::answer(std::string_view operation, const json& request) {
  if (operation != op::kSample) pages_are_home_ = false;
  if (operation == op::kRunCase) return run_case(request);
  if (operation == op::kPrepareTiming) return prepare_timing(request);
  if (operation == op::kPlaceAnew) return place_anew(request);
  if (operation == op::kPoke) return poke(request);
  if (operation == op::kSample) return sample(request);
  if (operation == op::kFetch) return fetch(request);
  return std::nullopt;
}

void runs_in_process::fill(buffer_set& set, const program& of) {
  for (std::size_t index = 0; index < of.buffers.size(); ++index) {
    const auto bytes = of.buffers[index].place.bytes;
    require(copy_in(set.image(index), 0, arena_at(of.buffers[index].arena, bytes), bytes),
            "copying inputs to the device");
  }
  set.restore(of);
}

json runs_in_process::run_case(const json& request) {
  configure(request);
  devices_ = request.value("devices", 1);
  map_arena(request);
  const program asked(request, plugin_);
  case_set_.plan(asked, nullptr);
  fill(case_set_, asked);
  if (const int status = synchronise(); status != 0)
    throw std::runtime_error(std::string("the device is not usable: ") +
                             cudaGetErrorString(static_cast<cudaError_t>(status)));
  reset_persisting_l2(stream_);
  take_report();

  const auto stream = static_cast<cudaStream_t>(stream_);
  json reply;
  auto found = case_set_.make(asked, phase::before, stream_);
  int call_error = cudaGetLastError();
  case_set_.bring_home();
  int sync_error = after_before_calls(asked);
  auto report_before = take_report();
  double wall_seconds = 0, event_time = 0;
  std::string report;
  if (!found.any() && sync_error == 0) {
    cudaEventRecord(static_cast<cudaEvent_t>(start_), stream);
    const double begin = seconds_now();
    found = case_set_.make(asked, phase::timed, stream_);
    const int after_calls = cudaGetLastError();
    cudaEventRecord(static_cast<cudaEvent_t>(stop_), stream);
    sync_error = synchronise();
    wall_seconds = seconds_now() - begin;
    report = take_report();
    if (call_error == 0) call_error = after_calls;
    if (call_error == 0 && sync_error == 0) call_error = cudaGetLastError();
    cudaGetLastError();
    if (sync_error == 0) event_time = event_seconds();
  }
  if (!found.any() && sync_error == 0) {
    found = case_set_.make(asked, phase::collect, stream_);
    sync_error = synchronise();
  }

  std::string copy_error;
  if (sync_error == 0) {
    for (std::size_t index = 0; index < asked.buffers.size() && copy_error.empty(); ++index) {
      const auto& place = case_set_.place(index);
      if (!place.pointer) continue;  // follows a call that was not made
      copy_error = copy_out(arena_at(asked.buffers[index].arena, place.bytes), place, 0, place.bytes);
    }
    if (!found.any()) found = case_set_.make(asked, phase::after, stream_);
    synchronise();
    cudaGetLastError();
  }
  tell(reply, found);
  reply["answers"] = answers_of(asked, case_set_);
  reply["call_error"] = error_of(call_error);
  reply["sync_error"] = error_of(sync_error);
  reply["wall_seconds"] = wall_seconds;
  reply["event_seconds"] = event_time;
  reply["threads_before"] = threads_at_load_;
  reply["threads_after"] = thread_count();
  reply["report_before"] = simulated() ? json(std::move(report_before)) : json();
  reply["report"] = simulated() ? json(std::move(report)) : json();
  reply["report_after"] = simulated() ? json(take_report()) : json();
  reply["addresses"] = addresses_of(asked, case_set_);
  reply["copied_back"] = sync_error == 0 && copy_error.empty();
  if (!copy_error.empty()) reply["copy_error"] = copy_error;
  return reply;
}

// Different padding puts the buffers on other pages each time: luck of placement is part of what is averaged over.
void runs_in_process::pad(std::size_t bytes) {
  release(padding_);
  padding_ = {};
  padding_.bytes = bytes;
  if (bytes > 0) provide(padding_);
}

json runs_in_process::prepare_timing(const json& request) {
  configure(request);
  devices_ = request.value("devices", 1);
  tear_down_all();
  case_set_.release();
  drop_sets();
  map_arena(request);
  program_ = program(request, plugin_);
  repeats_before_ = request.value("repeats_before", false);
  pad(bytes_of(request, "padding"));
  const auto count = bytes_of(request, "sets");
  for (std::size_t index = 0; index < count; ++index) {
    auto& set = sets_.emplace_back();
    set.plan(program_, index == 0 ? nullptr : &sets_.front());
    if (index == 0) {
      fill(set, program_);
      continue;
    }
    for (std::size_t buffer = 0; buffer < program_.buffers.size(); ++buffer) {
      if (!program_.buffers[buffer].common)
        require(copy_between(set.image(buffer), sets_.front().image(buffer)), "filling a buffer set");
    }
    set.restore(program_);
  }
  if (const int status = synchronise(); status != 0)
    throw std::runtime_error(std::string("preparing the timed runs: ") +
                             cudaGetErrorString(static_cast<cudaError_t>(status)));
  json reply;
  set_up_all(reply);
  std::size_t free_bytes = 0, total_bytes = 0;
  cudaMemGetInfo(&free_bytes, &total_bytes);
  cudaGetLastError();
  reply["free_memory"] = free_bytes;
  return reply;
}

json runs_in_process::place_anew(const json& request) {
  if (sets_.empty()) throw std::runtime_error("no buffer sets are prepared");
  tear_down_all();
  pad(bytes_of(request, "padding"));
  // Set after set moves: the copy is made before the old place goes, so one set more than there are has to fit.
  for (auto& set : sets_) {
    const bool first = &set == &sets_.front();
    for (std::size_t index = 0; index < program_.buffers.size(); ++index) {
      const auto& buffer = program_.buffers[index];
      if (buffer.follows != follows_as::nothing) continue;  // appears anew after its call
      if (buffer.common && !first) {
        set.place(index) = sets_.front().place(index);
        set.place(index).ours = false;
        continue;
      }
      auto moved = buffer.place;
      if (const auto error = provide(moved); !error.empty()) continue;  // no room: it stays where it is
      require(copy_between(moved, set.place(index)), "moving a buffer set");
      release(set.place(index));
      set.place(index) = moved;
    }
  }
  synchronise();
  json reply;
  set_up_all(reply);
  return reply;
}

json runs_in_process::poke(const json& request) {
  map_arena(request);
  if (repeats_before_) tear_down_all();
  // Some seventy copies of a few bytes: waiting for each would be most of a round. The simulated GPU has nothing to wait for.
  const auto when = simulated() ? copy_is::done : copy_is::queued;
  for (const auto& write : request.at("writes")) {
    const auto bytes = bytes_of(write, "bytes");
    auto* const from = arena_at(bytes_of(write, "arena"), bytes);
    auto& set = sets_.at(bytes_of(write, "set"));
    auto& image = slice_of(set, write, true);
    require(copy_in(image, bytes_of(write, "offset"), from, bytes, when), "changing inputs");
    // What followed an answer is changed where it lies as well: copying all of a large table anew took longer than measuring.
    auto& place = set.place(bytes_of(write, "buffer"));
    if (&image != &place && place.pointer && !repeats_before_)
      require(copy_in(place, bytes_of(write, "offset"), from, bytes, when), "changing inputs");
  }
  json reply = json::object();
  if (repeats_before_) {
    set_up_all(reply);
  } else {
    for (auto& set : sets_) set.restore(program_, buffer_set::restored::in_out);
  }
  if (const int status = synchronise(); status != 0)
    throw std::runtime_error(std::string("changing inputs: ") +
                             cudaGetErrorString(static_cast<cudaError_t>(status)));
  return reply;
}

void runs_in_process::send_pages_home() {
  if (pages_are_home_) return;
  bring_sets_home();
  if (simulated()) return;
  for (const auto& set : sets_) set.write_at_home();
}

json runs_in_process::sample(const json& request) {
  if (sets_.empty()) throw std::runtime_error("no buffer sets are prepared");
  const auto launches = bytes_of(request, "launches");
  const auto first = bytes_of(request, "first_set");
  const bool end_to_end = request.value("clock", std::string("events")) == "end_to_end";
  const bool hold = request.value("hold", false) && !end_to_end;
  const auto stream = static_cast<cudaStream_t>(stream_);
  send_pages_home();
  pages_are_home_ = launches == 0;  // a question without work

  gate held;
  if (simulated()) held.open = true;  // there, work is done as it is called for
  if (hold && cudaLaunchHostFunc(stream, wait_for_gate, &held) != cudaSuccess) cudaGetLastError();
  auto report_before = take_report();
  if (!end_to_end) cudaEventRecord(static_cast<cudaEvent_t>(start_), stream);
  if (!hold) held.open = true;
  double begin = seconds_now();
  auto found = make_timed(first, launches, end_to_end);
  if (!end_to_end) cudaEventRecord(static_cast<cudaEvent_t>(stop_), stream);
  if (hold) begin = seconds_now();
  held.open.store(true, std::memory_order_release);
  int sync_error = synchronise();
  const double end = seconds_now();
  auto report = take_report();
  const int call_error = cudaGetLastError();
  const double event_time = sync_error == 0 && !end_to_end ? event_seconds() : 0;
  if (!found.any() && sync_error == 0) {
    found = collect(first, launches);
    sync_error = synchronise();
  }
  cudaGetLastError();
  json reply{{"event_seconds", event_time},
             {"wall_seconds", end - begin},
             {"call_error", error_of(call_error)},
             {"sync_error", error_of(sync_error)},
             {"threads", thread_count()},
             {"threads_before", threads_at_load_},
             {"report_before", simulated() ? json(std::move(report_before)) : json()},
             {"report", simulated() ? json(std::move(report)) : json()}};
  reply["answers"] = sets_.empty() ? json::array() : answers_of(program_, sets_[first % sets_.size()]);
  reply["addresses"] = addresses_of(program_, sets_[first % sets_.size()]);
  tell(reply, found);
  return reply;
}

json runs_in_process::fetch(const json& request) {
  map_arena(request);
  for (const auto& read : request.at("reads")) {
    const auto bytes = bytes_of(read, "bytes");
    auto* const to = arena_at(bytes_of(read, "arena"), bytes);
    require(
        copy_out(to, slice_of(sets_.at(bytes_of(read, "set")), read, false), bytes_of(read, "offset"), bytes),
        "reading outputs");
  }
  return json::object();
}

}  // namespace course::worker
