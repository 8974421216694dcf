/// @file
/// From what a worker did or did not answer to a verdict in a student's words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/case_data.hpp"
#include "judge/device_report.hpp"
#include "judge/result.hpp"
#include "judge/worker_process.hpp"

namespace course {

/// A decisive answer.
struct judgement {
  verdict outcome = verdict::pass;
  std::string cause;
  std::string headline;
  location at;
  std::vector<std::string> details;
  nlohmann::json findings = nlohmann::json::array();
  std::uint64_t address = 0;  ///< of the access that the verdict is about, if it is about one
};

/// A question that got no usable answer: the process crashed, hung, left or lied, or refuses.
/// @param doing what it was asked to do, for the sentence: "while case n=33 ran".
judgement diagnose_silence(const reply& answer, worker_process& worker, const std::string& doing,
                           double patience_seconds);

/// Errors of a call that came to an end: CUDA errors, what the simulated GPU found, threads left behind.
/// @param body an answer to run_case or sample.
/// @return nullopt when there is nothing decisive.
std::optional<judgement> diagnose_call(const protocol::json& body, const device_report& report);

/// The most serious finding of a report as a judgement; nullopt without one.
std::optional<judgement> diagnose_findings(const device_report& report);

/// Says an address as an element: "That is out[257]; out has elements 0 to 256."
/// @param addresses of element 0 of each buffer, as a worker gives them.
/// @return an empty text when no buffer is near.
std::string element_at(const problem& asked, const protocol::json& addresses, std::uint64_t address);

/// Damaged inputs or guard zones.
judgement diagnose_damage(const damage& what);

/// Wrong outputs. @param nothing_tried no kernel of the program touched memory at all.
judgement diagnose_mismatch(const mismatches& what, const std::string& output_name, bool nothing_tried);

/// Work that the contract wants done by kernels and that was not.
std::optional<judgement> diagnose_work(const device_report& report, const problem& asked);

}  // namespace course
