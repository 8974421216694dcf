/// @file
/// See runs.hpp.
#include "worker/runs.hpp"

#include <cuda_runtime_api.h>
#include <dirent.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "worker/device.hpp"
#include "worker/simulator.hpp"

namespace course::worker {

using nlohmann::json;

namespace {

/// Whether there are calls of a phase, and each promises its work to the stream of the contract.
bool all_take_the_stream(const program& asked, phase when) {
  bool any = false, all = true;
  for (const call_plan& call : asked.calls) {
    if (call.when != when) continue;
    any = true;
    all &= std::any_of(call.arguments.begin(), call.arguments.end(), [](const call_plan::argument& one) {
      return one.from == call_plan::argument::kind::stream;
    });
  }
  return any && all;
}

}  // namespace

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

json addresses_of(const program& of, const buffer_set& set) {
  auto list = json::array();
  for (std::size_t index = 0; index < of.buffers.size(); ++index)
    list.push_back(reinterpret_cast<std::uintptr_t>(set.element_zero(of, index)));
  return list;
}

void configure(const json& request) {
  if (request.contains("simulator") && !configure_simulator(request["simulator"].dump()))
    throw std::runtime_error("the simulated GPU refuses its settings");
}

void runs::make_stream() {
  cudaStream_t stream = nullptr;
  cudaEvent_t start = nullptr, stop = nullptr;
  if (cudaStreamCreate(&stream) != cudaSuccess || cudaEventCreate(&start) != cudaSuccess ||
      cudaEventCreate(&stop) != cudaSuccess)
    throw std::runtime_error("the device gives neither streams nor events");
  stream_ = stream;
  start_ = start;
  stop_ = stop;
  // So that a judge who looks on knows the stream before any code of a student's has run.
  if (device_is_judges()) cudaEventRecord(start, stream);
}

void runs::count_threads() {
  threads_at_load_ = thread_count();
}

void runs::map_arena(const json& request) {
  if (!arena_.map(bytes_of(request, "arena_bytes")))
    throw std::runtime_error("the arena is smaller than the judge says");
}

std::byte* runs::arena_at(std::size_t at, std::size_t bytes) {
  if (at > arena_.size() || bytes > arena_.size() - at) throw std::runtime_error("a place outside the arena");
  return arena_.data() + at;
}

int runs::synchronise() {
  int first = 0;
  for (int device = devices_; device-- > 0;) {
    if (devices_ > 1) cudaSetDevice(device);
    if (const int status = cudaDeviceSynchronize(); status != 0 && first == 0) first = status;
  }
  return first;
}

int runs::after_before_calls(const program& asked) {
  const bool promised = asked.before_is_done || all_take_the_stream(asked, phase::before);
  const int status =
      simulated() && promised ? cudaStreamSynchronize(static_cast<cudaStream_t>(stream_)) : synchronise();
  const bool any =
      std::any_of(asked.buffers.begin(), asked.buffers.end(), [](const auto& one) { return one.spoiled; });
  if (status != 0 || !any) return status;
  if (const int earlier = synchronise(); earlier != 0) return earlier;
  for (std::size_t index = 0; index < asked.buffers.size(); ++index) {
    constexpr int kOther = 0x3d;  // floats of 0.046, neither huge nor NaN
    const auto& place = case_set_.place(index);
    if (asked.buffers[index].spoiled && place.pointer) cudaMemset(place.pointer, kOther, place.bytes);
  }
  return synchronise();
}

double runs::event_seconds() {
  float milliseconds = 0;
  if (cudaEventElapsedTime(&milliseconds, static_cast<cudaEvent_t>(start_),
                           static_cast<cudaEvent_t>(stop_)) != cudaSuccess)
    milliseconds = 0;
  cudaGetLastError();
  return 1e-3 * static_cast<double>(milliseconds);
}

void runs::drop_sets() {
  while (!sets_.empty()) {
    sets_.back().release();
    sets_.pop_back();
  }
}

void runs::set_up_all(json& reply) {
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

void runs::tear_down_all() {
  if (!is_set_up_) return;
  is_set_up_ = false;
  // Sets after the first made no common calls, so they have none to undo; their answers are copies.
  for (auto set = sets_.rbegin(); set != sets_.rend(); ++set) set->make(program_, phase::after, stream_);
  synchronise();
  cudaGetLastError();
}

void runs::bring_sets_home() {
  for (const auto& set : sets_) set.bring_home();
  synchronise();
  cudaGetLastError();
}

trouble runs::make_timed(std::size_t first, std::size_t launches, bool apart) {
  // Streams of a program's own know nothing of the next set's. What worked on one stream alone overlapped with itself there, and was as
  // fast on a card as what works on three.
  apart = apart && !all_take_the_stream(program_, phase::timed);
  trouble found;
  try {
    for (std::size_t launch = 0; launch < launches; ++launch) {
      if (apart && launch > 0) synchronise();  // an error of this one is found again behind the last
      sets_[(first + launch) % sets_.size()].make_timed();
    }
  } catch (const std::exception& error) {
    found.thrown_by = "the timed call";
    found.what = error.what();
  } catch (...) {
    found.thrown_by = "the timed call";
  }
  return found;
}

trouble runs::collect(std::size_t first, std::size_t launches) {
  trouble found;
  for (std::size_t set = 0; set < std::min(launches, sets_.size()) && !found.any(); ++set)
    found = sets_[(first + set) % sets_.size()].make(program_, phase::collect, stream_);
  return found;
}

allocation& runs::slice_of(buffer_set& set, const json& slice, bool of_image) {
  const auto index = bytes_of(slice, "buffer");
  if (index >= program_.buffers.size() ||
      bytes_of(slice, "offset") + bytes_of(slice, "bytes") > program_.buffers[index].place.bytes)
    throw std::runtime_error("a slice outside its buffer");
  auto& place = of_image ? set.image(index) : set.place(index);
  if (!place.pointer) throw std::runtime_error("a slice of a buffer that is not there");
  return place;
}

}  // namespace course::worker
