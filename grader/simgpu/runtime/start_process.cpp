/// @file
/// See start_process.hpp. The program lies beside this library: in an installed folder, and in a build tree.
#include "simgpu/runtime/start_process.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include "simgpu/link/channel.hpp"

namespace simgpu::runtime {
namespace {

/// The descriptors under which the new process finds its sockets; all others are closed there.
constexpr int kDoor = 3, kGrader = 4;
constexpr int kAbove = 10;

std::optional<std::filesystem::path> program() {
  namespace fs = std::filesystem;
  Dl_info here;
  if (dladdr(reinterpret_cast<const void*>(&start_device_process), &here) == 0) return std::nullopt;
  std::error_code error;
  const fs::path folder = fs::canonical(here.dli_fname, error).parent_path();
  for (const char* const below : {".", "simgpu", "simgpu-dropin"})
    if (fs::path candidate = folder / below / "simgpu-device"; fs::exists(candidate, error)) return candidate;
  return std::nullopt;
}

/// Ours, but for what the loader would put into the new process as well.
std::vector<char*> environment() {
  std::vector<char*> all;
  for (char** each = environ; *each != nullptr; ++each)
    if (!std::string_view(*each).starts_with("LD_PRELOAD=")) all.push_back(*each);
  all.push_back(nullptr);
  return all;
}

/// Away from the numbers that the new process wants to have for them.
void move_up(int& descriptor) {
  const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, kAbove);
  if (moved < 0) return;
  ::close(descriptor);
  descriptor = moved;
}

class Spawn {
 public:
  Spawn() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~Spawn() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

}  // namespace

std::optional<DeviceProcess> start_device_process(std::string& problem) {
  const auto path = program();
  if (!path) {
    problem = "simgpu-device is missing beside the library: install simgpu again.";
    return std::nullopt;
  }
  auto door = link::connected_sockets(), grader = link::connected_sockets();
  if (!door || !grader) {
    problem = fmt::format("the system gives no sockets ({}).", std::strerror(errno));
    return std::nullopt;
  }
  for (int* const each : {&door->ours, &door->theirs, &grader->ours, &grader->theirs}) move_up(*each);
  Spawn spawn;
  posix_spawn_file_actions_adddup2(&spawn.actions, door->theirs, kDoor);
  posix_spawn_file_actions_adddup2(&spawn.actions, grader->theirs, kGrader);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&spawn.attributes, &none);
  posix_spawnattr_setsigdefault(&spawn.attributes, &all);
  posix_spawnattr_setflags(&spawn.attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::string name = path->string();
  char* const arguments[] = {name.data(), nullptr};
  pid_t child = 0;
  const int error =
      ::posix_spawn(&child, name.c_str(), &spawn.actions, &spawn.attributes, arguments, environment().data());
  ::close(door->theirs);
  ::close(grader->theirs);
  int status = 0;
  if (error == 0) {
    // What was started leaves the device behind as nobody's child, and ends.
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (error != 0 || (WIFEXITED(status) && WEXITSTATUS(status) != 0) || WIFSIGNALED(status)) {
    problem =
        fmt::format("{} does not start ({}).", name, error != 0 ? std::strerror(error) : "it ended at once");
    ::close(door->ours);
    ::close(grader->ours);
    return std::nullopt;
  }
  return DeviceProcess{door->ours, grader->ours};
}

}  // namespace simgpu::runtime
