/// @file
/// Results as text for people: the table at the end of a grading, the lines after a plain ctest. One result in full: report_text.hpp.
#pragma once

#include <string>
#include <vector>

#include "records/quantities.hpp"
#include "reports/layout.hpp"
#include "reports/outcome.hpp"
#include "reports/terminal.hpp"

namespace course::reports {

using course::number_text;
using course::number_text_beside;
using course::percent_text;
using course::rate_text;
using course::seconds_text;
using course::size_text;

/// The table exercise | verdict | correctness | bandwidth | gate and place, as wide as the terminal at most.
std::string outcome_table(const std::vector<outcome>& outcomes, const terminal& out);

/// One exercise in two or three lines: verdict, cause, place, headline.
std::string outcome_lines(const outcome& o, const terminal& out);
/// Why an exercise does not pass, in one line of at most @p width columns: "race at stencil_1d.cu:30: ..." without the verdict. Empty for
/// a pass.
std::string reason_line(const outcome& o, std::size_t width);
/// @p text, if it is long, with a line for each sentence; those after the first begin in column @p indent.
std::string in_sentences(const std::string& text, std::size_t indent);

/// What the program printed, kernels included, its first lines and how much there was; empty if it printed nothing.
std::string printed_text(const printed_output& printed);

/// "simulated GPU (NVIDIA H200 slice)", "GPU (NVIDIA H200)".
std::string device_text(const result& r);

}  // namespace course::reports
