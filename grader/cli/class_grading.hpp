/// @file
/// Grades a folder of hand-ins: student by student and exercise by exercise, several at once, and nothing twice. Whatever one
/// hand-in does, the others are graded.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/hand_ins.hpp"
#include "reports/outcome.hpp"
#include "reports/terminal.hpp"

namespace course::cli {

/// What `course grade --all` was asked.
struct class_options {
  std::string folder;               ///< with a sub-folder for each student
  std::vector<std::string> words;   ///< chapters and exercises; empty = all
  std::string device;               ///< auto, gpu or sim; empty = COURSE_DEVICE, else auto
  std::string csv_file, json_file;  ///< empty = none
  std::string points_file;          ///< empty = exercises/points.json
  int jobs = 0;                     ///< 0 = one per core
  bool again = false;               ///< also what was graded before
  bool require_measured = false;    ///< a modelled speed decides nothing
};

/// One exercise of one student.
struct class_entry {
  reports::outcome graded;
  std::optional<double> points;  ///< nullopt: nobody could decide
  std::filesystem::path at;      ///< of the hand-in, in the student's folder; empty if there is none
  std::vector<std::filesystem::path> beside;  ///< further files of that name, which do not count
  bool graded_before = false;                 ///< taken from an earlier grading of the same content
};

/// One student.
struct class_row {
  student who;
  std::vector<class_entry> entries;  ///< in the order of the exercises
};

/// A class, graded.
struct graded_class {
  std::filesystem::path folder;  ///< of the hand-ins, canonical
  std::filesystem::path kept;    ///< folder of what is kept of it in the build folder
  std::vector<exercise_id> exercises;
  std::vector<class_row> students;
};

/// Finds the students and their files, and grades. Prints a line for each hand-in that is graded.
/// @param[in] device auto, gpu or sim.
/// @throws environment_error if there is no such folder, or a judge is not built.
graded_class grade_hand_ins(const build_folder& build, const class_options& options,
                            const std::string& device, const reports::terminal& out);

}  // namespace course::cli
