/// @file
/// What orders pieces of work that go to a device by different streams, and which of them meet in memory with no order.
///
/// Each stream is a lane. A vector clock says of each lane how far a stream, an event or the host knows it to be done: work
/// begins after what the host had waited for when it was issued, after its lane's earlier work, after the events that its lane
/// waits for, and after what the legacy default stream imposes. All host threads count as one. Work that the host has not
/// waited for is outstanding; each new piece is held against the outstanding ones that do not come before it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simgpu/observe/touched.hpp"

namespace simgpu::observe {

/// A stream, or a branch of a graph.
using Lane = std::uint64_t;
/// Numbers pieces of work in order of issue, from 1.
using Tick = std::uint64_t;

/// How far each lane is known to be done.
class LaneClock {
 public:
  Tick of(Lane lane) const {
    const auto it = ticks_.find(lane);
    return it == ticks_.end() ? 0 : it->second;
  }
  void raise(Lane lane, Tick tick) {
    Tick& mine = ticks_[lane];
    if (mine < tick) mine = tick;
  }
  void join(const LaneClock& other) {
    for (const auto& [lane, tick] : other.ticks_) raise(lane, tick);
  }
  void forget(Lane lane) { ticks_.erase(lane); }

 private:
  std::map<Lane, Tick> ticks_;
};

/// A piece of work, for those who are to be told of it.
struct Work {
  enum class Kind : std::uint8_t { kernel, copy, fill, allocation, release };
  Kind kind = Kind::kernel;
  std::string name;  ///< a kernel's symbol; the call's name
  std::string on;    ///< the stream, in words
  int device = 0;
  bool legacy = false, in_graph = false;
  Lane lane = 0;
  Tick tick = 0;  ///< as begin() said; 0: the lane's last
  Touched touched;
  std::function<void()> known;  ///< called once the host has waited for it; may be empty
  /// Of a kernel with fences: what it came after, which who sees its flag comes after as well.
  std::shared_ptr<const LaneClock> after = {};
};

/// Two pieces of work that touch the same byte with no order between them, one of them writing.
struct Unordered {
  const Work* earlier = nullptr;  ///< in order of issue; valid until the next call
  const Work* later = nullptr;
  std::uint64_t address = 0;
  bool earlier_writes = false, later_writes = false;
};

/// Calls @p found if the two meet in memory, one of them writing.
void compare(const Work& earlier, const Work& later, const std::function<void(const Unordered&)>& found);

class StreamOrder {
 public:
  /// What outstanding work may take in all; the oldest is forgotten beyond it. [bytes]
  static constexpr std::size_t kMostBytes = 256u << 20;
  static constexpr std::size_t kMostWork = 16 * 1024;  ///< pieces

  /// @param legacy the device's legacy default stream. @param blocking false for cudaStreamNonBlocking.
  void add_lane(Lane lane, int device, bool blocking, bool legacy = false);
  /// Its work goes on to the end.
  void remove_lane(Lane lane);

  /// The next piece of work of @p lane: later ones of this lane come after it. @return its number.
  Tick begin(Lane lane);
  /// Says what the lane's last piece of work has touched. @p found gets everything that it conflicts with.
  void finish(Work work, const std::function<void(const Unordered&)>& found);

  /// @return what an event holds that is recorded in @p lane now.
  LaneClock record(Lane lane);
  /// What a kernel has heard of that sees what the last work of a lane has put into memory.
  struct Heard {
    LaneClock clock;  ///< all that lane has done, but for that work itself if it is a kernel without fences
    bool of_kernel =
        false;  ///< of which the hearer knows behind a fence of its own; what a copy brings is seen as it is
  };
  Heard heard_of(Lane lane);
  /// Later work of @p lane comes after @p clock.
  void wait(Lane lane, const LaneClock& clock);
  /// Later work of @p lane comes after all that @p device has been given so far, in whichever lanes.
  void wait_for_device(Lane lane, int device);
  /// Later work of @p device, in whichever lanes, comes after all that @p lane has been given so far.
  void device_waits(int device, Lane lane);

  /// The host has waited for all that was put into @p lane.
  void host_waits(Lane lane);
  void host_waits(const LaneClock& clock);
  void host_waits_for_device(int device);
  /// A lane for the time that a branch of a graph runs; it comes after what @p of has to do so far.
  Lane branch(Lane of);

  std::size_t outstanding() const noexcept { return count_; }
  /// Work that was forgotten for want of room.
  std::uint64_t forgotten() const noexcept { return forgotten_; }

 private:
  /// From the lowest byte of some to behind the highest.
  struct Span {
    std::uint64_t begin = ~0ull, end = 0;
    void add(const ByteSet& set) noexcept;
    bool meets(const Span& other) const noexcept { return begin < other.end && other.begin < end; }
  };
  /// What a piece of work reads and writes, roughly. Apart: a copy reads here and writes there, and between the two lies everything.
  struct Spans {
    Span reads, writes;
    explicit Spans(const Touched& touched) noexcept;
    bool meets(const Spans& other) const noexcept {
      return writes.meets(other.writes) || writes.meets(other.reads) || reads.meets(other.writes);
    }
  };
  struct LaneState {
    int device = 0;
    bool blocking = true, legacy = false, gone = false;
    LaneClock clock;
    Tick last = 0;
    std::deque<Work> outstanding;
    /// Of each outstanding piece, side by side: a program with thousands of small copies on two streams has each held against all
    /// of the other stream, and almost all lie elsewhere.
    std::deque<Spans> spans;
  };
  LaneState& at(Lane lane);
  void settle(Lane lane, LaneState& state);
  void hear(const Work& work, LaneState& state);
  void retire();
  void make_room();
  void drop_oldest(LaneState& state);

  std::map<Lane, LaneState> lanes_;
  LaneClock host_;
  std::map<int, LaneClock> devices_;  ///< what all work of a device comes after
  Tick next_ = 1;
  Lane next_branch_ = 1ull << 62;
  std::size_t count_ = 0, bytes_ = 0;
  std::uint64_t forgotten_ = 0;
};

}  // namespace simgpu::observe
