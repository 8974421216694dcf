/// @file
/// `course build-plugin`, which ctest runs before a judge, and `course check-variant`, with which the course
/// grades files of known worth: its starters, solutions and wrong variants. A grader is tested by wrong
/// answers that it must refuse.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <future>
#include <sstream>

#include "build/plugin_builder.hpp"
#include "build/variant_source.hpp"
#include "cli/build_judge.hpp"
#include "cli/commands.hpp"
#include "cli/selection.hpp"
#include "cli/simulated_card.hpp"
#include "cli/variant.hpp"
#include "grading/judge_run.hpp"
#include "pages/pages.hpp"
#include "records/device_word.hpp"
#include "records/files.hpp"
#include "records/quantities.hpp"
#include "records/verdict.hpp"
#include "reports/text.hpp"

namespace course::cli {
namespace {

namespace fs = std::filesystem;

/// Longest that one judge may take for one variant, on the slowest machine the course is tested on.
constexpr double kVariantTimeoutSeconds = 420;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

/// "race|deadlock cause_a|cause_b", as in "// expect: ...".
struct expectation {
  std::vector<std::string> verdicts;
  std::vector<std::string> causes;  ///< empty: any

  static expectation parse(const std::string& text) {
    expectation result;
    const auto words = split(text, ' ');
    if (!words.empty()) result.verdicts = split(words[0], '|');
    if (words.size() > 1) result.causes = split(words[1], '|');
    return result;
  }
  bool met(const reports::result& r) const {
    const auto has = [](const std::vector<std::string>& words, const std::string& word) {
      return std::find(words.begin(), words.end(), word) != words.end();
    };
    return has(verdicts, r.verdict) && (causes.empty() || has(causes, r.cause));
  }
  std::string text() const {
    return fmt::format("{}{}{}", fmt::join(verdicts, "|"), causes.empty() ? "" : " ", fmt::join(causes, "|"));
  }
};

/// The first line's "// expect: ...".
std::string expectation_line(const std::string& source, const std::string& file) {
  const std::string first = source.substr(0, source.find_first_of("\r\n"));
  static constexpr std::string_view kMark = "// expect:";
  if (!first.starts_with(kMark))
    throw environment_error(
        fmt::format("The first line of {} must say what is expected, e.g. `// expect: race`.", file));
  return first.substr(kMark.size());
}

/// What the comment lines at a file's head say behind @p mark, one text a line.
std::vector<std::string> said_behind(const std::string& mark, const std::string& source) {
  std::vector<std::string> all;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line) && line.starts_with("//");) {
    if (line.starts_with(mark))
      all.push_back(line.substr(mark.size(), line.find_last_not_of(" \r") + 1 - mark.size()));
  }
  return all;
}
std::string first_behind(const std::string& mark, const std::string& source) {
  const auto all = said_behind(mark, source);
  return all.empty() ? "" : all.front();
}

// Lines below the first. What a card says in place of the simulated GPU, whose clock decides nothing in some exercises:
constexpr const char* kOnGpu = "// on gpu: ";
// A verdict that only a real GPU can give yet:
constexpr const char* kWaitsFor = "// waits for: ";
// What the verdict's sentences must say, for a message is as much worth as a verdict:
constexpr const char* kSays = "// says: ";

/// Everything that the results say in words.
std::string sentences_of(const std::vector<reports::result>& results) {
  std::string text;
  for (const auto& one : results) {
    text += one.headline + "\n" + reports::printed_text(one.printed);
    for (const std::string& line : one.details) text += line + "\n";
    for (const auto& row : one.cases) text += row.message + "\n";
  }
  return text;
}

std::string word_for(const plugin_record& record) {
  if (record.status == "ok")
    return record.cache_hit ? "already built"
                            : fmt::format("built in {}", seconds_text(record.compile_seconds));
  return fmt::format("{}{}: {}", record.status, record.cause.empty() ? "" : " (" + record.cause + ")",
                     record.message);
}

}  // namespace

int build_plugin_command(const build_folder& build, const std::string& chapter, const std::string& name,
                         const std::string& stamp) {
  const exercise_id& exercise = exercise_of(build, chapter, name);
  std::vector<tree> trees;
  if (stamp.empty()) {
    const tree graded_tree = tree_of_environment(build);
    trees = baselines(build, graded_tree, exercise);
    trees.insert(trees.begin(), graded_tree);
  } else {
    trees = baselines(build, {build.source_dir() / kExercises, std::string(kExercises)}, exercise);
  }
  // The first grading of an exercise compiles two or three: side by side, for one compiler leaves the other cores idle.
  std::vector<std::future<plugin_record>> made;
  for (const tree& one : trees)
    made.push_back(std::async(std::launch::async,
                              [&build, &one, &exercise] { return build_plugin(build, one, exercise); }));
  bool harness_error = false, all = true;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    const plugin_record record = made[i].get();
    harness_error |= record.status == "harness_error";
    all &= record.status == "ok";
    if (!stamp.empty()) continue;
    fmt::print("{} of {}: {}\n", exercise.name, trees[i].id, word_for(record));
    if (!record.log.empty()) fmt::print("{}", record.log);
    std::fflush(stdout);
  }
  if (!stamp.empty()) {
    // What cannot be compiled is said when it is graded: it must not stop the build.
    if (all) write_file_atomically(stamp, "");
    return 0;
  }
  // The test that follows runs it: ctest looks for it only then.
  harness_error |= !build_judge(build, exercise);
  return harness_error ? 2 : 0;
}

std::vector<reports::result> grade_program(const build_folder& build, const exercise_id& exercise,
                                           const graded_program& program, std::string* judge_output) {
  const tree variant = tree_of_one(build, program.name, exercise, program.text);
  std::vector<tree> trees = baselines(build, variant, exercise);
  trees.insert(trees.begin(), variant);
  std::vector<plugin_record> made;
  for (const tree& one : trees) made.push_back(build_plugin(build, one, exercise));
  for (const plugin_record& one : made)
    if (one.status == "harness_error") throw environment_error(word_for(one));

  std::vector<reports::result> results;
  for (const char* kind : {"correctness", "bandwidth"}) {
    const process_result judge =
        run_judge(build, variant, exercise, kind, program.device, kVariantTimeoutSeconds);
    if (judge_output) *judge_output = judge.output;
    if (!judge.started)
      throw environment_error(
          fmt::format("The judge {} is not built: run `cmake --build --preset default`.", exercise.judge()));
    const auto found = reports::read_result(result_file(build, variant, exercise, kind));
    if (!found)
      throw environment_error(
          fmt::format("{}\nThe judge left no result for {} ({}).", judge.output, kind,
                      judge.timed_out ? "it was stopped after its time was up" : "see above"));
    // A judge's exit code must agree with its result file, for it is what ctest sees.
    if ((judge.exit_code == 0) !=
        (found->verdict == "pass" || judge.output.find("[  SKIPPED ]") != std::string::npos))
      throw environment_error(fmt::format("{}\nThe judge's exit code {} and its verdict {} do not agree.",
                                          judge.output, judge.exit_code, found->verdict));
    results.push_back(*found);
    if (found->verdict != "pass") break;
  }
  return results;
}

std::string verdict_lines(const std::vector<reports::result>& results) {
  static constexpr std::size_t kIndent = 13, kWidth = 100;
  std::string text;
  for (const auto& one : results) {
    text += fmt::format("{:<{}}{}{}\n", one.kind, kIndent, one.verdict,
                        one.cause.empty() ? "" : " (" + one.cause + ")");
    std::istringstream words(one.headline);
    std::string line;
    for (std::string word; words >> word;) {
      if (!line.empty() && kIndent + line.size() + 1 + word.size() > kWidth) {
        text += std::string(kIndent, ' ') + line + "\n";
        line.clear();
      }
      line += (line.empty() ? "" : " ") + word;
    }
    if (!line.empty()) text += std::string(kIndent, ' ') + line + "\n";
  }
  return text;
}

int check_variant(const build_folder& build, const variant_options& options) {
  const exercise_id& exercise = exercise_of(build, options.chapter, options.exercise);
  std::error_code error;
  fs::path source = options.source;
  if (!fs::exists(source, error)) source = build.source_dir() / options.source;
  const std::string text = variant_source(source, build.solution_folder(exercise) / "plain.cu");
  expectation expected =
      expectation::parse(options.expect_from_file ? expectation_line(text, options.source) : options.expect);
  if (expected.verdicts.empty())
    throw environment_error("check-variant needs --expect VERDICT or --expect-from-file.");
  const std::string name =
      options.name.empty() ? exercise.judge() + "." + source.stem().string() : options.name;
  if (name.find('/') != std::string::npos) throw environment_error("A variant's name must not hold a slash.");

  std::string device = device_word(options.device, "sim");
  // Builder and judge are this process and its child: with COURSE_CARD alone the plugin would hold no PTX that such a card can run.
  if (const auto card = simulated_card("", device)) {
    for (const auto& [variable, value] : variables_of(*card)) setenv(variable.c_str(), value.c_str(), 1);
    device = "sim";
  }
  std::string judge_output;
  const auto results = grade_program(build, exercise, {name, text, device}, &judge_output);
  const reports::result* const found = &results.back();
  if (const std::string there = first_behind(kOnGpu, text);
      options.expect_from_file && found->device == "gpu" && !there.empty())
    expected = expectation::parse(there);
  fmt::print("{}", verdict_lines(results));
  if (!is_cause(found->cause)) {
    fmt::print("\nThe cause {} is not in grader/records/causes.def, where all of them stand.\n",
               found->cause);
    return 1;
  }
  if (!options.page.empty() && found->device != "gpu" &&
      !pages::shows_starter(read_file(build.source_dir() / options.page).value_or(""),
                            verdict_lines(results))) {
    fmt::print("\n{} shows another answer to the starter: run ./course pages --write {}\n", options.page,
               exercise.name);
    return 1;
  }
  // What the simulated GPU cannot tell yet is known by name, so that nobody takes it for a verdict, and noticed when it can.
  if (const std::string waits = options.expect_from_file ? first_behind(kWaitsFor, text) : "";
      !waits.empty() && found->device == "sim") {
    if (!expected.met(*found)) {
      fmt::print("expected {}, found {}: known, it waits for the simulated GPU's {}\n", expected.text(),
                 found->verdict, waits);
      return 0;
    }
    fmt::print("\nexpected {}, and found: take the line `// waits for: {}` out of {}\n", expected.text(),
               waits, options.source);
    return 1;
  }
  if (expected.met(*found)) {
    const std::string sentences = sentences_of(results);
    for (const std::string& words :
         options.expect_from_file ? said_behind(kSays, text) : std::vector<std::string>()) {
      if (sentences.find(words) != std::string::npos) continue;
      fmt::print("\n{}\nthe verdict is {}, as expected, but nothing says: {}\n", sentences, found->verdict,
                 words);
      return 1;
    }
    fmt::print("as expected: {}\n", expected.text());
    return 0;
  }
  fmt::print("\n{}\nexpected {}, found {}{}\n", judge_output, expected.text(), found->verdict,
             found->cause.empty() ? "" : " (" + found->cause + ")");
  return 1;
}

}  // namespace course::cli
