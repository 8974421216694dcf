/// @file
/// Runs in steps: the simulated device is a process of the judge's, which fills and reads device memory, takes reports and reads the clock
/// between the steps, while the device holds still. So nothing that decides passes through this process: it allocates, calls the student's
/// functions, and tells the judge where the buffers lie. What it tells may be a lie, which the judge must stand.
#pragma once

#include "worker/runs.hpp"

namespace course::worker {

/// See the file's head.
class runs_in_steps final : public runs {
 public:
  runs_in_steps(const plugin& from, protocol::arena& shared) : runs(from, shared) {}
  std::optional<nlohmann::json> answer(std::string_view operation, const nlohmann::json& request) override;

 private:
  json place(const json& request);
  json fill(const json& request);
  json before();
  json ready(const json& request);
  json timed(const json& request);
  json collect_outputs(const json& request);
  json gather(const json& request);
  json after();

  /// Where the buffers of all sets lie, as far as they are there.
  json places();
  buffer_set& set(std::size_t index);

  bool is_timed_ = false;  ///< there are sets of timed runs, and not a case
};

}  // namespace course::worker
