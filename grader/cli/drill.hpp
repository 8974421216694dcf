/// @file
/// `course drill`, and what ctest and maintainers call for drills.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "drills/hand_in.hpp"
#include "drills/sheet.hpp"
#include "records/build_folder.hpp"
#include "records/tree.hpp"

namespace CLI {
class App;
}

namespace course::cli {

/// Adds drill, mark-drill, check-answers and check-drill to the course command.
/// @param[out] exit_code of the command that was chosen: 0 passed, 1 not, 2 misuse or trouble.
void add_drill_commands(CLI::App& app, int& exit_code);

// --- The commands. Each returns the process's exit code. ---

/// What `course drill` was asked.
struct drill_options {
  std::string word;     ///< of a drill; empty: list them
  std::string number;   ///< of the draw, as typed; empty: a fresh one
  std::string answers;  ///< file to mark, or to write a template to
  std::string tree;     ///< empty: COURSE_TREE, else exercises
  std::size_t questions = drills::kSheet;
  bool practice = false, print = false, write_template = false;
};

int run_drill(const build_folder& build, const drill_options& options);

/// Marks the answers of COURSE_TREE, for ctest: leaves a result file. A missing hand-in is no failure.
int mark_drill(const build_folder& build, const std::string& chapter, const std::string& name);

/// What `course check-answers` was asked.
struct answers_check {
  std::string chapter, exercise;
  std::string name;    ///< of the temporary tree
  std::string source;  ///< file to mark; empty: a tree without answers
  std::string expect;  ///< VERDICT [CAUSE]
  bool expect_from_file = false;
};

/// Marks one file as a hand-in, apart from any student's tree, and compares the verdict with the expected one.
int check_answers(const build_folder& build, const answers_check& check);

/// Checks a drill's task and solution folders: complete, and what comes from the drill is what it says today.
/// @param[in] write writes what comes from the drill anew instead of comparing it.
int check_drill(const build_folder& build, const std::string& chapter, const std::string& name, bool write);

// --- What they share. ---

/// Environment variable with the number of an examination.
inline constexpr const char* kExaminedNumber = "COURSE_DRILL_SEED";

/// That number; nullopt outside an examination.
/// @throws environment_error if it is no number of a draw.
std::optional<std::uint32_t> examined_number();

/// The only number whose answers count: that of an examination, else the one typed; nullopt: any.
/// @throws environment_error if they differ, or one is no number of a draw.
std::optional<std::uint32_t> forced_number(const std::string& typed);

/// Where the drill's answers lie in a tree. The file may not exist.
std::filesystem::path answers_file(const tree& graded, const exercise_id& exercise);

/// Writes what was found as a result file, schema course.result/2, kind answers.
void write_drill_result(const build_folder& build, const tree& graded, const exercise_id& exercise,
                        const drills::graded_hand_in& found, const std::string& started_at);

/// Now, as result files write it: ISO 8601, UTC.
std::string time_stamp();

/// The verdict and every wrong answer's explanation, for people.
/// @param[in] exercise its name.
std::string drill_text(const std::string& exercise, const drills::graded_hand_in& found);

}  // namespace course::cli
