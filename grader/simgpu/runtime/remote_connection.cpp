/// @file
/// A device in a process of its own: commands go as records through a ring, what it says comes back through another.
///
/// Most commands are answered before ask() returns. Those of which the client wants to know nothing are not: a launch returns when its
/// record is written. What the device says meanwhile is heard when an answer is waited for, and not before, so that a program hears of a
/// fault in the same call in each run. All this happens under the lock of the API.
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "simgpu/device/status.hpp"
#include "simgpu/link/channel.hpp"
#include "simgpu/link/pages.hpp"
#include "simgpu/link/port.hpp"
#include "simgpu/link/threads.hpp"
#include "simgpu/memory/shared_pages.hpp"
#include "simgpu/process/grader_channel.hpp"
#include "simgpu/queue/answer_codec.hpp"
#include "simgpu/queue/codec.hpp"
#include "simgpu/runtime/closed_pages.hpp"
#include "simgpu/runtime/connection.hpp"
#include "simgpu/runtime/start_process.hpp"
#include "simgpu/runtime/visited_pages.hpp"

namespace simgpu::runtime {
namespace {

using std::chrono::steady_clock;
using Kind = queue::Place::Kind;

constexpr std::uint32_t kUnknown = 999;  ///< cudaErrorUnknown: the connection has ended
constexpr std::uint32_t kInitializationError = 3;
/// The client's own markers have tokens from here on; host functions those below.
constexpr std::uint64_t kOwnTokens = std::uint64_t{1} << 63;
/// A host that waits for longer lets its other threads in.
constexpr std::chrono::milliseconds kPatience{1};

queue::Answer only(std::uint32_t status) {
  return {status, {}};
}

/// One side of a copy in the program's memory, whose bytes travel packed.
struct Rows {
  std::byte* start = nullptr;
  std::uint64_t width = 0, height = 1, pitch = 0, slice = 0;

  /// Calls @p move(here, in the piece, bytes) for bytes [begin, end) of the packed ones.
  template <typename Move>
  void each_run(std::uint64_t begin, std::uint64_t end, Move move) const {
    for (std::uint64_t at = begin; at < end;) {
      const std::uint64_t row = at / width, x = at % width, count = std::min(width - x, end - at);
      move(start + row / height * slice + row % height * pitch + x, at - begin, count);
      at += count;
    }
  }
};

class RemoteConnection final : public Connection {
 public:
  RemoteConnection(const timing::Device& card, const device::Settings& settings, device::Unasked unasked,
                   Ahead ahead, int door)
      : door_(door),
        card_(card.card),
        slice_(card.slice),
        settings_(settings),
        unasked_(std::move(unasked)),
        ahead_(std::move(ahead)),
        shared_(memory::SharedPages::make()) {
    if (!shared_) fail(fmt::format("there are no pages that two processes share: {}", std::strerror(errno)));
  }

  queue::Answer ask(queue::Body command) override;
  const memory::SharedPages* pages() const override { return &*shared_; }
  std::uint32_t lost() const override { return forked_ ? kInitializationError : ended_ ? kUnknown : 0; }

  bool idle() override {
    if (unanswered_) round_trip(queue::Settle{});
    return !busy_;
  }
  bool wants_turns() override { return busy_; }
  bool take_turn() override {
    if (!port_ || ended_ || forked_ || over_) return true;
    tell_touches();
    round_trip(queue::Settle{});
    return !busy_;
  }
  void pump() override {}  // the device does that
  void in_order(queue::Id stream, std::function<void()> what) override {
    const std::uint64_t token = kOwnTokens + next_own_++;
    own_[token] = std::move(what);
    if (round_trip(queue::Marker{.stream = stream, .token = token, .own = true}).status != 0)
      own_.erase(token);
  }
  void end_all() override { over_ = true; }
  bool take_waited() override { return std::exchange(told_, false); }
  bool hears_late() const override { return true; }

  const device::Settings& settings() const override { return settings_; }
  void configure(const device::Settings& settings) override {
    settings_ = settings;
    if (port_ && !is_graded()) request(process::Configure{settings_, devices_});
  }
  void set_devices(int count) override {
    devices_ = static_cast<std::uint32_t>(count);
    if (port_ && !is_graded()) request(process::Configure{settings_, devices_});
  }
  std::string take_report(report::ClientPart client) override {
    if (is_graded()) return process::text_of(client);
    start();
    return request(process::TakeReport{.client = std::move(client), .last = false, .wish = "", .folder = ""});
  }
  std::size_t write_report(report::ClientPart client, const std::string& wish) override {
    if (forked_ || is_graded()) return 0;  // that is the parent's, or the grader's
    start();
    std::error_code error;
    std::fflush(stderr);
    return process::errors_in(
        request(process::TakeReport{.client = std::move(client),
                                    .last = true,
                                    .wish = wish,
                                    .folder = std::filesystem::current_path(error).string()}));
  }

 private:
  /// A piece of the staging pages, for as long as it lives.
  class Piece {
   public:
    explicit Piece(RemoteConnection& of) : of_(of) {
      const auto free = std::find(of.taken_.begin(), of.taken_.end(), false);
      if (free == of.taken_.end()) return;
      *free = true;
      number_ = static_cast<std::size_t>(free - of.taken_.begin());
    }
    ~Piece() {
      if (number_) of_.taken_[*number_] = false;
    }
    Piece(const Piece&) = delete;
    Piece& operator=(const Piece&) = delete;
    explicit operator bool() const { return number_.has_value(); }
    std::uint64_t offset() const { return *number_ * link::kPieceBytes; }
    std::byte* data() const { return of_.pages_->staging().data() + offset(); }

   private:
    RemoteConnection& of_;
    std::optional<std::size_t> number_;
  };

  /// Whether a grader has started the device: then configuration and reports are its own.
  bool is_graded() const { return door_ >= 0; }
  void start();
  bool may_close_later(const queue::Body& body);
  std::uint64_t post(queue::Body command, bool quiet);
  queue::Answer round_trip(queue::Body command);
  queue::Answer copy(queue::Copy command);
  queue::Answer load(queue::Load command);
  /// Passes the packed bytes on in pieces.
  queue::Answer pass(const Rows& rows, std::uint64_t bytes, const Piece& piece);
  /// Says what the host has touched since the last time, before anything else is said.
  void tell_touches() {
    for (const queue::Touched& touch : take_touches()) post(touch, /*quiet=*/true);
  }
  void cut_off();
  void collect();
  void hear();
  void hear(queue::Message message);
  void reached(const queue::Reached& now);
  std::string request(decltype(process::Request::body) body);
  [[noreturn]] static void fail(const std::string& problem);
  [[noreturn]] void device_is_gone() const;

  int door_;  ///< that a grader has handed over
  std::string card_;
  std::uint32_t slice_ = 1, devices_ = 0;
  device::Settings settings_;
  device::Unasked unasked_;
  Ahead ahead_;
  std::set<std::pair<queue::Id, std::uint32_t>> launched_;  ///< kernels whose first launch was waited for
  std::uint64_t last_ahead_ =
      0;  ///< sequence of the last launch for which pages were closed ahead; 0: none are

  std::optional<memory::SharedPages> shared_;
  std::optional<link::Pages> pages_;  ///< of the queue
  std::optional<link::Port> port_;    ///< once the device is there
  DeviceProcess process_;
  std::vector<bool> taken_ = std::vector<bool>(link::kPieces);  ///< pieces
  std::uint64_t sequence_ = 0;
  bool unanswered_ = false;  ///< commands were sent since the last answer
  bool shares_ = false;      ///< there is, or was, memory that the host can touch as well
  bool busy_ = false;        ///< the device, when it last answered: something stands still
  bool told_ = false;        ///< of a fault
  bool ended_ = false;       ///< the device has ended the connection
  bool forked_ = false;
  bool over_ = false;  ///< the program ends: no function of its runs any more but in its own calls
  std::deque<queue::Message> heard_;                ///< and not yet listened to
  std::map<std::uint64_t, queue::Answer> answers_;  ///< by sequence, of those who have not taken theirs
  std::map<std::uint64_t, std::function<void()>> own_;
  std::uint64_t next_own_ = 0;
  std::vector<std::byte> record_;

  static RemoteConnection* only_one;
};

RemoteConnection* RemoteConnection::only_one = nullptr;

// ------------------------------------------------------------------------------------------------------ begin and end

void RemoteConnection::start() {
  if (port_ || forked_) return;
  std::string problem;
  auto pages = link::Pages::make(problem);
  if (!pages) fail(problem);
  pages_.emplace(std::move(*pages));
  if (is_graded()) {
    process_.door = door_;
  } else {
    const auto process = start_device_process(problem);
    if (!process) fail(problem);
    process_ = *process;
    const char* const wish = std::getenv("SIMGPU_REPORT");
    link::send_text(process_.grader,
                    process::text_of({.after = 0,
                                      .body = process::Start{.card = card_,
                                                             .slice = slice_,
                                                             .devices = devices_,
                                                             .settings = settings_,
                                                             .report = wish != nullptr ? wish : ""}}));
  }
  const int descriptors[] = {pages_->descriptor(), shared_->descriptor()};
  link::send_text(process_.door, "pages", descriptors);
  if (!is_graded() && !link::receive_text(process_.grader)) device_is_gone();
  port_.emplace(*pages_, link::Side::client, process_.door, queue::kMostMessageBytes);
  only_one = this;
  // A child has copies of all this, and must not use them: the device would see two clients, and not see the end of the one.
  ::pthread_atfork(nullptr, nullptr, [] {
    if (only_one == nullptr) return;
    only_one->forked_ = true;
    ::close(only_one->process_.door);
    if (only_one->process_.grader >= 0) ::close(only_one->process_.grader);
  });
  // What kernels have printed comes out before the program ends.
  std::atexit([] {
    if (!only_one->forked_ && !only_one->ended_) only_one->round_trip(queue::Settle{});
  });
  round_trip(queue::Hello{.devices = devices_, .slice = slice_});
}

void RemoteConnection::fail(const std::string& problem) {
  std::fprintf(stderr, "simgpu: the device's process cannot be started: %s\n", problem.c_str());
  std::fflush(stdout);
  ::_exit(125);
}

void RemoteConnection::device_is_gone() const {
  std::fprintf(stderr,
               "simgpu: the device's process (simgpu-device) has ended before the program: it was killed, or "
               "it failed. "
               "The program cannot go on.\n");
  std::fflush(stdout);
  ::_exit(125);
}

std::string RemoteConnection::request(decltype(process::Request::body) body) {
  if (!link::send_text(process_.grader,
                       process::text_of({.after = ended_ ? 0 : sequence_, .body = std::move(body)})))
    device_is_gone();
  // The device may have to be heard before it comes to this.
  for (pollfd door{.fd = process_.grader, .events = POLLIN, .revents = 0}; ::poll(&door, 1, 1) == 0;) hear();
  const auto answer = link::receive_text(process_.grader);
  if (!answer) device_is_gone();
  return *answer;
}

// ------------------------------------------------------------------------------------------------------ what is said

/// Whether the client wants to know nothing of how it went.
bool needs_no_answer(const queue::Body& body) {
  return std::visit(
      [](const auto& command) {
        using T = std::decay_t<decltype(command)>;
        return std::is_same_v<T, queue::Launch> || std::is_same_v<T, queue::Record> ||
               std::is_same_v<T, queue::Wait> || std::is_same_v<T, queue::Graph> ||
               std::is_same_v<T, queue::Hold> || std::is_same_v<T, queue::Note> ||
               std::is_same_v<T, queue::Lease> || std::is_same_v<T, queue::MakeStream> ||
               std::is_same_v<T, queue::StreamGone> || std::is_same_v<T, queue::EventGone> ||
               std::is_same_v<T, queue::Limit> || std::is_same_v<T, queue::Unload>;
      },
      body);
}

/// Whether it gives memory that the host can touch as well.
bool begins_to_share(const queue::Body& body) {
  const auto* const allocate = std::get_if<queue::Allocate>(&body);
  return std::holds_alternative<queue::Map>(body) ||
         (allocate != nullptr && allocate->kind != queue::Allocate::Kind::device);
}

queue::Answer RemoteConnection::ask(queue::Body command) {
  if (forked_) return only(kInitializationError);
  start();
  tell_touches();
  if (depends_on_visits(command))
    if (queue::Visited visits = take_visits(); !visits.runs.empty()) post(std::move(visits), /*quiet=*/true);
  if (auto* const some = std::get_if<queue::Copy>(&command)) return copy(std::move(*some));
  if (auto* const some = std::get_if<queue::Load>(&command)) return load(std::move(*some));
  if (auto* const wait = std::get_if<queue::Synchronise>(&command); wait != nullptr && unasked_.calling)
    wait->call = queue::call_named(unasked_.calling().c_str());
  // While something stands still the host hears of it with each command: a function of its own may be due. And what a command closes
  // to the host is closed when the call returns.
  if (busy_ || !needs_no_answer(command) || !may_close_later(command)) {
    const bool begins = begins_to_share(command);
    queue::Answer answer = round_trip(std::move(command));
    shares_ = shares_ || (begins && answer.status == 0);
    return answer;
  }
  post(std::move(command), /*quiet=*/true);
  return ended_ ? only(kUnknown) : queue::Answer{};
}

/// Whether what the command closes to the host need not be known when the call returns: nothing, or it is closed already.
bool RemoteConnection::may_close_later(const queue::Body& body) {
  // What a graph's nodes close is closed when the graph ends.
  if (const auto* const graph = std::get_if<queue::Graph>(&body);
      graph != nullptr && shares_ && settings_.checks.streams)
    return graph->step != queue::Graph::Step::end;
  const auto* const launch = std::get_if<queue::Launch>(&body);
  if (launch == nullptr || !shares_ || !settings_.checks.streams) return true;
  // A kernel's first launch shows what it reaches by other ways than its parameters: addresses in tables, variables.
  if (launched_.insert({launch->module, launch->kernel}).second) return false;
  // A grader counts the program's threads: the one that would open the pages again must not be among them.
  if (is_graded() || !ahead_.close(launch->parameters.inside)) return false;
  last_ahead_ = sequence_ + 1;
  return true;
}

std::uint64_t RemoteConnection::post(queue::Body command, bool quiet) {
  const std::uint64_t sequence = ++sequence_;
  std::vector<std::byte> record;
  if (ended_) return sequence;
  if (!queue::encode({.sequence = sequence, .spent = 0, .body = std::move(command), .quiet = quiet},
                     record)) {
    std::fprintf(stderr, "simgpu: What is said is longer than a record may be.\n");
    std::abort();
  }
  unanswered_ = unanswered_ || quiet;
  if (!port_->send(record, [this] { collect(); })) cut_off();
  return sequence;
}

/// Nothing more goes out. The device may have said why, or be about to.
void RemoteConnection::cut_off() {
  constexpr int kLooks = 40;
  for (int i = 0; i < kLooks && !ended_; ++i) {
    collect();
    if (ended_) return;
    if (port_->other_is_gone()) device_is_gone();
    port_->wait(link::Port::kLook);
  }
  told_ = true;
  ended_ = true;  // who has broken the ring cannot be told any more
}

queue::Answer RemoteConnection::round_trip(queue::Body command) {
  const bool may_last =
      std::holds_alternative<queue::Synchronise>(command) || std::holds_alternative<queue::Copy>(command);
  const std::uint64_t sequence = post(std::move(command), /*quiet=*/false);
  int threads = 0;
  for (const auto since = steady_clock::now();;) {
    hear();
    if (const auto it = answers_.find(sequence); it != answers_.end()) {
      queue::Answer answer = std::move(it->second);
      answers_.erase(it);
      if (sequence > last_ahead_ && std::exchange(last_ahead_, 0) != 0) ahead_.open();
      return answer;
    }
    if (ended_) {
      last_ahead_ = 0;
      ahead_.open();
      return only(kUnknown);
    }
    const bool patient = steady_clock::now() - since < kPatience;
    if (!patient && port_->other_is_gone()) {
      hear();  // it may have said why
      if (!ended_) device_is_gone();
      continue;
    }
    if (!patient && threads == 0) threads = link::threads_of_program();
    if (!patient && may_last && threads > 1 && unasked_.give_way) {
      unasked_.give_way();
      tell_touches();
    } else {
      port_->wait(patient ? std::chrono::nanoseconds(kPatience)
                          : std::chrono::nanoseconds(link::Port::kLook));
    }
  }
}

queue::Answer RemoteConnection::pass(const Rows& rows, std::uint64_t bytes, const Piece& piece) {
  for (std::uint64_t at = 0; at < bytes;) {
    const std::uint64_t count = std::min<std::uint64_t>(bytes - at, link::kPieceBytes);
    rows.each_run(at, at + count, [&](const std::byte* here, std::uint64_t there, std::uint64_t n) {
      std::memcpy(piece.data() + there, here, n);
    });
    if (queue::Answer answer = round_trip(queue::Pass{piece.offset(), count}); answer.status != 0)
      return answer;
    at += count;
  }
  return {};
}

queue::Answer RemoteConnection::copy(queue::Copy command) {
  const bool in = command.from.kind == Kind::staging, out = command.to.kind == Kind::staging;
  if (!in && !out) return round_trip(std::move(command));
  queue::Shape& shape = command.shape;
  const std::uint64_t bytes = shape.bytes();
  const bool whole = bytes <= link::kPieceBytes;
  const Rows from{reinterpret_cast<std::byte*>(command.from.address), shape.width, shape.height,
                  shape.from_pitch, shape.from_slice};
  const Rows to{reinterpret_cast<std::byte*>(command.to.address), shape.width, shape.height, shape.to_pitch,
                shape.to_slice};
  const Piece first(*this), second(*this);
  if (!first || !second) return only(static_cast<std::uint32_t>(device::Status::memory_allocation));
  if (in) {
    shape.from_pitch = shape.width;
    shape.from_slice = shape.width * shape.height;
    command.from = whole ? queue::Place{Kind::staging, first.offset()} : queue::Place{Kind::passed, 0};
    if (whole) {
      from.each_run(0, bytes, [&](const std::byte* here, std::uint64_t there, std::uint64_t n) {
        std::memcpy(first.data() + there, here, n);
      });
    } else if (queue::Answer answer = pass(from, bytes, first); answer.status != 0) {
      return answer;
    }
  }
  if (out) {
    shape.to_pitch = shape.width;
    shape.to_slice = shape.width * shape.height;
    command.to = whole ? queue::Place{Kind::staging, second.offset()} : queue::Place{Kind::passed, 0};
  }
  const std::uint64_t sequence = sequence_ + 1;
  queue::Answer answer = round_trip(std::move(command));
  if (!out || answer.status != 0) return answer;
  for (std::uint64_t at = 0; at < bytes;) {
    const std::uint64_t count = std::min<std::uint64_t>(bytes - at, link::kPieceBytes);
    if (!whole) {
      queue::Answer fetched = round_trip(queue::Fetch{sequence, second.offset(), count});
      if (fetched.status != 0) return fetched;
    }
    to.each_run(at, at + count, [&](std::byte* here, std::uint64_t there, std::uint64_t n) {
      std::memcpy(here, second.data() + there, n);
    });
    at += count;
  }
  return answer;
}

queue::Answer RemoteConnection::load(queue::Load command) {
  std::vector<std::byte> code = std::exchange(command.code.inside, {});
  const Piece piece(*this);
  if (!piece) return only(static_cast<std::uint32_t>(device::Status::memory_allocation));
  const std::uint64_t bytes = code.size();
  command.code = {.inside = {}, .staged = true, .length = bytes, .offset = piece.offset()};
  const Rows line{code.data(), std::max<std::uint64_t>(bytes, 1), 1, 0, 0};
  if (bytes <= link::kPieceBytes) {
    std::memcpy(piece.data(), code.data(), bytes);
  } else {
    command.code.offset = queue::Bytes::kPassed;
    if (queue::Answer answer = pass(line, bytes, piece); answer.status != 0) return answer;
  }
  queue::Answer answer = round_trip(std::move(command));
  if (const auto* const loaded = std::get_if<queue::Loaded>(&answer.body))
    shares_ = shares_ || std::any_of(loaded->variables.begin(), loaded->variables.end(), [](const auto& one) {
                return one.kind == queue::Loaded::Variable::Kind::managed;
              });
  return answer;
}

// ------------------------------------------------------------------------------------------------------ what is heard

/// Takes what has come out of the ring, so that the device finds room in it.
void RemoteConnection::collect() {
  while (port_->receive(record_)) {
    queue::DecodedMessage read = queue::decode_message(record_);
    if (!read.problem.empty()) {
      std::fprintf(stderr, "simgpu: %s\n", read.problem.c_str());
      device_is_gone();
    }
    // Known at once: there is no use in saying more.
    if (std::holds_alternative<queue::Ended>(read.message.body)) ended_ = true;
    heard_.push_back(std::move(read.message));
  }
}

void RemoteConnection::hear() {
  collect();
  while (!heard_.empty()) {
    queue::Message message = std::move(heard_.front());
    heard_.pop_front();
    hear(std::move(message));
  }
}

void RemoteConnection::hear(queue::Message message) {
  if (auto* const answer = std::get_if<queue::Answer>(&message.body)) {
    busy_ = message.busy;
    if (message.sequence == sequence_) unanswered_ = false;
    answers_[message.sequence] = std::move(*answer);
  } else if (const auto* const now = std::get_if<queue::Reached>(&message.body)) {
    reached(*now);
  } else if (const auto* const said = std::get_if<queue::Said>(&message.body)) {
    unasked_.said(*said);
  } else if (const auto* const fault = std::get_if<queue::Fault>(&message.body)) {
    told_ = true;
    if (fault->device < devices_) unasked_.fault(*fault);
  } else if (const auto* const closed = std::get_if<queue::Closed>(&message.body)) {
    unasked_.closed(*closed);
  } else if (const auto* const end = std::get_if<queue::Ended>(&message.body)) {
    told_ = true;
    std::fprintf(stderr, "simgpu: %s The device has ended the connection.\n", end->why.c_str());
  }
}

void RemoteConnection::reached(const queue::Reached& now) {
  if (const auto it = own_.find(now.token); it != own_.end()) {
    const std::function<void()> what = std::move(it->second);
    own_.erase(it);
    what();
  } else {
    unasked_.reached(now);
  }
  post(queue::Done{now.token}, /*quiet=*/true);
}

}  // namespace

std::unique_ptr<Connection> Connection::to_process(const timing::Device& card,
                                                   const device::Settings& settings, device::Unasked unasked,
                                                   Ahead ahead, int door) {
  return std::make_unique<RemoteConnection>(card, settings, std::move(unasked), std::move(ahead), door);
}

}  // namespace simgpu::runtime
