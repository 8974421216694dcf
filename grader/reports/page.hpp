/// @file
/// One exercise's report as one self-contained page: no script, no network, no file beside it. It can be mailed, kept and printed.
#pragma once

#include <string>

#include "reports/report_parts.hpp"

namespace course::reports {

/// The whole document. Everything foreign in it is escaped.
std::string page(const report_parts& parts);

/// The page's style sheet (page.css).
const char* page_style();

/// "2026-11-22 16:07 UTC" of "2026-11-22T16:07:38Z"; another text as it is.
std::string date_text(const std::string& iso);

}  // namespace course::reports
