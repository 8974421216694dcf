/// @file
/// See loop.hpp. Everything is done by one thread; a second one only sleeps on the sockets, and wakes the first.
#include "simgpu/process/loop.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <utility>
#include <variant>

#include "simgpu/exec/host_memory.hpp"
#include "simgpu/link/channel.hpp"
#include "simgpu/link/threads.hpp"
#include "simgpu/queue/answer_codec.hpp"
#include "simgpu/queue/codec.hpp"
#include "simgpu/queue/fields.hpp"
#include "simgpu/report/files.hpp"

namespace simgpu::process {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// A client that is silent for so long may spin on what a kernel is to write: from then on kernels that stand still have their turn by
/// themselves. While it says something they have it then, in an order that is the same in each run.
constexpr milliseconds kQuiet{20};
constexpr microseconds kTurn{200};
/// Between two looks at a client of whose threads one waits and another may act.
constexpr milliseconds kOthers{1};
/// A kernel may run for as long after the program has died; then it is ended with the device.
constexpr seconds kPatience{2};

constexpr const char* kBrokenRing =
    "A place in the ring of commands breaks the grammar: it lies beyond what the ring can hold.";

}  // namespace

Loop::Loop(const Start& start, device::Gpu& gpu, const link::Pages& pages, int door, int grader,
           GraderPages grader_pages)
    : gpu_(gpu),
      wish_(start.report),
      door_(door),
      grader_(grader),
      port_(pages, link::Side::device, door, queue::kMostBytes),
      front_(gpu, pages.staging(),
             {.send = [this](const queue::Message& message) { send(message); },
              .listen = [this] { return listen(); },
              .threads = [this] { return link::threads_of_program(client_); }}),
      grader_pages_(std::move(grader_pages)),
      held_(start.held) {
  ucred who{};
  socklen_t bytes = sizeof who;
  if (::getsockopt(door, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0) client_ = who.pid;
  if (start.client != 0) client_ = start.client;
  exec::program_is(client_);
  gpu_.settings = start.settings;
  front_.set_devices(start.devices);
}

void Loop::run() {
  std::thread([this] { watch(); }).detach();
  const auto news = [this] { return gone_.load() || requested_.load(); };
  for (bool quiet = false;;) {
    if (requested_ && serve_grader()) continue;
    if (gone_) break;
    if (held_) {
      // Not on the ring: what the program says meanwhile has to wait.
      std::unique_lock lock(mutex_);
      news_.wait_for(lock, seconds(1), news);
      continue;
    }
    if (port_.broken()) front_.end(kBrokenRing);
    if (!front_.ended() && port_.receive(record_)) {
      front_.take(record_);
      quiet = false;
    } else if (front_.someone_waits() && !front_.ended()) {
      front_.look_again();
      if (front_.someone_waits() && front_.others_may_act()) port_.wait(kOthers, news);
    } else if (front_.ended() || front_.idle()) {
      port_.wait(seconds(1), news);
    } else {
      if (quiet) front_.look_again();
      port_.wait(quiet ? microseconds(kTurn) : microseconds(kQuiet), news);
      quiet = true;
    }
  }
  // What the program had said before it died is still told. Functions of its own cannot be run any more.
  while (!front_.ended() && port_.receive(record_)) front_.take(record_);
  if (wish_.empty()) return;
  front_.end_all();
  report::write_files(gpu_.take_report(), wish_);
}

/// Sleeps until something comes from the grader, or a side is gone.
void Loop::watch() {
  for (;;) {
    pollfd both[] = {{.fd = gone_ ? -1 : door_, .events = POLLRDHUP, .revents = 0},
                     {.fd = grader_gone_ ? -1 : grader_, .events = POLLIN, .revents = 0}};
    if (::poll(both, 2, gone_ ? static_cast<int>(milliseconds(kPatience).count()) : -1) == 0) {
      std::fprintf(stderr,
                   "simgpu: the program has ended while a kernel ran, which was ended with it: no report.\n");
      ::_exit(0);
    }
    if (both[0].revents != 0) gone_ = true;
    if (both[1].revents != 0) {
      const auto text = link::receive_text(grader_);
      auto request = text ? request_of(*text) : std::nullopt;
      if (request) {
        const std::lock_guard lock(mutex_);
        requests_.push_back(std::move(*request));
        requested_ = true;
      } else {
        grader_gone_ = true;
      }
    }
    { const std::lock_guard lock(mutex_); }  // who is about to sleep has seen it, or sleeps and is woken
    news_.notify_all();
    port_.nudge();
  }
}

/// @return whether a request was answered; one that comes behind commands which have not come yet has to wait.
bool Loop::serve_grader() {
  std::optional<Request> request;
  {
    const std::lock_guard lock(mutex_);
    if (!requests_.empty() && (requests_.front().after <= front_.taken() || over())) {
      request = std::move(requests_.front());
      requests_.pop_front();
      requested_ = !requests_.empty();
    }
  }
  if (!request) {
    // Wait for those commands, not for the request.
    if (!port_.receive(record_))
      port_.wait(milliseconds(1));
    else
      front_.take(record_);
    return true;
  }
  link::send_text(grader_, carry_out(*request));
  return true;
}

std::string Loop::carry_out(const Request& request) {
  if (const auto* const configure = std::get_if<Configure>(&request.body)) {
    gpu_.settings = configure->settings;
    front_.set_devices(configure->devices);
    return "{}";
  }
  if (std::holds_alternative<Hold>(request.body)) {
    hold();
    return answer_to_hold(front_.idle(), front_.why(), gpu_.launches.size());
  }
  if (std::holds_alternative<Go>(request.body)) held_ = false;
  if (const auto* const program = std::get_if<Program>(&request.body)) gpu_.program_file = program->file;
  if (const auto* const wish = std::get_if<Transfer>(&request.body)) return transfer(*wish);
  const auto* const take = std::get_if<TakeReport>(&request.body);
  if (take == nullptr) return "{}";
  if (take->unread) {
    gpu_.take_report();
    return "{}";
  }
  // For a program to read: in one line it is a third shorter.
  if (!take->last) return report::to_json(gpu_.take_report(take->client), -1);
  wish_.clear();
  std::error_code error;
  std::filesystem::current_path(take->folder, error);
  front_.end_all();
  return fmt::format("{{\"errors\": {}}}", gpu_.write_last_report(take->client, take->wish));
}

/// Who never stops talking is cut off: what it says later is carried out after the next Go, and counts then.
void Loop::hold() {
  constexpr int kMostRecords = 1 << 16;
  for (int i = 0; i < kMostRecords && !over() && !port_.broken() && port_.receive(record_); ++i) {
    const std::vector<std::byte> record = std::exchange(record_, {});
    front_.take(record);
  }
  if (port_.broken()) front_.end(kBrokenRing);  // the answer is to say so
  if (front_.someone_waits()) front_.look_again();
  held_ = true;
}

std::string Loop::transfer(const Transfer& wish) {
  std::string problem = over() ? "The program has gone, or has broken the grammar." : "";
  for (const Transfer::Stretch& one : wish.stretches) {
    if (!problem.empty()) break;
    if (one.width == 0 || one.rows == 0) continue;
    std::byte* const here = one.width <= GraderPages::kMost / one.rows
                                ? grader_pages_.at(one.offset, one.width * one.rows)
                                : nullptr;
    problem = here == nullptr ? "This is no place in the grader's pages."
                              : front_.transfer({.to_device = wish.to_device,
                                                 .address = one.address,
                                                 .width = one.width,
                                                 .rows = one.rows,
                                                 .pitch = one.pitch,
                                                 .kind = one.kind},
                                                here);
  }
  return answer_to_transfer(problem);
}

/// A stream stands still until the client has run a function.
bool Loop::listen() {
  while (!over()) {
    if (port_.receive(record_)) {
      const std::vector<std::byte> record = std::exchange(record_, {});
      front_.take(record);
      return true;
    }
    if (port_.broken()) {
      front_.end(kBrokenRing);
      return false;
    }
    port_.wait(seconds(1), [this] { return gone_.load(); });
  }
  return false;
}

void Loop::send(const queue::Message& message) {
  std::vector<std::byte> record;
  if (const auto* const said = std::get_if<queue::Said>(&message.body);
      said != nullptr && said->text.size() > queue::kMostText) {
    for (std::size_t at = 0; at < said->text.size(); at += queue::kMostText)
      send({.sequence = 0, .body = queue::Said{said->text.substr(at, queue::kMostText)}});
    return;
  }
  if (queue::encode(message, record)) port_.send(record);
}

}  // namespace simgpu::process
