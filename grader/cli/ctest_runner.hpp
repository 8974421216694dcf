/// @file
/// Runs ctest and follows what it says, test by test. The course command grades through the same tests that
/// `ctest -L chapter2` runs, so that the two can never disagree.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "records/tree.hpp"

namespace course::cli {

/// One thing that ctest reported.
struct ctest_event {
  enum class kind { started, passed, failed, skipped, timeout, not_run };
  kind what = kind::started;
  std::string name;
  double seconds = 0;
  int finished = 0;  ///< tests reported so far, this one included
  int total = 0;     ///< tests in this run
};

/// What to run.
struct ctest_request {
  std::filesystem::path folder;                                    ///< whose tests; empty: the build folder
  std::vector<std::string> arguments;                              ///< e.g. -R regex
  std::vector<std::pair<std::string, std::string>> set_variables;  ///< environment for the tests
  std::function<void(const std::string& run)>
      on_start;  ///< called once, before any event, with the id of this run
  std::function<void(const ctest_event&)> on_event;
  std::function<void(std::string_view)>
      on_output;  ///< lines of the tests themselves (with --output-on-failure)
};

/// How it went.
struct ctest_outcome {
  std::string run;     ///< id of this run, as in result files
  int exit_code = -1;  ///< 0 all passed, 8 some did not
  std::string output;
};

/// Reads one line of ctest's output.
/// @return false if it is no report about a test.
bool parse_ctest_line(std::string_view line, ctest_event& event);

/// Seconds that ctest reported, which it does to a hundredth: "< 10 ms", "1.2 s".
std::string test_seconds_text(double seconds);

/// Runs ctest in a build folder.
/// @throws environment_error if there is no ctest.
ctest_outcome run_ctest(const build_folder& build, const ctest_request& request);

/// Processor cores that this process may use, at least 1.
int available_cores();

}  // namespace course::cli
