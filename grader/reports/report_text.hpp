/// @file
/// One exercise's report in the terminal: what matters first, at most 80 columns wide, and short. The page (page.hpp) has the rest.
#pragma once

#include <string>

#include "reports/report_parts.hpp"
#include "reports/terminal.hpp"

namespace course::reports {

/// Verdict, the line at fault, counts beside the fewest possible, gates, speed, predictions, cases, and where it all comes from.
std::string report_text(const report_parts& parts, const terminal& out);

/// The units that occur in @p report, each in a sentence; empty if there is none.
std::string units_text(const std::string& report, const terminal& out);

/// A counted value in its unit's way of writing: bytes as sizes, all else as numbers.
std::string quantity_text(double value, const std::string& unit);

/// "In case n=33, the first 10 of 512 lines (24.0 kB):"
std::string printed_sentence(const printed_output& printed);

/// "12 of 12 right", "3 of 4 right; not n=33: race". Empty without cases.
std::string cases_text(const result& r);

/// "yours 2.45 TB/s in 31.5 us, the reference's 3.83 TB/s in 20.1 us: 0.64 of it". Empty where nothing was timed.
std::string speed_sentence(const measurement& m, bool modelled);

}  // namespace course::reports
