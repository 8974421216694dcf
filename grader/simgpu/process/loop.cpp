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

Loop::Loop(const Start& start, device::Gpu& gpu, const link::Pages& pages, int door, int grader)
    : gpu_(gpu),
      wish_(start.report),
      door_(door),
      grader_(grader),
      port_(pages, link::Side::device, door, queue::kMostBytes),
      front_(gpu, pages.staging(),
             {.send = [this](const queue::Message& message) { send(message); },
              .listen = [this] { return listen(); },
              .threads = [this] { return link::threads_of_program(client_); }}) {
  ucred who{};
  socklen_t bytes = sizeof who;
  if (::getsockopt(door, SOL_SOCKET, SO_PEERCRED, &who, &bytes) == 0) client_ = who.pid;
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
        request_ = std::move(request);
        requested_ = true;
      } else {
        grader_gone_ = true;
      }
    }
    port_.nudge();
  }
}

/// @return whether a request was answered; one that comes behind commands which have not come yet has to wait.
bool Loop::serve_grader() {
  std::optional<Request> request;
  {
    const std::lock_guard lock(mutex_);
    if (request_ && (request_->after <= front_.taken() || over())) {
      request = std::exchange(request_, std::nullopt);
      requested_ = false;
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
  const auto* const take = std::get_if<TakeReport>(&request.body);
  if (take == nullptr) return "{}";
  if (!take->last) return report::to_json(gpu_.take_report(take->client));
  wish_.clear();
  std::error_code error;
  std::filesystem::current_path(take->folder, error);
  front_.end_all();
  return fmt::format("{{\"errors\": {}}}", gpu_.write_last_report(take->client, take->wish));
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
