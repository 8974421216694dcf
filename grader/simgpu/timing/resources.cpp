/// @file
/// Reading ptxas' words, and running it; see resources.hpp.
#include "simgpu/timing/resources.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>
#include <vector>

extern char** environ;

namespace simgpu::timing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto kPatience = 60s;

// The number in front of @p words, as in "Used 32 registers, used 1 barriers, 1024 bytes smem".
std::optional<std::uint32_t> number_before(std::string_view line, std::string_view words) {
  const std::size_t at = line.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  std::uint32_t value = 0;
  if (std::from_chars(line.data() + begin, line.data() + at, value).ec != std::errc{}) return std::nullopt;
  return value;
}

std::string_view between(std::string_view line, std::string_view before, char after) {
  const std::size_t at = line.find(before);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at + before.size();
  return line.substr(begin, line.find(after, begin) - begin);
}

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

bool is_executable(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

// Looked up once: it does not move while a program runs.
const std::optional<fs::path>& find_ptxas() {
  static const std::optional<fs::path> found = []() -> std::optional<fs::path> {
    for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"}) {
      const char* const root = std::getenv(variable);
      if (root != nullptr && *root != '\0' && is_executable(fs::path(root) / "bin" / "ptxas")) {
        return fs::path(root) / "bin" / "ptxas";
      }
    }
    const char* const path = std::getenv("PATH");
    std::string_view rest = path == nullptr ? "" : path;
    while (!rest.empty()) {
      const std::string_view folder = rest.substr(0, rest.find(':'));
      rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
      if (!folder.empty() && is_executable(fs::path(folder) / "ptxas")) return fs::path(folder) / "ptxas";
    }
    if (is_executable("/usr/local/cuda/bin/ptxas")) return "/usr/local/cuda/bin/ptxas";
    return std::nullopt;
  }();
  return found;
}

std::optional<fs::path> cache_folder() {
  fs::path folder;
  const char* const xdg = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  if (xdg != nullptr && *xdg == '/') {
    folder = fs::path(xdg) / "simgpu";
  } else if (home != nullptr && *home == '/') {
    folder = fs::path(home) / ".cache" / "simgpu";
  } else {
    return std::nullopt;
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return std::nullopt;
  return folder;
}

// FNV-1a, twice with different starts: 128 bits, far more than a cache of this kind needs.
std::string hash_of(std::initializer_list<std::string_view> texts) {
  std::uint64_t first = 0xCBF29CE484222325u, second = 0x9AE16A3B2F90404Fu;
  for (const std::string_view text : texts) {
    for (const char c : text) {
      first = (first ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
      second = (second ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
      second ^= second >> 29;
    }
    first = (first ^ 0x1FF) * 0x100000001B3u;  // no text may run into the next
    second = (second ^ 0x1FF) * 0x100000001B3u;
  }
  constexpr char kHex[] = "0123456789abcdef";
  std::string result;
  for (const std::uint64_t half : {first, second}) {
    for (int shift = 60; shift >= 0; shift -= 4) result += kHex[(half >> shift) & 15];
  }
  return result;
}

// A file of our own that is gone when this is.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& folder) : path_((folder / "simgpu-XXXXXX").string()) {
    descriptor_ = mkostemp(path_.data(), O_CLOEXEC);
  }
  ~TemporaryFile() {
    if (descriptor_ < 0) return;
    close(descriptor_);
    if (!kept_) unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  bool ok() const { return descriptor_ >= 0; }
  const std::string& path() const { return path_; }
  bool write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t wrote = ::write(descriptor_, text.data(), text.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(wrote));
    }
    return true;
  }
  // Gives the file its name in one step, so that a reader sees all of it or nothing.
  void rename_to(const fs::path& target) {
    std::error_code error;
    fs::rename(path_, target, error);
    kept_ = !error;
  }

 private:
  std::string path_;
  int descriptor_ = -1;
  bool kept_ = false;
};

// @return whether the child exited with 0 in time. A program that ignores SIGCHLD never learns the status:
// then the output decides.
bool wait_for(pid_t child) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    int status = 0;
    const pid_t done = waitpid(child, &status, WNOHANG);
    if (done == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (done < 0 && errno != EINTR) return errno == ECHILD;
    if (std::chrono::steady_clock::now() > deadline) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return false;
    }
    std::this_thread::sleep_for(1ms);
  }
}

std::optional<std::string> run_ptxas(const fs::path& ptxas, std::string_view ptx,
                                     const std::string& architecture) {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  if (error) return std::nullopt;
  TemporaryFile source(folder), output(folder);
  if (!source.ok() || !output.ok() || !source.write(ptx)) return std::nullopt;

  std::vector<std::string> words = {ptxas.string(), "-arch=" + architecture, "-v", source.path(), "-o",
                                    "/dev/null"};
  // Functions of the device's runtime are in no text: what calls them is not linked to the end.
  if (ptx.find("__cudaCDP2") != std::string_view::npos) words.push_back("-c");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.path().c_str(), O_WRONLY | O_APPEND, 0);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int failed = posix_spawn(&child, ptxas.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0 || !wait_for(child)) return std::nullopt;
  return read_file(output.path());
}

}  // namespace

const KernelResources* ResourceReport::find(std::string_view kernel) const {
  const auto found = kernels.find(kernel);
  return found == kernels.end() ? nullptr : &found->second;
}

ResourceReport parse_resource_report(std::string_view text, std::string_view architecture) {
  ResourceReport report;
  std::string current;          // entry being compiled, empty while it is of another architecture
  bool own_properties = false;  // the properties that follow are the entry's own, not a called function's
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.find("Compiling entry function '") != std::string_view::npos) {
      std::string_view target = between(line, "' for '", '\'');
      if (target.starts_with(architecture)) target.remove_prefix(architecture.size());
      const bool wanted = target.empty() || target == "a";
      current = wanted ? std::string(between(line, "Compiling entry function '", '\'')) : std::string();
      if (!current.empty()) report.kernels.try_emplace(current);
      own_properties = false;
      continue;
    }
    if (line.find("Function properties for ") != std::string_view::npos) {
      std::string_view name = between(line, "Function properties for ", '\r');
      while (!name.empty() && (name.back() == ' ' || name.back() == '\'')) name.remove_suffix(1);
      while (!name.empty() && (name.front() == ' ' || name.front() == '\'')) name.remove_prefix(1);
      own_properties = !current.empty() && name == current;
      continue;
    }
    if (current.empty()) continue;
    KernelResources& kernel = report.kernels[current];
    if (const auto stack = number_before(line, " bytes stack frame"); stack && own_properties) {
      kernel.stack_bytes = *stack;
      kernel.spill_store_bytes = number_before(line, " bytes spill stores").value_or(0);
      kernel.spill_load_bytes = number_before(line, " bytes spill loads").value_or(0);
      own_properties = false;
    } else if (const auto registers = number_before(line, " registers"); registers) {
      kernel.registers = *registers;
      kernel.static_shared_bytes = number_before(line, " bytes smem").value_or(0);
      kernel.stack_bytes = number_before(line, " bytes cumulative stack size").value_or(kernel.stack_bytes);
    }
  }
  // An entry without its "Used ... registers" line was not compiled to the end.
  std::erase_if(report.kernels, [](const auto& entry) { return entry.second.registers == 0; });
  return report;
}

fs::path resource_report_path(const fs::path& binary) {
  fs::path path = binary;
  path += ".resources.txt";
  return path;
}

std::optional<ResourceReport> read_resource_report(const fs::path& file) {
  const auto text = read_file(file);
  if (!text) return std::nullopt;
  ResourceReport report = parse_resource_report(*text);
  if (report.kernels.empty()) return std::nullopt;
  return report;
}

std::optional<ResourceReport> compile_resource_report(std::string_view ptx) {
  const auto& ptxas = find_ptxas();
  if (!ptxas) return std::nullopt;
  // Texts for the architecture-specific sm_90a are refused under plain sm_90.
  const std::string architecture =
      ptx.substr(0, 4096).find("sm_90a") != std::string_view::npos ? "sm_90a" : "sm_90";
  // Another ptxas may decide otherwise: its size and age stand for its version, without starting it.
  struct stat about {};
  stat(ptxas->c_str(), &about);
  const std::string version = std::to_string(about.st_size) + ":" + std::to_string(about.st_mtime);
  const auto folder = cache_folder();
  const fs::path cached =
      folder ? *folder / (hash_of({ptx, ptxas->string(), version, architecture}) + ".txt") : fs::path();
  if (folder) {
    if (auto report = read_resource_report(cached)) return report;
  }
  const auto text = run_ptxas(*ptxas, ptx, architecture);
  if (!text) return std::nullopt;
  ResourceReport report = parse_resource_report(*text);
  if (report.kernels.empty()) return std::nullopt;
  if (folder) {
    TemporaryFile fresh(*folder);
    if (fresh.ok() && fresh.write(*text)) fresh.rename_to(cached);
  }
  return report;
}

}  // namespace simgpu::timing
