/// @file
/// What one grading found: printed as a block, written as a file of schema course.result/2 (docs: result
/// files).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "judge/gates.hpp"
#include "judge/statistics.hpp"
#include "protocol/json_box.hpp"
#include "records/verdict.hpp"

namespace course {

/// One line for each case that was run.
struct case_result {
  std::string name;
  std::string device;  ///< "gpu" or "sim"
  verdict status = verdict::pass;
  std::string message;
};

/// Seconds of one benchmark.
struct measurement {
  std::string benchmark;  ///< empty where there is only one
  std::string size;       ///< "n=6000005"
  std::string baseline = "reference";
  double student_seconds = 0, baseline_seconds = 0;  ///< of one launch
  double amount = 0;                                 ///< what is done in them, in `unit`
  std::string unit = "B";
  statistics::estimate ratio;
  double share_of_peak = 0;  ///< of the device's theoretical DRAM bandwidth; 0: not known, or not about bytes
  bool modelled = false;
  bool decides = true;                     ///< false: the modelled clock cannot judge this benchmark yet, ...
  double refuses = 0.2;                    ///< ... and refuses only what is below this share of a gate
  double slice = 1;                        ///< of a simulated device: printed rates are multiplied by it
  std::vector<statistics::block> samples;  ///< as measured, in seconds of one launch
  std::map<std::string, double> stages;    ///< of measuring: what took how many seconds of the judge's time
};

/// What the program printed, kernels included, in one case: the one that decided, or of a pass the first in which it printed anything.
struct printed_output {
  std::string where;                 ///< name of the case; empty: nothing was printed
  std::vector<std::string> first;    ///< lines
  std::size_t lines = 0, bytes = 0;  ///< of all that was printed in this case
};

/// Everything that a result file holds.
struct result {
  std::string chapter, exercise, kind;
  verdict outcome = verdict::harness_error;
  std::string cause, headline;
  bool at_the_limit = false;
  std::string tree, tree_id, source, source_sha256;
  std::string device, device_name, driver;
  bool modelled = false;
  std::uint64_t seed = 0;
  std::string started_at;
  double duration_seconds = 0;
  location at;
  std::vector<std::string> details;
  std::vector<std::string>
      hardening,         ///< what the student's last worker gave up, words of worker/hardening.hpp
      device_hardening;  ///< what the simulated device beside it gave up, words of simgpu/process/cage.hpp
  std::vector<case_result> cases;
  printed_output printed;
  std::vector<gate_result> gates;
  std::vector<measurement> measured;
  std::string course_version, cuda_version, run;
  protocol::json_box findings = protocol::json_box::list();
  protocol::json_box counts =
      protocol::json_box::list();  ///< one for each benchmark that was counted, see counts.hpp

  /// The verdict without which nothing is decided yet.
  bool passed() const { return outcome == verdict::pass; }
};

/// Fills verdict, cause, headline at once; the last call counts.
void set_verdict(result& to, verdict outcome, std::string_view cause, std::string headline);

/// Writes <tree id>/<chapter>/<exercise>.<kind>.json below @p results, atomically.
/// @return a sentence that says why it cannot be written; empty if it was.
std::string write_result(const result& what, const std::filesystem::path& results);

/// The verdict block that a student reads in the terminal.
std::string to_text(const result& what);

/// Adds what was found to the exercise's history (records/attempts.hpp).
void remember(const result& what, const std::filesystem::path& results);

}  // namespace course
