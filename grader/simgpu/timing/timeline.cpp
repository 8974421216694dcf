/// @file
/// Placing operations on engines.
#include "simgpu/timing/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "simgpu/timing/links.hpp"

namespace simgpu::timing {
namespace {

constexpr double kShareSlack = 1e-9;  // shares are sums of fractions
/// Enough history to see what still runs; beyond it the oldest intervals are dropped.
constexpr std::size_t kHistory = 256;
/// An engine that has waited for another one looks again after as long, and so hears of it later by up to so many times what it waited for.
constexpr double kImpatience = 1.5;
/// From the call of a copy over the link until its engine asks whether it may begin. [s]
constexpr double kLinkAsksSeconds = 1.5e-6;
/// The end of a kernel that nobody can tell yet.
constexpr Instant kOpen = std::numeric_limits<Instant>::infinity();

}  // namespace

std::string_view name_of(Engine engine) noexcept {
  switch (engine) {
    case Engine::compute:
      return "kernel";
    case Engine::copy_in:
      return "copy to device";
    case Engine::copy_out:
      return "copy to host";
    case Engine::copy_device:
      return "copy within device";
    case Engine::none:
      break;
  }
  return "host";
}

void Timeline::add_stream(StreamId stream, bool blocking) {
  streams_[stream] = Stream{host_, blocking};
}

void Timeline::remove_stream(StreamId stream) {
  if (stream == 0) return;
  // Its work still runs to the end on the engines; a blocking stream also still holds the legacy stream back.
  const auto it = streams_.find(stream);
  if (it == streams_.end()) return;
  if (it->second.blocking) streams_[0].tail = std::max(streams_[0].tail, it->second.tail);
  streams_.erase(it);
}

Instant Timeline::before(const Stream& stream, StreamId id) const {
  Instant ready = stream.tail;
  if (id == 0) {
    for (const auto& [other_id, other] : streams_) {
      if (other.blocking) ready = std::max(ready, other.tail);
    }
  } else if (stream.blocking) {
    ready = std::max(ready, streams_.at(0).tail);
  }
  return ready;
}

Instant Timeline::ready_time(const Stream& stream, StreamId id) const {
  return std::max(before(stream, id), host_);
}

Instant Timeline::ready_time(const Stream& stream, StreamId id, Engine engine, bool beside_commands) const {
  const auto over_link = [](Engine one) { return one == Engine::copy_in || one == Engine::copy_out; };
  const HostCosts& host = device_.host;
  const Instant first = host_ + (over_link(engine)           ? host.link_latency
                                 : engine == Engine::compute ? device_.start_latency()
                                                             : 0);
  const Instant ready = std::max(before(stream, id), first);
  if (stream.last == Engine::none || engine == Engine::none || beside_commands ||
      over_link(stream.last) == over_link(engine))
    return ready;
  // Who finds it done when he asks waits for nobody. Who has to wait for long looks less often.
  const Instant asks = over_link(engine) ? host_ + kLinkAsksSeconds : first;
  const double change = graphs_ > 0 ? host.graph_engine_change : host.engine_change;
  return std::max(ready, stream.tail + std::clamp(kImpatience * (stream.tail - asks), 0.0, change));
}

/// When a kernel ends that begins at @p begin and would take @p seconds alone. Those that were given to the device before it keep their
/// pace, and it has what they leave: so together they take as long as the device needs for the work of all.
Instant Timeline::end_beside_others(Instant begin, double seconds, const Use& use) {
  std::vector<Instant> changes;
  for (const Load& load : loads_) {
    if (load.begin > begin) changes.push_back(load.begin);
    if (load.end > begin) changes.push_back(load.end);
  }
  std::sort(changes.begin(), changes.end());
  std::vector<Load> mine;
  Instant now = begin;
  for (std::size_t next = 0; seconds > 0; ++next) {
    double pace = 1;
    for (std::size_t i = 0; i < use.size(); ++i) {
      if (use[i] <= 0) continue;
      double taken = 0;
      for (const Load& load : loads_)
        if (load.begin <= now && load.end > now) taken += load.use[i];
      pace = std::min(pace, std::max(0.0, 1 - taken) / use[i]);
    }
    const bool last = next == changes.size();
    const Instant until = last ? kOpen : changes[next];
    if (last) pace = 1;  // nobody else is left
    const bool done = pace > 0 && now + seconds / pace <= until;
    const Instant end = done ? now + seconds / pace : until;
    seconds = done ? 0 : seconds - (end - now) * pace;
    if (end > now) {
      Load part{now, end, use};
      for (double& each : part.use) each *= pace;
      if (pace > 0) mine.push_back(part);
      now = end;
    }
  }
  loads_.insert(loads_.end(), mine.begin(), mine.end());
  return now;
}

Timeline::Span Timeline::place_on_compute(Instant ready, double seconds, double share, const Use& use) {
  share = std::clamp(share, 0.0, 1.0);
  // Candidates: when it is ready, and whenever something that runs then ends.
  std::vector<Instant> candidates{ready};
  for (const Busy& busy : compute_) {
    if (busy.end > ready && busy.end != kOpen) candidates.push_back(busy.end);
  }
  std::sort(candidates.begin(), candidates.end());
  for (const Instant start : candidates) {
    double taken = 0;
    for (const Busy& busy : compute_) {
      if (busy.begin <= start && busy.end > start) taken += busy.share;
    }
    if (taken + share <= 1 + kShareSlack || start == candidates.back()) {
      // Beside one that needs all of the device there is nobody to share with.
      const Instant end = share < 1 - kShareSlack ? end_beside_others(start, seconds, use) : start + seconds;
      compute_.push_back({start, end, share});
      return {start, end};
    }
  }
  return {ready, ready + seconds};  // not reached: the last candidate always fits
}

void Timeline::forget_before(Instant instant) {
  const auto trim = [instant](auto& list) {
    if (list.size() <= kHistory) return;
    std::erase_if(list, [instant](const auto& one) { return one.end <= instant; });
    if (list.size() > 4 * kHistory) list.erase(list.begin(), list.begin() + static_cast<long>(kHistory));
  };
  trim(compute_);
  trim(loads_);
  trim(link_in_);
  trim(link_out_);
}

Instant Timeline::enqueue(StreamId stream_id, Engine engine, double seconds, double share, std::string name,
                          std::uint64_t bytes, const Use& use) {
  Stream& stream = streams_[stream_id];
  // What travels with the commands: no other engine is asked.
  const bool beside_commands = engine == Engine::copy_in && bytes > 0 && bytes <= kBesideCommandsBytes;
  const Instant ready = ready_time(stream, stream_id, engine, beside_commands);
  Instant begin = ready, end = ready + seconds;
  switch (engine) {
    case Engine::none:
      break;
    case Engine::compute: {
      const Span span = place_on_compute(ready, seconds, share, use);
      begin = span.begin, end = span.end;
      break;
    }
    case Engine::copy_device: {
      Instant& free = copy_free_[2];
      begin = std::max(ready, free);
      end = begin + seconds;
      free = end;
      break;
    }
    case Engine::copy_in:
    case Engine::copy_out: {
      const bool in = engine == Engine::copy_in;
      Instant& free = copy_free_[in ? 0 : 1];
      begin = std::max(ready, free);
      end = begin + seconds;
      double overlap = 0;
      for (const Busy& busy : in ? link_out_ : link_in_) {
        overlap += std::max(0.0, std::min(end, busy.end) - std::max(begin, busy.begin));
      }
      // The first of two meeting copies has been given its time already, so the second bears both delays.
      end += overlap * (kDuplexFactor - 1);
      free = end;
      (in ? link_in_ : link_out_).push_back({begin, end, 1});
      break;
    }
  }
  stream.tail = end;
  stream.last = beside_commands ? Engine::none : engine;
  forget_before(host_);
  if (!name.empty()) list({stream_id, engine, std::move(name), bytes, begin, end});
  return end;
}

Timeline::Turn Timeline::turn(StreamId stream_id) const {
  const auto it = streams_.find(stream_id);
  return it == streams_.end() ? Turn{} : Turn{it->second.tail, it->second.last};
}

void Timeline::set_turn(StreamId stream_id, const Turn& turn) {
  Stream& stream = streams_[stream_id];
  stream.tail = turn.at;
  stream.last = turn.last;
}

void Timeline::begin_graph(StreamId stream_id) {
  Stream& stream = streams_[stream_id];
  stream.tail = ready_time(stream, stream_id) + device_.host.graph_gap;
  stream.last = Engine::none;
}

Instant Timeline::open(StreamId stream_id, double share) {
  const Instant ready = ready_time(streams_[stream_id], stream_id, Engine::compute);
  // Leaves an entry of no length, which is kept open.
  const Instant begin = place_on_compute(ready, 0, share, {}).begin;
  compute_.back().end = kOpen;
  return begin;
}

Instant Timeline::close(StreamId stream_id, Instant begin, Instant released, double seconds,
                        std::string name) {
  const Instant end = std::max(begin + seconds, released);
  const auto mine = std::find_if(compute_.begin(), compute_.end(),
                                 [&](const Busy& busy) { return busy.begin == begin && busy.end == kOpen; });
  if (mine != compute_.end()) mine->end = end;
  streams_[stream_id].tail = std::max(streams_[stream_id].tail, end);
  streams_[stream_id].last = Engine::compute;
  list({stream_id, Engine::compute, std::move(name), 0, begin, end});
  return end;
}

Instant Timeline::next_begin(StreamId stream_id, Engine engine) const {
  const auto it = streams_.find(stream_id);
  return ready_time(it == streams_.end() ? Stream{} : it->second, stream_id, engine);
}

Instant Timeline::tail(StreamId stream_id) const {
  const auto it = streams_.find(stream_id);
  return it == streams_.end() ? 0 : it->second.tail;
}

Instant Timeline::due(StreamId stream_id) const {
  const auto it = streams_.find(stream_id);
  return before(it == streams_.end() ? Stream{} : it->second, stream_id);
}

void Timeline::list(Operation operation) {
  if (operations_.size() < kOperations)
    operations_.push_back(std::move(operation));
  else
    ++omitted_;
}

std::vector<Operation> Timeline::take_operations(std::uint64_t& omitted) {
  omitted = std::exchange(omitted_, 0);
  return std::exchange(operations_, {});
}

Instant Timeline::record(StreamId stream_id) {
  Stream& stream = streams_[stream_id];
  const Instant ready = ready_time(stream, stream_id);
  if (ready > stream.tail) stream.last = Engine::none;  // it stood idle, or waited for others
  return stream.tail = ready;
}

void Timeline::wait(StreamId stream_id, Instant instant) {
  Stream& stream = streams_[stream_id];
  if (instant > stream.tail) stream.last = Engine::none;  // of another stream: nobody says of what engine
  stream.tail = std::max(stream.tail, instant);
}

void Timeline::host_wait(Instant instant) {
  if (instant > host_) host_ = instant + device_.host.wait_return;
}

void Timeline::host_until(Instant instant) {
  host_ = std::max(host_, instant);
}

Instant Timeline::all_done() const noexcept {
  Instant done = host_;
  for (const auto& [id, stream] : streams_) done = std::max(done, stream.tail);
  for (const Busy& busy : compute_)
    if (busy.end != kOpen) done = std::max(done, busy.end);
  return std::max({done, copy_free_[0], copy_free_[1], copy_free_[2]});
}

}  // namespace simgpu::timing
