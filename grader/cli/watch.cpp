/// @file
/// `course watch`: grades an exercise each time its file is saved. The file is looked at rather than watched by inotify: editors replace
/// files in several ways, and folders on a network tell nobody.
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <tuple>

#include "cli/advice.hpp"
#include "cli/build_judge.hpp"
#include "cli/commands.hpp"
#include "cli/named_files.hpp"
#include "cli/selection.hpp"
#include "records/files.hpp"
#include "reports/terminal.hpp"

namespace course::cli {
namespace {

namespace fs = std::filesystem;

/// How long between two looks at the file. A save must also be this old, so that half a file is not graded.
constexpr int kLookMilliseconds = 100;
/// How many looks find no file before that is said: editors take a file away for a moment.
constexpr int kGoneLooks = 10;
constexpr char kControlC = 3;
constexpr char kControlD = 4;

/// Keys arrive one by one while this lives, Ctrl-C among them, so that the terminal is always left as it was.
class key_by_key {
 public:
  key_by_key() : is_terminal_(::isatty(0) == 1 && ::tcgetattr(0, &before_) == 0) {
    if (!is_terminal_) return;
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
    ::tcsetattr(0, TCSADRAIN, &raw);
  }
  key_by_key(const key_by_key&) = delete;
  key_by_key& operator=(const key_by_key&) = delete;
  ~key_by_key() {
    if (is_terminal_) ::tcsetattr(0, TCSADRAIN, &before_);
  }

 private:
  termios before_{};
  bool is_terminal_;
};

/// What changes when a file is saved, whichever way.
using file_state = std::tuple<ino_t, off_t, time_t, long>;

file_state state_of(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return {};
  return {status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

/// Waits for a key, or until the file is saved.
/// @param[in] gone what to say once if the file goes away meanwhile, or is not there.
/// @return the key; 0 for a save.
char key_or_save(const fs::path& file, file_state graded, const std::string& gone) {
  const key_by_key keys;
  file_state seen = graded;
  int gone_looks = 0;
  bool input_open = true;
  while (true) {
    pollfd input{0, POLLIN, 0};
    const int ready = ::poll(&input, input_open ? 1 : 0, kLookMilliseconds);
    if (ready > 0) {
      char key = 0;
      // Without anybody at the keyboard (input from a file that has ended) saves are still graded.
      if (::read(0, &key, 1) <= 0) {
        input_open = false;
      } else {
        return key;
      }
    }
    const file_state now = state_of(file);
    gone_looks = now == file_state{} ? gone_looks + 1 : 0;
    if (gone_looks == kGoneLooks) {
      fmt::print("{}\n", gone);
      std::fflush(stdout);
    }
    // Settled, there (editors take a file away for a moment), and another one than was graded.
    if (now == seen && now != graded && now != file_state{}) return 0;
    seen = now;
  }
}

}  // namespace

int watch(const build_folder& build, const grade_options& options) {
  if (options.words.size() != 1)
    throw environment_error("Name the exercise to watch: ./course watch EXERCISE");
  check_named_files(build, options.words);
  if (const exercise_id* flat = exercise_of_flat_file(build, options.words.front()))
    throw environment_error(
        fmt::format("A watch needs a tree: put the file at FOLDER/{0}/{1}/{1}.cu and watch it there.",
                    flat->chapter, flat->name));
  const reports::terminal out = reports::terminal::of(1);
  exercise_id exercise = select_one(build, options.words.front());
  grade_options grading = options;
  if (grading.tree.empty()) grading.tree = tree_of_words(build, options.words).string();
  const auto say = [](const auto& work) {
    // Whatever goes wrong is said, and the watch goes on.
    try {
      work();
    } catch (const std::exception& problem) {
      fmt::print("{}\n", problem.what());
    }
  };
  bool grade_now = true;
  file_state
      graded;  // as it was graded: what is saved while a report is read or a prediction typed is not missed
  while (true) {
    const tree graded_tree =
        grading.tree.empty() ? tree_of_environment(build) : resolve_tree(build, grading.tree);
    const fs::path file = graded_tree.source(exercise);
    if (grade_now) {
      graded = state_of(file);
      if (out.is_terminal()) fmt::print("\033[H\033[2J");
      grading.words = {exercise.name};
      say([&] { grade(build, grading); });
    }
    grade_now = false;
    fmt::print("\n{}\n",
               out.dim(fmt::format(
                   "Watching {}: save it to grade it. h hint, r report, p predict, g grade, n next, q quit",
                   file.string())));
    std::fflush(stdout);
    const std::string gone =
        fmt::format("{}.cu is gone: the watch waits until it is back{}", exercise.name,
                    graded_tree.id == kExercises
                        ? fmt::format("; ./course reset {} brings the starter back.", exercise.name)
                        : std::string("."));
    switch (key_or_save(file, graded, gone)) {
      case 0:
      case 'g':
      case '\n':
        grade_now = true;
        break;
      case 'h':
        say([&] { hint(build, {exercise.name, grading.tree}); });
        break;
      case 'r':
        say([&] { report(build, {exercise.name}, grading.tree); });
        break;
      case 'p':
        say([&] { predict(build, {exercise.name, grading.tree}); });
        break;
      case 'n':
        if (const auto found = next_exercise(build, graded_tree, exercise.name);
            found && found->name != exercise.name) {
          if (build_judge(build, *found)) exercise = *found, grade_now = true;
        } else {
          fmt::print("No other exercise is left without a pass.\n");
        }
        break;
      case 'q':
      case kControlC:
      case kControlD:
        return 0;
      default:
        break;
    }
  }
}

}  // namespace course::cli
