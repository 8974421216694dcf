/// @file
/// See hardening.hpp.
#include "worker/hardening.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "protocol/names.hpp"
#include "sandbox/limits.hpp"
#include "worker/file_access.hpp"
#include "worker/system_calls.hpp"

namespace course::worker {

using sandbox::data_bytes;
using sandbox::set_limit;

void detach_from_parent() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpgid(0, 0);
  // Where memory runs out, the kernel is to end us and nobody else.
  std::ofstream("/proc/self/oom_score_adj") << 1000;
  const int last = std::getenv("SIMGPU_DOOR") ? protocol::kDoorDescriptor : protocol::kArenaDescriptor;
#ifdef SYS_close_range
  if (::syscall(SYS_close_range, last + 1, ~0u, 0) == 0) return;
#endif
  for (int descriptor = last + 1; descriptor < 1024; ++descriptor) ::close(descriptor);
}

std::vector<std::string> harden(const limits& ceilings, const std::string& plugin, bool simulated) {
  set_limit(RLIMIT_CORE, 0);
  if (ceilings.cpu_seconds) set_limit(RLIMIT_CPU, ceilings.cpu_seconds);
  if (ceilings.file_bytes) set_limit(RLIMIT_FSIZE, ceilings.file_bytes);
  if (ceilings.open_files) set_limit(RLIMIT_NOFILE, ceilings.open_files);
  // Not RLIMIT_AS: a device's addresses are reserved by the terabyte, and cost nothing until they are used.
  if (ceilings.memory_bytes) set_limit(RLIMIT_DATA, data_bytes() + ceilings.memory_bytes);
  std::vector<std::string> measures{"limits"};
  const auto say = [&](bool in_force, const std::string& word) {
    measures.push_back(in_force ? word : word + "_unavailable");
  };
  say(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no_new_privileges");
  say(keep_needed_files(plugin, simulated), "landlock");
  say(filter_system_calls(simulated), "seccomp");
  return measures;
}

}  // namespace course::worker
