/// @file
/// The main loop of a device in a process of its own: records from the client, requests from the grader, turns for kernels that stand
/// still; until the client is gone.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "simgpu/device/front.hpp"
#include "simgpu/device/gpu.hpp"
#include "simgpu/link/pages.hpp"
#include "simgpu/link/port.hpp"
#include "simgpu/process/grader_channel.hpp"

namespace simgpu::process {

class Loop {
 public:
  /// @param door its other end is the client's @param grader its other end is the grader's
  Loop(const Start& start, device::Gpu& gpu, const link::Pages& pages, int door, int grader);

  /// Until nobody is left who could want something.
  void run();

 private:
  void watch();
  bool listen();
  void send(const queue::Message& message);
  bool serve_grader();
  std::string carry_out(const Request& request);
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
  std::mutex mutex_;
  std::optional<Request> request_;  ///< that has come and is not answered
  std::atomic<bool> requested_{false};
};

}  // namespace simgpu::process
