/// @file
/// See front.hpp.
#include "simgpu/device/front.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <type_traits>
#include <utility>
#include <variant>

#include "simgpu/queue/codec.hpp"

namespace simgpu::device {
namespace {

queue::Answer only(std::uint32_t status) {
  return {status, {}};
}

using Kind = queue::Place::Kind;

std::uint64_t address_of(const std::byte* bytes) {
  return reinterpret_cast<std::uint64_t>(bytes);
}

}  // namespace

Front::Front(Gpu& gpu, std::span<std::byte> staging, World world)
    : gpu_(gpu),
      staging_(staging),
      world_(std::move(world)),
      session_(staging.size()),
      executor_(gpu, {.reached = [this](const queue::Reached& now) { reached(now); },
                      .said =
                          [this](const queue::Said& now) {
                            world_.send({0, now});
                          },
                      .fault =
                          [this](const queue::Fault& now) {
                            world_.send({0, now});
                          },
                      .closed =
                          [this](const queue::Closed& now) {
                            for (const queue::Closed::Range& range : now.ranges) session_.closed(range.id);
                            world_.send({0, now});
                          },
                      .calling = [this] { return calling(); }}) {}

void Front::take(std::span<const std::byte> record) {
  if (ended_) return;
  queue::Decoded read = queue::decode(record);
  if (!read.problem.empty()) return end(std::move(read.problem));
  if (const auto* const hello = std::get_if<queue::Hello>(&read.command.body);
      hello != nullptr && hello->devices != gpu_.units.size())
    return end(fmt::format("Record {} (hello) breaks the grammar: there are {} devices, not {}.",
                           read.command.sequence, gpu_.units.size(), hello->devices));
  if (auto problem = session_.admit(read.command)) return end(std::move(*problem));
  taken_ = read.command.sequence;
  carry_out(read.command);
}

void Front::end(std::string why) {
  if (std::exchange(ended_, true)) return;
  why_ = why;
  observe::Finding finding;
  finding.kind = observe::FindingKind::bad_call;
  finding.message = why;
  gpu_.findings.add(std::move(finding));
  world_.send({0, queue::Ended{std::move(why)}});
}

// ------------------------------------------------------------------------------------------------------- one command

void Front::carry_out(queue::Command& command) {
  Wait wait;
  wait.sequence = command.sequence;
  wait.quiet = command.quiet;
  wait.body = std::move(command.body);
  const queue::Body& body = wait.body;
  executor_.pump();
  if (auto refusal = refused(body)) return answer(wait, std::move(*refusal));
  if (auto answered = own(body)) return answer(wait, std::move(*answered));
  find_bytes(wait);
  const queue::Body* const before = std::exchange(now_, &body);
  std::optional<queue::Answer> result = executor_.begin(body, wait.pending);
  now_ = before;
  if (!result) {
    waits_.push_back(std::move(wait));
    return;
  }
  brought(wait);
  answer(wait, std::move(*result));
}

void Front::answer(const Wait& wait, queue::Answer answer) {
  note(wait.body, answer);
  if (!wait.quiet) world_.send({wait.sequence, std::move(answer), !executor_.idle()});
}

/// What the rules have to know of an answer.
void Front::note(const queue::Body& body, const queue::Answer& answer) {
  if (const auto* const allocate = std::get_if<queue::Allocate>(&body)) {
    if (const auto* const made = std::get_if<queue::Allocated>(&answer.body))
      session_.allocated(allocate->kind, made->address, allocate->bytes);
  } else if (const auto* const load = std::get_if<queue::Load>(&body)) {
    const auto* const loaded = std::get_if<queue::Loaded>(&answer.body);
    if (loaded == nullptr || answer.status != 0) return;
    std::vector<std::uint64_t> parameter_bytes;
    for (const auto& kernel : loaded->kernels) parameter_bytes.push_back(kernel.parameter_bytes);
    session_.loaded(load->id, std::move(parameter_bytes), loaded->variables);
  } else if (const auto* const object = std::get_if<queue::Object>(&body)) {
    if (const auto* const handle = std::get_if<queue::Handle>(&answer.body))
      session_.made(object->what, handle->value);
  }
}

/// What is no work of the executor's.
std::optional<queue::Answer> Front::own(const queue::Body& body) {
  if (const auto* const done = std::get_if<queue::Done>(&body)) {
    done_.insert(done->token);
  } else if (const auto* const pass = std::get_if<queue::Pass>(&body)) {
    const auto piece = staging_.subspan(pass->offset, pass->bytes);
    passed_.insert(passed_.end(), piece.begin(), piece.end());
  } else if (const auto* const fetch = std::get_if<queue::Fetch>(&body)) {
    const std::vector<std::byte>& all = brought_[fetch->copy];
    std::size_t& begin = fetched_[fetch->copy];
    if (begin + fetch->bytes > all.size()) return only(static_cast<std::uint32_t>(Status::invalid_value));
    std::memcpy(staging_.data() + fetch->offset, all.data() + begin, fetch->bytes);
    begin += fetch->bytes;
    if (begin == all.size()) {
      brought_.erase(fetch->copy);
      fetched_.erase(fetch->copy);
    }
  } else if (std::holds_alternative<queue::Bye>(body)) {
    executor_.end_all();
    ended_ = true;
  } else if (const auto* const graph = std::get_if<queue::Graph>(&body)) {
    if (graph->step == queue::Graph::Step::begin) ++graphs_;
    if (graph->step == queue::Graph::Step::end && graphs_ > 0) --graphs_;
    return std::nullopt;
  } else if (!std::holds_alternative<queue::Hello>(body) && !std::holds_alternative<queue::Peer>(body)) {
    return std::nullopt;
  }
  return only(0);
}

/// Once a kernel of a device has failed, nothing more of it is carried out until *reset*: the client may not have heard of it yet. What
/// only ends things is, and a graph that is being sent comes to its end.
std::optional<queue::Answer> Front::refused(const queue::Body& body) const {
  if (graphs_ > 0) return std::nullopt;
  const auto device = device_of(body);
  if (!device || *device < 0 || static_cast<std::size_t>(*device) >= gpu_.units.size()) return std::nullopt;
  const Status stopped = gpu_.unit(*device).stopped;
  return stopped == Status::success ? std::nullopt : std::optional(only(static_cast<std::uint32_t>(stopped)));
}

std::optional<int> Front::device_of(const queue::Body& body) const {
  const auto of_stream = [&](queue::Id id) -> std::optional<int> {
    const Stream* const stream = gpu_.stream(id);
    return stream == nullptr ? std::nullopt : std::optional(stream->device);
  };
  return std::visit(
      [&](const auto& c) -> std::optional<int> {
        using T = std::decay_t<decltype(c)>;
        if constexpr (std::is_constructible_v<queue::Work, T>) {
          return of_stream(c.stream);
        } else if constexpr (std::is_same_v<T, queue::Allocate> || std::is_same_v<T, queue::Map>) {
          return static_cast<int>(c.device);
        } else if constexpr (std::is_same_v<T, queue::Free> || std::is_same_v<T, queue::Unmap>) {
          const memory::Allocation* const allocation = gpu_.memory.find(c.address);
          const Facts* const facts = allocation != nullptr ? gpu_.facts_of(*allocation) : nullptr;
          return facts != nullptr ? std::optional(facts->device) : std::nullopt;
        } else if constexpr (std::is_same_v<T, queue::Query>) {
          return c.what == queue::Query::What::stream ? of_stream(c.id) : std::nullopt;
        } else if constexpr (std::is_same_v<T, queue::Synchronise>) {
          if (c.what == queue::Synchronise::What::device) return static_cast<int>(c.id);
          if (c.what == queue::Synchronise::What::stream) return of_stream(c.id);
          const auto event = gpu_.events.find(c.id);
          return event == gpu_.events.end() ? std::nullopt : std::optional(event->second.device);
        } else {
          return std::nullopt;
        }
      },
      body);
}

// ---------------------------------------------------------------------------------------------------- bytes outside records

/// Bytes of a record that lie in the staging pages, or were passed, are brought inside: what is checked is not read again.
void Front::find_bytes(queue::Bytes& bytes) {
  if (!bytes.staged) return;
  if (bytes.offset == queue::Bytes::kPassed) {
    bytes.inside = std::exchange(passed_, {});
  } else {
    const auto piece = staging_.subspan(bytes.offset, bytes.length);
    bytes.inside.assign(piece.begin(), piece.end());
  }
  bytes.staged = false;
}

/// The executor finds both sides of a copy as addresses of this process.
void Front::find_bytes(Wait& wait) {
  if (auto* const load = std::get_if<queue::Load>(&wait.body)) return find_bytes(load->code);
  if (auto* const launch = std::get_if<queue::Launch>(&wait.body)) return find_bytes(launch->parameters);
  auto* const copy = std::get_if<queue::Copy>(&wait.body);
  if (copy == nullptr) return;
  const bool in_pieces = copy->from.kind == Kind::passed, out_pieces = copy->to.kind == Kind::passed;
  if (in_pieces) wait.bytes = std::exchange(passed_, {});
  if (out_pieces) {
    wait.out = wait.bytes.size();
    wait.bytes.resize(*wait.out + copy->shape.bytes());
  }
  if (copy->from.kind == Kind::staging) copy->from.address = address_of(staging_.data()) + copy->from.address;
  if (copy->to.kind == Kind::staging) copy->to.address = address_of(staging_.data()) + copy->to.address;
  if (in_pieces) copy->from = {Kind::staging, address_of(wait.bytes.data())};
  if (out_pieces) copy->to = {Kind::staging, address_of(wait.bytes.data()) + *wait.out};
}

/// A copy is done: what it has brought in pieces waits to be fetched.
void Front::brought(Wait& wait) {
  if (!wait.out) return;
  wait.bytes.erase(wait.bytes.begin(), wait.bytes.begin() + static_cast<std::ptrdiff_t>(*wait.out));
  brought_[wait.sequence] = std::move(wait.bytes);
}

// ------------------------------------------------------------------------------------------------- what stands and waits

void Front::reached(const queue::Reached& now) {
  session_.reached(now.token);
  world_.send({0, now});
  while (!done_.contains(now.token))
    if (ended_ || !world_.listen()) return;
  done_.erase(now.token);
}

bool Front::others_may_act() const {
  return world_.threads && world_.threads() > static_cast<int>(waits_.size());
}

void Front::look_again() {
  if (waits_.empty()) {
    executor_.pump();
    return;
  }
  const bool others = others_may_act();
  for (auto it = waits_.begin(); it != waits_.end();) {
    const queue::Body* const before = std::exchange(now_, &it->body);
    if (!it->pending.done()) executor_.look_again(it->pending, others);
    const bool done = it->pending.done();
    if (done) {
      queue::Answer result = it->pending.answer();
      brought(*it);
      answer(*it, std::move(result));
    }
    now_ = before;
    it = done ? waits_.erase(it) : std::next(it);
  }
}

std::string Front::calling() const {
  queue::Call call = 0;
  if (now_ != nullptr) {
    if (const auto* const wait = std::get_if<queue::Synchronise>(now_)) call = wait->call;
    if (const auto* const copy = std::get_if<queue::Copy>(now_)) call = copy->call;
    if (const auto* const query = std::get_if<queue::Query>(now_))
      return query->what == queue::Query::What::stream ? "cudaStreamQuery" : "cudaEventQuery";
  }
  return call == 0 ? "a call" : queue::name_of_call(call);
}

std::string Front::transfer(const Transfer& wish, std::byte* here) {
  const std::uint64_t pitch = wish.rows > 1 ? wish.pitch : wish.width;
  const memory::Allocation* const allocation = gpu_.memory.find(wish.address);
  if (allocation == nullptr || !allocation->live) return "There is no such memory.";
  const std::uint64_t left = allocation->end() - wish.address;
  if (pitch < wish.width || wish.width > left || (wish.rows - 1) > (left - wish.width) / pitch)
    return fmt::format("The memory is smaller than that: {} bytes are left.", left);
  const std::string_view kind = gpu_.kind_of(*allocation);
  if (!wish.kind.empty() &&
      fmt::format("|{}|", wish.kind).find(fmt::format("|{}|", kind)) == std::string::npos)
    return fmt::format("The memory is {}, and not {}.", kind, wish.kind);
  if (!executor_.idle()) executor_.pump();
  if (!executor_.idle()) return "Work stands still that the host has not waited for.";
  const Facts* const known = gpu_.facts_of(*allocation);
  const queue::Place there{Kind::device, wish.address}, mine{Kind::staging, address_of(here)};
  queue::Copy copy{
      .stream = queue::kLegacyStreams + static_cast<queue::Id>(known != nullptr ? known->device : 0),
      .call = queue::call_named("cudaMemcpy"),
      .to = wish.to_device ? there : mine,
      .from = wish.to_device ? mine : there,
      .shape = {.width = wish.width,
                .height = wish.rows,
                .to_pitch = wish.to_device ? pitch : wish.width,
                .from_pitch = wish.to_device ? wish.width : pitch},
      .waits = true};
  const queue::Body body = copy;
  const queue::Body* const before = std::exchange(now_, &body);
  const queue::Answer answer = executor_.answer(body);
  now_ = before;
  return answer.status == 0 ? "" : fmt::format("The copy failed with error {}.", answer.status);
}

void Front::set_devices(std::uint32_t count) {
  while (gpu_.units.size() > count) gpu_.drop_last_unit();
  while (gpu_.units.size() < count) gpu_.add_unit();
  gpu_.memory.set_capacity(gpu_.card.memory_bytes * std::max<std::uint64_t>(1, count));
  session_.set_devices(count);
}

}  // namespace simgpu::device
