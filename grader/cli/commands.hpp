/// @file
/// The course command's subcommands. Each returns the process's exit code: 0 well, 1 something did not pass,
/// 2 the course itself could not do its work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "records/tree.hpp"

namespace course::cli {

/// What `course grade` was asked.
struct grade_options {
  std::vector<std::string> words;  ///< chapters and exercises; empty = all
  std::string tree;                ///< empty = COURSE_TREE, else exercises
  std::string device;              ///< auto, gpu or sim; empty = COURSE_DEVICE, else auto
  std::string card;                ///< of the simulated GPU; empty = COURSE_CARD, else h200
  std::string json_file;           ///< empty = none
  int jobs = 0;                    ///< 0 = one per core
  bool require_measured = false;   ///< a modelled speed decides nothing
};

/// Grades exercises through ctest, with progress and a table at the end.
int grade(const build_folder& build, const grade_options& options);

struct class_options;
/// Grades a folder of hand-ins, one sub-folder a student (cli/class_grading.hpp).
int grade_class(const build_folder& build, const class_options& options);

struct release_options;
/// Writes a copy of the course for students, without the text of solutions (cli/release.hpp).
int release(const build_folder& build, const release_options& options);

/// What `course test` was asked.
struct test_options {
  std::vector<std::string> words;  ///< chapters and exercises; empty = all tests of the course
  std::string match;               ///< regular expression over tests' names; empty = any
  int jobs = 0;                    ///< 0 = one per core
};

/// Runs the course's tests of itself, with progress; the last line is "N passed, N failed". No test at all is an error.
int test_course(const build_folder& build, const test_options& options);

/// Says which exercise comes next, of all or of those that @p words name.
int next(const build_folder& build, const std::vector<std::string>& words, const std::string& tree_name);

/// Grades an exercise each time its file is saved, until q is pressed.
int watch(const build_folder& build, const grade_options& options);

/// Puts an exercise's file back as it came with the course, and keeps a copy of what was there.
int reset(const build_folder& build, const std::string& exercise);

/// Prints what a shell needs to complete the course's words.
int completion(const build_folder& build, const std::string& shell);

/// Shows how far one is: chapters, their quizzes, and exercises with the last verdict of a tree; all, or those that @p words name.
int list(const build_folder& build, const std::vector<std::string>& words, const std::string& tree_name);

/// What `course quiz` was asked.
struct quiz_options {
  std::string word;                     ///< a chapter; empty lists the quizzes
  bool all = false;                     ///< also what was right before
  bool again = false;                   ///< forget what was answered
  std::optional<std::uint32_t> seed{};  ///< of the order of choices; none draws one
};

/// Asks the questions of a chapter's quiz. 0: all that were asked are right.
int take_quiz(const build_folder& build, const quiz_options& options);

/// Holds all pass gates against recorded runs: plain clears them, slow programs miss them. @param write also writes the list of gates
/// without teeth (records/no_teeth.hpp), which is held against the records else. @return 1 if one does not stand in a gap.
int check_margins(const build_folder& build, bool write);

/// What `course predict` was asked.
struct predict_options {
  std::string word;  ///< an exercise; empty lists those that ask for predictions
  std::string tree;  ///< whose predictions; empty = COURSE_TREE, else exercises
};

/// Asks for predictions before a grading and keeps them.
int predict(const build_folder& build, const predict_options& options);

/// What `course hint` was asked.
struct hint_options {
  std::string exercise;
  std::string tree;    ///< whose last verdict counts; empty = COURSE_TREE, else exercises
  bool all = false;    ///< all hints at once
  bool again = false;  ///< start over with the first
};

/// Shows what fits the last verdict, and then the next hint of an exercise.
int hint(const build_folder& build, const hint_options& options);

/// Shows the last results of exercises in full.
int report(const build_folder& build, const std::vector<std::string>& words, const std::string& tree_name);

/// What `course report --html` was asked.
struct page_options {
  std::vector<std::string> words;
  std::string tree;   ///< empty = COURSE_TREE, else exercises
  std::string file;   ///< of the page; empty: build/.../reports/<tree>/<exercise>.html
  bool open = false;  ///< in the browser, if there is a display
};

/// Writes a page for each exercise that was graded, and prints its path.
int report_pages(const build_folder& build, page_options options);

/// Shows the verdicts of the ctest run this process was started by; silent if it graded nothing.
int summary(const build_folder& build);

/// Says which device a grading would use.
int device(const std::string& wanted);

/// Makes the plugin of COURSE_TREE and the reference's, for ctest.
/// @param stamp  if not empty, makes only those that a hand-in is compared with, and then this file: for the build, which has a core to
///               spare while an exercise's one judge is compiled
int build_plugin_command(const build_folder& build, const std::string& chapter, const std::string& exercise,
                         const std::string& stamp);

/// What `course check-variant` was asked.
struct variant_options {
  std::string chapter, exercise;
  std::string name;    ///< of the temporary tree
  std::string source;  ///< file to grade as the exercise
  std::string expect;  ///< verdicts, separated by |; optionally a space and causes
  bool expect_from_file = false;
  std::string device;  ///< empty = COURSE_DEVICE, else sim
  std::string
      page;  ///< whose starter block must show this very answer, relative to the source folder; may be empty
};

/// Grades one file as an exercise, apart from any student's tree, and compares the verdict with the expected
/// one.
int check_variant(const build_folder& build, const variant_options& options);

/// Checks that an exercise's files are complete and nothing is left lying about.
int check_files(const build_folder& build, const std::string& chapter, const std::string& exercise);

/// Checks that starter, solution and plain solution are the same outside the marked region.
int check_skeleton(const build_folder& build, const std::string& chapter, const std::string& exercise);

/// Checks that what lies in exercises/, solutions/ and chapters/ is what configure found, and that it is not
/// nothing.
int check_course(const build_folder& build);

/// Compiles one of a lesson's programs and runs it on the simulated GPU.
int check_listing(const build_folder& build, const std::string& source);

/// What `course pages` was asked.
struct pages_options {
  std::vector<std::string> words;  ///< pages, folders, exercises and chapters; empty = all pages
  bool write = false;              ///< write what is stale, grading starters; else compare
};

/// Writes or compares the generated blocks of task pages, explanations, lessons and docs.
int check_pages(const build_folder& build, const pages_options& options);

/// Writes the folders of a new exercise: files that build, with TODO(author) where words are missing.
int new_exercise(const build_folder& build, const std::string& chapter, const std::string& name);

/// Proposes a pass gate and a limit mark from results/.
int suggest_gates(const build_folder& build, const std::string& exercise);

/// Holds the speeds and times that a chapter's pages type against recorded ones.
int check_figures(const build_folder& build, const std::string& chapter);

}  // namespace course::cli
