/// @file
/// The main loop of a device in a process of its own: records from the client, requests from the grader, turns for kernels that stand
/// still; until the client is gone.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "simgpu/device/front.hpp"
#include "simgpu/device/gpu.hpp"
#include "simgpu/link/pages.hpp"
#include "simgpu/link/port.hpp"
#include "simgpu/process/grader_channel.hpp"
#include "simgpu/process/grader_pages.hpp"

namespace simgpu::process {

class Loop {
 public:
  /// @param door its other end is the client's @param grader its other end is the grader's
  /// @param grader_pages bytes that the grader and the device exchange
  Loop(const Start& start, device::Gpu& gpu, const link::Pages& pages, int door, int grader,
       GraderPages grader_pages);

  /// Until nobody is left who could want something.
  void run();

 private:
  void watch();
  bool listen();
  void send(const queue::Message& message);
  bool serve_grader();
  std::string carry_out(const Request& request);
  std::string transfer(const Transfer& wish);
  void hold();
  bool over() const { return front_.ended() || gone_; }

  device::Gpu& gpu_;
  std::string wish_;  ///< of a report, should the program die; empty: none, or it has been written
  int door_, grader_;
  int client_ = 0;  ///< its process
  link::Port port_;
  device::Front front_;
  std::vector<std::byte> record_;
  std::atomic<bool> gone_{false};  ///< the client
  std::atomic<bool> grader_gone_{false};
  GraderPages grader_pages_;
  bool held_ = false;  ///< by the grader
  std::mutex mutex_;
  std::condition_variable news_;  ///< for who is held: a request, or a side is gone
  std::deque<Request> requests_;  ///< that have come and are not answered
  std::atomic<bool> requested_{false};
};

}  // namespace simgpu::process
