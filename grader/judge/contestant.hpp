/// @file
/// One program in one worker on one device: started, its device described, the plugin loaded. Student and reference are both
/// contestants.
#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "judge/device_process.hpp"
#include "judge/diagnose.hpp"
#include "judge/facts.hpp"
#include "judge/simulated_runs.hpp"
#include "judge/worker_process.hpp"

namespace course {

/// What a worker says of its device.
struct device_properties {
  bool present = false;
  std::string reason;  ///< why not, when not present
  std::string name, uuid, driver;
  std::vector<std::string>
      hardening;  ///< words of worker/hardening.hpp: what it gave up before the plugin was loaded
  facts known;
};

/// What a worker is started with.
struct start_options {
  protocol::json_box simulator;  ///< fields for simgpu_configure; null on a real device
  bool measure_link = false;     ///< see exercise::measures_link
  /// The program that the simulated device is, a process of its own beside the worker's; empty: the worker has its device itself.
  std::filesystem::path device;
  std::filesystem::path plugin;  ///< that will be loaded: that device reads ptxas's word beside it
};

/// See the file's head.
class contestant {
 public:
  /// Starts @p worker and asks it for its device; greet() takes the answer. Two workers can be launched before either is greeted: a
  /// driver's start takes long.
  std::optional<judgement> launch(const std::filesystem::path& worker, const start_options& with = {});
  /// @return a judgement when the worker does not start; a missing device is none: see device().
  std::optional<judgement> greet();
  std::optional<judgement> start(const std::filesystem::path& worker, const start_options& with = {}) {
    auto trouble = launch(worker, with);
    return trouble ? trouble : greet();
  }

  /// Loads @p plugin, which must have all @p functions.
  std::optional<judgement> load(const std::filesystem::path& plugin,
                                const std::vector<std::string>& functions);

  /// Asks a question of protocol/messages.md, and waits for the answer; where the device is the judge's it is asked in steps.
  reply ask(protocol::json request, std::chrono::duration<double> patience);
  /// The two halves of ask(), so that two programs can work at once.
  void send(protocol::json request, std::chrono::duration<double> patience);
  reply wait();
  /// Where images of buffers come and go.
  protocol::arena& arena() { return runs_ ? device_process_->pages() : worker_.arena(); }
  /// Ends both processes, in good order where it matters.
  void finish();

  /// Runs one case. @param simulator fields for simgpu_configure; null on a real device.
  reply run_case(const case_data& data, const protocol::json& simulator, double patience_seconds);

  const device_properties& device() const { return device_; }
  bool simulated() const { return device_.known.simulated; }
  worker_process& worker() { return worker_; }
  /// What the simulated device's process gave up before a program spoke to it (simgpu/process/cage.hpp); empty on a real device.
  std::vector<std::string> device_hardening() const;

 private:
  std::string name_;
  std::unique_ptr<device_process> device_process_;
  worker_process worker_;
  std::unique_ptr<simulated_runs> runs_;
  std::future<reply> asked_;  ///< goes first: it uses all of the above
  device_properties device_;
};

/// The simulated GPU's report in an answer's field; not present() where there is none.
device_report report_in(const protocol::json& body, const char* key = "report");

}  // namespace course
