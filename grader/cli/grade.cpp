/// @file
/// `course grade`: runs the students' tests through ctest and says what came out.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "cli/advice.hpp"
#include "cli/build_judge.hpp"
#include "cli/commands.hpp"
#include "cli/ctest_runner.hpp"
#include "cli/ctest_trouble.hpp"
#include "cli/device.hpp"
#include "cli/hand_ins.hpp"
#include "cli/named_files.hpp"
#include "cli/predict.hpp"
#include "cli/selection.hpp"
#include "cli/simulated_card.hpp"
#include "records/device_word.hpp"
#include "records/files.hpp"
#include "records/plugin_record.hpp"
#include "records/verdict.hpp"
#include "reports/text.hpp"

namespace course::cli {
namespace {

using reports::outcome;
using reports::terminal;

/// The last words of an exercise's test names, in the order in which they run.
std::vector<std::string> test_kinds(const exercise_id& exercise) {
  if (exercise.is_drill()) return {"answers"};
  return {"build", "correctness", "bandwidth"};
}

/// Regular expression that selects the students' tests of some exercises.
std::string test_filter(const std::vector<exercise_id>& exercises) {
  std::string names;
  for (const exercise_id& exercise : exercises)
    names += (names.empty() ? "" : "|") + exercise.label + "\\." + exercise.name;
  return "^(" + names + ")\\.(build|correctness|bandwidth|answers)$";
}

/// Where nobody left a result: the last words of the exercise's test that failed.
std::string no_result_sentence(const build_folder& build, const exercise_id& exercise,
                               const std::map<std::string, ctest_event>& events) {
  const std::filesystem::path log = build.grading_tests() / "Testing/Temporary/LastTest.log";
  for (const std::string& kind : test_kinds(exercise)) {
    const std::string test = exercise.test_prefix() + "." + kind;
    const auto event = events.find(test);
    if (event == events.end() || event->second.what != ctest_event::kind::failed) continue;
    const std::string words = last_words(read_file(log).value_or(""), test);
    if (words.empty())
      return fmt::format(
          "The test {} fell over without a word: grade again, and report it if that does not help ({}).",
          test, log.string());
    return fmt::format("No result was left by the test {}, whose last words were: {}{}", test, words,
                       words.ends_with('.') ? "" : ".");
  }
  return fmt::format("No test of {} was run to its end: grade again ({} has what was said).", exercise.name,
                     log.string());
}

/// Reads an exercise's verdict after a run. An exercise without a result is the harness's fault, whatever the
/// reason.
outcome outcome_after_run(const build_folder& build, const tree& graded, const exercise_id& exercise,
                          const std::string& run, const std::map<std::string, ctest_event>& events,
                          bool require_measured) {
  const auto results = reports::read_results(build.results() / graded.id / exercise.chapter);
  outcome found = reports::join_results(exercise, results, run);
  const auto event_of = [&](const char* kind) {
    const auto event = events.find(exercise.test_prefix() + "." + kind);
    return event == events.end() ? nullptr : &event->second;
  };
  const auto fault = [&](std::string_view why, std::string sentence) {
    found.verdict = "harness_error";
    found.cause = why;
    found.headline = std::move(sentence);
    found.complete = true;
  };
  // A judge leaves "no result" when it begins, so this also means one that was stopped.
  if (found.verdict.empty() || found.cause == cause::no_result) {
    const auto record = read_record(build.plugins(), graded.id, exercise);
    const ctest_event* correctness = event_of(exercise.is_drill() ? "answers" : "correctness");
    if (record && record->status == "harness_error") {
      fault(record->cause, record->message);
    } else if (correctness && correctness->what == ctest_event::kind::timeout) {
      fault(cause::judge_timeout,
            "The judge did not finish in time: please report this, with the file that was graded.");
    } else {
      fault(cause::no_result, no_result_sentence(build, exercise, events));
    }
  } else if (found.verdict == "pass" && !found.complete) {
    const ctest_event* bandwidth = event_of("bandwidth");
    if (!bandwidth || bandwidth->what != ctest_event::kind::passed)
      fault(cause::no_result, "The bandwidth test left no result: run it alone with ctest -V to see why.");
  }
  if (require_measured) reports::refuse_modelled_speed(found);
  return found;
}

/// Shows what is going on: a line that is rewritten on a terminal, and one line per finished exercise
/// everywhere.
class progress {
 public:
  progress(const build_folder& build, const tree& graded, const std::vector<exercise_id>& exercises,
           const terminal& out, bool require_measured)
      : build_(build),
        graded_(graded),
        exercises_(exercises),
        out_(out),
        require_measured_(require_measured) {}

  void on_event(const ctest_event& event, const std::string& run) {
    if (event.what == ctest_event::kind::started) {
      running_.insert(event.name);
    } else {
      running_.erase(event.name);
      events_[event.name] = event;
      finish_exercises(run);
    }
    show_running();
  }

  /// Ends the rewritten line.
  void end() {
    if (out_.is_terminal()) std::fputs("\r\033[K", stdout);
    std::fflush(stdout);
  }

  const std::map<std::string, ctest_event>& events() const { return events_; }

 private:
  void finish_exercises(const std::string& run) {
    for (const exercise_id& exercise : exercises_) {
      const std::string prefix = exercise.test_prefix();
      if (reported_.contains(prefix)) continue;
      double seconds = 0;
      bool all = true;
      for (const std::string& kind : test_kinds(exercise)) {
        const auto event = events_.find(prefix + "." + kind);
        if (event == events_.end()) {
          all = false;
        } else {
          seconds += event->second.seconds;
        }
      }
      if (!all) continue;
      reported_.insert(prefix);
      const outcome o = outcome_after_run(build_, graded_, exercise, run, events_, require_measured_);
      if (out_.is_terminal()) std::fputs("\r\033[K", stdout);
      fmt::print("[{}/{}] {:<20} {}  {}\n", reported_.size(), exercises_.size(), exercise.name,
                 out_.verdict(o.verdict, fmt::format("{:<18}", o.verdict)),
                 out_.dim(test_seconds_text(seconds)));
      std::fflush(stdout);
    }
  }

  void show_running() {
    if (!out_.is_terminal() || running_.empty()) return;
    std::string names;
    for (const std::string& name : running_) names += (names.empty() ? "" : ", ") + name;
    std::string line = "      running " + names;
    line.resize(std::min<std::size_t>(line.size(), static_cast<std::size_t>(out_.width() - 1)));
    fmt::print("\r\033[K{}", out_.dim(line));
    std::fflush(stdout);
  }

  const build_folder& build_;
  const tree& graded_;
  const std::vector<exercise_id>& exercises_;
  const terminal& out_;
  const bool require_measured_;
  std::map<std::string, ctest_event> events_;
  std::set<std::string> running_;
  std::set<std::string> reported_;
};

/// Only the judges that were asked for are built.
void require_judges(const build_folder& build, const std::vector<exercise_id>& exercises) {
  for (const exercise_id& exercise : exercises) {
    if (has_judge(build, exercise)) continue;
    throw environment_error(fmt::format(
        "The judge of {0} is not built yet: run ./course grade {0}, which builds it.", exercise.name));
  }
}

std::string title_of(const grade_options& options, const std::vector<exercise_id>& exercises) {
  std::string what;
  for (const std::string& word : options.words) {
    const std::string name = std::filesystem::path(word).filename().stem().string();  // of a path
    what += (what.empty() ? "" : ", ") + (word.find('/') == std::string::npos ? word : name);
  }
  if (exercises.size() == 1) what = exercises.front().name;
  if (what.empty()) what = "all chapters";
  return fmt::format("Grading {}: {} exercise{}", what, exercises.size(), exercises.size() == 1 ? "" : "s");
}

/// Whether its judge may count while it checks (judge/ahead.hpp): nothing else is graded meanwhile, a core is free, and no real device's
/// times would be disturbed. COURSE_AHEAD=0 in the environment forbids it.
bool counts_ahead(const std::vector<exercise_id>& exercises, int jobs, const std::string& device) {
  const char* const said = std::getenv("COURSE_AHEAD");
  if (said && std::string_view(said) == "0") return false;
  return exercises.size() == 1 && jobs >= 2 && device != "gpu" && (device == "sim" || !ask_driver().has_gpu);
}

std::string card_sentence(const simgpu::timing::Device& card) {
  return fmt::format(
      "simulated {}, as asked; times are modelled{}", card.name,
      card.calibrated ? ", not measured" : " from public figures, and compared with no real one");
}

}  // namespace

int grade(const build_folder& build, const grade_options& options) {
  check_named_files(build, options.words);
  const auto exercises = select_exercises(build, options.words);
  if (exercises.empty())
    throw environment_error(
        "There are no exercises in this build folder: run `cmake --preset default` again.");
  std::string tree_word = options.tree;
  if (tree_word.empty()) {
    put_flat_files(build, options.words);
    tree_word = tree_of_words(build, options.words).string();
  }
  const tree graded = tree_word.empty() ? tree_of_environment(build) : resolve_tree(build, tree_word);
  if (const char* of_environment = std::getenv("COURSE_TREE"); tree_word.empty() && of_environment)
    tree_word = of_environment;
  require_judges(build, exercises);
  const std::string device = device_word(options.device, "auto");

  const auto card = simulated_card(options.card, device);
  if (exercises.size() == 1) offer_predictions(build, graded, exercises.front());

  const terminal out = terminal::of(1);
  fmt::print("{}\n  tree    {} ({})\n  device  {}\n\n", out.bold(title_of(options, exercises)),
             shown_text(graded.id), shown_text(graded.path.string()),
             card ? card_sentence(*card) : device_sentence(device));
  std::fflush(stdout);

  progress shown(build, graded, exercises, out, options.require_measured);
  ctest_request request;
  request.folder = build.grading_tests();
  const int jobs = options.jobs > 0 ? options.jobs : available_cores();
  request.arguments = {"-R", test_filter(exercises), "-j", std::to_string(jobs), "--no-tests=error"};
  request.set_variables = {{"COURSE_TREE", graded.path.string()}, {"COURSE_DEVICE", card ? "sim" : device}};
  request.set_variables.emplace_back("COURSE_AHEAD",
                                     counts_ahead(exercises, jobs, card ? "sim" : device) ? "1" : "0");
  if (card) {
    for (const auto& variable : variables_of(*card)) request.set_variables.push_back(variable);
  }
  std::string run;
  request.on_event = [&](const ctest_event& event) { shown.on_event(event, run); };
  request.on_start = [&](const std::string& id) { run = id; };
  const ctest_outcome ctest = run_ctest(build, request);
  shown.end();
  // Whether a test ran tells more than the code: 8 is what ctest ends with, too, when it cannot read its own files.
  if (shown.events().empty()) throw environment_error(why_no_test_ran(ctest.output, build));
  if (ctest.exit_code != 0 && ctest.exit_code != 8) {
    fmt::print(stderr,
               "{}\nctest failed (exit code {}): run `cmake --build --preset default` and try again.\n",
               ctest.output, ctest.exit_code);
    return 2;
  }

  std::vector<outcome> outcomes;
  outcomes.reserve(exercises.size());
  for (const exercise_id& exercise : exercises)
    outcomes.push_back(
        outcome_after_run(build, graded, exercise, ctest.run, shown.events(), options.require_measured));
  fmt::print("\n{}\n", reports::outcome_table(outcomes, out));
  bool any_harness_error = false;
  std::size_t passed = 0;
  for (const outcome& o : outcomes) {
    if (o.verdict == "pass") ++passed;
    if (o.verdict == "harness_error") any_harness_error = true;
    if (o.verdict != "pass") fmt::print("{}", reports::outcome_lines(o, out));
    const std::string printed = reports::printed_text(o.printed());
    fmt::print("{}{}", printed, printed.empty() || o.verdict != "pass" ? "" : "\n");
  }
  fmt::print("{}{}", passed == outcomes.size() ? "" : "\n", advice_after(build, outcomes, graded, tree_word));

  if (!options.json_file.empty()) {
    write_file_atomically(std::filesystem::absolute(options.json_file),
                          reports::grade_summary(outcomes, graded)
                                  .dump(1, ' ', false, nlohmann::json::error_handler_t::replace) +
                              "\n");
  }
  if (any_harness_error) return 2;
  return passed == outcomes.size() ? 0 : 1;
}

}  // namespace course::cli
