/// @file
/// The words and options of the drill commands.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/drill.hpp"

namespace course::cli {

void add_drill_commands(CLI::App& app, int& exit_code) {
  // They live as long as the callbacks that read them.
  const auto options = std::make_shared<drill_options>();
  CLI::App* command = app.add_subcommand("drill", "Answer drawn questions: sectors, occupancy");
  command->add_option("drill", options->word, "sectors, occupancy; none lists them");
  command->add_option("--seed", options->number, "Number of the draw: the same number, the same questions");
  CLI::Option* print = command->add_flag("--print", options->print, "Print the questions and end");
  CLI::Option* fill =
      command->add_flag("--template", options->write_template,
                        "Write an answers file to fill in (to --answers FILE, else the tree)");
  CLI::Option* file = command->add_option("--answers", options->answers, "Mark this answers file");
  CLI::Option* practice =
      command->add_flag("--practice", options->practice, "Ask without end, hand nothing in");
  command
      ->add_option("--questions", options->questions,
                   "How many to print or write: 10, or up to 20 for the limit mark")
      ->check(CLI::Range(drills::kSheet, drills::kLimitMark));
  command->add_option("--tree", options->tree, "Folder laid out like exercises/ to hand in to");
  print->excludes(fill, file, practice);
  practice->excludes(fill, file);
  command->footer("Exit code: 0 passed, 1 not passed, 2 nothing could be marked.");
  command->callback(
      [options, &exit_code] { exit_code = run_drill(build_folder::of_this_program(), *options); });

  const auto check = std::make_shared<answers_check>();
  const auto hidden = [&app, check](const char* name, const char* description) {
    CLI::App* added = app.add_subcommand(name, description);
    added->group("");
    added->add_option("--chapter", check->chapter, "Folder of the chapter")->required();
    added->add_option("--exercise", check->exercise, "Name of the drill's exercise")->required();
    return added;
  };
  hidden("mark-drill", "Mark the tree's answers")->callback([check, &exit_code] {
    exit_code = mark_drill(build_folder::of_this_program(), check->chapter, check->exercise);
  });
  command = hidden("check-answers", "Mark one file and compare the verdict");
  command->add_option("--name", check->name, "Of the temporary tree")->required();
  command->add_option("--source", check->source, "The file; none: a tree without answers");
  CLI::Option* expect = command->add_option("--expect", check->expect, "VERDICT [CAUSE]");
  command->add_flag("--expect-from-file", check->expect_from_file, "Take it from the file's first line")
      ->excludes(expect);
  command->callback(
      [check, &exit_code] { exit_code = check_answers(build_folder::of_this_program(), *check); });
  command = hidden("check-drill", "Check that a drill's folders are complete and up to date");
  const auto write = std::make_shared<bool>(false);
  command->add_flag("--write", *write,
                    "Write the solution's answers, and the questions that pages show, anew");
  command->callback([check, write, &exit_code] {
    exit_code = check_drill(build_folder::of_this_program(), check->chapter, check->exercise, *write);
  });
}

}  // namespace course::cli
