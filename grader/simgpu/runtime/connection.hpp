/// @file
/// The client's end of the queue: all that it says to the device, and all that it is told. Nothing else of the client knows where the
/// device is. Today it is in this process.
#pragma once

#include <functional>
#include <memory>

#include "simgpu/device/settings.hpp"
#include "simgpu/device/unasked.hpp"
#include "simgpu/memory/shared_pages.hpp"
#include "simgpu/queue/answer.hpp"
#include "simgpu/queue/command.hpp"
#include "simgpu/report/report.hpp"
#include "simgpu/timing/device.hpp"

namespace simgpu::runtime {

class Connection {
 public:
  /// @param unasked hears what the device says unasked, during the calls of ask()
  /// @param through_records commands, answers and what is said go as records, as they would to another process, and the memory that
  /// both sides touch is mapped twice
  Connection(const timing::Device& card, const device::Settings& settings, device::Unasked unasked,
             bool through_records);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// @return when the device has carried it out, or has its answer.
  queue::Answer ask(queue::Body command);
  /// Pages that both sides map; nullptr where both use one mapping, which the device looks after.
  const memory::SharedPages* pages() const;

  // --- Kernels that stand still, and what stands in line behind them. In a process of its own the device looks after them itself. ---
  /// Whether there are none.
  bool idle() const;
  /// Lets go on what can.
  void pump();
  /// Does @p what in its place in the stream.
  void in_order(queue::Id stream, std::function<void()> what);
  /// The program ends: kernels that still wait are ended, with a warning.
  void end_all();
  /// @return whether the host has waited since the last call: a fault may have come up.
  bool take_waited();

  // --- The grader's channel, which is not the program's: here they are one process. ---
  const device::Settings& settings() const;
  void configure(const device::Settings& settings);
  /// There are so many devices from now on. Those that go must hold nothing.
  void set_devices(int count);
  /// Puts everything seen since the last call into @p report.
  void take_report(report::Report& report);

 private:
  queue::Answer say(queue::Body command);
  /// Says what the host has touched since the last time, before anything else is said.
  void tell_touches();

  struct Local;  ///< the device
  std::unique_ptr<Local> local_;
};

}  // namespace simgpu::runtime
