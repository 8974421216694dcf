/// @file
/// Numbers as people read them. Judge, reports and pages all write numbers by these functions, so that one quantity never appears as
/// two numbers: in a headline, in a gate and in a table it is rounded alike.
#pragma once

#include <string>

namespace course {

/// A count or a ratio: whole numbers and what is above 1000 without digits and in groups of three ("6,000,005"), others with three significant
/// digits and no needless zeros ("31.6", "0.57", "0.016"). Shares below 1 get two digits behind the point. "unknown" where it is not finite.
std::string number_text(double value);

/// A mean count, of a request or of a thread, as sentences say it: whole numbers without digits, others with one ("4", "31.6").
std::string count_text(double mean);

/// A value beside the threshold that it is compared with: as number_text(), with more digits where rounding would make both the same.
std::string number_text_beside(double value, double threshold);

/// A rate with three significant digits: "2.54 TB/s", "874 GB/s", "8.60 TFLOP/s" (1 GB = 1e9 B).
/// @param[in] unit "B", "FLOP", ...
std::string rate_text(double per_second, const std::string& unit = "B");

/// Bytes with three significant digits: "24.0 MB" (1 MB = 1e6 B); below 1000 as they are: "96 B".
std::string size_text(double bytes);

/// Seconds with three significant digits: "12.3 us", "1.20 ms", "3.40 s".
std::string seconds_text(double seconds);

/// A share as a percentage: "54 %"; below 1 % with two digits.
std::string percent_text(double share);

/// A share as sentences say it, in whole per cents: "54 %", "less than 1 %". Not 0 % where there is something.
std::string whole_percent_text(double share);

/// A share beside the threshold that it is compared with: as whole_percent_text(), with digits where rounding would make both the same.
std::string whole_percent_text_beside(double share, double threshold);

}  // namespace course
