/// @file
/// See device_process.hpp. The channel's grammar is the simulator's own (simgpu/process/grader_channel.hpp), so that the two cannot drift apart.
#include "judge/device_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>

#include "judge/machine_memory.hpp"
#include "judge/spawn.hpp"
#include "records/json_fields.hpp"
#include "simgpu/link/channel.hpp"
#include "simgpu/process/grader_channel.hpp"

namespace course {
namespace {

using nlohmann::json;
namespace process = simgpu::process;

// Under which the device finds its two sockets.
constexpr int kDoor = 3, kChannel = 4;
// For what the device keeps beside the program's allocations: what was seen of them, commands, findings. [bytes]
constexpr std::uint64_t kOfItsOwn = std::uint64_t{4} << 30;
constexpr std::uint64_t kProcessorSeconds = 900;  // as a worker
constexpr std::size_t kMostNames = 4096, kLongestName = 256;

std::string name_in(const json& from) {
  return from.is_string() ? from.get<std::string>().substr(0, kLongestName) : std::string();
}
template <class Whole = std::uint64_t>
Whole whole_in(const json& from) {
  return from.is_number_integer() ? from.get<Whole>() : Whole{0};
}

// A worker's part of the report is anything that a student's program may write: what is no such part says nothing.
simgpu::report::ClientPart part_in(const std::string& text) {
  simgpu::report::ClientPart part;
  const json from = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!from.is_object()) return part;
  for (const auto& call : member_of(from, "api")) {
    if (part.api.size() == kMostNames) break;
    if (call.is_array() && call.size() == 2) part.api.push_back({name_in(call[0]), whole_in(call[1])});
  }
  if (const auto& errors = member_of(from, "errors"); errors.is_array() && errors.size() == 4) {
    part.errors.calls = whole_in(errors[0]);
    part.errors.largest = whole_in<int>(errors[1]);
    part.errors.first = whole_in<int>(errors[2]);
    part.errors.first_call = name_in(errors[3]);
  }
  for (const auto& name : member_of(from, "unsupported")) {
    if (part.unsupported.size() < kMostNames) part.unsupported.push_back(name_in(name));
  }
  part.streams = whole_in(member_of(from, "streams"));
  part.events = whole_in(member_of(from, "events"));
  part.persisting_limit = whole_in(member_of(from, "persisting_limit"));
  return part;
}

device_process::stillness stillness_in(const std::string& answer) {
  const json told = json::parse(answer, nullptr, false);
  const auto& idle = member_of(told, "idle");
  return {idle.is_boolean() && idle.get<bool>(), static_cast<std::size_t>(number_of(told, "launches")),
          text_of(told, "ended")};
}

std::string report_wish(const std::string& part) {
  return process::text_of(
      {0, process::TakeReport{.client = part_in(part), .last = false, .wish = "", .folder = ""}});
}

// What a program may have allocated at a time on this machine. Much of it may never be touched, so a small machine is not held to its size.
std::uint64_t most_allocated() {
  constexpr std::uint64_t kAlways = std::uint64_t{8} << 30;
  return std::max<std::uint64_t>(kAlways, memory_of_machine() / 4 * 3);
}

}  // namespace

device_process::~device_process() {
  kill();
  close_door();
  for (const int each : {channel_, said_}) {
    if (each >= 0) ::close(each);
  }
}

void device_process::close_door() {
  if (door_ >= 0) ::close(std::exchange(door_, -1));
}

std::string device_process::start(const std::filesystem::path& program) {
  if (!pages_.create()) return std::string("no shared memory: ") + std::strerror(errno);
  const auto door = simgpu::link::connected_sockets(), channel = simgpu::link::connected_sockets();
  std::array<int, 2> said{};
  if (!door || !channel || ::pipe2(said.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    return std::string("no socket: ") + std::strerror(errno);
  door_ = door->ours;
  channel_ = channel->ours;
  said_ = said[0];
  // Its shadows and its warps' registers are tens of megabytes on the heap: on large pages the system has far less to do.
  std::vector<std::string> variables{"LC_ALL=C", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"};
  inherit(variables, {"LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS"});
  // Its standard error is a pipe that nobody need empty: it is never to write to where the judge writes.
  auto problem =
      spawn(program, {"--child"}, std::move(variables),
            {{said[1], 1}, {said[1], 2}, {door->theirs, kDoor}, {channel->theirs, kChannel}}, process_);
  for (const int each : {door->theirs, channel->theirs, said[1]}) ::close(each);
  return problem;
}

bool device_process::begin(int worker, const std::string& card, int devices,
                           const std::vector<std::filesystem::path>& reads) {
  const int descriptors[] = {pages_.descriptor()};
  process::Start start{.card = card,
                       .slice = 0,
                       .devices = static_cast<std::uint32_t>(devices),
                       .settings = {},
                       .report = "",
                       .client = worker,
                       .held = false,
                       .cage = {.closed = true,
                                .allocated_bytes = most_allocated(),
                                .private_bytes = most_allocated() + kOfItsOwn,
                                .cpu_seconds = kProcessorSeconds,
                                .reads = {}}};
  for (const auto& each : reads) start.cage.reads.push_back(each.string());
  start.settings.quiet = true;
  ++unanswered_;
  return simgpu::link::send_text(channel_, process::text_of({0, start}), descriptors);
}

bool device_process::send(const std::string& text) {
  return channel_ >= 0 && simgpu::link::send_text(channel_, text);
}

void device_process::post(const std::string& text) {
  if (send(text)) ++unanswered_;
}

std::optional<std::string> device_process::receive(protocol::clock::time_point deadline) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - protocol::clock::now()).count();
    pollfd ready{channel_, POLLIN, 0};
    const int count = ::poll(&ready, 1, static_cast<int>(std::clamp<long long>(left + 1, 0, 60'000)));
    if (count < 0 && errno == EINTR) continue;
    if (count == 0 && left > 0) continue;
    if (count <= 0) return std::nullopt;
    return simgpu::link::receive_text(channel_);
  }
}

std::optional<std::string> device_process::ask(const std::string& text,
                                               protocol::clock::time_point deadline) {
  if (!send(text) || !skip_answers(deadline)) return std::nullopt;
  return receive(deadline);
}

bool device_process::skip_answers(protocol::clock::time_point deadline) {
  for (; unanswered_ > 0; --unanswered_) {
    const auto answer = receive(deadline);
    if (!answer) return false;
    if (cage_.empty()) note_cage(*answer);  // the first one is that to start
  }
  return true;
}

void device_process::note_cage(const std::string& answer) {
  const json told = json::parse(answer, nullptr, false);
  for (const auto& word : member_of(told, "cage")) cage_.push_back(name_in(word));
}

void device_process::configure(const json& simulator, int devices) {
  process::Configure wish{.settings = {}, .devices = static_cast<std::uint32_t>(devices)};
  auto& settings = wish.settings;
  settings.quiet = true;
  const auto& checks = member_of(simulator, "checks");
  if (checks.is_boolean() && !checks.get<bool>())
    settings.checks.races = settings.checks.uninitialised = settings.checks.streams = settings.checks.leaks =
        false;
  if (text_of(simulator, "order") == "reversed") settings.order = simgpu::exec::Order::reversed;
  if (const auto limit = number_or_none(simulator, "warp_instruction_limit"))
    settings.warp_instruction_limit = static_cast<std::uint64_t>(*limit);
  const auto& timing = member_of(simulator, "timing");
  if (timing.is_boolean()) settings.timing = timing.get<bool>();
  post(process::text_of({0, wish}));
}

bool device_process::name_program(const std::filesystem::path& plugin, protocol::clock::time_point deadline) {
  return ask(process::text_of({0, process::Program{plugin.string()}}), deadline).has_value();
}

std::optional<device_process::stillness> device_process::hold(protocol::clock::time_point deadline) {
  const auto answer = ask(process::text_of({0, process::Hold{}}), deadline);
  if (!answer) return std::nullopt;
  return stillness_in(*answer);
}

std::optional<device_process::stillness> device_process::hold_and_report(
    const std::string& part, std::string& report, protocol::clock::time_point deadline) {
  if (!send(process::text_of({0, process::Hold{}})) || !send(report_wish(part)) || !skip_answers(deadline))
    return std::nullopt;
  const auto answer = receive(deadline);
  auto taken = answer ? receive(deadline) : std::nullopt;
  if (!taken) return std::nullopt;
  report = std::move(*taken);
  return stillness_in(*answer);
}

void device_process::go() {
  post(process::text_of({0, process::Go{}}));
}

std::optional<std::string> device_process::take_report(const std::string& part,
                                                       protocol::clock::time_point deadline) {
  return ask(report_wish(part), deadline);
}

void device_process::drop_report() {
  const process::TakeReport wish{.client = {}, .last = false, .wish = "", .folder = "", .unread = true};
  post(process::text_of({0, wish}));
}

std::optional<std::string> device_process::transfer(bool to_device, const std::vector<stretch>& stretches,
                                                    protocol::clock::time_point deadline) {
  process::Transfer wish{.to_device = to_device, .stretches = {}};
  for (const auto& one : stretches)
    wish.stretches.push_back({one.address, one.width, one.rows, one.pitch, one.offset, one.kind});
  const auto answer = ask(process::text_of({0, wish}), deadline);
  if (!answer) return std::nullopt;
  return text_of(json::parse(*answer, nullptr, false), "problem");
}

const std::optional<process_end>& device_process::end(std::chrono::milliseconds patience) {
  int status = 0;
  const auto until = protocol::clock::now() + patience;
  while (process_ > 0) {
    if (const pid_t ended = ::waitpid(process_, &status, WNOHANG); ended == process_) {
      end_ = process_end::of(status);
      process_ = -1;
    } else if (protocol::clock::now() >= until) {
      break;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  return end_;
}

std::string device_process::last_words() const {
  std::array<char, 1024> piece;
  const auto count = said_ >= 0 ? ::read(said_, piece.data(), piece.size()) : 0;
  std::string text(piece.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  text.resize(std::min(text.find('\n'), text.size()));
  for (char& each : text) {
    if (static_cast<unsigned char>(each) < ' ') each = ' ';
  }
  return text;
}

void device_process::kill() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
}

}  // namespace course
