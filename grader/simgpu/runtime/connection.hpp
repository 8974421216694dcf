/// @file
/// The client's end of the queue: all that it says to the device, and all that it is told. Nothing else of the client knows where the
/// device is. It is in this process (local_connection.cpp), or in one of its own (remote_connection.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "simgpu/device/settings.hpp"
#include "simgpu/device/unasked.hpp"
#include "simgpu/memory/shared_pages.hpp"
#include "simgpu/queue/answer.hpp"
#include "simgpu/queue/command.hpp"
#include "simgpu/report/client_part.hpp"
#include "simgpu/timing/device.hpp"

namespace simgpu::runtime {

class Connection {
 public:
  /// To a device in this process.
  /// @param unasked hears what the device says unasked, during the calls of ask()
  /// @param through_records commands, answers and what is said go as records, as they would to another process, and the
  /// memory that both sides touch is mapped twice
  static std::unique_ptr<Connection> in_process(const timing::Device& card, const device::Settings& settings,
                                                device::Unasked unasked, bool through_records);
  /// To a device in a process of its own, which begins with the first command.
  /// @param door a socket to a device that a grader has started, and speaks to himself; below 0: the client starts one
  /// @param ahead how a launch need not be waited for though the host shares memory
  struct Ahead {
    /// Closes to the host what a kernel with these parameters may reach. @return false: the launch has to be waited for.
    std::function<bool(std::span<const std::byte>)> close;
    /// All that was sent has been carried out.
    std::function<void()> open;
  };
  static std::unique_ptr<Connection> to_process(const timing::Device& card, const device::Settings& settings,
                                                device::Unasked unasked, Ahead ahead, int door = -1);
  virtual ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// @return when the device has carried it out, or has its answer. A device in a process of its own may do later what has none.
  virtual queue::Answer ask(queue::Body command) = 0;
  /// Pages that both sides map; nullptr where both use one mapping, which the device looks after.
  virtual const memory::SharedPages* pages() const { return nullptr; }
  /// @return what every call has for an answer, if nothing can be asked any more: the device has ended the connection, or belongs to the
  /// process from which this one was forked. A number of a `cudaError_t`, or 0.
  virtual std::uint32_t lost() const { return 0; }

  // --- Kernels that stand still, and what stands in line behind them. ---
  /// Whether there are none.
  virtual bool idle() = 0;
  /// Whether the client has to see to them from a thread while it makes no calls.
  virtual bool wants_turns() = 0;
  /// What that thread does: lets go on what can, and runs host functions that are due. @return whether nothing stands still any more
  virtual bool take_turn() = 0;
  /// Lets go on what can.
  virtual void pump() = 0;
  /// Does @p what in its place in the stream.
  virtual void in_order(queue::Id stream, std::function<void()> what) = 0;
  /// The program ends: kernels that still wait are ended, with a warning.
  virtual void end_all() = 0;
  /// @return whether the host has waited since the last call: a fault may have come up.
  virtual bool take_waited() = 0;
  /// Whether a call may have gone wrong because of a fault that it was told of only meanwhile.
  virtual bool hears_late() const { return false; }

  // --- The grader's channel, which is not the program's: stand-alone the client speaks for the grader. ---
  virtual const device::Settings& settings() const = 0;
  virtual void configure(const device::Settings& settings) = 0;
  /// There are so many devices from now on. Those that go must hold nothing.
  virtual void set_devices(int count) = 0;
  /// @return everything seen since the last call, as JSON. @param client the client's part of it, which is all that there is to return
  /// where a grader of its own takes the report
  virtual std::string take_report(report::ClientPart client) = 0;
  /// The program ends: writes the report where @p wish says (as SIMGPU_REPORT; empty: nowhere). @return how many errors it has
  virtual std::size_t write_report(report::ClientPart client, const std::string& wish) = 0;

 protected:
  Connection() = default;
};

}  // namespace simgpu::runtime
