/// @file
/// Runs of a program on a simulated device that is the judge's own process. Asked the same questions as a worker that has its device itself
/// (protocol/messages.md: run_case, prepare_timing, poke, sample, fetch), and gives answers of the same form; but the device is filled,
/// read and counted past the worker, which is told to make the calls, step by step. Between two steps the device holds still, so that
/// whatever the program does, it did within a step, and is in that step's report.
///
/// Of what the worker says this is believed: where buffers lie (the device knows whether there is such memory, and of which kind), what
/// calls returned or threw, errors (the device has its own findings), threads, and how often functions of the API were called.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "judge/device_process.hpp"
#include "judge/worker_process.hpp"

namespace course {

/// See the file's head. Both processes outlive it.
class simulated_runs {
 public:
  simulated_runs(worker_process& worker, device_process& device, int devices)
      : worker_(worker), device_(device), device_count_(devices) {
    worker_.when_silent([this] { hangs_ = where_the_host_hangs(); });
  }

  /// The worker has said hello, and no code of a student's has run: the device holds still from here on. @return false: it does not answer.
  bool begin(std::chrono::duration<double> patience);
  /// Loads a program. @param request as a worker understands it
  reply load(const protocol::json& request, std::chrono::duration<double> patience);
  /// One of the questions above.
  reply ask(const protocol::json& request, std::chrono::duration<double> patience);

 private:
  using json = protocol::json;

  // A buffer of the request.
  struct buffer_in {
    bool image_there = false, place_there = false;  // on the device, and not in host memory
    bool common = false;
    std::size_t bytes = 0, arena = 0, rows = 0, row_bytes = 0;
    std::string kind, image_kind;  // that its memory must be of
    bool kept = false;             // the image is an allocation of its own
  };
  // Where it lies, as the worker says.
  struct place {
    std::uint64_t image = 0, begin = 0, pitch = 0;
  };

  reply run_case(const json& request);
  reply prepare_timing(const json& request);
  reply poke(const json& request);
  reply sample(const json& request);
  reply fetch(const json& request);

  // One message to the worker, during which the device works. @param report if given: where the report goes of what came since the last
  // one. For that the worker is asked for its part of it.
  reply step(json message, std::string* report = nullptr);
  reply lost(reply found);
  // Asks the device, which has nothing to do where a program's host code does not come back. @return empty if it is busy, too, or gone.
  std::string where_the_host_hangs();

  void read_request(const json& request);
  void note_places(const json& body);
  void add(std::vector<device_process::stretch>& to, std::size_t set, std::size_t buffer, bool of_image,
           std::size_t offset, std::size_t bytes, std::size_t arena) const;
  // Writes slices to images; what is in host memory comes as "writes" of the next message. @return false: @p failed says why.
  bool write(const std::vector<json>& slices, json& writes, reply& failed);
  // Reads slices of places; what is in host memory is asked of the worker. @p problem: the device's sentence.
  bool read(const std::vector<json>& slices, std::string& problem, reply& failed);
  bool write_images(std::size_t sets, json& writes, reply& failed);
  double between_events(const std::string& report) const;
  bool has_phase(const char* phase) const;
  protocol::clock::time_point deadline() const;

  worker_process& worker_;
  device_process& device_;
  int device_count_;
  std::chrono::duration<double> patience_{};
  bool idle_ = false;         // the device, when it last began to hold still
  std::size_t launches_ = 0;  // that it had seen by then, since the last report
  std::int64_t stream_ = -1;  // of the contract, on the device's time line
  std::vector<buffer_in> buffers_;
  std::vector<std::string> phases_;         // of the calls
  std::vector<std::vector<place>> places_;  // by set and buffer
  bool repeats_before_ = false;
  std::string hangs_;  // of the last question that got no answer
};

}  // namespace course
