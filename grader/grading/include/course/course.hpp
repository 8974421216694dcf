/// @file
/// Grading from a program of your own: link course::course, name a build folder of the course, an exercise and a file.
///
/// The library compiles the file, runs the course's judge and workers, and says what came out: the same verdict as
/// `./course grade`. Judges, workers and the simulated GPU are programs of the build folder and stay there; the file never runs
/// in your process.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace course {

/// The course cannot do its work: no such build folder, exercise or file, a full disk. One sentence that says what to do.
class cannot_grade : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What to grade.
struct submission {
  std::string exercise;         ///< by name, e.g. "block_reduction"
  std::filesystem::path file;   ///< the student's .cu file (answers.txt of a drill)
  std::string device = "auto";  ///< "auto", "gpu" or "sim"
  std::string name =
      "submission";  ///< names its results; use one name for what runs at the same time only once
};

/// What came out.
struct grade {
  std::string verdict;                         ///< one word, e.g. "pass" (docs/pages/verdicts.md has all)
  std::string cause;                           ///< a second word, or empty
  std::string sentence;                        ///< for the student; empty where there is nothing to say
  std::string file;                            ///< of the line at fault; empty if there is none
  int line = 0;                                ///< 1-based; 0: none
  double speed = 0;                            ///< share of the reference's speed, 1 = as fast; 0: not timed
  bool modelled = false;                       ///< that share was computed by the simulated GPU, not measured
  std::vector<std::filesystem::path> results;  ///< the result files behind it (docs/pages/result_schema.md)

  bool passed() const { return verdict == "pass"; }
};

/// A build folder of the course, e.g. build/default.
class grader {
 public:
  /// @param[in] build_folder as ./course or CMake made it.
  /// @throws cannot_grade if it is none.
  explicit grader(const std::filesystem::path& build_folder);
  grader(grader&&) noexcept;
  grader& operator=(grader&&) noexcept;
  ~grader();

  /// Names of the exercises whose judges are built.
  std::vector<std::string> exercises() const;

  /// Grades one file. Takes seconds; several calls may run at once, for submissions of different names.
  /// @throws cannot_grade if the exercise is unknown or not built, or if nothing can be stored. What is wrong with the file is no
  /// exception but a verdict.
  grade operator()(const submission& what) const;

 private:
  struct state;
  state* state_;
};

}  // namespace course
