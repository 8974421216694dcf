/// @file
/// Why a kernel is slow or wasteful: from the simulated GPU's counts per source line to one sentence that names the line and the waste.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "judge/device_report.hpp"
#include "judge/problem.hpp"

namespace course {

/// A reason, with its place.
struct explanation {
  std::string cause;
  location at;
  std::string sentence;
  std::vector<std::string> more;  ///< further wastes, smaller ones
};

/// What wastes most: uncoalesced accesses, bank conflicts, local memory, repeated loads, atomics; else what bounds the kernel.
explanation explain(const device_report& report, const problem& asked);

/// The largest waste of one kind (a word of causes.def), whatever it costs. An empty sentence if there is none.
explanation explain_waste(const device_report& report, const problem& asked, std::string_view cause);

/// The line of global memory whose loads, or stores, fetch the most sectors in vain, however few they are in each request. An empty
/// sentence if there is none.
explanation explain_sectors(const device_report& report, std::string_view kind);

/// Sites with the same source line, memory and kind, added up: unrolled loops and inlined calls make many of one line, and a reader
/// thinks in lines.
std::vector<access_site> sites_by_line(const device_report& report);

/// "load at stencil_1d.cu:23"
std::string place_of(const access_site& site);

/// Shared-memory requests over which excess wavefronts are counted: those that the contract needs, or fewer if fewer were made; at
/// least 1. Requests beyond what is needed dilute nothing.
double shared_requests_that_count(const device_report& report, const problem& asked, std::string_view kind);

}  // namespace course
