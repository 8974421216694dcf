/// @file
/// Implementation of process.hpp.
#include "build/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "records/files.hpp"

extern char** environ;

namespace course {
namespace {

using steady = std::chrono::steady_clock;

std::vector<std::string> environment_of(const process_request& request) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    const std::string_view key = text.substr(0, text.find('='));
    const bool dropped = std::find(request.unset_variables.begin(), request.unset_variables.end(), key) !=
                         request.unset_variables.end();
    const bool replaced = std::any_of(request.set_variables.begin(), request.set_variables.end(),
                                      [&](const auto& v) { return v.first == key; });
    if (!dropped && !replaced) result.emplace_back(text);
  }
  for (const auto& [key, value] : request.set_variables) result.push_back(key + "=" + value);
  return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& text : strings) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// Splits a stream into lines and hands them on.
class line_splitter {
 public:
  explicit line_splitter(const std::function<void(std::string_view)>& sink) : sink_(sink) {}
  void feed(std::string_view bytes) {
    if (!sink_) return;
    for (const char c : bytes) {
      if (c == '\n') {
        sink_(line_);
        line_.clear();
      } else if (line_.size() < 1 << 16) {
        line_ += c;
      }
    }
  }
  void finish() {
    if (sink_ && !line_.empty()) sink_(line_);
  }

 private:
  const std::function<void(std::string_view)>& sink_;
  std::string line_;
};

}  // namespace

std::filesystem::path find_program(const std::string& name) {
  const auto executable = [](const std::filesystem::path& file) {
    std::error_code error;
    return std::filesystem::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos)
    return executable(name) ? std::filesystem::absolute(name) : std::filesystem::path();
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "/usr/local/bin:/usr/bin:/bin";
  while (true) {
    const std::size_t colon = rest.find(':');
    const std::filesystem::path candidate = std::filesystem::path(rest.substr(0, colon)) / name;
    if (executable(candidate)) return std::filesystem::absolute(candidate);
    if (colon == std::string_view::npos) return {};
    rest.remove_prefix(colon + 1);
  }
}

process_result run_process(const process_request& request) {
  process_result result;
  const std::filesystem::path program = find_program(request.command.at(0));
  if (program.empty()) return result;

  // All memory is taken before fork(): the child only makes system calls.
  std::vector<std::string> arguments = request.command;
  std::vector<std::string> variables = environment_of(request);
  const std::vector<char*> argv = pointers_to(arguments);
  const std::vector<char*> envp = pointers_to(variables);
  const bool own_group = request.timeout_seconds > 0;

  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0)
    throw environment_error(std::string("Cannot make a pipe: ") + std::strerror(errno) + ".");
  const pid_t parent = ::getpid();
  const auto start = steady::now();
  const pid_t child = ::fork();
  if (child < 0) {
    ::close(pipe_ends[0]);
    ::close(pipe_ends[1]);
    throw environment_error(std::string("Cannot start another process: ") + std::strerror(errno) + ".");
  }
  if (child == 0) {
    if (own_group) ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);  // we were orphaned before prctl took hold
    const int null = ::open("/dev/null", O_RDONLY);
    ::dup2(null, 0);
    ::dup2(pipe_ends[1], 1);
    ::dup2(pipe_ends[1], 2);
    if (!request.folder.empty() && ::chdir(request.folder.c_str()) != 0) ::_exit(127);
    if (request.cpu_seconds) {
      const rlimit limit{request.cpu_seconds, request.cpu_seconds + 1};
      ::setrlimit(RLIMIT_CPU, &limit);
    }
    if (request.files) request.files->enter();
    ::execve(program.c_str(), argv.data(), envp.data());
    ::_exit(127);
  }
  if (own_group) ::setpgid(child, child);
  ::close(pipe_ends[1]);
  result.started = true;
  if (request.on_start) request.on_start(child);

  line_splitter lines(request.on_line);
  const auto deadline = start + std::chrono::duration_cast<steady::duration>(
                                    std::chrono::duration<double>(request.timeout_seconds));
  std::vector<char> buffer(1 << 16);
  bool open = true;
  bool exited = false;
  int status = 0;
  while (open) {
    int wait_ms = 200;
    if (own_group) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(deadline - steady::now()).count();
      if (left <= 0) {
        result.timed_out = true;
        break;
      }
      wait_ms = static_cast<int>(std::min<long long>(left, wait_ms));
    }
    pollfd poller{pipe_ends[0], POLLIN, 0};
    const int ready = ::poll(&poller, 1, wait_ms);
    if (ready < 0 && errno != EINTR) break;
    if (ready > 0) {
      const ssize_t count = ::read(pipe_ends[0], buffer.data(), buffer.size());
      if (count == 0 || (count < 0 && errno != EINTR)) open = false;
      if (count > 0) {
        const std::string_view bytes(buffer.data(), static_cast<std::size_t>(count));
        lines.feed(bytes);
        const std::size_t room =
            request.output_limit_bytes - std::min(request.output_limit_bytes, result.output.size());
        result.output += bytes.substr(0, room);
        if (bytes.size() > room) result.output_cut = true;
      }
    } else if (!exited && ::waitpid(child, &status, WNOHANG) == child) {
      // The program has ended, but something it started still holds the pipe: do not wait for that.
      exited = true;
      open = false;
    }
  }
  // A program may close its output before it ends: the deadline still holds.
  while (own_group && !exited && !result.timed_out) {
    if (::waitpid(child, &status, WNOHANG) == child) {
      exited = true;
    } else if (steady::now() >= deadline) {
      result.timed_out = true;
    } else {
      ::usleep(500);
    }
  }
  if (own_group) ::kill(-child, SIGKILL);  // and whatever it left behind
  if (!exited) {
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  ::close(pipe_ends[0]);
  lines.finish();
  result.seconds = std::chrono::duration<double>(steady::now() - start).count();
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

}  // namespace course
