/// @file
/// See session.hpp.
#include "worker/session.hpp"

#include <cuda_runtime_api.h>
#include <dirent.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "protocol/names.hpp"
#include "worker/device.hpp"
#include "worker/hardening.hpp"
#include "worker/simulator.hpp"

namespace course::worker {
namespace {

using nlohmann::json;
namespace op = protocol::op;

double seconds_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

int thread_count() {
  int count = 0;
  if (DIR* const folder = ::opendir("/proc/self/task")) {
    while (const dirent* entry = ::readdir(folder)) count += entry->d_name[0] != '.';
    ::closedir(folder);
  }
  return count;
}

json error_of(int status) {
  const auto error = static_cast<cudaError_t>(status);
  if (error == cudaSuccess) return nullptr;
  return {{"code", status}, {"name", cudaGetErrorName(error)}, {"text", cudaGetErrorString(error)}};
}

void require(const std::string& error, const char* doing) {
  if (!error.empty()) throw std::runtime_error(std::string(doing) + ": " + error);
}

std::size_t bytes_of(const json& what, const char* key) {
  return what.at(key).get<std::size_t>();
}

void tell(json& reply, const trouble& found) {
  if (!found.thrown_by.empty()) reply["exception"] = {{"function", found.thrown_by}, {"what", found.what}};
  if (found.refused_call) reply["refused"] = {{"call", *found.refused_call}, {"answer", found.answer}};
}

json answers_of(const program& of, const buffer_set& set) {
  auto list = json::array();
  for (std::size_t index = 0; index < of.calls.size(); ++index) {
    const auto& answer = set.answers()[index];
    if (!answer) {
      list.push_back(nullptr);
    } else if (of.calls[index].returns == result_kind::status) {
      list.push_back(static_cast<std::int64_t>(*answer));
    } else if (of.calls[index].returns == result_kind::handle) {
      list.push_back(*answer != 0 ? 1 : 0);  // an address would be of use to nobody
    } else {
      list.push_back(*answer);
    }
  }
  return list;
}

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

session::session(int socket, int arena) : channel_(socket) {
  arena_.adopt(arena);
}

int session::serve() {
  for (;;) {
    auto [status, box] = channel_.receive();
    if (status != protocol::receive_status::ok) return 0;  // the judge has gone: nobody to tell
    const json& request = *box;
    const auto nonce = request.value("nonce", std::string());
    json reply;
    try {
      reply = answer(request);
      reply.emplace("ok", true);
    } catch (const std::exception& error) {
      reply = {{"ok", false}, {"error", error.what()}};
    }
    reply["nonce"] = nonce;
    std::fflush(stdout);  // what kernels printed belongs to this question
    if (!channel_.send(reply)) return 0;
    if (request.value("op", std::string()) == op::kFinish) return 0;
  }
}

json session::answer(const json& request) {
  const auto what = request.at("op").get<std::string>();
  if (what == op::kHello) return hello(request);
  if (what == op::kLoad) return load(request);
  if (what == op::kRunCase) return run_case(request);
  if (what == op::kPrepareTiming) return prepare_timing(request);
  if (what == op::kPlaceAnew) return place_anew(request);
  if (what == op::kPoke) return poke(request);
  if (what == op::kSample) return sample(request);
  if (what == op::kFetch) return fetch(request);
  if (what == op::kFinish) return finish();
  throw std::runtime_error("unknown operation \"" + what + "\"");
}

json session::hello(const json& request) {
  configure(request);
  auto reply = start_device(request.value("measure_link", false));
  reply["version"] = protocol::kVersion;
  if (reply["device"].get<bool>()) {
    cudaStream_t stream = nullptr;
    cudaEvent_t start = nullptr, stop = nullptr;
    if (cudaStreamCreate(&stream) != cudaSuccess || cudaEventCreate(&start) != cudaSuccess ||
        cudaEventCreate(&stop) != cudaSuccess)
      throw std::runtime_error("the device gives neither streams nor events");
    stream_ = stream;
    start_ = start;
    stop_ = stop;
  }
  const auto& ceilings = request.at("limits");
  limits_ = {ceilings.value("cpu_seconds", 0ul), ceilings.value("file_bytes", 0ul),
             ceilings.value("open_files", 0ul), ceilings.value("memory_bytes", 0ul)};
  return reply;
}

json session::load(const json& request) {
  const auto path = request.at("plugin").get<std::string>();
  json reply{{"missing", json::array()}, {"hardening", harden(limits_, path, simulated())}};
  threads_at_load_ = thread_count();
  std::string error;
  try {
    error = plugin_.load(path);
  } catch (const std::exception& thrown) {
    reply["exception"] = {{"function", "a constructor of a global object"}, {"what", thrown.what()}};
    return reply;
  } catch (...) {
    reply["exception"] = {{"function", "a constructor of a global object"}, {"what", ""}};
    return reply;
  }
  require(error, "loading the plugin");
  for (const auto& name : request.at("functions")) {
    if (!plugin_.find(name.get<std::string>())) reply["missing"].push_back(name);
  }
  return reply;
}

void session::configure(const json& request) {
  if (request.contains("simulator") && !configure_simulator(request["simulator"].dump()))
    throw std::runtime_error("the simulated GPU refuses its settings");
}

void session::map_arena(const json& request) {
  if (!arena_.map(bytes_of(request, "arena_bytes")))
    throw std::runtime_error("the arena is smaller than the judge says");
}

std::byte* session::arena_at(std::size_t at, std::size_t bytes) {
  if (at > arena_.size() || bytes > arena_.size() - at) throw std::runtime_error("a place outside the arena");
  return arena_.data() + at;
}

int session::synchronise() {
  int first = 0;
  for (int device = devices_; device-- > 0;) {
    if (devices_ > 1) cudaSetDevice(device);
    if (const int status = cudaDeviceSynchronize(); status != 0 && first == 0) first = status;
  }
  return first;
}

int session::after_before_calls(const program& asked) {
  bool any = false, all = true;
  for (const call_plan& call : asked.calls) {
    if (call.when != phase::before) continue;
    any = true;
    all &= std::any_of(call.arguments.begin(), call.arguments.end(), [](const call_plan::argument& one) {
      return one.from == call_plan::argument::kind::stream;
    });
  }
  if (!any || !all || !simulated()) return synchronise();
  return cudaStreamSynchronize(static_cast<cudaStream_t>(stream_));
}

void session::fill(buffer_set& set, const program& of) {
  for (std::size_t index = 0; index < of.buffers.size(); ++index) {
    const auto bytes = of.buffers[index].place.bytes;
    require(copy_in(set.image(index), 0, arena_at(of.buffers[index].arena, bytes), bytes),
            "copying inputs to the device");
  }
  set.restore(of);
}

json session::run_case(const json& request) {
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
  double wall_seconds = 0, event_seconds = 0;
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
    float milliseconds = 0;
    if (sync_error == 0 && cudaEventElapsedTime(&milliseconds, static_cast<cudaEvent_t>(start_),
                                                static_cast<cudaEvent_t>(stop_)) == cudaSuccess)
      event_seconds = 1e-3 * static_cast<double>(milliseconds);
    cudaGetLastError();
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
  reply["event_seconds"] = event_seconds;
  reply["threads_before"] = threads_at_load_;
  reply["threads_after"] = thread_count();
  reply["report_before"] = simulated() ? json(std::move(report_before)) : json();
  reply["report"] = simulated() ? json(std::move(report)) : json();
  reply["report_after"] = simulated() ? json(take_report()) : json();
  auto addresses = json::array();
  for (std::size_t index = 0; index < asked.buffers.size(); ++index)
    addresses.push_back(reinterpret_cast<std::uintptr_t>(case_set_.element_zero(asked, index)));
  reply["addresses"] = std::move(addresses);
  reply["copied_back"] = sync_error == 0 && copy_error.empty();
  if (!copy_error.empty()) reply["copy_error"] = copy_error;
  return reply;
}

// Different padding puts the buffers on other pages each time: luck of placement is part of what is averaged over.
void session::pad(std::size_t bytes) {
  release(padding_);
  padding_ = {};
  padding_.bytes = bytes;
  if (bytes > 0) provide(padding_);
}

void session::set_up_all(json& reply) {
  reset_persisting_l2(stream_);
  trouble found;
  for (auto& set : sets_) {
    if (!found.any()) found = set.make(program_, phase::before, stream_);
  }
  const int call_error = cudaGetLastError();
  const int sync_error = synchronise();
  if (!found.any()) {
    for (auto& set : sets_) set.prepare_timed(program_, stream_);
  }
  is_set_up_ = true;
  tell(reply, found);
  reply["call_error"] = error_of(call_error);
  reply["sync_error"] = error_of(sync_error);
}

void session::tear_down_all() {
  if (!is_set_up_) return;
  is_set_up_ = false;
  // Sets after the first made no common calls, so they have none to undo; their answers are copies.
  for (auto set = sets_.rbegin(); set != sets_.rend(); ++set) set->make(program_, phase::after, stream_);
  synchronise();
  cudaGetLastError();
}

json session::prepare_timing(const json& request) {
  configure(request);
  devices_ = request.value("devices", 1);
  tear_down_all();
  case_set_.release();
  while (!sets_.empty()) {
    sets_.back().release();
    sets_.pop_back();
  }
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

json session::place_anew(const json& request) {
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

allocation& session::slice_of(const json& slice, bool of_image) {
  auto& set = sets_.at(bytes_of(slice, "set"));
  const auto index = bytes_of(slice, "buffer");
  if (index >= program_.buffers.size() ||
      bytes_of(slice, "offset") + bytes_of(slice, "bytes") > program_.buffers[index].place.bytes)
    throw std::runtime_error("a slice outside its buffer");
  auto& place = of_image ? set.image(index) : set.place(index);
  if (!place.pointer) throw std::runtime_error("a slice of a buffer that is not there");
  return place;
}

json session::poke(const json& request) {
  map_arena(request);
  if (repeats_before_) tear_down_all();
  // Some seventy copies of a few bytes: waiting for each would be most of a round. The simulated GPU has nothing to wait for.
  const auto when = simulated() ? copy_is::done : copy_is::queued;
  for (const auto& write : request.at("writes")) {
    const auto bytes = bytes_of(write, "bytes");
    auto* const from = arena_at(bytes_of(write, "arena"), bytes);
    require(copy_in(slice_of(write, true), bytes_of(write, "offset"), from, bytes, when), "changing inputs");
  }
  json reply = json::object();
  if (repeats_before_) {
    set_up_all(reply);
  } else {
    for (auto& set : sets_) set.restore(program_);
  }
  if (const int status = synchronise(); status != 0)
    throw std::runtime_error(std::string("changing inputs: ") +
                             cudaGetErrorString(static_cast<cudaError_t>(status)));
  return reply;
}

json session::sample(const json& request) {
  if (sets_.empty()) throw std::runtime_error("no buffer sets are prepared");
  const auto launches = bytes_of(request, "launches");
  const auto first = bytes_of(request, "first_set");
  const bool end_to_end = request.value("clock", std::string("events")) == "end_to_end";
  const bool hold = request.value("hold", false) && !end_to_end;
  const auto stream = static_cast<cudaStream_t>(stream_);
  for (const auto& set : sets_) set.bring_home();
  synchronise();
  cudaGetLastError();

  gate held;
  if (simulated()) held.open = true;  // there, work is done as it is called for
  if (hold && cudaLaunchHostFunc(stream, wait_for_gate, &held) != cudaSuccess) cudaGetLastError();
  auto report_before = take_report();
  if (!end_to_end) cudaEventRecord(static_cast<cudaEvent_t>(start_), stream);
  if (!hold) held.open = true;
  trouble found;
  double begin = seconds_now();
  try {
    for (std::size_t launch = 0; launch < launches; ++launch)
      sets_[(first + launch) % sets_.size()].make_timed();
  } catch (const std::exception& error) {
    found.thrown_by = "the timed call";
    found.what = error.what();
  } catch (...) {
    found.thrown_by = "the timed call";
  }
  if (!end_to_end) cudaEventRecord(static_cast<cudaEvent_t>(stop_), stream);
  if (hold) begin = seconds_now();
  held.open.store(true, std::memory_order_release);
  int sync_error = synchronise();
  const double end = seconds_now();
  auto report = take_report();
  const int call_error = cudaGetLastError();
  float milliseconds = 0;
  if (sync_error == 0 && !end_to_end)
    cudaEventElapsedTime(&milliseconds, static_cast<cudaEvent_t>(start_), static_cast<cudaEvent_t>(stop_));
  if (!found.any() && sync_error == 0) {
    for (std::size_t set = 0; set < std::min(launches, sets_.size()) && !found.any(); ++set)
      found = sets_[(first + set) % sets_.size()].make(program_, phase::collect, stream_);
    sync_error = synchronise();
  }
  cudaGetLastError();
  json reply{{"event_seconds", 1e-3 * static_cast<double>(milliseconds)},
             {"wall_seconds", end - begin},
             {"call_error", error_of(call_error)},
             {"sync_error", error_of(sync_error)},
             {"threads", thread_count()},
             {"threads_before", threads_at_load_},
             {"report_before", simulated() ? json(std::move(report_before)) : json()},
             {"report", simulated() ? json(std::move(report)) : json()}};
  reply["answers"] = sets_.empty() ? json::array() : answers_of(program_, sets_[first % sets_.size()]);
  auto addresses = json::array();
  for (std::size_t index = 0; index < program_.buffers.size(); ++index)
    addresses.push_back(
        reinterpret_cast<std::uintptr_t>(sets_[first % sets_.size()].element_zero(program_, index)));
  reply["addresses"] = std::move(addresses);
  tell(reply, found);
  return reply;
}

json session::fetch(const json& request) {
  map_arena(request);
  for (const auto& read : request.at("reads")) {
    const auto bytes = bytes_of(read, "bytes");
    auto* const to = arena_at(bytes_of(read, "arena"), bytes);
    require(copy_out(to, slice_of(read, false), bytes_of(read, "offset"), bytes), "reading outputs");
  }
  return json::object();
}

json session::finish() {
  tear_down_all();
  return json::object();
}

}  // namespace course::worker
