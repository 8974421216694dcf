/// @file
/// The clock on which a simulated device does its work. Everything is *executed* as soon as it can be, in the order of the calls; this
/// class works out *when* it would have happened: one tail per stream, one host clock, a copy engine per direction and a
/// compute engine that small kernels of several streams may share.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simgpu/timing/device.hpp"
#include "simgpu/timing/use.hpp"

namespace simgpu::timing {

/// Modelled seconds since the device was first used.
using Instant = double;

/// Names a stream of a Timeline. 0 is the legacy default stream.
using StreamId = std::uint64_t;

/// What carries out an operation.
enum class Engine : std::uint8_t {
  compute,
  copy_in,      ///< host to device
  copy_out,     ///< device to host
  copy_device,  ///< within the device, or to a peer
  none,         ///< nothing is occupied: host functions, markers
};

/// The word for an engine in reports: "kernel", "copy to device", "copy to host", "copy within device", "host".
std::string_view name_of(Engine engine) noexcept;

/// Up to so many bytes the driver puts beside the commands themselves when it copies to the device: a kernel before or behind them does not
/// wait for another engine. [bytes]
inline constexpr std::uint64_t kBesideCommandsBytes = 64 * 1024;

/// One operation as it was placed on the clock.
struct Operation {
  StreamId stream = 0;
  Engine engine = Engine::none;
  std::string name;         ///< of the kernel (its symbol) or of the call
  std::uint64_t bytes = 0;  ///< copied or filled; 0 for kernels
  Instant begin = 0, end = 0;
};

class Timeline {
 public:
  /// Operations that are remembered for take_operations(); later ones are only counted.
  static constexpr std::size_t kOperations = 20'000;

  explicit Timeline(const Device& device) : device_(device) {}

  /// Adds a stream. @param blocking false for cudaStreamNonBlocking: it does not wait for the legacy stream nor it for this one.
  void add_stream(StreamId stream, bool blocking);
  void remove_stream(StreamId stream);

  /// Enqueues an operation that lasts @p seconds.
  /// @param share part of the compute engine that a kernel fills, 0 to 1; others may run beside it as long as the sum stays
  ///        within 1. Ignored for other engines.
  /// @param name,bytes what the list of operations says of it; without a name it is not listed.
  /// @param use what a kernel keeps busy: those that run beside it have the rest, and take longer if that is too little for them.
  /// @return when it ends.
  Instant enqueue(StreamId stream, Engine engine, double seconds, double share = 1.0, std::string name = {},
                  std::uint64_t bytes = 0, const Use& use = {});

  /// Where a stream has come to.
  struct Turn {
    Instant at = 0;
    Engine last = Engine::none;  ///< that carried out what ends then
  };
  Turn turn(StreamId stream) const;
  /// What @p stream is given next comes then: also earlier than what it was given before (graph_turns.hpp).
  void set_turn(StreamId stream, const Turn& turn);

  /// A graph comes to its turn in @p stream: its first node begins a little later than what stands before it ends.
  void begin_graph(StreamId stream);
  /// What is given to any stream until leave_graph() is a node of a graph.
  void enter_graph() { ++graphs_; }
  void leave_graph() { --graphs_; }

  /// A kernel begins whose end nobody can tell yet: it waits for somebody else. @param share as for enqueue(). @return when it begins.
  Instant open(StreamId stream, double share);
  /// It has ended: @p seconds after it began (@p begin, as open() said) or after @p released, whichever is later.
  Instant close(StreamId stream, Instant begin, Instant released, double seconds, std::string name);
  /// @return when a kernel, or what else @p engine does, that @p stream is given now can begin, if nothing of other streams is in its way.
  Instant next_begin(StreamId stream, Engine engine = Engine::compute) const;
  /// @return when what @p stream has been given so far is done; what waits for its turn does not count.
  Instant tail(StreamId stream) const;
  /// @return when all is done that work given to @p stream now would wait for.
  Instant due(StreamId stream) const;

  /// What was enqueued since the last call, in order of issue; the list is empty afterwards.
  /// @param omitted is set to the number of operations that are not listed, since there were more than kOperations.
  std::vector<Operation> take_operations(std::uint64_t& omitted);
  /// Operations with a name that were enqueued since then, omitted ones included.
  std::uint64_t operation_count() const noexcept { return operations_.size() + omitted_; }

  /// @return when all work enqueued in @p stream so far is done: what an event recorded now will read.
  Instant record(StreamId stream);

  /// Later work of @p stream starts no earlier than @p instant.
  void wait(StreamId stream, Instant instant);

  /// The host waits until @p instant (synchronisation), and learns of it a little later. It does not wait for what has passed.
  void host_wait(Instant instant);
  /// The host is busy itself until @p instant.
  void host_until(Instant instant);
  /// The host is busy for @p seconds: the cost of an API call, or of a pageable copy.
  void host_spend(double seconds) { host_ += seconds; }
  /// The host asks whether something is done. A loop around a query must get somewhere, since modelled time passes only in calls.
  void host_polls() { host_spend(1e-6); }
  Instant host_now() const noexcept { return host_; }

  /// @return when everything enqueued so far is done.
  Instant all_done() const noexcept;

 private:
  struct Stream {
    Instant tail = 0;
    bool blocking = true;
    Engine last = Engine::none;  ///< that carried out what ends at the tail
  };
  struct Busy {
    Instant begin, end;
    double share;
  };
  struct Load {
    Instant begin, end;
    Use use;
  };
  struct Span {
    Instant begin, end;
  };

  /// When all is done that @p stream waits for, in the order that the legacy default stream imposes.
  Instant before(const Stream& stream, StreamId id) const;
  /// ... and the host has given it what is next.
  Instant ready_time(const Stream& stream, StreamId id) const;
  /// ... and when @p engine hears of it.
  Instant ready_time(const Stream& stream, StreamId id, Engine engine, bool beside_commands = false) const;
  Span place_on_compute(Instant ready, double seconds, double share, const Use& use);
  Instant end_beside_others(Instant begin, double seconds, const Use& use);
  void forget_before(Instant instant);
  void list(Operation operation);

  Device device_;
  Instant host_ = 0;
  std::map<StreamId, Stream> streams_{{0, Stream{}}};
  std::vector<Busy> compute_;
  std::vector<Load> loads_;  ///< of kernels that leave room for others
  Instant copy_free_[3] = {0, 0, 0};
  std::vector<Busy> link_in_, link_out_;
  std::vector<Operation> operations_;
  std::uint64_t omitted_ = 0;  ///< operations
  int graphs_ = 0;             ///< that are being carried out, one within the other
};

}  // namespace simgpu::timing
