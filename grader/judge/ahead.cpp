/// @file
/// See ahead.hpp.
#include "judge/ahead.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "judge/machine_memory.hpp"
#include "judge/spawn.hpp"
#include "records/files.hpp"
#include "records/json_fields.hpp"
#include "records/run_id.hpp"
#include "records/verdict.hpp"

extern char** environ;

namespace course {
namespace {

constexpr const char* kAheadVariable = "COURSE_AHEAD";
constexpr int kWordDescriptor = 3;      // the descriptor on which the other process is told
constexpr char kRightWord = 'r';        // the word
constexpr int kStepsAside = 5;          // of niceness: while correctness is checked, that comes first
constexpr double kAheadPatience = 300;  // seconds; then the bandwidth test counts by itself
// Three simulated devices live at the same time in place of two.
constexpr std::size_t kEnoughMemory = std::size_t{6} << 30;

std::string ahead_word() {
  const char* const value = std::getenv(kAheadVariable);
  return value ? value : "";
}

std::filesystem::path file_of(const environment& here, const grading_task& task) {
  return here.results / here.tree_id / task.chapter / (task.name + ".bandwidth.json");
}

std::vector<std::string> variables_of_counting(const environment& here) {
  std::vector<std::string> all;
  for (char** variable = environ; variable && *variable; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with(std::string(kAheadVariable) + "=")) all.emplace_back(text);
  }
  all.push_back(std::string(kAheadVariable) + "=counting");
  if (here.seed) all.push_back(fmt::format("COURSE_SEED={}", here.seed));
  return all;
}

}  // namespace

counting_ahead::counting_ahead(const environment& here) {
  if (ahead_word() != "1" || here.device == device_choice::gpu || memory_of_machine() < kEnoughMemory) return;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  // Its words would be taken for correctness's.
  const auto problem =
      error || nowhere < 0
          ? "no program"
          : spawn(self, {"--gtest_filter=*.bandwidth"}, variables_of_counting(here),
                  {{nowhere, STDOUT_FILENO}, {nowhere, STDERR_FILENO}, {ends[0], kWordDescriptor}}, process_);
  if (nowhere >= 0) ::close(nowhere);
  ::close(ends[0]);
  word_ = ends[1];
  if (!problem.empty()) stop();
}

counting_ahead::~counting_ahead() {
  stop();
}

void counting_ahead::stop() {
  if (process_ > 0) {
    ::kill(-process_, SIGKILL);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (word_ >= 0) ::close(word_);
  process_ = word_ = -1;
}

void counting_ahead::end(bool passed, const environment& here, const grading_task& task) {
  if (process_ <= 0) return;
  using clock = std::chrono::steady_clock;
  const auto deadline = clock::now() + std::chrono::duration_cast<clock::duration>(
                                           std::chrono::duration<double>(kAheadPatience));
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before);
  bool done = false;
  if (passed && ::write(word_, &kRightWord, 1) == 1) {
    int status = 0;
    while (!done && clock::now() < deadline) {
      done = ::waitpid(process_, &status, WNOHANG) == process_;
      if (!done) ::usleep(1000);
    }
    if (done) process_ = -1;
  }
  ::sigaction(SIGPIPE, &before, nullptr);
  stop();
  // What it left when it began is of a test that was not run.
  std::error_code error;
  if (!done) std::filesystem::remove(file_of(here, task), error);
}

bool counts_ahead() {
  static const bool does = [] {
    if (ahead_word() != "counting") return false;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // an interrupted grading leaves nothing behind
    ::setpriority(PRIO_PROCESS, 0, kStepsAside);
    return true;
  }();
  return does;
}

void wait_for_correctness() {
  char word = 0;
  ssize_t got = 0;
  do got = ::read(kWordDescriptor, &word, 1);
  while (got < 0 && errno == EINTR);
  if (got != 1 || word != kRightWord) ::_exit(0);
}

std::optional<counted_result> counted_by_then(const environment& here, const grading_task& task) {
  const auto run = run_id_of_ctest();
  const auto text = read_file(file_of(here, task));
  if (ahead_word() != "1" || run.empty() || !text) return std::nullopt;
  const auto found = nlohmann::json::parse(*text, nullptr, false);
  counted_result counted{text_of(found, "verdict"), text_of(found, "cause"), text_of(found, "headline")};
  if (text_of(found, "run") != run || counted.verdict.empty() || counted.cause == cause::no_result)
    return std::nullopt;
  return counted;
}

}  // namespace course
