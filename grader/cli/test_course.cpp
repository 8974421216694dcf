/// @file
/// `course test`: the course's test of itself.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/commands.hpp"
#include "cli/ctest_runner.hpp"
#include "cli/selection.hpp"
#include "reports/terminal.hpp"

namespace course::cli {

namespace {

/// Tests of the exercises and chapters that words name: harness.chapter2.block-reduction.*, and for a chapter those of its lesson too.
std::string tests_of(const build_folder& build, const std::vector<std::string>& words) {
  std::string any;
  for (const std::string& word : words) {
    const auto chosen = select_exercises(build, {word});
    const bool whole_chapter = word == chosen.front().label || word == chosen.front().chapter;
    if (whole_chapter) {
      any += (any.empty() ? "" : "|") + chosen.front().label;
      continue;
    }
    for (const exercise_id& exercise : chosen) {
      std::string hyphened = exercise.name;
      std::replace(hyphened.begin(), hyphened.end(), '_', '-');
      any += fmt::format("{}{}\\.{}", any.empty() ? "" : "|", exercise.label, hyphened);
    }
  }
  return fmt::format("^harness\\.({})\\.", any);
}

}  // namespace

int test_course(const build_folder& build, const test_options& options) {
  const reports::terminal out = reports::terminal::of(1);
  ctest_request request;
  request.arguments = {"-L",
                       "^(harness|docs)$",
                       "-j",
                       std::to_string(options.jobs > 0 ? options.jobs : available_cores()),
                       "--output-on-failure",
                       "--no-tests=error"};
  if (!options.words.empty())
    request.arguments.insert(request.arguments.end(), {"-R", tests_of(build, options.words)});
  if (!options.match.empty()) request.arguments.insert(request.arguments.end(), {"-R", options.match});

  int passed = 0, skipped = 0;
  std::vector<std::string> failed;
  request.on_event = [&](const ctest_event& event) {
    const auto clear = [&] {
      if (out.is_terminal()) std::fputs("\r\033[K", stdout);
    };
    std::string word;
    switch (event.what) {
      case ctest_event::kind::started:
        if (out.is_terminal())
          fmt::print("\r\033[K{}", out.dim(fmt::format("  running {}", event.name)
                                               .substr(0, static_cast<std::size_t>(out.width() - 1))));
        std::fflush(stdout);
        return;
      case ctest_event::kind::passed:
        ++passed;
        break;
      case ctest_event::kind::skipped:
        ++skipped, word = "skipped";
        break;
      case ctest_event::kind::timeout:
        word = "timeout";
        break;
      case ctest_event::kind::not_run:
        word = "not run";
        break;
      case ctest_event::kind::failed:
        word = "failed";
        break;
    }
    if (!word.empty() && word != "skipped") failed.push_back(event.name);
    // Hundreds of tests pass within milliseconds: only slow ones, every fiftieth and whatever did not pass
    // get a line.
    if (!word.empty() || event.seconds >= 1 || event.finished % 50 == 0 || event.finished == event.total) {
      clear();
      fmt::print("[{:>4}/{}] {:<8} {}  {}\n", event.finished, event.total,
                 word.empty()        ? out.green("ok") + "      "
                 : word == "skipped" ? out.yellow(fmt::format("{:<8}", word))
                                     : out.red(fmt::format("{:<8}", word)),
                 event.name, out.dim(test_seconds_text(event.seconds)));
    }
    std::fflush(stdout);
  };
  request.on_output = [&](std::string_view line) {
    if (out.is_terminal()) std::fputs("\r\033[K", stdout);
    fmt::print("    {}\n", line);
  };
  const ctest_outcome ctest = run_ctest(build, request);
  if (out.is_terminal()) std::fputs("\r\033[K", stdout);
  if (passed + skipped + static_cast<int>(failed.size()) == 0 &&
      (ctest.exit_code == 0 || ctest.exit_code == 8)) {
    fmt::print(stderr, "No test was run: the course has none {}.\n",
               options.match.empty() ? fmt::format("for {}", fmt::join(options.words, ", "))
                                     : fmt::format("whose name matches {}", options.match));
    return 2;
  }
  if (ctest.exit_code != 0 && ctest.exit_code != 8) {
    fmt::print("{}\n", ctest.output);
    fmt::print(stderr, "ctest could not run the tests (exit code {}).\n", ctest.exit_code);
    return 2;
  }
  if (!failed.empty()) fmt::print("\nFailed:\n");
  for (const std::string& name : failed) fmt::print("  {}\n", name);
  if (skipped > 0) fmt::print("{} skipped\n", skipped);
  fmt::print("{} passed, {} failed\n", passed, failed.size());
  return failed.empty() && passed > 0 ? 0 : 1;
}

}  // namespace course::cli
