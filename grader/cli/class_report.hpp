/// @file
/// A graded class for people and for other programs: a table, a CSV file, JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/class_grading.hpp"
#include "cli/points.hpp"

namespace course::cli {

/// One cell of a CSV file (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe before it.
std::string csv_cell(const std::string& text);

/// Students x exercises, a table for each chapter, with points.
std::string class_table(const graded_class& all, const points_table& points, const reports::terminal& out);

/// One line for each student and exercise, in UTF-8.
std::string class_csv(const graded_class& all);

/// One student, schema course.class_student/1 (docs/pages/result_schema.md).
nlohmann::json student_json(const class_row& row, const points_table& points);

/// All of them, schema course.class/1.
nlohmann::json class_json(const graded_class& all, const points_table& points);

}  // namespace course::cli
