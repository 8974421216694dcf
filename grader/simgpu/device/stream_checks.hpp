/// @file
/// Holds the work of different streams against each other: what nothing orders and meets in memory is a race, as much as two
/// threads of a kernel that do. Who carries work out says here what begins and what is waited for; the rules are
/// observe/stream_order.hpp's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simgpu/device/host_guard.hpp"
#include "simgpu/device/pending_copies.hpp"
#include "simgpu/observe/early_touched.hpp"
#include "simgpu/observe/stream_order.hpp"
#include "simgpu/observe/touched.hpp"
#include "simgpu/queue/command.hpp"

namespace simgpu::device {

class Gpu;
struct Place;
struct Stream;

/// "scale" of "void scale<float>(float*, int)", from its symbol.
std::string short_name(const std::string& mangled);

class StreamChecks {
 public:
  explicit StreamChecks(Gpu& gpu);

  /// While one lives, the runtime may touch all memory itself.
  class Inside {
   public:
    explicit Inside(StreamChecks& checks) : checks_(checks) { checks_.enter(); }
    ~Inside() { checks_.guard_.resume(); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    StreamChecks& checks_;
  };
  /// Who hears which pages are closed to the host; by default nobody does, and none are.
  void say_closed_to(std::function<void(const queue::Closed&)> hears) { guard_.say_to(std::move(hears)); }
  /// The host has touched too early what was closed.
  void touched(const queue::Touched& touch);
  /// While one lives, a function of the host's runs in this call, behind what comes before it in its stream: it is seen to touch what
  /// other work still uses.
  class HostActs {
   public:
    explicit HostActs(StreamChecks& checks) : guarded_(checks.guard_) { checks.host_has_acted_ = true; }

   private:
    HostGuard::HostActs guarded_;
  };
  /// There is memory now that host and device have in common.
  void shares_memory() { shares_memory_ = true; }

  void device_added(int device);
  void stream_added(const Stream& stream);
  void stream_removed(const Stream& stream);

  // --- work, in order of issue ---
  /// A kernel from its begin to its end, between which others may begin and end.
  struct Kernel {
    std::unique_ptr<observe::TouchedObserver> touched;  ///< who must watch it; nullptr: nobody
    observe::Tick tick = 0;
    bool in_branch = false;
    observe::Lane branch = 0;
    std::unique_ptr<observe::EarlyTouched> early;  ///< of one that may begin before its predecessor has ended
    bool watched_by_next = false;                  ///< the next one may begin before this one has ended
    observe::LaneClock heard;                      ///< of others, by flags: known once a fence follows
  };
  /// @param early it may begin before the kernel ahead of it has ended. @param lets_next its module has kernels that allow the next to do so
  Kernel kernel_begins(const Stream& stream, bool early = false, bool lets_next = false);
  void kernel_ends(const Stream& stream, const std::string& name, bool ended_well, Kernel& kernel);
  /// The kernel stands still: what it has said so far the host may have heard.
  void kernel_waits(const Kernel& kernel);
  /// It has heard of what the host had waited for ...
  void kernel_hears_host(const Stream& stream) {
    order_.wait(lane_of(stream), order_.record(lane_of(stream)));
  }
  /// ... and of what @p by has done.
  void kernel_hears(const Stream& stream, Kernel& kernel, const Stream& by);
  /// While one lives, work is of its stream, and of no branch of the graph that happens to be sent.
  class Outside {
   public:
    explicit Outside(StreamChecks& checks)
        : checks_(checks), was_(checks.in_branch_), branch_(checks.branch_) {
      checks_.in_branch_ = false;
    }
    ~Outside() {
      checks_.in_branch_ = was_;
      checks_.branch_ = branch_;
    }
    Outside(const Outside&) = delete;
    Outside& operator=(const Outside&) = delete;

   private:
    StreamChecks& checks_;
    bool was_;
    observe::Lane branch_;
  };
  /// "stream 2"
  std::string words_for(const Stream& stream) const;
  /// Whether what is sent now is a node of a graph.
  bool in_graph() const { return in_branch_; }
  /// A copy is about to move its bytes ...
  /// @param name of the API function.
  void copy_begins(const Place& to, const Place& from, std::uint64_t to_address, std::uint64_t from_address,
                   const queue::Shape& shape);
  /// ... and has done so. @param waited the host has waited for it.
  void copied(const Stream& stream, const char* name, const Place& to, const Place& from,
              std::uint64_t to_address, std::uint64_t from_address, const queue::Shape& shape, bool waited);
  void filled(const Stream& stream, const char* name, std::uint64_t address, const queue::Shape& shape);
  /// Memory begins or ends to be there, in order of the stream.
  void allocated(const Stream& stream, const char* name, std::uint64_t address, std::uint64_t bytes,
                 bool released = false);
  /// The program frees memory.
  void released(std::uint64_t address, std::uint64_t bytes);
  /// A host function of @p stream is about to run: it may tell the program what it likes about what came before.
  void host_function(const Stream& stream);

  // --- order ---
  observe::LaneClock record(const Stream& stream) { return order_.record(lane_of(stream)); }
  void wait(const Stream& stream, const observe::LaneClock& clock) { order_.wait(lane_of(stream), clock); }
  /// What comes next in @p stream waits for all work of @p device ...
  void wait_for_device(const Stream& stream, int device) { order_.wait_for_device(lane_of(stream), device); }
  /// ... and all later work of @p device for what @p stream has had.
  void device_waits(int device, const Stream& stream) { order_.device_waits(device, lane_of(stream)); }
  void host_waits(const Stream& stream);
  void host_waits(const observe::LaneClock& clock);
  void host_waits_for_device(int device);

  /// A graph while it runs in @p stream: its nodes are in order only as its edges say.
  class GraphRun {
   public:
    GraphRun(StreamChecks& checks, const Stream& stream, std::size_t nodes);
    ~GraphRun();
    GraphRun(const GraphRun&) = delete;
    GraphRun& operator=(const GraphRun&) = delete;
    /// Node @p index comes after nodes @p after, whether it does something or not.
    void begin(std::size_t index, const std::vector<std::size_t>& after);
    /// What is begun from here on is the node's, up to leave().
    void enter(std::size_t index);
    void leave(std::size_t index);

   private:
    struct Node {
      observe::Lane lane = 0;  ///< that it was the last to use; 0: none
      observe::LaneClock done;
    };
    StreamChecks& checks_;
    observe::Lane outer_;  ///< where the graph as a whole runs
    bool outer_is_branch_;
    observe::LaneClock start_;
    std::vector<Node> nodes_;
    std::vector<observe::Lane> lanes_;
  };

 private:
  bool on() const;
  observe::Lane lane_of(const Stream& stream) const;
  void enter() { guard_.suspend(); }
  void finish(const Stream& stream, observe::Work::Kind kind, std::string name, observe::Touched touched,
              bool waited = false, std::vector<PendingCopies::Id> copies = {});
  void report(const observe::Unordered& pair);
  void hold_against_predecessors(const observe::Work& early);
  void report_early(const observe::Unordered& pair);
  std::string memory_at(std::uint64_t address) const;
  /// Whether the program has registered it.
  bool is_own_memory(std::uint64_t address) const;

  Gpu& gpu_;
  observe::StreamOrder order_;
  PendingCopies pending_;
  HostGuard guard_;
  /// Work whose memory is closed to the host.
  struct Using {
    observe::Work work;  ///< without its bytes
    std::vector<PendingCopies::Id> copies;
  };
  std::map<HostGuard::Id, Using> using_;
  observe::Tick tick_ = 0;  ///< of the work that was begun last
  bool shares_memory_ = false;
  bool host_has_acted_ = false;                        ///< in a function that a stream has called
  std::unique_ptr<observe::TouchedObserver> touched_;  ///< kept from kernel to kernel
  /// Kernels of a lane during which its next one may begin, the latest last; those before it, if it did not wait for them itself.
  std::map<observe::Lane, std::vector<observe::Work>> predecessors_;
  bool in_branch_ = false;
  observe::Lane branch_ = 0;  ///< of a graph, whose node runs
};

}  // namespace simgpu::device
