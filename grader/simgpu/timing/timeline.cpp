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

Instant Timeline::ready_time(const Stream& stream, StreamId id) const {
  Instant ready = std::max(stream.tail, host_);
  if (id == 0) {
    for (const auto& [other_id, other] : streams_) {
      if (other.blocking) ready = std::max(ready, other.tail);
    }
  } else if (stream.blocking) {
    ready = std::max(ready, streams_.at(0).tail);
  }
  return ready;
}

Instant Timeline::place_on_compute(Instant ready, double seconds, double share) {
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
      compute_.push_back({start, start + seconds, share});
      return start + seconds;
    }
  }
  return ready + seconds;  // not reached: the last candidate always fits
}

void Timeline::forget_before(Instant instant) {
  const auto trim = [instant](std::vector<Busy>& list) {
    if (list.size() <= kHistory) return;
    std::erase_if(list, [instant](const Busy& busy) { return busy.end <= instant; });
    if (list.size() > 4 * kHistory) list.erase(list.begin(), list.begin() + static_cast<long>(kHistory));
  };
  trim(compute_);
  trim(link_in_);
  trim(link_out_);
}

Instant Timeline::enqueue(StreamId stream_id, Engine engine, double seconds, double share, std::string name,
                          std::uint64_t bytes) {
  Stream& stream = streams_[stream_id];
  const Instant ready = ready_time(stream, stream_id);
  Instant begin = ready, end = ready + seconds;
  switch (engine) {
    case Engine::none:
      break;
    case Engine::compute:
      end = place_on_compute(std::max(ready, host_ + device_.start_latency()), seconds, share);
      begin = end - seconds;
      break;
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
  forget_before(host_);
  if (!name.empty()) list({stream_id, engine, std::move(name), bytes, begin, end});
  return end;
}

Instant Timeline::open(StreamId stream_id, double share) {
  const Instant ready = std::max(ready_time(streams_[stream_id], stream_id), host_ + device_.start_latency());
  const Instant begin =
      place_on_compute(ready, 0, share);  // leaves an entry of no length, which is kept open
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
  list({stream_id, Engine::compute, std::move(name), 0, begin, end});
  return end;
}

Instant Timeline::next_begin(StreamId stream_id) const {
  const auto it = streams_.find(stream_id);
  return std::max(ready_time(it == streams_.end() ? Stream{} : it->second, stream_id),
                  host_ + device_.start_latency());
}

Instant Timeline::tail(StreamId stream_id) const {
  const auto it = streams_.find(stream_id);
  return it == streams_.end() ? 0 : it->second.tail;
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
  stream.tail = ready_time(stream, stream_id);
  return stream.tail;
}

void Timeline::wait(StreamId stream_id, Instant instant) {
  Stream& stream = streams_[stream_id];
  stream.tail = std::max(stream.tail, instant);
}

void Timeline::host_wait(Instant instant) {
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
