/// @file
/// One program in one worker on one device: started, its device described, the plugin loaded. Student and
/// reference are both contestants.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "judge/diagnose.hpp"
#include "judge/environment.hpp"
#include "judge/worker_process.hpp"

namespace course {

/// What a worker says of its device.
struct device_properties {
  bool present = false;
  std::string reason;  ///< why not, when not present
  bool simulated = false;
  std::string name, uuid, compute_capability, driver;
  std::size_t l2_bytes = 0, free_bytes = 0;
  int sm_count = 0;
  double peak_bytes_per_second = 0;  ///< 2 x memory clock x bus width; 0 when unknown
};

/// See the file's head.
class contestant {
 public:
  /// Starts @p worker and greets it. @return a judgement when that fails; a missing device is none: see
  /// device().
  std::optional<judgement> start(const std::filesystem::path& worker);

  /// Loads @p plugin, which must have all @p functions.
  std::optional<judgement> load(const std::filesystem::path& plugin,
                                const std::vector<std::string>& functions);

  /// Runs one case. @param simulator fields for simgpu_configure; null on a real device.
  reply run_case(const case_data& data, const protocol::json& simulator, double patience_seconds);

  const device_properties& device() const { return device_; }
  worker_process& worker() { return worker_; }

 private:
  worker_process worker_;
  device_properties device_;
};

/// Names of all functions that @p asked calls.
std::vector<std::string> functions_of(const problem& asked);

}  // namespace course
