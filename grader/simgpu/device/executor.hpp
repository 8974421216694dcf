/// @file
/// Carries commands out. All that it knows of who sent them is what the commands say; whether the client was allowed to send them is
/// judged before (queue/session.hpp, and as long as both sides are one process the client's own checks).
///
/// A command is carried out when it comes, unless a kernel stands still that waits for somebody else: then what comes behind that one
/// in its stream, waits for its events, or finds no place beside it, stands in line. Each time that something may have changed, pump()
/// gives those kernels their turn and carries out what need not wait any longer.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "simgpu/device/gpu.hpp"
#include "simgpu/device/kernel.hpp"
#include "simgpu/device/place.hpp"
#include "simgpu/device/status.hpp"
#include "simgpu/device/unasked.hpp"
#include "simgpu/queue/answer.hpp"
#include "simgpu/queue/command.hpp"
#include "simgpu/timing/graph_turns.hpp"

namespace simgpu::device {

class Executor {
 public:
  Executor(Gpu& gpu, Unasked unasked) : gpu_(gpu), unasked_(std::move(unasked)) {
    gpu_.stream_checks.say_closed_to(unasked_.closed);
  }

  /// How long other threads of the host may do nothing, or the host may ask in vain, before kernels that wait for it are a
  /// deadlock.
  static constexpr std::chrono::seconds kHostPatience{10};

  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// Carries out a command. What it does not know, or cannot do, changes nothing.
  queue::Answer answer(const queue::Body& body);

  // --- For who must not stand still while one of several threads of the client waits: the loop of a device's own process. ---
  /// How long the wait for something has been in vain.
  struct Patience {
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
    bool tried = false;  ///< kernels have gone on by themselves, for long
  };
  /// A command that has to wait for kernels that stand still.
  struct Pending {
    std::function<bool()> done = {};
    std::function<queue::Answer()> answer = {};  ///< once it is done
    Patience patience = {};
  };
  /// As answer(). @return nothing if the client has to wait: then @p pending says for what.
  std::optional<queue::Answer> begin(const queue::Body& body, Pending& pending);
  /// Lets go on what can, or ends what cannot.
  /// @param other_threads the client has others, which may still act
  void look_again(Pending& pending, bool other_threads) {
    look_again(pending.patience, pending.done, other_threads);
  }

  /// Work of a stream alone.
  Status carry_out(const queue::Work& work);
  /// Does @p what in its place in the stream: it runs at once, unless it has to stand in line.
  void in_order(const Stream& stream, std::function<void()> what);

  /// Whether nothing stands still or in line.
  bool idle() const { return kernels_.empty() && line_.empty(); }
  /// Lets go on what can. @return whether anything did.
  bool pump();
  /// Whether the stream (an event, a device) has work that stands still or in line.
  bool pending(const Stream& stream) const;
  bool pending_event(queue::Id event) const { return records_.contains(event); }
  bool pending_device(int device) const;
  /// The host waits until it has not. If nobody is left who could act, kernels that stand still end as a deadlock.
  void await(const Stream& stream);
  void await_event(queue::Id event);
  void await_device(int device);
  /// The host has asked and heard that something is not done.
  void asked_in_vain();
  /// @return whether the host has waited since the last call: a fault may have come up.
  bool take_waited() { return std::exchange(waited_, false); }
  /// What stands still or in line on @p device is no more.
  void drop(int device);
  /// The program ends: kernels that still wait are ended, with a warning.
  void end_all();

 private:
  /// What an event holds that is recorded in line.
  struct Recorded {
    bool done = false;
    Event event;
  };
  /// A command that has to wait for its turn.
  struct Waiting {
    Stream stream;
    std::variant<queue::Work, std::function<void()>> what;
    std::shared_ptr<Recorded> event;  ///< that it records, or waits for
    std::vector<std::byte> staged;    ///< what a copy found in pageable memory when it was sent
    Status status = Status::success;
    bool done = false;
  };
  /// Why one has to wait still; nobody: it need not.
  struct Reason {
    enum class Kind : std::uint8_t { none, stream, legacy, devices, event, room } kind = Kind::none;
    const Stream* stream = nullptr;  ///< of what comes before it
  };
  class Held;

  // parking.cpp
  void park(std::unique_ptr<Kernel> kernel);
  bool is_parked(const Kernel& kernel) const;
  std::uint64_t places_beside(const Kernel& kernel) const;
  void await(const std::function<bool()>& done);
  void look_again(Patience& patience, const std::function<bool()>& done, bool other_threads);
  bool has_to_wait(const queue::Synchronise& command) const;
  bool wake(const Stream* by, timing::Instant at);
  void remove_ended();
  bool let_time_pass(exec::Run::Patience patience);
  void deadlock(bool other_threads);
  std::string who_waits(const Kernel& kernel, bool other_threads) const;
  Reason reason(const Waiting& waiting, const Held& held) const;
  std::list<std::shared_ptr<Waiting>>::iterator next_in_line();
  void carry_out(Waiting& waiting);
  std::shared_ptr<Waiting> line_up(queue::Work work, const Stream& stream);
  Status stand_in_line(queue::Work work, const Stream& stream);
  static void stage(Waiting& waiting, queue::Copy& copy);

  // children.cpp
  /// Lets a kernel begin work of its own.
  void let_begin(exec::Services& services, Kernel& kernel);
  void run_children(Kernel& kernel);

  // launch.cpp
  std::unique_ptr<Kernel> prepare(const queue::Launch& command, const Stream& stream, Status& status) const;
  void turn(Kernel& kernel, exec::Run::Patience patience);
  void give_up(Kernel& kernel, const std::string& why, bool warning = false);
  /// Tells the client of a fault. But for an instruction that is not simulated, it stops the device.
  void stop(int device, Status status, std::string sentence);
  void after_turn(Kernel& kernel, bool ended, observe::Findings earlier);
  void finish(Kernel& kernel, exec::Result& result);

  Status carry_out_now(const queue::Work& work, const Stream& stream);
  /// Whether the call that sends this copy returns only once it is done.
  bool host_waits_for(const queue::Copy& copy) const;
  /// The devices whose work a copy waits for, and whose later work waits for it, in whichever streams; none if it is in the order of its
  /// stream only.
  std::vector<int> holds_up(const queue::Copy& copy, const Stream& stream) const;
  void host_calls(const Stream& stream, double seconds);
  void host_takes(const queue::Allocate& command, std::uint64_t base);
  void host_shares(const memory::Allocation& allocation);
  void in_use(const Stream& stream, queue::Call call, const memory::Allocation& memory, bool ends);
  void host_gives_back(const memory::Allocation& allocation, bool in_stream);
  void host_waits(int device, timing::Instant end);
  Status carry_out(const queue::Launch& command, const Stream& stream);
  Status carry_out(const queue::Copy& command, const Stream& stream);
  Status carry_out(const queue::Set& command, const Stream& stream);
  Status carry_out(const queue::Record& command, const Stream& stream);
  Status carry_out(const queue::Wait& command, const Stream& stream);
  Status carry_out(const queue::Marker& command, const Stream& stream);
  Status carry_out(const queue::Move& command, const Stream& stream);

  // --- what is no work of a stream: requests.cpp ---
  queue::Answer reply(const queue::MakeStream& command);
  queue::Answer reply(const queue::StreamGone& command);
  queue::Answer reply(const queue::EventGone& command);
  queue::Answer reply(const queue::Hold& command);
  queue::Answer reply(const queue::Allocate& command);
  queue::Answer reply(const queue::Free& command);
  queue::Answer reply(const queue::Map& command);
  queue::Answer reply(const queue::Unmap& command);
  queue::Answer reply(const queue::Advise& command);
  queue::Answer reply(const queue::Load& command);
  queue::Answer reply(const queue::Unload& command);
  queue::Answer reply(const queue::Needs& command);
  queue::Answer reply(const queue::Object& command);
  queue::Answer reply(const queue::ObjectGone& command);
  queue::Answer reply(const queue::Graph& command);
  queue::Answer reply(const queue::Query& command);
  queue::Answer reply(const queue::Synchronise& command);
  queue::Answer reply(const queue::Elapsed& command);
  queue::Answer reply(const queue::Limit& command);
  queue::Answer reply(const queue::Reset& command);
  queue::Answer reply(const queue::Note& command);
  queue::Answer reply(const queue::Hello& command);
  queue::Answer reply(const queue::Peer& command);
  queue::Answer reply(const queue::Done& command);
  queue::Answer reply(const queue::Bye& command);
  queue::Answer reply(const queue::Touched& command);
  queue::Answer reply(const queue::Visited& command);
  queue::Answer reply(const queue::Lease& command);
  queue::Answer reply(const queue::Pass& command);
  queue::Answer reply(const queue::Fetch& command);
  queue::Answer reply(const queue::Settle& command);
  queue::Answer reply(const queue::Condition& command);

  /// @return nothing if @p place is in no allocation although it says so.
  std::optional<Place> find(const queue::Place& place) const;

  struct RunningGraph {
    StreamChecks::Inside inside;
    StreamChecks::GraphRun order;
    timing::GraphTurns turns;
  };

  Gpu& gpu_;
  Unasked unasked_;
  std::list<std::unique_ptr<Kernel>> kernels_;              ///< that stand still, in order of launch
  std::list<std::shared_ptr<Waiting>> line_;                ///< in order of issue
  std::map<queue::Id, std::shared_ptr<Recorded>> records_;  ///< the latest of each event that is in line
  bool acting_ = false;  ///< what is sent now is part of what is carried out
  bool waited_ = false;
  std::uint32_t depth_ = 0;   ///< kernels that have launched what runs now
  std::uint64_t faults_ = 0;  ///< kernels that failed so far
  bool ending_ =
      false;  ///< the program makes no calls any more: what it leaves running is no fault of a device
  std::uint64_t asked_ = 0;  ///< in vain, since something last happened
  std::chrono::steady_clock::time_point asked_since_;
  std::vector<std::unique_ptr<RunningGraph>> graphs_;  ///< the innermost last
  std::map<std::uint64_t, std::uint32_t> conditions_;  ///< by the handle that kernels have
};

}  // namespace simgpu::device
