/// @file
/// See cage.hpp. What closes it is the grader's (grader/sandbox): built without that, a device has no cage (no_cage.cpp).
#include "simgpu/process/cage.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <new>

#include "sandbox/call_filter.hpp"
#include "sandbox/landlock.hpp"
#include "sandbox/limits.hpp"

namespace simgpu::process {
namespace {

namespace sandbox = course::sandbox;

constexpr unsigned long kDescriptors = 64;

[[noreturn]] void memory_used_up() {
  constexpr char kSentence[] =
      "simgpu: the program has the device keep more than the memory that it may have on this machine.\n";
  const auto written = ::write(STDERR_FILENO, kSentence, sizeof kSentence - 1);
  (void)written;
  ::_exit(kMemoryUsedUp);
}

bool keep_files(const Cage& cage, int client) {
  static sandbox::file_rules rules;  // lives as long as the process, see file_rules::allow
  for (const std::string& each : cage.reads) rules.allow(each, sandbox::access::read);
  // Threads of the program are counted; its own memory maps are looked up for messages, and sanitizers ask for ours.
  for (const std::string& each :
       {std::string("/proc/self"), "/proc/" + std::to_string(client), std::string("/proc/meminfo"),
        std::string("/etc/localtime"), std::string("/sys/devices/system/cpu"),
        std::string("/sys/kernel/mm/transparent_hugepage")})
    rules.allow(each, sandbox::access::read);
  return rules.enter();
}

bool keep_calls() {
  sandbox::call_filter calls(sandbox::kDenied);
  sandbox::allow_ordinary_work(calls);
  // The two conversations, descriptors with the first texts, and pages that both sides have: some go back when they are freed.
  calls.rules(SCMP_ACT_ALLOW, {"sendto", "recvfrom", "sendmsg", "recvmsg", "getsockopt", "fallocate"});
  calls.rule(SCMP_ACT_ALLOW, "fcntl", {sandbox::is(1, F_GET_SEALS)});
  return calls.load();
}

}  // namespace

std::vector<std::string> enter(const Cage& cage, int client) {
  if (!cage.closed) return {};
  sandbox::set_limit(RLIMIT_CORE, 0);
  sandbox::set_limit(RLIMIT_FSIZE, 0);
  ::signal(SIGXFSZ, SIG_IGN);  // what it has to say may go to a file: then it goes unsaid
  sandbox::set_limit(RLIMIT_NOFILE, kDescriptors);
  if (cage.cpu_seconds != 0) sandbox::set_limit(RLIMIT_CPU, cage.cpu_seconds);
  // Not RLIMIT_AS: the device's addresses are reserved by the terabyte, and cost nothing until they are used.
  if (cage.private_bytes != 0) sandbox::set_limit(RLIMIT_DATA, sandbox::data_bytes() + cage.private_bytes);
  std::set_new_handler(memory_used_up);
  std::vector<std::string> measures{"limits"};
  const auto say = [&](bool in_force, const char* word) {
    measures.push_back(in_force ? word : std::string(word) + "_unavailable");
  };
  say(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no_new_privileges");
  say(keep_files(cage, client), "landlock");
  say(keep_calls(), "seccomp");
  return measures;
}

}  // namespace simgpu::process
