/// @file
/// See spawn.hpp.
#include "judge/spawn.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace course {
namespace {

// Above all numbers under which a child finds something: dup2 must not overwrite a descriptor that is still to be copied.
constexpr int kOutOfTheWay = 100;

std::vector<char*> as_c(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (auto& each : texts) all.push_back(each.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

std::string spawn(const std::filesystem::path& program, std::vector<std::string> arguments,
                  std::vector<std::string> variables, const std::vector<passed_descriptor>& descriptors,
                  pid_t& process) {
  process = -1;
  std::error_code error;
  if (!std::filesystem::exists(program, error))
    return fmt::format("{} is missing: build the course again", program.string());
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  std::vector<int> copies;  // none of them survives the exec by itself
  bool copied = true;
  for (const auto& one : descriptors) {
    if (one.ours < 0) continue;
    copies.push_back(::fcntl(one.ours, F_DUPFD_CLOEXEC, kOutOfTheWay));
    copied = copied && copies.back() >= 0;
    if (copied) ::posix_spawn_file_actions_adddup2(&actions, copies.back(), one.theirs);
  }
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  arguments.insert(arguments.begin(), program.string());
  const auto argument_list = as_c(arguments), environment = as_c(variables);
  const int status = copied ? ::posix_spawn(&process, program.c_str(), &actions, &attributes,
                                            argument_list.data(), environment.data())
                            : EMFILE;
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  for (const int each : copies) {
    if (each >= 0) ::close(each);
  }
  if (status == 0) return {};
  process = -1;
  return fmt::format("{} cannot be started: {}", program.string(), std::strerror(status));
}

void inherit(std::vector<std::string>& variables, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const char* const value = std::getenv(name)) variables.push_back(std::string(name) + "=" + value);
  }
}

}  // namespace course
