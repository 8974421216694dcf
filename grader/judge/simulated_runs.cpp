/// @file
/// See simulated_runs.hpp.
#include "judge/simulated_runs.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "judge/device_report.hpp"
#include "protocol/names.hpp"
#include "records/json_fields.hpp"
#include "simgpu/process/cage.hpp"

namespace course {
namespace {

using nlohmann::json;
namespace op = protocol::op;

constexpr int kDeviceIsGone = 125;  // with which the client's library ends a program that has lost its device

reply failure(reply_status status, std::string error) {
  reply found;
  found.status = status;
  found.error = std::move(error);
  return found;
}

bool is_wrong(const json& body) {
  return member_of(body, "exception").is_object() || member_of(body, "refused").is_object();
}

bool has_error(const json& body, const char* which) {
  return member_of(body, which).is_object();
}

// What went wrong first, and what was answered last.
void merge(json& into, const json& step) {
  for (const char* const first : {"exception", "refused", "call_error", "sync_error"}) {
    if (!has_error(into, first) && step.contains(first)) into[first] = step[first];
  }
  for (const char* const last :
       {"answers", "addresses", "wall_seconds", "threads_before", "threads_after", "threads"}) {
    if (step.contains(last)) into[last] = step[last];
  }
}

std::size_t size_in(const json& from, const char* key) {
  const auto& value = member_of(from, key);
  return value.is_number_unsigned() ? value.get<std::size_t>() : 0;
}

}  // namespace

protocol::clock::time_point simulated_runs::deadline() const {
  return protocol::clock::now() + std::chrono::duration_cast<protocol::clock::duration>(patience_);
}

bool simulated_runs::begin(std::chrono::duration<double> patience) {
  patience_ = patience;
  if (!device_.hold(deadline())) return false;
  const auto first = device_.take_report("", deadline());
  if (!first) return false;
  const json told = json::parse(*first, nullptr, false);
  const auto& records = member_of(member_of(told, "events"), "records");
  if (records.is_array() && !records.empty())
    stream_ = static_cast<std::int64_t>(number_of(records.back(), "stream"));
  return true;
}

reply simulated_runs::load(const json& request, std::chrono::duration<double> patience) {
  patience_ = patience;
  worker_.forget_printed();
  if (!device_.name_program(text_of(request, "plugin"), deadline())) return lost({});
  return step(request);
}

reply simulated_runs::ask(const json& request, std::chrono::duration<double> patience) {
  patience_ = patience;
  worker_.forget_printed();
  const auto sent = protocol::clock::now();
  const auto what = text_of(request, "op");
  auto found = what == op::kRunCase         ? run_case(request)
               : what == op::kPrepareTiming ? prepare_timing(request)
               : what == op::kPoke          ? poke(request)
               : what == op::kSample        ? sample(request)
               : what == op::kFetch         ? fetch(request)
                                            : failure(reply_status::refused, "no such question");
  found.judge_seconds = std::chrono::duration<double>(protocol::clock::now() - sent).count();
  return found;
}

// ------------------------------------------------------------------------------------------------------ both processes

reply simulated_runs::step(json message, std::string* report) {
  if (report) message["part"] = true;
  const auto what = text_of(message, "op");
  device_.go();
  worker_.send(std::move(message), patience_);
  auto found = worker_.wait();
  if (found.status == reply_status::exited) return lost(std::move(found));
  if (found.status == reply_status::timed_out) found.error = std::exchange(hangs_, "");
  if (!found.ok() && found.status != reply_status::refused) return found;
  // What the judge itself lacks it says itself, and without asking.
  if (!found.ok() && what != op::kLoad) found.status = reply_status::gave_up;
  const auto still = report ? device_.hold_and_report(text_of(found.body, "part"), *report, deadline())
                            : device_.hold(deadline());
  if (!still) return lost(std::move(found));
  const bool was_idle = std::exchange(idle_, still->idle);
  const auto before = std::exchange(launches_, report ? 0 : still->launches);
  // In these steps nothing of the program's is called: what it computes there would be in nobody's report.
  const bool nobody_called =
      what == op::kPlace || what == op::kFill || what == op::kReady || what == op::kGather;
  const bool hidden = nobody_called && was_idle && still->launches > before;
  if (!still->ended.empty() || hidden) {
    worker_.kill();
    return failure(reply_status::cut_off,
                   hidden ? "It has launched kernels while none of its functions was called." : still->ended);
  }
  return found;
}

std::string simulated_runs::where_the_host_hangs() {
  constexpr auto kAMoment = std::chrono::seconds(2);
  std::string told;
  const auto still = device_.hold_and_report("", told, protocol::clock::now() + kAMoment);
  if (!still || !still->idle) return {};
  const device_report report(told);
  if (report.operations().empty()) return "before it has given the device anything to do";
  const auto& last = report.operations().back();
  return last.engine == "kernel" ? fmt::format("after it has launched `{}`", last.name)
         : last.name == "copy"   ? fmt::format("after a {}", last.engine)
                                 : fmt::format("after a {}", last.name);
}

// One of the two is no more, or does not answer: which one decides whose fault it is.
reply simulated_runs::lost(reply found) {
  constexpr std::chrono::milliseconds kPatience{2000};
  const auto& end = device_.end(kPatience);
  // Two of its limits are the program's to reach: it decides what the device computes, and what it keeps.
  if (end && end->by_signal && end->code == SIGXCPU) {
    worker_.kill();
    return failure(reply_status::timed_out, "");
  }
  if (end && !end->by_signal && end->code == simgpu::process::kMemoryUsedUp) {
    worker_.kill();
    return failure(reply_status::device_full, "");
  }
  if (end && (end->by_signal || end->code != 0)) {
    worker_.kill();
    const auto said = device_.last_words();
    return failure(reply_status::no_device, fmt::format("the simulated GPU's process {}{}", end->text(),
                                                        said.empty() ? "" : fmt::format(" (\"{}\")", said)));
  }
  // A device ends when its program has: what is seen first of the two says nothing. Who dies closes what it has open a moment before.
  constexpr std::chrono::milliseconds kAMoment{1000};  // on a busy machine
  const bool worker_gone = worker_.ends_within(end ? kAMoment : std::chrono::milliseconds(0));
  const auto how = worker_.end().value_or(process_end{});
  const bool missed_the_device = end && worker_gone && !how.by_signal && how.code == kDeviceIsGone;
  if (worker_gone && !missed_the_device) {
    // Who says that it cannot go on and leaves has said why: whether it was still there a moment later tells nothing.
    if (found.status != reply_status::gave_up) found.status = reply_status::exited;
    return found;
  }
  worker_.kill();
  if (end) return failure(reply_status::cut_off, "It has closed it.");
  device_.kill();  // busy with what the program has given it, for longer than anything may take
  return failure(reply_status::timed_out, "");
}

// ------------------------------------------------------------------------------------------------------- where things lie

bool simulated_runs::has_phase(const char* phase) const {
  return std::find(phases_.begin(), phases_.end(), phase) != phases_.end();
}

// The judge's own words: nothing here comes from the worker.
void simulated_runs::read_request(const json& request) {
  buffers_.clear();
  phases_.clear();
  for (const auto& one : request.at("buffers")) {
    buffer_in read;
    const auto memory = protocol::memory_kind_of(text_of(one, "memory"));
    const auto follows = text_of(one, "follows");
    const bool is_theirs = follows == "pointer";
    const bool device = memory == protocol::memory_kind::device,
               managed = memory == protocol::memory_kind::managed;
    read.kept = one.value("restored", false) || is_theirs || follows == "pitch";
    read.place_there = device || managed;
    read.image_there = device || (managed && !read.kept);
    // Memory of another kind the host could write, and a lie about a place must not make it so.
    read.kind = managed ? "managed" : is_theirs ? "device|pool" : "device";
    read.image_kind = read.kept ? "device" : read.kind;
    read.common = one.value("common", false);
    read.bytes = size_in(one, "bytes");
    read.arena = size_in(one, "arena");
    read.rows = size_in(one, "rows");
    read.row_bytes = size_in(one, "row_bytes");
    buffers_.push_back(std::move(read));
  }
  for (const auto& one : request.at("calls")) phases_.push_back(text_of(one, "phase"));
  repeats_before_ = request.value("repeats_before", false);
}

void simulated_runs::note_places(const json& body) {
  const auto& told = member_of(body, "places");
  if (!told.is_array()) return;
  places_.clear();
  for (const auto& set : told) {
    auto& list = places_.emplace_back(buffers_.size());
    for (std::size_t index = 0; index < buffers_.size() && set.is_array() && index < set.size(); ++index) {
      const auto& one = set[index];
      if (!one.is_array() || one.size() != 3 || !one[0].is_number_unsigned() ||
          !one[1].is_number_unsigned() || !one[2].is_number_unsigned())
        continue;
      list[index] = {one[0].get<std::uint64_t>(), one[1].get<std::uint64_t>(), one[2].get<std::uint64_t>()};
    }
  }
}

// Bytes [offset, offset + bytes) of a buffer's image, cut into stretches where its rows lie apart: whole rows are one.
void simulated_runs::add(std::vector<device_process::stretch>& to, std::size_t set, std::size_t buffer,
                         bool of_image, std::size_t offset, std::size_t bytes, std::size_t arena) const {
  const auto& what = buffers_[buffer];
  const auto& lies = places_[set][buffer];
  const bool kept = of_image && what.kept;
  const auto base = of_image ? lies.image : lies.begin;
  const auto& kind = of_image ? what.image_kind : what.kind;
  if (kept || lies.pitch == 0 || what.rows == 0 || what.row_bytes == 0) {
    to.push_back({base + offset, bytes, 1, bytes, arena, kind});
    return;
  }
  for (std::size_t done = 0; done < bytes;) {
    const auto at = offset + done, row = at / what.row_bytes, column = at % what.row_bytes,
               left = bytes - done;
    const bool whole = column == 0 && left >= what.row_bytes;
    const auto rows = whole ? left / what.row_bytes : 1;
    const auto width = whole ? what.row_bytes : std::min(left, what.row_bytes - column);
    to.push_back({base + row * lies.pitch + column, width, rows, lies.pitch, arena + done, kind});
    done += rows * width;
  }
}

bool simulated_runs::write(const std::vector<json>& slices, json& writes, reply& failed) {
  std::vector<device_process::stretch> stretches;
  writes = json::array();
  for (const auto& one : slices) {
    const auto set = size_in(one, "set"), buffer = size_in(one, "buffer"), bytes = size_in(one, "bytes"),
               arena = size_in(one, "arena");
    if (bytes == 0) continue;
    if (set >= places_.size()) {
      failed = failure(reply_status::cut_off, "It has lost the buffers.");
      return false;
    }
    if (buffers_[buffer].image_there) {
      add(stretches, set, buffer, true, size_in(one, "offset"), bytes, arena);
      continue;
    }
    if (!worker_.arena().grow(device_.pages().size())) {
      failed = failure(reply_status::refused, "there is not enough memory for the buffers");
      return false;
    }
    std::memcpy(worker_.arena().data() + arena, device_.pages().data() + arena, bytes);
    writes.push_back(one);
  }
  if (stretches.empty()) return true;
  const auto problem = device_.transfer(true, stretches, deadline());
  if (!problem) {
    failed = lost({});
  } else if (!problem->empty()) {
    worker_.kill();
    failed = failure(reply_status::cut_off, "The buffers cannot be filled. " + *problem);
  }
  return problem && problem->empty();
}

bool simulated_runs::read(const std::vector<json>& slices, std::string& problem, reply& failed) {
  std::vector<device_process::stretch> stretches;
  auto reads = json::array();
  for (const auto& one : slices) {
    const auto set = size_in(one, "set"), buffer = size_in(one, "buffer"), bytes = size_in(one, "bytes");
    if (bytes == 0) continue;
    if (set >= places_.size() || places_[set][buffer].begin == 0)
      continue;  // follows a call that was not made
    if (buffers_[buffer].place_there) {
      add(stretches, set, buffer, false, size_in(one, "offset"), bytes, size_in(one, "arena"));
    } else {
      reads.push_back(one);
    }
  }
  if (!stretches.empty()) {
    auto told = device_.transfer(false, stretches, deadline());
    if (!told) failed = lost({});
    if (!told) return false;
    problem = std::move(*told);
  }
  if (reads.empty()) return true;
  auto& arena = worker_.arena();
  if (!arena.grow(device_.pages().size())) {
    failed = failure(reply_status::refused, "there is not enough memory for the buffers");
    return false;
  }
  auto given = step({{"op", op::kGather}, {"arena_bytes", arena.size()}, {"reads", reads}});
  if (!given.ok()) {
    failed = std::move(given);
    return false;
  }
  // Copied once: what is compared is not in the worker's reach any more.
  for (const auto& one : reads) {
    const auto at = size_in(one, "arena");
    std::memcpy(device_.pages().data() + at, arena.data() + at, size_in(one, "bytes"));
  }
  return true;
}

bool simulated_runs::write_images(std::size_t sets, json& writes, reply& failed) {
  std::vector<json> slices;
  for (std::size_t set = 0; set < sets; ++set) {
    for (std::size_t index = 0; index < buffers_.size(); ++index) {
      const auto& one = buffers_[index];
      if (one.common && set > 0) continue;
      slices.push_back(
          {{"set", set}, {"buffer", index}, {"offset", 0u}, {"bytes", one.bytes}, {"arena", one.arena}});
    }
  }
  return write(slices, writes, failed);
}

// The two events of the timed calls, as the device reads them: the first thing on the contract's stream in this report, before any work,
// and the last, after all of it. A program that does not leave them so is not timed by them.
double simulated_runs::between_events(const std::string& report) const {
  const json told = json::parse(report, nullptr, false);
  const double all = number_of(told, "elapsed_seconds");
  const auto& records = member_of(member_of(told, "events"), "records");
  if (!records.is_array() || records.size() < 2) return all;
  const auto& first = records.front();
  const auto& last = records.back();
  double operations = number_of(member_of(told, "timeline"), "omitted");
  for (const auto& one : member_of(member_of(told, "timeline"), "operations"))
    operations += number_of(one, "device") == 0;
  const bool sound = number_of(first, "operations_before") == 0 && number_of(first, "device") == 0 &&
                     static_cast<std::int64_t>(number_of(first, "stream")) == stream_ &&
                     number_of(last, "operations_before") == operations && number_of(last, "device") == 0 &&
                     static_cast<std::int64_t>(number_of(last, "stream")) == stream_;
  return sound ? number_of(last, "seconds") - number_of(first, "seconds") : all;
}

// -------------------------------------------------------------------------------------------------------- the questions

reply simulated_runs::run_case(const json& request) {
  reply failed;
  read_request(request);
  const auto& simulator = member_of(request, "simulator");
  device_.configure(simulator, device_count_);
  json message{{"op", op::kPlace},
               {"devices", member_of(request, "devices")},
               {"buffers", member_of(request, "buffers")},
               {"calls", member_of(request, "calls")},
               {"before_is_done", request.value("before_is_done", false)}};
  if (simulator.contains("fail")) message["simulator"] = {{"fail", simulator["fail"]}};
  auto placed = step(std::move(message));
  if (!placed.ok()) return placed;
  note_places(placed.body);

  json writes;
  if (!write_images(1, writes, failed)) return failed;
  auto filled = step({{"op", op::kFill},
                      {"arena_bytes", worker_.arena().size()},
                      {"writes", writes},
                      {"restore", true},
                      {"part", true}});
  if (!filled.ok()) return filled;
  device_.drop_report();  // it would be of the judge's own work
  launches_ = 0;

  std::string before, timed, after;  // reports
  reply result = step({{"op", op::kBefore}}, &before);
  if (!result.ok()) return result;
  note_places(result.body);
  json body = json::object();
  merge(body, result.body);
  double event_seconds = 0;
  if (!is_wrong(body) && !has_error(body, "sync_error")) {
    auto answer = step({{"op", op::kTimed}}, &timed);
    if (!answer.ok()) return answer;
    merge(body, answer.body);
    // Most cases ask for no time, and reports are long.
    const auto& timing = member_of(simulator, "timing");
    const bool asks_time = !timing.is_boolean() || timing.get<bool>();
    if (asks_time && !has_error(body, "sync_error")) event_seconds = between_events(timed);
  }
  if (has_phase("collect") && !is_wrong(body) && !has_error(body, "sync_error")) {
    auto answer = step({{"op", op::kCollect}});
    if (!answer.ok()) return answer;
    merge(body, answer.body);
  }
  std::string problem;
  bool copied = false;
  if (!has_error(body, "sync_error")) {
    std::vector<json> slices;
    for (std::size_t index = 0; index < buffers_.size(); ++index)
      slices.push_back({{"set", 0u},
                        {"buffer", index},
                        {"offset", 0u},
                        {"bytes", buffers_[index].bytes},
                        {"arena", buffers_[index].arena}});
    if (!read(slices, problem, failed)) return failed;
    copied = problem.empty();
    if (!is_wrong(body)) {
      auto answer = step({{"op", op::kAfter}}, &after);
      if (!answer.ok()) return answer;
      merge(body, answer.body);
    }
  }
  body["event_seconds"] = event_seconds;
  body["report_before"] = std::move(before);
  body["report"] = std::move(timed);
  body["report_after"] = std::move(after);
  body["copied_back"] = copied;
  if (!problem.empty()) body["copy_error"] = problem;
  result.body = std::move(body);
  return result;
}

reply simulated_runs::prepare_timing(const json& request) {
  reply failed;
  read_request(request);
  const auto& simulator = member_of(request, "simulator");
  device_.configure(simulator, device_count_);
  const auto sets = size_in(request, "sets");
  json message{{"op", op::kPlace},
               {"sets", sets},
               {"repeats_before", repeats_before_},
               {"devices", member_of(request, "devices")},
               {"buffers", member_of(request, "buffers")},
               {"calls", member_of(request, "calls")},
               {"before_is_done", request.value("before_is_done", false)}};
  if (simulator.contains("fail")) message["simulator"] = {{"fail", simulator["fail"]}};
  auto placed = step(std::move(message));
  if (!placed.ok()) return placed;
  note_places(placed.body);
  json writes;
  if (!write_images(sets, writes, failed)) return failed;
  auto filled = step(
      {{"op", op::kFill}, {"arena_bytes", worker_.arena().size()}, {"writes", writes}, {"restore", true}});
  if (!filled.ok()) return filled;
  auto result = step({{"op", op::kBefore}});
  if (result.ok()) note_places(result.body);
  return result;
}

reply simulated_runs::poke(const json& request) {
  reply failed;
  if (repeats_before_) {
    auto undone = step({{"op", op::kAfter}});
    if (!undone.ok()) return undone;
  }
  json writes;
  if (!write(request.at("writes").get<std::vector<json>>(), writes, failed)) return failed;
  const bool restore = !repeats_before_;
  auto result = step(
      {{"op", op::kFill}, {"arena_bytes", worker_.arena().size()}, {"writes", writes}, {"restore", restore}});
  if (!result.ok() || restore) return result;
  result = step({{"op", op::kBefore}});
  if (result.ok()) note_places(result.body);
  return result;
}

reply simulated_runs::sample(const json& request) {
  const bool end_to_end = text_of(request, "clock") == "end_to_end";
  std::string before, timed;  // reports
  auto ready = step({{"op", op::kReady}, {"hold", request.value("hold", false) && !end_to_end}}, &before);
  if (!ready.ok()) return ready;
  json message = request;
  message["op"] = op::kTimed;
  auto result = step(std::move(message), &timed);
  if (!result.ok()) return result;
  json body = json::object();
  merge(body, result.body);
  body["event_seconds"] = has_error(body, "sync_error") || end_to_end ? 0.0 : between_events(timed);
  body["report_before"] = std::move(before);
  body["report"] = std::move(timed);
  if (has_phase("collect") && !is_wrong(body) && !has_error(body, "sync_error")) {
    auto answer = step({{"op", op::kCollect},
                        {"first_set", member_of(request, "first_set")},
                        {"launches", member_of(request, "launches")}});
    if (!answer.ok()) return answer;
    merge(body, answer.body);
  }
  result.body = std::move(body);
  return result;
}

reply simulated_runs::fetch(const json& request) {
  reply failed;
  std::string problem;
  if (!read(request.at("reads").get<std::vector<json>>(), problem, failed)) return failed;
  reply result;
  result.status = problem.empty() ? reply_status::ok : reply_status::cut_off;
  result.error = problem.empty() ? "" : "The outputs cannot be read. " + problem;
  return result;
}

}  // namespace course
