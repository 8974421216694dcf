/// @file
/// Why a kernel is slow or wasteful: from the simulated GPU's counts per source line to one sentence that
/// names the line and the waste.
#pragma once

#include <string>
#include <vector>

#include "judge/device_report.hpp"
#include "judge/gates.hpp"
#include "judge/problem.hpp"

namespace course {

/// A reason, with its place.
struct explanation {
  std::string cause;
  location at;
  std::string sentence;
  std::vector<std::string> more;  ///< further wastes, smaller ones
};

/// What wastes most: uncoalesced accesses, bank conflicts, local memory, repeated loads, atomics; else what
/// bounds the kernel.
explanation explain(const device_report& report, const problem& asked);

/// As explain(), with the waste first that @p gate counts.
explanation explain_gate(const device_report& report, const problem& asked, const idea_gate& gate);

}  // namespace course
