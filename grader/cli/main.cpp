/// @file
/// The course command: what students, instructors, ctest and maintainers call. This file only reads the
/// command line; the work is in the other files of this folder.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "cli/calculator.hpp"
#include "cli/calibrate.hpp"
#include "cli/claims.hpp"
#include "cli/class_grading.hpp"
#include "cli/commands.hpp"
#include "cli/drill.hpp"
#include "cli/release.hpp"
#include "cli/selection.hpp"
#include "records/files.hpp"
#include "simgpu/timing/cards.hpp"

namespace {

using namespace course;
using namespace course::cli;

/// Exit code for a wrong command line and for what the course itself could not do.
constexpr int kTrouble = 2;

/// Left out of the short help, but with a page and completion of their own: what authors of exercises type.
const std::set<std::string> kAuthorsWords = {"new-exercise", "pages", "suggest-gates"};

/// CLI11 keeps the options that an option excludes in the order of their addresses, which no two builds need
/// share. Here they come by name, so that help is the same text everywhere.
class ordered_formatter : public CLI::Formatter {
 public:
  /// In lines that a terminal of 80 columns shows whole: what goes on stands below its own column.
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    constexpr std::size_t kColumns = 80;
    std::istringstream lines(CLI::Formatter::make_help(app, std::move(name), mode));
    std::string text;
    for (std::string line; std::getline(lines, line);) {
      const bool is_entry = line.starts_with("  ");
      const std::size_t column = is_entry ? get_column_width() : 0;
      while (line.size() > kColumns) {
        const std::size_t end = line.rfind(' ', kColumns);
        if (end == std::string::npos || end <= column) break;
        text += line.substr(0, line.find_last_not_of(' ', end) + 1) + "\n";
        line = std::string(column, ' ') + line.substr(end + 1);
      }
      text += line + "\n";
    }
    return text;
  }

 private:
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = CLI::Formatter::make_option_opts(option);
    const std::string label = " " + get_label("Excludes") + ":";
    const std::size_t at = text.find(label);
    if (at == std::string::npos) return text;
    std::set<std::string> names;
    for (const CLI::Option* excluded : option->get_excludes()) names.insert(excluded->get_name());
    return text.substr(0, at) + fmt::format("{} {}", label, fmt::join(names, " "));
  }
};

/// Words of all subcommands, for a near match.
std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

/// The launcher answers --help and unknown words from files, before anything is built: grader/cli/help holds this program's own pages.
int help_pages(const build_folder& build, CLI::App& app, bool write) {
  const auto page_of = [&](const CLI::App& one) {
    return app.get_formatter()->make_help(&one, &one == &app ? "./course" : "./course " + one.get_name(),
                                          CLI::AppFormatMode::Normal);
  };
  std::map<std::string, std::string> pages = {{"course.txt", page_of(app)}};
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_group().empty() && !kAuthorsWords.contains(command->get_name())) {
      pages[".internal"] += command->get_name() + "\n";
    } else {
      pages[command->get_name() + ".txt"] = page_of(*command);
    }
  }
  const std::filesystem::path folder = build.source_dir() / "grader/cli/help";
  bool stale = false;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (pages.contains(name)) continue;
    fmt::print("{} belongs to no command: remove it\n", entry.path().string());
    stale = true;
  }
  for (const auto& [name, text] : pages) {
    if (write) write_file_atomically(folder / name, text);
    if (read_file(folder / name) == text) continue;
    fmt::print("{} is stale: run build/default/bin/course help-pages --write\n", (folder / name).string());
    stale = true;
  }
  return stale ? 1 : 0;
}

int run(int argc, char** argv) {
  CLI::App app{"A self-grading course on the CUDA memory hierarchy", "./course"};
  app.formatter(std::make_shared<ordered_formatter>());
  app.require_subcommand(1);
  app.get_formatter()->column_width(26);
  app.set_version_flag("--version",
                       [] { return "course " + build_folder::of_this_program().config().version; });
  app.set_help_all_flag("--help-all", "Also show what ctest and maintainers use");
  app.footer(
      "Edit exercises/<chapter>/<exercise>/<exercise>.cu, then grade it. Without a GPU the kernels run on a "
      "simulated one.\n"
      "Exit code: 0 all pass, 1 something does not pass, 2 the course itself could not do its work.");
  const auto devices = CLI::IsMember({"auto", "gpu", "sim"});
  int exit_code = 0;
  const auto with_build = [&](auto work) {
    return [&exit_code, work] { exit_code = work(build_folder::of_this_program()); };
  };

  grade_options grading;
  CLI::App* command =
      app.add_subcommand("grade", "Grade exercises: a chapter (chapter2), an exercise by name, or all");
  command->add_option("what", grading.words, "chapter2, block_reduction, all, ...");
  command->add_option("--tree", grading.tree,
                      "Folder laid out like exercises/ to grade, e.g. solutions or a hand-in");
  command->add_option("--device", grading.device, "Real GPU, simulated GPU, or a real one if there is one")
      ->check(devices);
  command
      ->add_option("--card", grading.card,
                   "Card that the simulated GPU is to be; all but h100 and h200 are not calibrated")
      ->check(CLI::IsMember(simgpu::timing::card_names()));
  command->add_option("--json", grading.json_file, "Also write a summary to this file");
  command->add_option("--jobs,-j", grading.jobs, "Exercises to grade at once; default one per core")
      ->check(CLI::Range(1, 1024));
  class_options hand_ins;
  command->add_flag("--require-measured", grading.require_measured,
                    "A speed that is only modelled decides nothing");
  CLI::Option* all = command
                         ->add_option("--all", hand_ins.folder,
                                      "Folder of hand-ins, one sub-folder a student: grade them all")
                         ->excludes("--tree");
  command->add_option("--csv", hand_ins.csv_file, "With --all: also write a table for spreadsheets")
      ->needs(all);
  command
      ->add_option("--points", hand_ins.points_file,
                   "With --all: points per verdict; default exercises/points.json")
      ->needs(all);
  command->add_flag("--again", hand_ins.again, "With --all: also what was graded before")->needs(all);
  command->callback(with_build([&, all](const build_folder& build) {
    if (all->count() == 0) return grade(build, grading);
    hand_ins.words = grading.words;
    hand_ins.device = grading.device;
    hand_ins.json_file = grading.json_file;
    hand_ins.jobs = grading.jobs;
    hand_ins.require_measured = grading.require_measured;
    return grade_class(build, hand_ins);
  }));

  std::string tree_name;
  command =
      app.add_subcommand("list", "How far you are: chapters, exercises, their last verdicts and quizzes");
  std::vector<std::string> words;
  command->add_option("what", words, "chapter2, block_reduction, ...; default all");
  command->add_option("--tree", tree_name, "Folder whose verdicts to list");
  command->callback(with_build([&](const build_folder& build) { return list(build, words, tree_name); }));

  command = app.add_subcommand("report", "Show the last results in full");
  command->add_option("what", words, "chapter2, block_reduction, ...");
  command->add_option("--tree", tree_name, "Folder whose results to show");
  page_options pages;
  CLI::Option* html =
      command->add_option("--html", pages.file, "Write a page to look at in a browser; FILE ends in .html")
          ->type_name("[FILE]")
          ->expected(0, 1);
  command->add_flag("--open", pages.open, "Write it and open it");
  command->callback(with_build([&, html](const build_folder& build) {
    if (html->count() == 0 && !pages.open) return report(build, words, tree_name);
    pages.words = words;
    pages.tree = tree_name;
    return report_pages(build, pages);
  }));

  std::string exercise, chapter;
  hint_options hinting;
  command = app.add_subcommand("hint", "Show what fits the last verdict, then the next hint of an exercise");
  command->add_option("exercise", hinting.exercise, "e.g. block_reduction")->required();
  command->add_flag("--all", hinting.all, "Show all hints at once");
  command->add_flag("--again", hinting.again, "Start over with the first");
  command->add_option("--tree", hinting.tree, "Folder whose last verdict counts");
  command->callback(with_build([&](const build_folder& build) { return hint(build, hinting); }));

  quiz_options asking;
  command = app.add_subcommand(
      "quiz", "Answer the questions of a chapter; what you missed comes first the next time");
  command->add_option("chapter", asking.word, "chapter2; none lists the quizzes and your scores");
  command->add_flag("--all", asking.all, "Also ask what you had right");
  command->add_flag("--again", asking.again, "Forget the answers so far and start over");
  command->add_option("--seed", asking.seed, "Order of the choices: the same number, the same order");
  command->callback(with_build([&](const build_folder& build) { return take_quiz(build, asking); }));

  predict_options predicting;
  command =
      app.add_subcommand("predict", "Predict what a grading will count; the report shows both side by side");
  command->add_option("exercise", predicting.word,
                      "e.g. aos_to_soa; none lists those that ask for predictions");
  command->add_option("--tree", predicting.tree, "Folder whose predictions they are");
  command->callback(with_build([&](const build_folder& build) { return predict(build, predicting); }));

  add_drill_commands(app, exit_code);
  add_calculator(app, exit_code);

  std::string wanted_device;
  command = app.add_subcommand("device", "Say which device would be used");
  command->add_option("--device", wanted_device, "auto, gpu or sim")->check(devices);
  command->callback([&] { exit_code = device(wanted_device); });

  command = app.add_subcommand("next", "Say which exercise comes next");
  command->add_option("what", words, "chapter2, block_reduction, ...; default all");
  command->add_option("--tree", tree_name, "Folder whose verdicts count");
  command->callback(with_build([&](const build_folder& build) { return next(build, words, tree_name); }));

  command = app.add_subcommand(
      "watch",
      "Grade an exercise each time its file is saved; keys for hint, report, predict, next and quit");
  command->add_option("exercise", grading.words, "block_reduction, or its file")->required()->expected(1);
  command->add_option("--tree", grading.tree, "Folder whose file to watch");
  command->add_option("--device", grading.device, "auto, gpu or sim")->check(devices);
  command->callback(with_build([&](const build_folder& build) { return watch(build, grading); }));

  command = app.add_subcommand(
      "reset", "Put an exercise's file back as it came with the course; yours is kept beside it");
  command->add_option("exercise", exercise, "e.g. block_reduction")->required();
  command->callback(with_build([&](const build_folder& build) { return reset(build, exercise); }));

  calibrate_options measuring;
  const auto measures = [&](CLI::App* of) {
    of->add_option("what", measuring.words, "chapter2, block_reduction, ...");
    of->add_option("--device", measuring.device, "auto, gpu or sim")->check(devices);
    of->add_option("--out", measuring.folder, "Folder of the record; default results/<card>-<date>");
  };
  command = app.add_subcommand(
      "calibrate", "Measure starters, solutions and slow variants on the card at hand, and keep the figures");
  measures(command);
  command->callback(with_build([&](const build_folder& build) { return calibrate(build, measuring); }));
  command = app.add_subcommand(
      "bench", "Measure the references against the copy ceiling and against libraries, in one run");
  measures(command);
  command->callback(with_build([&](const build_folder& build) { return bench(build, measuring); }));

  claims_options claiming;
  command = app.add_subcommand(
      "claims", "Measure what the source texts claim on the card at hand: ratio, reproduced or not, and why");
  command->add_option("name", claiming.names, "strided_copy, bank_conflicts, ...; default all");
  command->add_option("--device", claiming.device, "auto, gpu or sim")->check(devices);
  command->add_flag("--json", claiming.json, "Print the record in place of text");
  command->add_option("--out", claiming.folder, "Folder of the record; default results/<card>-<date>");
  command->callback(with_build([&](const build_folder& build) { return claims(build, claiming); }));

  test_options testing;
  command =
      app.add_subcommand("test", "Run the course's tests of itself: all, or those of chapters and exercises");
  command->add_option("what", testing.words, "chapter2, block_reduction, ...");
  command->add_option("--match", testing.match, "Only tests whose names match this regular expression")
      ->excludes("what");
  command->add_option("--jobs,-j", testing.jobs, "Tests to run at once; default one per core")
      ->check(CLI::Range(1, 1024));
  command->callback(with_build([&](const build_folder& build) { return test_course(build, testing); }));

  release_options copy;
  command = app.add_subcommand(
      "release", "Write a copy of the course for students, without any solution, that still grades");
  command->add_option("folder", copy.folder, "To be made")->required();
  command->add_option("what", copy.words, "chapter2, block_reduction, ...; default all");
  command
      ->add_option("--architecture", copy.architectures,
                   "Compute capability of the students' GPUs, e.g. 80; may be repeated")
      ->expected(1)
      ->take_all();
  command->callback(with_build([&](const build_folder& build) { return release(build, copy); }));

  command = app.add_subcommand("setup", "Only install what is missing, configure and build");
  bool with_checks = false;
  command->add_flag("--checks", with_checks, "Also what continuous integration checks with, and all tests");
  command->callback([&] {
    fmt::print(stderr, "Installing and building is the launcher's work: run ./course setup.\n");
    exit_code = kTrouble;
  });

  command = app.add_subcommand("docs", "Build the site: lessons, tasks, quizzes, figures; and show it");
  command->callback([&] {
    fmt::print(stderr, "Building the site is the launcher's work: run ./course docs.\n");
    exit_code = kTrouble;
  });

  std::string shell;
  command = app.add_subcommand(
      "completion", "Print what a shell needs to complete these words: source <(./course completion bash)");
  command->add_option("shell", shell, "bash or zsh")->required()->check(CLI::IsMember({"bash", "zsh"}));
  command->callback(with_build([&](const build_folder& build) { return completion(build, shell); }));

  // From here on: what ctest and maintainers call. Left out of the short help.
  const auto hidden = [&](const char* name, const char* description) {
    CLI::App* added = app.add_subcommand(name, description);
    added->group("");
    return added;
  };
  const auto of_exercise = [&](CLI::App* added) {
    added->add_option("--chapter", chapter, "Folder of the chapter")->required();
    added->add_option("--exercise", exercise, "Name of the exercise")->required();
    return added;
  };
  hidden("summary", "Show the verdicts of the ctest run that calls this")
      ->callback(with_build([](const build_folder& build) { return summary(build); }));
  std::string stamp;
  command = of_exercise(hidden("build-plugin", "Make the plugins that one test needs"));
  command->add_option("--baselines", stamp, "Make those of the course alone, and then this file");
  command->callback(with_build(
      [&](const build_folder& build) { return build_plugin_command(build, chapter, exercise, stamp); }));
  variant_options variant;
  command = of_exercise(hidden("check-variant", "Grade one file as an exercise and compare the verdict"));
  command->add_option("--name", variant.name, "Of the temporary tree");
  command->add_option("--source", variant.source, "The file")->required();
  CLI::Option* expect =
      command->add_option("--expect", variant.expect, "VERDICT[|VERDICT...] [CAUSE[|CAUSE...]]");
  command->add_option("--page", variant.page, "Page whose starter block must show this answer");
  command->add_flag("--expect-from-file", variant.expect_from_file, "Take it from the file's first line")
      ->excludes(expect);
  command->add_option("--device", variant.device, "auto, gpu or sim; default COURSE_DEVICE, else sim")
      ->check(devices);
  command->callback(with_build([&](const build_folder& build) {
    variant.chapter = chapter;
    variant.exercise = exercise;
    return check_variant(build, variant);
  }));
  of_exercise(hidden("check-files", "Check that an exercise is complete"))
      ->callback(
          with_build([&](const build_folder& build) { return check_files(build, chapter, exercise); }));
  of_exercise(hidden("check-skeleton", "Check starter against solution"))
      ->callback(
          with_build([&](const build_folder& build) { return check_skeleton(build, chapter, exercise); }));
  hidden("check-course", "Check the folders against the list of exercises")
      ->callback(with_build([](const build_folder& build) { return check_course(build); }));
  command = hidden("check-margins", "Hold the pass gates against recorded runs");
  bool write_no_teeth = false;
  command->add_flag("--write", write_no_teeth,
                    "Write exercises/no_teeth.json, from which gradings know what does not count");
  command->callback(
      with_build([&](const build_folder& build) { return check_margins(build, write_no_teeth); }));
  std::string listing;
  command = hidden("check-listing", "Compile and run a lesson's program on the simulated GPU");
  command->add_option("--source", listing, "The file, relative to the source folder")->required();
  command->callback(with_build([&](const build_folder& build) { return check_listing(build, listing); }));

  pages_options paging;
  command = hidden("pages", "Compare the generated parts of the course's pages with what they come from");
  command->add_option("what", paging.words, "A page, a folder, chapter2, block_reduction, docs; default all");
  command->add_flag("--write", paging.write, "Write what is stale; starters are graded for it");
  command->callback(with_build([&](const build_folder& build) { return check_pages(build, paging); }));

  command = hidden("new-exercise",
                   "Write the folders of a new exercise: files that build, and say what is missing");
  command->add_option("chapter", chapter, "chapter2, or a new one in full: chapter7_streams")->required();
  command->add_option("exercise", exercise, "Its name, e.g. warp_scan")->required();
  command->callback(
      with_build([&](const build_folder& build) { return new_exercise(build, chapter, exercise); }));
  command = hidden("suggest-gates", "Propose an exercise's pass gate and limit mark from recorded runs");
  command->add_option("exercise", exercise, "e.g. block_reduction")->required();
  command->callback(with_build([&](const build_folder& build) { return suggest_gates(build, exercise); }));
  std::string figures_of;
  command =
      hidden("check-figures", "Hold the speeds and times that a chapter's pages type against recorded ones");
  command->add_option("chapter", figures_of, "chapter1, ...")->required();
  command->callback(with_build([&](const build_folder& build) { return check_figures(build, figures_of); }));

  bool write_pages = false;
  command = hidden("help-pages", "Compare the help that the launcher shows with this program's");
  command->add_flag("--write", write_pages, "Write it instead");
  command->callback(
      with_build([&](const build_folder& build) { return help_pages(build, app, write_pages); }));

  if (argc == 1) {
    fmt::print("{}", app.help());
    return kTrouble;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    if (problem.get_exit_code() == 0) return app.exit(problem);
    const auto names = command_names(app);
    const std::string word = argv[1];
    if (!word.starts_with('-') && std::find(names.begin(), names.end(), word) == names.end()) {
      const std::string near = nearest_name(word, names);
      fmt::print(stderr, "There is no command {}{} `./course --help` shows them all.\n", word,
                 near.empty() ? "." : "; did you mean " + near + "?");
    } else if (const std::string sentence = problem.what();
               !word.starts_with('-') && sentence.ends_with(" is required")) {
      const std::string missing = sentence.substr(0, sentence.find(' '));
      std::string capitals = missing;
      for (char& letter : capitals)
        letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
      std::string typed;  // again, with what is missing
      for (int i = 1; i < argc; ++i) typed += std::string(argv[i]) + " ";
      if (missing.starts_with("--")) capitals = missing + " " + capitals.substr(2);
      fmt::print(stderr, "The {} is missing: ./course {}{}\n", missing, typed, capitals);
    } else {
      fmt::print(stderr, "{}. `./course {} --help` shows how it is called.\n", sentence,
                 word.starts_with('-') ? "" : word);
    }
    return kTrouble;
  }
  return exit_code;
}

/// A standard stream that is closed must not become the first file that is opened, which would then hold what is printed. One that
/// is opened the wrong way round fails instead.
void occupy_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(descriptor, F_GETFD) < 0)
      (void)::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/// What nobody could read is no answer: a full disk, or a closed standard output.
int with_output_written(int exit_code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  fmt::print(stderr, "Standard output cannot be written{}: send it elsewhere and try again.\n",
             errno == 0 ? "" : fmt::format(" ({})", std::strerror(errno)));
  return kTrouble;
}

}  // namespace

int main(int argc, char** argv) {
  std::setlocale(LC_ALL, "C");
  occupy_standard_descriptors();
  try {
    return with_output_written(run(argc, argv));
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}\n", problem.what());
    return kTrouble;
  }
}
