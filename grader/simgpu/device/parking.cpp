/// @file
/// Kernels that stand still, what stands in line behind them, and who may go on.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "simgpu/device/executor.hpp"

namespace simgpu::device {
namespace {

constexpr std::uint64_t kAskedOften = 256;  ///< between two looks at clocks that time passes on
constexpr double kSecondsOfQuestion = 1e-6;
constexpr std::size_t kMostNamed = 3;
/// Before kernels try for long by themselves, other threads may act for so long.
constexpr std::chrono::milliseconds kFirstPatience{100};

bool same(const Stream& a, const Stream& b) {
  return a.device == b.device && a.id == b.id;
}

/// Blocks of @p needs that an SM holds beside what @p taken says of warps, blocks, registers and shared memory.
struct Taken {
  std::uint64_t warps = 0, blocks = 0, registers = 0, shared = 0;
  auto operator<=>(const Taken&) const = default;
};
std::uint64_t blocks_beside(timing::Device card, const Taken& taken, const timing::BlockNeeds& needs) {
  const auto less = [](auto& of, std::uint64_t by) {
    of -= static_cast<std::remove_reference_t<decltype(of)>>(std::min<std::uint64_t>(of, by));
  };
  less(card.warps_per_sm, taken.warps);
  less(card.blocks_per_sm, taken.blocks);
  less(card.registers_per_sm, taken.registers);
  less(card.shared_per_sm, taken.shared);
  return timing::occupancy(card, needs).blocks_per_sm;
}

/// What a command is, for a sentence.
std::string words_of(const queue::Work& work, const Gpu& gpu) {
  if (const auto* launch = std::get_if<queue::Launch>(&work)) {
    const auto module = gpu.modules.find(launch->module);
    if (module == gpu.modules.end()) return "a kernel";
    return "kernel " + short_name(module->second.program.kernels()[launch->kernel].name);
  }
  if (const auto* copy = std::get_if<queue::Copy>(&work)) return queue::name_of_call(copy->call);
  if (const auto* set = std::get_if<queue::Set>(&work)) return queue::name_of_call(set->call);
  if (std::holds_alternative<queue::Record>(work)) return "cudaEventRecord";
  if (const auto* wait = std::get_if<queue::Wait>(&work))
    return wait->event >= queue::kOwnEvents ? "cudaGraphLaunch" : "cudaStreamWaitEvent";
  if (std::holds_alternative<queue::Marker>(work)) return "a host function";
  return "a prefetch";
}

/// Something of the client's own, as in_order() is of the device's.
bool is_own_marker(const queue::Work& work) {
  const auto* const marker = std::get_if<queue::Marker>(&work);
  return marker != nullptr && marker->own;
}

class Flag {
 public:
  Flag(bool& flag, bool value) : flag_(flag), was_(std::exchange(flag, value)) {}
  ~Flag() { flag_ = was_; }
  Flag(const Flag&) = delete;
  Flag& operator=(const Flag&) = delete;

 private:
  bool& flag_;
  bool was_;
};

}  // namespace

/// Streams in which something stands.
class Executor::Held {
 public:
  void add(const Stream& stream) { streams_.push_back(&stream); }
  /// @return what @p stream has to wait for: its own work, or what the legacy default stream imposes.
  Reason reason(const Stream& stream) const {
    for (const Stream* other : streams_)
      if (same(*other, stream)) return {Reason::Kind::stream, other};
    for (const Stream* other : streams_)
      if (other->device == stream.device && other->blocking && stream.blocking &&
          (other->id == 0 || stream.id == 0))
        return {Reason::Kind::legacy, other};
    return {};
  }
  /// @return the same for what waits for all work of @p devices.
  Reason reason(const std::vector<int>& devices) const {
    for (const Stream* other : streams_)
      if (std::find(devices.begin(), devices.end(), other->device) != devices.end())
        return {Reason::Kind::devices, other};
    return {};
  }

 private:
  std::vector<const Stream*> streams_;
};

// ------------------------------------------------------------------------------------------------------- standing still

void Executor::park(std::unique_ptr<Kernel> kernel) {
  Unit& unit = gpu_.unit(kernel->stream.device);
  kernel->stood_still = true;
  kernel->begin = unit.timeline.open(kernel->stream.id, kernel->fills);
  host_calls(kernel->stream, gpu_.card.host.launch_call);
  kernel->traffic = std::exchange(unit.traffic, unit.traffic->beside());
  kernel->races = std::exchange(gpu_.races, std::make_unique<observe::Races>(gpu_.findings));
  kernel->uninitialised = std::exchange(gpu_.uninitialised, gpu_.uninitialised->beside());
  kernels_.push_back(std::move(kernel));
}

bool Executor::is_parked(const Kernel& kernel) const {
  return std::any_of(kernels_.begin(), kernels_.end(),
                     [&](const auto& each) { return each.get() == &kernel; });
}

std::uint64_t Executor::places_beside(const Kernel& kernel) const {
  std::vector<Taken> taken(gpu_.card.sm_count);
  for (const auto& other : kernels_) {
    if (other->stream.device != kernel.stream.device) continue;
    const std::vector<std::uint32_t> resident = other->run->resident_blocks();
    for (std::size_t sm = 0; sm < std::min(taken.size(), resident.size()); ++sm) {
      const std::uint64_t blocks = resident[sm];
      taken[sm].blocks += blocks;
      taken[sm].warps += blocks * ((other->needs.threads + 31) / 32);
      taken[sm].registers += blocks * timing::registers_of_block(gpu_.card, other->needs);
      taken[sm].shared += blocks * (other->needs.shared_bytes + gpu_.card.shared_reserved_per_block);
    }
  }
  std::map<Taken, std::uint64_t> known;
  std::uint64_t places = 0;
  for (const Taken& each : taken) {
    const auto [it, fresh] = known.try_emplace(each, 0);
    if (fresh) it->second = blocks_beside(gpu_.card, each, kernel.needs);
    places += it->second;
  }
  return places;
}

bool Executor::wake(const Stream* by, timing::Instant at) {
  std::vector<Stream> causes;
  if (by != nullptr) causes.push_back(*by);
  const auto next = [this] {
    return std::find_if(kernels_.begin(), kernels_.end(),
                        [](const auto& each) { return each->run->may_go_on(); });
  };
  bool any = false;
  for (auto it = next(); it != kernels_.end(); it = next()) {
    Kernel& kernel = **it;
    const timing::Instant now = gpu_.unit(kernel.stream.device).timeline.host_now();
    kernel.released = std::max({kernel.released, now, at});
    kernel.at_release = kernel.run->instructions();
    gpu_.stream_checks.kernel_hears_host(kernel.stream);
    for (const Stream& cause : causes) gpu_.stream_checks.kernel_hears(kernel.stream, kernel.watched, cause);
    turn(kernel, exec::Run::Patience::brief);
    // Who goes on now does so because of this kernel, too.
    at = kernel.released;
    if (std::none_of(causes.begin(), causes.end(),
                     [&](const Stream& each) { return same(each, kernel.stream); }))
      causes.push_back(kernel.stream);
    remove_ended();
    any = true;
  }
  if (any) asked_ = 0;
  return any;
}

void Executor::remove_ended() {
  std::erase_if(kernels_, [](const auto& each) { return each->ended; });
}

// ------------------------------------------------------------------------------------------------------------- the line

std::shared_ptr<Executor::Waiting> Executor::line_up(queue::Work work, const Stream& stream) {
  auto waiting = std::make_shared<Waiting>();
  waiting->stream = stream;
  if (const auto* record = std::get_if<queue::Record>(&work)) {
    waiting->event = std::make_shared<Recorded>();
    records_[record->event] = waiting->event;
  } else if (const auto* wait = std::get_if<queue::Wait>(&work)) {
    // It is for what the event holds now, or will hold; not for what is recorded into it later.
    if (const auto pending = records_.find(wait->event); pending != records_.end()) {
      waiting->event = pending->second;
    } else if (const auto event = gpu_.events.find(wait->event); event != gpu_.events.end()) {
      waiting->event = std::make_shared<Recorded>(Recorded{true, event->second});
    }
  }
  waiting->what = std::move(work);
  line_.push_back(waiting);
  pump();
  return waiting;
}

Status Executor::stand_in_line(queue::Work work, const Stream& stream) {
  const std::shared_ptr<Waiting> waiting = line_up(std::move(work), stream);
  if (waiting->done) return waiting->status;
  auto* const copy = std::get_if<queue::Copy>(&std::get<queue::Work>(waiting->what));
  if (copy == nullptr) return Status::success;
  if (host_waits_for(*copy)) {
    await([&] { return waiting->done; });
    return waiting->status;
  }
  if (copy->from.kind == queue::Place::Kind::staging) stage(*waiting, *copy);
  return Status::success;
}

/// Pageable memory is read while the call lasts.
void Executor::stage(Waiting& waiting, queue::Copy& copy) {
  const auto* const from = reinterpret_cast<const std::byte*>(copy.from.address);
  waiting.staged.assign(from, from + copy.shape.from_extent());
  copy.from.address = reinterpret_cast<std::uint64_t>(waiting.staged.data());
}

void Executor::in_order(const Stream& stream, std::function<void()> what) {
  if (idle() || acting_) return what();
  auto waiting = std::make_shared<Waiting>();
  waiting->stream = stream;
  waiting->what = std::move(what);
  line_.push_back(std::move(waiting));
  pump();
}

Executor::Reason Executor::reason(const Waiting& waiting, const Held& held) const {
  if (const Reason why = held.reason(waiting.stream); why.kind != Reason::Kind::none) return why;
  const auto* const work = std::get_if<queue::Work>(&waiting.what);
  if (work == nullptr) return {};
  if (std::holds_alternative<queue::Wait>(*work) && waiting.event != nullptr && !waiting.event->done)
    return {Reason::Kind::event, nullptr};
  if (const auto* copy = std::get_if<queue::Copy>(work)) return held.reason(holds_up(*copy, waiting.stream));
  if (const auto* launch = std::get_if<queue::Launch>(work)) {
    Status status = Status::success;
    const auto kernel = prepare(*launch, waiting.stream, status);
    if (kernel == nullptr) return {};  // it ends at once
    const exec::Launch& wish = kernel->launch;
    const std::uint64_t least = wish.cooperative ? wish.grid.count() : wish.cluster.count();
    if (places_beside(*kernel) < least) return {Reason::Kind::room, nullptr};
  }
  return {};
}

std::list<std::shared_ptr<Executor::Waiting>>::iterator Executor::next_in_line() {
  Held held;
  for (const auto& kernel : kernels_) held.add(kernel->stream);
  for (auto it = line_.begin(); it != line_.end(); ++it) {
    if (reason(**it, held).kind == Reason::Kind::none) return it;
    held.add((*it)->stream);
  }
  return line_.end();
}

void Executor::carry_out(Waiting& waiting) {
  const Flag acting(acting_, true);
  if (const auto* function = std::get_if<std::function<void()>>(&waiting.what)) {
    (*function)();
  } else {
    const auto& work = std::get<queue::Work>(waiting.what);
    if (std::holds_alternative<queue::Wait>(work)) {
      if (waiting.event != nullptr) {
        gpu_.unit(waiting.stream.device).timeline.wait(waiting.stream.id, waiting.event->event.instant);
        gpu_.stream_checks.wait(waiting.stream, waiting.event->event.order);
      }
    } else {
      waiting.status = carry_out_now(work, waiting.stream);
    }
    if (const auto* record = std::get_if<queue::Record>(&work)) {
      waiting.event->done = true;
      waiting.event->event = gpu_.events.at(record->event);
      const auto latest = records_.find(record->event);
      if (latest != records_.end() && latest->second == waiting.event) records_.erase(latest);
    }
  }
  waiting.done = true;
}

bool Executor::pump() {
  if (acting_ || idle()) return false;
  const StreamChecks::Inside inside(gpu_.stream_checks);
  const StreamChecks::Outside outside(gpu_.stream_checks);
  bool any = wake(nullptr, 0);
  for (auto next = next_in_line(); next != line_.end(); next = next_in_line()) {
    const std::shared_ptr<Waiting> waiting = *next;
    line_.erase(next);
    carry_out(*waiting);
    const Stream& stream = waiting->stream;
    wake(&stream, gpu_.unit(stream.device).timeline.tail(stream.id));
    any = true;
  }
  if (any) asked_ = 0;
  return any;
}

// -------------------------------------------------------------------------------------------------------- the host waits

bool Executor::pending(const Stream& stream) const {
  const auto concerns = [&](const Stream& other) {
    return same(other, stream) || (stream.id == 0 && other.device == stream.device && other.blocking);
  };
  return std::any_of(kernels_.begin(), kernels_.end(), [&](const auto& k) { return concerns(k->stream); }) ||
         std::any_of(line_.begin(), line_.end(), [&](const auto& w) { return concerns(w->stream); });
}

bool Executor::pending_device(int device) const {
  return std::any_of(kernels_.begin(), kernels_.end(),
                     [&](const auto& kernel) { return kernel->stream.device == device; }) ||
         std::any_of(line_.begin(), line_.end(),
                     [&](const auto& waiting) { return waiting->stream.device == device; });
}

void Executor::await(const Stream& stream) {
  await([this, stream] { return !pending(stream); });
}
void Executor::await_event(queue::Id event) {
  const auto it = records_.find(event);
  if (it == records_.end()) return;
  await([recorded = it->second] { return recorded->done; });
}
void Executor::await_device(int device) {
  await([this, device] { return !pending_device(device); });
}

void Executor::await(const std::function<bool()>& done) {
  if (idle() || done()) return;
  // What is carried out may itself wait: then the others have to go on meanwhile.
  const bool nested = acting_;
  const Flag acting(acting_, false);
  waited_ = true;
  pump();
  for (Patience patience; !idle() && !done();)
    look_again(patience, done, !nested && unasked_.give_way && unasked_.give_way());
}

void Executor::look_again(Patience& patience, const std::function<bool()>& done, bool other_threads) {
  const auto now = [] { return std::chrono::steady_clock::now(); };
  if (pump()) {
    patience = {};
  } else if (other_threads &&
             now() - patience.since <
                 (patience.tried ? std::chrono::milliseconds(kHostPatience) : kFirstPatience)) {
    return;
  } else if (patience.tried || !other_threads) {
    if (!idle() && !done() && !let_time_pass(exec::Run::Patience::full)) deadlock(other_threads);
  } else {
    // A count of tries may run out. That takes a while, in which no other thread could act.
    patience.tried = !let_time_pass(exec::Run::Patience::patient);
    patience.since = now();
  }
}

std::optional<queue::Answer> Executor::begin(const queue::Body& body, Pending& pending) {
  const auto only = [](Status status) { return queue::Answer{static_cast<std::uint32_t>(status), {}}; };
  if (idle() || acting_) return answer(body);
  if (const auto* const wait = std::get_if<queue::Synchronise>(&body)) {
    pump();
    pending.done = [this, command = *wait] { return idle() || !has_to_wait(command); };
    pending.answer = [this, command = *wait] { return answer(command); };
  } else if (const auto* const copy = std::get_if<queue::Copy>(&body)) {
    const Stream* const stream = gpu_.stream(copy->stream);
    if (stream == nullptr) return only(Status::invalid_resource_handle);
    const auto waiting = line_up(*copy, *stream);
    if (waiting->done) return only(waiting->status);
    auto& kept = std::get<queue::Copy>(std::get<queue::Work>(waiting->what));
    if (!host_waits_for(kept)) {
      if (kept.from.kind == queue::Place::Kind::staging) stage(*waiting, kept);
      return only(Status::success);
    }
    pending.done = [this, waiting] { return waiting->done; };
    pending.answer = [waiting, only] { return only(waiting->status); };
  } else {
    return answer(body);
  }
  if (pending.done()) return pending.answer();
  pending.patience = {};
  return std::nullopt;
}

bool Executor::has_to_wait(const queue::Synchronise& command) const {
  using What = queue::Synchronise::What;
  switch (command.what) {
    case What::stream: {
      const Stream* const stream = gpu_.stream(command.id);
      return stream != nullptr && pending(*stream);
    }
    case What::event:
      return pending_event(command.id);
    case What::device:
      break;
  }
  return pending_device(static_cast<int>(command.id));
}

bool Executor::let_time_pass(exec::Run::Patience patience) {
  const StreamChecks::Inside inside(gpu_.stream_checks);
  const StreamChecks::Outside outside(gpu_.stream_checks);
  bool ended = false;
  for (const auto& kernel : kernels_) {
    turn(*kernel, patience);
    if ((ended = kernel->ended)) break;  // a fault of one may have ended all
  }
  remove_ended();
  return pump() || ended;
}

void Executor::asked_in_vain() {
  if (idle() || acting_) return;
  const auto now = std::chrono::steady_clock::now();
  if (asked_++ == 0) asked_since_ = now;
  if (asked_ % kAskedOften != 0) return;
  if (now - asked_since_ > kHostPatience) {
    asked_ = 0;
    waited_ = true;
    if (!let_time_pass(exec::Run::Patience::full)) deadlock(false);
    return;
  }
  const StreamChecks::Inside inside(gpu_.stream_checks);
  const StreamChecks::Outside outside(gpu_.stream_checks);
  for (const auto& kernel : kernels_) {
    if (!kernel->run->looks_at_clock()) continue;
    kernel->run->leap(static_cast<std::uint64_t>(kAskedOften * kSecondsOfQuestion * gpu_.card.clock_hz));
    turn(*kernel, exec::Run::Patience::brief);
    if (kernel->ended) break;
  }
  remove_ended();
  pump();
}

// -------------------------------------------------------------------------------------------------------------- the end

std::string Executor::who_waits(const Kernel& kernel, bool other_threads) const {
  std::string text = fmt::format(
      " Kernel {} on {} waits for somebody else to change it: the host waits in {}{}.",
      short_name(kernel.name), gpu_.stream_checks.words_for(kernel.stream),
      unasked_.calling ? unasked_.calling() : "a call",
      other_threads ? fmt::format(", and its other threads have not done it for {} s", kHostPatience.count())
                    : ", and has no other thread that could");
  if (kernel.watched.in_branch)
    text +=
        " As a node of a graph it has to end before the call returns here; on hardware it would go on behind "
        "it.";
  for (const auto& other : kernels_) {
    if (other.get() == &kernel) continue;
    const auto [file, line] = other->run->place();
    text += fmt::format(" Kernel {} on {} waits as well{}.", short_name(other->name),
                        gpu_.stream_checks.words_for(other->stream),
                        line == 0 ? "" : fmt::format(", at {}:{}", file.substr(file.rfind('/') + 1), line));
  }
  Held held;
  for (const auto& other : kernels_) held.add(other->stream);
  std::size_t named = 0;
  for (const auto& waiting : line_) {
    const Reason why = reason(*waiting, held);
    held.add(waiting->stream);
    const auto* const work = std::get_if<queue::Work>(&waiting->what);
    if (work == nullptr || std::holds_alternative<queue::Record>(*work) || is_own_marker(*work))
      continue;  // nobody's waiting ends by these
    if (named++ == kMostNamed) {
      text += " More work stands in line behind that.";
      break;
    }
    const std::string who = words_of(*work, gpu_);
    text += fmt::format(" {} on {} ", named == 1 && who[0] == 'k' ? "K" + who.substr(1) : who,
                        gpu_.stream_checks.words_for(waiting->stream));
    switch (why.kind) {
      case Reason::Kind::stream:
        text += "cannot begin: work of one stream runs in order, and it comes later.";
        break;
      case Reason::Kind::legacy:
        text += fmt::format(
            "cannot begin before the work on {} is done: the default stream and blocking streams wait for "
            "each "
            "other (cudaStreamNonBlocking does not).",
            gpu_.stream_checks.words_for(*why.stream));
        break;
      case Reason::Kind::devices:
        text += fmt::format(
            "cannot begin before the work on {} is done: such a copy waits for all work of both devices "
            "(cudaMemcpyPeerAsync does not).",
            gpu_.stream_checks.words_for(*why.stream));
        break;
      case Reason::Kind::event:
        text += "waits for an event that is recorded behind work which is not done.";
        break;
      case Reason::Kind::room:
        text += "cannot begin: its blocks find no place on the SMs beside those that are there.";
        break;
      case Reason::Kind::none:
        text += "comes next.";
        break;
    }
  }
  return text;
}

void Executor::deadlock(bool other_threads) {
  const StreamChecks::Inside inside(gpu_.stream_checks);
  const StreamChecks::Outside outside(gpu_.stream_checks);
  if (!kernels_.empty()) {
    // One finding says it all.
    const std::string why = who_waits(*kernels_.front(), other_threads);
    const std::unique_ptr<Kernel> first = std::move(kernels_.front());
    kernels_.pop_front();
    for (const auto& other : kernels_) stop(other->stream.device, Status::launch_timeout, "");
    give_up(*first, why);
  }
  for (std::size_t device = 0; device < gpu_.units.size(); ++device) drop(static_cast<int>(device));
}

void Executor::drop(int device) {
  timing::Timeline& timeline = gpu_.unit(device).timeline;
  std::erase_if(kernels_, [&](const auto& kernel) {
    if (kernel->stream.device != device || kernel->ended) return false;
    timeline.close(kernel->stream.id, kernel->begin, timeline.host_now(), 0, kernel->name);
    return true;
  });
  for (const auto& waiting : line_)
    if (waiting->stream.device == device) waiting->done = true;
  for (auto it = line_.begin(); it != line_.end();) {
    if ((*it)->stream.device != device) {
      ++it;
      continue;
    }
    if ((*it)->event) (*it)->event->done = true;
    if (const auto* work = std::get_if<queue::Work>(&(*it)->what))
      if (const auto* record = std::get_if<queue::Record>(work))
        gpu_.events[record->event];  // whoever asks finds one
    it = line_.erase(it);
  }
  std::erase_if(records_, [](const auto& each) { return each.second->done; });
}

void Executor::end_all() {
  if (idle()) return;
  pump();
  let_time_pass(exec::Run::Patience::patient);
  const StreamChecks::Inside inside(gpu_.stream_checks);
  auto kernels = std::exchange(kernels_, {});
  ending_ = true;
  for (const auto& kernel : kernels)
    if (!kernel->ended) give_up(*kernel, " The program ended meanwhile, and the kernel with it.", true);
  for (std::size_t device = 0; device < gpu_.units.size(); ++device) drop(static_cast<int>(device));
}

}  // namespace simgpu::device
