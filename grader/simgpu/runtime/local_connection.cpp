/// @file
/// A device in this process: to say something to it is a call.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "simgpu/device/executor.hpp"
#include "simgpu/device/gpu.hpp"
#include "simgpu/queue/answer_codec.hpp"
#include "simgpu/queue/codec.hpp"
#include "simgpu/runtime/closed_pages.hpp"
#include "simgpu/runtime/connection.hpp"
#include "simgpu/runtime/visited_pages.hpp"

namespace simgpu::runtime {
namespace {

constexpr std::uint32_t kInitializationError = 3;

/// Between two processes, a record that breaks the grammar would end the connection.
void insist(bool fits, const std::string& problem) {
  if (fits && problem.empty()) return;
  std::fprintf(stderr, "simgpu: %s\n",
               fits ? problem.c_str() : "What is said is longer than a record may be.");
  std::abort();
}

/// The command as it comes out of a record.
queue::Body through_record(std::uint64_t sequence, queue::Body body) {
  // Code is bulk data: it would lie in the staging pages.
  std::vector<std::byte> code;
  if (auto* const load = std::get_if<queue::Load>(&body)) code = std::exchange(load->code.inside, {});
  std::vector<std::byte> record;
  const bool fits = queue::encode({.sequence = sequence, .spent = 0, .body = std::move(body)}, record);
  queue::Decoded read = queue::decode(record);
  insist(fits, read.problem);
  if (auto* const load = std::get_if<queue::Load>(&read.command.body)) load->code.inside = std::move(code);
  return std::move(read.command.body);
}

/// The same of what the device says.
queue::Message through_record(queue::Message message) {
  std::vector<std::byte> record;
  const bool fits = queue::encode(message, record);
  queue::DecodedMessage read = queue::decode_message(record);
  insist(fits, read.problem);
  return std::move(read.message);
}

template <typename T>
std::function<void(const T&)> through_records(std::function<void(const T&)> hears) {
  return [hears = std::move(hears)](const T& said) {
    hears(std::get<T>(through_record(queue::Message{.sequence = 0, .body = said}).body));
  };
}

device::Unasked through_records(device::Unasked unasked) {
  return {.reached = through_records(std::move(unasked.reached)),
          .said = through_records(std::move(unasked.said)),
          .fault = through_records(std::move(unasked.fault)),
          .closed = through_records(std::move(unasked.closed)),
          .give_way = std::move(unasked.give_way),
          .calling = std::move(unasked.calling)};
}

/// Memory that would be another process's as well; of one process, managed memory. Where the system gives none there is one mapping, and
/// nobody sees what the host touches.
std::optional<memory::SharedPages> pages_of_two(bool all) {
  using For = memory::SharedPages::For;
  auto pages = memory::SharedPages::make(all ? For::all : For::managed);
  if (!pages && all)
    insist(true, std::string("cannot make pages that two processes share: ") + std::strerror(errno) + ".");
  return pages;
}

class LocalConnection final : public Connection {
 public:
  LocalConnection(const timing::Device& card, const device::Settings& settings, device::Unasked unasked,
                  bool with_records)
      : pages_(pages_of_two(with_records)),
        gpu_(card, pages_ ? &*pages_ : nullptr),
        executor_(gpu_, telling(with_records ? through_records(std::move(unasked)) : std::move(unasked))),
        records_(with_records) {
    gpu_.settings = settings;
  }

  queue::Answer ask(queue::Body command) override {
    if (is_child()) return {kInitializationError, {}};
    begun_in_ = ::getpid();
    tell_touches();
    if (depends_on_visits(command))
      if (queue::Visited visits = take_visits(); !visits.runs.empty()) say(std::move(visits));
    return say(std::move(command));
  }
  const memory::SharedPages* pages() const override { return pages_ ? &*pages_ : nullptr; }

  std::uint32_t lost() const override { return is_child() ? kInitializationError : 0; }

  bool idle() override { return executor_.idle(); }
  bool wants_turns() override { return !executor_.idle(); }
  bool take_turn() override {
    pump();
    return idle();
  }
  void pump() override {
    if (is_child()) return;
    tell_touches();
    executor_.pump();
  }
  void in_order(queue::Id stream, std::function<void()> what) override {
    if (const device::Stream* const known = gpu_.stream(stream)) executor_.in_order(*known, std::move(what));
  }
  void end_all() override {
    if (!is_child()) executor_.end_all();
  }
  bool take_waited() override { return executor_.take_waited(); }

  const device::Settings& settings() const override { return gpu_.settings; }
  void configure(const device::Settings& settings) override { gpu_.settings = settings; }
  void set_devices(int count) override {
    while (static_cast<int>(gpu_.units.size()) > count) gpu_.drop_last_unit();
    while (static_cast<int>(gpu_.units.size()) < count) gpu_.add_unit();
    gpu_.memory.set_capacity(gpu_.card.memory_bytes * static_cast<std::uint64_t>(std::max(1, count)));
  }
  std::string take_report(report::ClientPart client) override {
    tell_touches();
    return report::to_json(gpu_.take_report(std::move(client)));
  }
  std::size_t write_report(report::ClientPart client, const std::string& wish) override {
    executor_.end_all();
    tell_touches();
    return gpu_.write_last_report(std::move(client), wish);
  }

 private:
  /// As on hardware: a child of a program that has begun to use its device has none.
  bool is_child() const { return begun_in_ != 0 && begun_in_ != ::getpid(); }
  /// Threads that act meanwhile may touch what a kernel then gives free.
  device::Unasked telling(device::Unasked unasked) {
    if (unasked.give_way) {
      unasked.give_way = [this, give_way = std::move(unasked.give_way)] {
        const bool others = give_way();
        tell_touches();
        return others;
      };
    }
    return unasked;
  }
  /// Says what the host has touched since the last time, before anything else is said.
  void tell_touches() {
    for (const queue::Touched& touch : take_touches()) say(touch);
  }
  queue::Answer say(queue::Body command) {
    if (!records_) return executor_.answer(command);
    const std::uint64_t sequence = ++sequence_;
    queue::Answer answer = executor_.answer(through_record(sequence, std::move(command)));
    return std::get<queue::Answer>(
        through_record(queue::Message{.sequence = sequence, .body = std::move(answer)}).body);
  }

  std::optional<memory::SharedPages> pages_;
  device::Gpu gpu_;
  device::Executor executor_;
  bool records_;
  pid_t begun_in_ = 0;  ///< the process that first said something
  std::uint64_t sequence_ = 0;
};

}  // namespace

std::unique_ptr<Connection> Connection::in_process(const timing::Device& card,
                                                   const device::Settings& settings, device::Unasked unasked,
                                                   bool through_records) {
  return std::make_unique<LocalConnection>(card, settings, std::move(unasked), through_records);
}

}  // namespace simgpu::runtime
