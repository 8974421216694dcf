/// @file
/// See session.hpp.
#include "worker/session.hpp"

#include <cuda_runtime_api.h>
#include <dirent.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
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

json error_of(cudaError_t status) {
  if (status == cudaSuccess) return nullptr;
  return {{"code", static_cast<int>(status)},
          {"name", cudaGetErrorName(status)},
          {"text", cudaGetErrorString(status)}};
}

void require(const std::string& error, const std::string& doing) {
  if (!error.empty()) throw std::runtime_error(doing + ": " + error);
}

std::size_t bytes_of(const json& what, const char* key) {
  return what.at(key).get<std::size_t>();
}

// Keeps the stream busy until everything of a sample is queued, so that the host's pace is not part of the
// time. Gives way after a while: a function that synchronises inside would otherwise wait for ever.
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
    auto [status, request] = channel_.receive();
    if (status != protocol::receive_status::ok) return 0;  // the judge has gone: nobody to tell
    const auto nonce = request.value("nonce", std::string());
    json reply;
    try {
      reply = answer(request);
      reply.emplace("ok", true);
    } catch (const std::exception& error) {
      reply = {{"ok", false}, {"error", error.what()}};
    }
    reply["nonce"] = nonce;
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
  if (what == op::kPoke) return poke(request);
  if (what == op::kSample) return sample(request);
  if (what == op::kFetch) return fetch(request);
  if (what == op::kFinish) return json::object();
  throw std::runtime_error("unknown operation \"" + what + "\"");
}

json session::hello(const json& request) {
  auto reply = start_device();
  reply["version"] = protocol::kVersion;
  if (reply["device"].get<bool>()) {
    cudaStream_t stream = nullptr;
    cudaEvent_t start = nullptr, stop = nullptr;
    if (cudaStreamCreate(&stream) != cudaSuccess || cudaEventCreate(&start) != cudaSuccess ||
        cudaEventCreate(&stop) != cudaSuccess) {
      throw std::runtime_error("the device gives neither streams nor events");
    }
    stream_ = stream;
    start_ = start;
    stop_ = stop;
  }
  const auto& ceilings = request.at("limits");
  reply["hardening"] = harden({ceilings.value("cpu_seconds", 0ul), ceilings.value("file_bytes", 0ul),
                               ceilings.value("open_files", 0ul)},
                              request.value("private_dir", std::string()));
  return reply;
}

json session::load(const json& request) {
  require(plugin_.load(request.at("plugin").get<std::string>()), "loading the plugin");
  json missing = json::array();
  for (const auto& name : request.at("functions")) {
    if (!plugin_.find(name.get<std::string>())) missing.push_back(name);
  }
  return {{"missing", missing}};
}

void session::map_arena(const json& request) {
  if (!arena_.map(bytes_of(request, "arena_bytes")))
    throw std::runtime_error("the arena is smaller than the judge says");
}

std::byte* session::arena_at(const json& slice, std::size_t bytes) {
  const auto at = bytes_of(slice, "arena");
  if (at > arena_.size() || bytes > arena_.size() - at) throw std::runtime_error("a place outside the arena");
  return arena_.data() + at;
}

void session::fill_buffers(const json& request, allocations& into) {
  map_arena(request);
  const auto& buffers = request.at("buffers");
  for (std::size_t index = 0; index < buffers.size(); ++index) {
    const auto& buffer = buffers[index];
    const auto bytes = bytes_of(buffer, "bytes");
    const auto kind = protocol::memory_kind_of(buffer.at("memory").get<std::string>());
    require(into.provide(index, kind, bytes), "allocating " + std::to_string(bytes) + " bytes");
    require(copy_in(into[index], 0, arena_at(buffer, bytes), bytes), "copying inputs to the device");
  }
  into.release_from(buffers.size());
}

std::vector<prepared_call> session::calls_of(const json& request, const std::string& phase,
                                             allocations& buffers) {
  std::vector<void*> pointers;
  for (std::size_t index = 0; index < buffers.size(); ++index) {
    pointers.push_back(static_cast<char*>(buffers[index].pointer) +
                       bytes_of(request.at("buffers")[index], "pointer_offset"));
  }
  std::vector<prepared_call> calls;
  for (const auto& call : request.at("calls")) {
    if (call.at("phase") != phase) continue;
    const auto name = call.at("function").get<std::string>();
    void* const function = plugin_.find(name);
    if (!function || !calls.emplace_back().prepare(function, call, pointers, stream_)) {
      throw std::runtime_error("cannot call " + name);
    }
  }
  return calls;
}

json session::run_case(const json& request) {
  if (request.contains("simulator") && !configure_simulator(request["simulator"].dump())) {
    throw std::runtime_error("the simulated GPU refuses its settings");
  }
  fill_buffers(request, case_buffers_);
  auto setup = calls_of(request, "setup", case_buffers_);
  auto run = calls_of(request, "run", case_buffers_);
  auto teardown = calls_of(request, "teardown", case_buffers_);
  if (const auto status = cudaDeviceSynchronize(); status != cudaSuccess) {
    throw std::runtime_error(std::string("the device is not usable: ") + cudaGetErrorString(status));
  }
  cudaGetLastError();

  json reply;
  int returned = 0;
  const auto make = [&](std::vector<prepared_call>& calls) {
    for (auto& call : calls) {
      if (const int status = call(); status != 0 && returned == 0) returned = status;
    }
  };
  const int threads_before = thread_count();
  make(setup);
  auto report_before = take_report();
  const double begin = seconds_now();
  make(run);
  auto call_error = cudaGetLastError();
  const auto sync_error = cudaDeviceSynchronize();
  const double end = seconds_now();
  auto report = take_report();
  if (call_error == cudaSuccess && sync_error == cudaSuccess) call_error = cudaGetLastError();
  cudaGetLastError();

  // Contents are read before the teardown, which may free what they depend on.
  std::string copy_error;
  const auto& buffers = request.at("buffers");
  if (sync_error == cudaSuccess) {
    for (std::size_t index = 0; index < buffers.size() && copy_error.empty(); ++index) {
      auto& buffer = case_buffers_[index];
      copy_error = copy_out(arena_at(buffers[index], buffer.bytes), buffer, 0, buffer.bytes);
    }
    make(teardown);
    cudaDeviceSynchronize();
  }
  reply["call_error"] = error_of(call_error);
  reply["sync_error"] = error_of(sync_error);
  reply["returned"] = returned;
  reply["wall_seconds"] = end - begin;
  reply["threads_before"] = threads_before;
  reply["threads_after"] = thread_count();
  reply["report_before"] = simulated() ? json(std::move(report_before)) : json();
  reply["report"] = simulated() ? json(std::move(report)) : json();
  auto addresses = json::array();
  for (std::size_t index = 0; index < buffers.size(); ++index) {
    addresses.push_back(reinterpret_cast<std::uintptr_t>(case_buffers_[index].pointer) +
                        bytes_of(buffers[index], "pointer_offset"));
  }
  reply["addresses"] = std::move(addresses);
  reply["copied_back"] = sync_error == cudaSuccess && copy_error.empty();
  if (!copy_error.empty()) reply["copy_error"] = copy_error;
  return reply;
}

json session::prepare_timing(const json& request) {
  if (request.contains("simulator") && !configure_simulator(request["simulator"].dump())) {
    throw std::runtime_error("the simulated GPU refuses its settings");
  }
  case_buffers_.release_from(0);
  set_calls_.clear();
  for (auto& set : sets_) set.release_from(0);
  sets_.clear();
  if (padding_.pointer) cudaFree(padding_.pointer);
  padding_ = {};
  // Different padding puts the buffers on other pages each time: luck of placement is part of what is
  // averaged over.
  if (const auto bytes = bytes_of(request, "padding"); bytes > 0) {
    padding_ = {protocol::memory_kind::device, bytes, nullptr};
    if (cudaMalloc(&padding_.pointer, bytes) != cudaSuccess) padding_.pointer = nullptr;
    cudaGetLastError();
  }
  const auto count = bytes_of(request, "sets");
  sets_.resize(count);
  for (std::size_t set = 0; set < count; ++set) {
    if (set == 0) {
      fill_buffers(request, sets_[0]);
    } else {
      for (std::size_t index = 0; index < sets_[0].size(); ++index) {
        require(sets_[set].provide(index, sets_[0][index].kind, sets_[0][index].bytes),
                "allocating a buffer set");
        require(copy_between(sets_[set][index], sets_[0][index]), "filling a buffer set");
      }
    }
    for (auto& call : calls_of(request, "setup", sets_[set])) call();
    set_calls_.push_back(calls_of(request, "run", sets_[set]));
  }
  require(cudaDeviceSynchronize() == cudaSuccess ? "" : cudaGetErrorString(cudaGetLastError()),
          "preparing the timed runs");
  std::size_t free_bytes = 0, total_bytes = 0;
  cudaMemGetInfo(&free_bytes, &total_bytes);
  return {{"free_memory", free_bytes}};
}

allocation& session::slice_of(const json& slice) {
  auto& buffer = sets_.at(bytes_of(slice, "set"));
  const auto index = bytes_of(slice, "buffer");
  if (index >= buffer.size() || bytes_of(slice, "offset") + bytes_of(slice, "bytes") > buffer[index].bytes) {
    throw std::runtime_error("a slice outside its buffer");
  }
  return buffer[index];
}

json session::poke(const json& request) {
  map_arena(request);
  for (const auto& write : request.at("writes")) {
    const auto bytes = bytes_of(write, "bytes");
    require(copy_in(slice_of(write), bytes_of(write, "offset"), arena_at(write, bytes), bytes),
            "changing inputs");
  }
  cudaDeviceSynchronize();
  return json::object();
}

json session::sample(const json& request) {
  if (sets_.empty()) throw std::runtime_error("no buffer sets are prepared");
  const auto launches = bytes_of(request, "launches");
  const auto first = bytes_of(request, "first_set");
  const bool hold = request.value("hold", false) && !simulated();
  const auto stream = static_cast<cudaStream_t>(stream_);
  reset_persisting_l2(stream_);
  cudaDeviceSynchronize();
  cudaGetLastError();
  take_report();

  gate held;
  if (hold && cudaLaunchHostFunc(stream, wait_for_gate, &held) != cudaSuccess) cudaGetLastError();
  cudaEventRecord(static_cast<cudaEvent_t>(start_), stream);
  if (!hold) held.open = true;
  double begin = seconds_now();
  for (std::size_t launch = 0; launch < launches; ++launch) {
    for (auto& call : set_calls_[(first + launch) % sets_.size()]) call();
  }
  cudaEventRecord(static_cast<cudaEvent_t>(stop_), stream);
  if (hold) begin = seconds_now();
  held.open.store(true, std::memory_order_release);
  const auto sync_error = cudaDeviceSynchronize();
  const double end = seconds_now();
  auto report = take_report();
  const auto call_error = cudaGetLastError();
  float milliseconds = 0;
  if (sync_error == cudaSuccess) {
    cudaEventElapsedTime(&milliseconds, static_cast<cudaEvent_t>(start_), static_cast<cudaEvent_t>(stop_));
  }
  return {{"event_seconds", 1e-3 * static_cast<double>(milliseconds)},
          {"wall_seconds", end - begin},
          {"call_error", error_of(call_error)},
          {"sync_error", error_of(sync_error)},
          {"threads", thread_count()},
          {"report", simulated() ? json(std::move(report)) : json()}};
}

json session::fetch(const json& request) {
  map_arena(request);
  for (const auto& read : request.at("reads")) {
    const auto bytes = bytes_of(read, "bytes");
    require(copy_out(arena_at(read, bytes), slice_of(read), bytes_of(read, "offset"), bytes),
            "reading outputs");
  }
  return json::object();
}

}  // namespace course::worker
