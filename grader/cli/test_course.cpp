/// @file
/// `course test`: the course's test of itself.
#include <fmt/format.h>

#include <cstdio>

#include "cli/commands.hpp"
#include "cli/ctest_runner.hpp"
#include "reports/terminal.hpp"

namespace course::cli {

int test_course(const build_folder& build, const std::string& filter, int jobs) {
  const reports::terminal out = reports::terminal::of(1);
  ctest_request request;
  request.arguments = {"-L",
                       "^(harness|docs)$",
                       "-j",
                       std::to_string(jobs > 0 ? jobs : available_cores()),
                       "--output-on-failure",
                       "--no-tests=error"};
  if (!filter.empty()) request.arguments.insert(request.arguments.end(), {"-R", filter});

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
