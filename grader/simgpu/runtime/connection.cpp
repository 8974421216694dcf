/// @file
/// See connection.hpp.
#include "simgpu/runtime/connection.hpp"

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

namespace simgpu::runtime {
namespace {

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

/// Memory that would be another process's as well.
std::optional<memory::SharedPages> pages_of_two(bool wanted) {
  if (!wanted) return std::nullopt;
  auto pages = memory::SharedPages::make();
  insist(
      true,
      pages ? "" : std::string("cannot make pages that two processes share: ") + std::strerror(errno) + ".");
  return pages;
}

}  // namespace

struct Connection::Local {
  Local(const timing::Device& card, device::Unasked unasked, bool with_records)
      : pages(pages_of_two(with_records)),
        gpu(card, pages ? &*pages : nullptr),
        executor(gpu, with_records ? through_records(std::move(unasked)) : std::move(unasked)),
        records(with_records) {}

  std::optional<memory::SharedPages> pages;
  device::Gpu gpu;
  device::Executor executor;
  bool records = false;
  std::uint64_t sequence = 0;
};

Connection::Connection(const timing::Device& card, const device::Settings& settings, device::Unasked unasked,
                       bool records) {
  // Threads that act meanwhile may touch what a kernel then gives free.
  if (unasked.give_way) {
    unasked.give_way = [this, give_way = std::move(unasked.give_way)] {
      const bool others = give_way();
      tell_touches();
      return others;
    };
  }
  local_ = std::make_unique<Local>(card, std::move(unasked), records);
  local_->gpu.settings = settings;
}
Connection::~Connection() = default;

const memory::SharedPages* Connection::pages() const {
  return local_->pages ? &*local_->pages : nullptr;
}

void Connection::tell_touches() {
  for (const queue::Touched& touch : take_touches()) say(touch);
}

queue::Answer Connection::ask(queue::Body command) {
  tell_touches();
  return say(std::move(command));
}

queue::Answer Connection::say(queue::Body command) {
  if (!local_->records) return local_->executor.answer(command);
  const std::uint64_t sequence = ++local_->sequence;
  queue::Answer answer = local_->executor.answer(through_record(sequence, std::move(command)));
  return std::get<queue::Answer>(
      through_record(queue::Message{.sequence = sequence, .body = std::move(answer)}).body);
}

bool Connection::idle() const {
  return local_->executor.idle();
}
void Connection::pump() {
  tell_touches();
  local_->executor.pump();
}
void Connection::in_order(queue::Id stream, std::function<void()> what) {
  if (const device::Stream* const known = local_->gpu.stream(stream))
    local_->executor.in_order(*known, std::move(what));
}
void Connection::end_all() {
  local_->executor.end_all();
}
bool Connection::take_waited() {
  return local_->executor.take_waited();
}

const device::Settings& Connection::settings() const {
  return local_->gpu.settings;
}
void Connection::configure(const device::Settings& settings) {
  local_->gpu.settings = settings;
}

void Connection::set_devices(int count) {
  device::Gpu& gpu = local_->gpu;
  while (static_cast<int>(gpu.units.size()) > count) gpu.drop_last_unit();
  while (static_cast<int>(gpu.units.size()) < count) gpu.add_unit();
  gpu.memory.set_capacity(gpu.card.memory_bytes * static_cast<std::uint64_t>(std::max(1, count)));
}

void Connection::take_report(report::Report& report) {
  tell_touches();
  local_->gpu.take_report(report);
}

}  // namespace simgpu::runtime
