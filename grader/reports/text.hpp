/// @file
/// Results as text for people: the table at the end of a grading, the lines after a plain ctest, one result
/// in full.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "reports/outcome.hpp"
#include "reports/terminal.hpp"

namespace course::reports {

/// Columns of equal width, two spaces apart, a line under the first row. Where that is wider than @p limit, cells are broken
/// between words into several lines; a table of long words stays wider.
/// @param[in] rows the first is the heading. Missing cells are empty.
/// @param[in] colour what to write for a cell's line, given its row, column and text; not called for the heading.
/// @param[in] limit in columns.
std::string render_table(
    const std::vector<std::vector<std::string>>& rows,
    const std::function<std::string(std::size_t row, std::size_t column, const std::string& cell)>& colour,
    std::size_t limit = std::numeric_limits<std::size_t>::max());

/// Bytes per second as people say them: "2.54 TB/s", "874 GB/s" (1 GB = 1e9 B).
std::string speed_text(double bytes_per_second);

/// Bytes as people say them: "24.0 MB" (1 MB = 1e6 B).
std::string size_text(double bytes);

/// Seconds as people say them: "12.3 us", "1.20 ms", "3.4 s".
std::string seconds_text(double seconds);

/// A number with at most three significant digits behind the first non-zero one, and no needless zeros.
std::string number_text(double value);

/// "excess_wavefronts 30.77, not <= 1" or "speed 0.57 >= 0.45".
std::string gate_text(const gate& g);

/// The table exercise | verdict | correctness | bandwidth | gate and place, as wide as the terminal at most.
std::string outcome_table(const std::vector<outcome>& outcomes, const terminal& out);

/// One exercise in two or three lines: verdict, cause, place, headline.
std::string outcome_lines(const outcome& o, const terminal& out);

/// What the program printed, kernels included, its first lines and how much there was; empty if it printed nothing.
std::string printed_text(const result& r);

/// Everything that a result says.
std::string full_result(const result& r, const terminal& out);

/// "simulated GPU (NVIDIA H200 slice)", "GPU (NVIDIA H200)".
std::string device_text(const result& r);

}  // namespace course::reports
