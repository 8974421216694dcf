/// @file
/// `course quiz`: asks a chapter's questions, explains each answer at once, and remembers what was missed.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <numeric>
#include <random>

#include "cli/commands.hpp"
#include "cli/paragraph.hpp"
#include "cli/quiz_file.hpp"
#include "cli/quiz_memory.hpp"
#include "cli/selection.hpp"
#include "records/files.hpp"
#include "reports/terminal.hpp"

namespace course::cli {
namespace {

namespace fs = std::filesystem;
using reports::terminal;

char letter(std::size_t choice) {
  return static_cast<char>('a' + choice);
}

/// The chapter that a word names: its label, its folder, or a path into it.
std::string chapter_called(const build_folder& build, std::string word) {
  while (word.ends_with('/')) word.pop_back();
  const auto chapters = chapters_with_quiz(build);
  std::error_code error;
  const std::string path =
      "/" + (fs::exists(word, error) ? fs::weakly_canonical(word, error).string() : word) + "/";
  std::vector<std::string> labels;
  for (const std::string& chapter : chapters) {
    labels.push_back(chapter.substr(0, chapter.find('_')));
    if (word == labels.back() || path.find("/" + chapter + "/") != std::string::npos) return chapter;
  }
  const std::string near = nearest_name(word, labels);
  throw environment_error(fmt::format("There is no quiz called {}{} `./course quiz` lists them.", word,
                                      near.empty() ? "." : "; did you mean " + near + "?"));
}

int list_quizzes(const build_folder& build) {
  bool sound = true;
  const auto chapters = chapters_with_quiz(build);
  if (chapters.empty()) throw environment_error("No chapter has a quiz.json: is this folder complete?");
  for (const std::string& chapter : chapters) {
    try {
      const quiz one = read_quiz(build, chapter);
      fmt::print("  {:<9} {:>2} questions, {}\n", one.label(), one.questions.size(),
                 quiz_memory::read(build, one).text(one));
    } catch (const environment_error& problem) {
      fmt::print("  {}\n", problem.what());
      sound = false;
    }
  }
  fmt::print("\nTake one: ./course quiz {}\n", chapters.front().substr(0, chapters.front().find('_')));
  return sound ? 0 : 2;
}

/// The next answer on the input.
/// @return the index among @p choices; nullopt: enough for today.
std::optional<std::size_t> read_answer(std::size_t choices, bool typed) {
  for (;;) {
    fmt::print("Your answer: ");
    std::fflush(stdout);
    std::string line;
    if (!std::getline(std::cin, line)) {
      fmt::print("\n");
      return std::nullopt;
    }
    std::erase_if(line, [](unsigned char c) { return std::isspace(c); });
    // What a terminal shows by itself.
    if (!typed) fmt::print("{}\n", line);
    if (line == "q" || line == "quit") return std::nullopt;
    if (line.size() == 1) {
      const int found = std::tolower(static_cast<unsigned char>(line[0])) - 'a';
      if (found >= 0 && static_cast<std::size_t>(found) < choices) return static_cast<std::size_t>(found);
    }
    fmt::print("Type a letter from a to {}, or q to stop.\n", letter(choices - 1));
  }
}

/// Asks one question and explains it.
/// @return whether the answer was right; nullopt: enough for today.
std::optional<bool> ask(const quiz_question& question, std::mt19937& dice, const terminal& out, bool typed) {
  std::vector<std::size_t> order(question.choices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), dice);
  fmt::print("{}\n\n", paragraph(question.text, out.width()));
  for (std::size_t i = 0; i < order.size(); ++i)
    fmt::print("  {}  {}\n", out.bold(std::string(1, letter(i))),
               paragraph(question.choices[order[i]], out.width(), 5));
  fmt::print("\n");
  const auto given = read_answer(order.size(), typed);
  if (!given) return std::nullopt;
  const auto place = std::find(order.begin(), order.end(), question.answer) - order.begin();
  const bool right = *given == static_cast<std::size_t>(place);
  const std::string word =
      right ? "Right." : fmt::format("No, {} is right.", letter(static_cast<std::size_t>(place)));
  const std::string explained = paragraph(word + " " + question.why, out.width());
  fmt::print("{}{}\n\n", right ? out.green(word) : out.red(word), explained.substr(word.size()));
  return right;
}

}  // namespace

int take_quiz(const build_folder& build, const quiz_options& options) {
  if (options.word.empty()) return list_quizzes(build);
  const quiz taken = read_quiz(build, chapter_called(build, options.word));
  quiz_memory memory = quiz_memory::read(build, taken);
  if (options.again) memory.forget();
  const auto questions = memory.round(taken, options.all);
  if (questions.empty()) {
    fmt::print("You had all {} questions of {} right. --all asks them once more, --again starts over.\n",
               taken.questions.size(), taken.label());
    return 0;
  }
  const bool typed = ::isatty(0) == 1;
  if (!typed && std::cin.peek() == std::char_traits<char>::eof())
    throw environment_error(
        fmt::format("There is nobody to ask, since the input is no terminal and holds no answers: run "
                    "./course quiz {} in a terminal.",
                    taken.label()));

  const terminal out = terminal::of(1);
  const std::size_t missed = memory.count(taken, quiz_memory::state::missed);
  fmt::print("{}{}. A letter answers, q stops.\n\n",
             out.bold(fmt::format("Quiz of {}: {} question{}", taken.label(), questions.size(),
                                  questions.size() == 1 ? "" : "s")),
             missed > 0 ? ", first what you missed last time" : "");
  std::mt19937 dice(options.seed.value_or(std::random_device()()));
  std::size_t asked = 0, right = 0;
  for (const quiz_question& question : questions) {
    fmt::print("{}\n", out.dim(fmt::format("Question {} of {}", asked + 1, questions.size())));
    const auto answered = ask(question, dice, out, typed);
    if (!answered) break;
    ++asked;
    if (*answered) ++right;
    memory.note(question, *answered);
    memory.write(build, taken);
  }
  if (options.again && asked == 0) memory.write(build, taken);
  if (asked < questions.size()) fmt::print("Stopped: {} of {} asked. ", asked, questions.size());
  fmt::print("{} of {} right in this round; {} in all.\n", right, asked, memory.text(taken));
  if (const std::size_t left = memory.round(taken, false).size(); left > 0)
    fmt::print("The same command asks the {} that {} left.\n", left == 1 ? "one" : std::to_string(left),
               left == 1 ? "is" : "are");
  return right == questions.size() ? 0 : 1;
}

}  // namespace course::cli
