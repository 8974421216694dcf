/// @file
/// See call_filter.hpp.
#include "sandbox/call_filter.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <utility>

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41  // the C library names its memory; harmless
#endif

namespace course::sandbox {

call_filter::call_filter(std::uint32_t otherwise)
    : rules_(::seccomp_init(otherwise), ::seccomp_release), ok_(rules_ != nullptr) {}

void call_filter::rule(std::uint32_t what, const char* name, std::initializer_list<scmp_arg_cmp> condition) {
  const int number = ::seccomp_syscall_resolve_name(name);
  if (number < 0) return;  // not on this architecture
  ok_ = ok_ && ::seccomp_rule_add_array(rules_.get(), what, number, static_cast<unsigned>(condition.size()),
                                        condition.begin()) == 0;
}

void call_filter::rules(std::uint32_t what, std::initializer_list<const char*> names) {
  for (const char* name : names) rule(what, name);
}

void call_filter::deny_number(int number) {
  ok_ = ok_ && ::seccomp_rule_add_array(rules_.get(), kDenied, number, 0, nullptr) == 0;
}

bool call_filter::load() {
  if (!ok_) return false;
  // All threads obey, a driver's as well. A search tree instead of a chain: the simulated GPU's clock is not concerned, but a student waits
  // less. Without the last attribute older kernels slow down every load and store of a filtered process, to guard against speculation.
  for (const auto& [attribute, value] :
       {std::pair{SCMP_FLTATR_CTL_TSYNC, 1u}, std::pair{SCMP_FLTATR_ACT_BADARCH, kDenied},
        std::pair{SCMP_FLTATR_CTL_OPTIMIZE, 2u}, std::pair{SCMP_FLTATR_CTL_SSB, 1u}}) {
    ::seccomp_attr_set(rules_.get(), attribute, value);  // an old kernel may lack one: fine
  }
  return ::seccomp_load(rules_.get()) == 0;
}

void allow_ordinary_work(call_filter& calls) {
  const std::uint32_t allow = SCMP_ACT_ALLOW;
  const auto self = static_cast<std::uint64_t>(::getpid());

  // memory
  calls.rules(allow, {"brk", "mprotect", "munmap", "mremap", "madvise", "mincore", "msync", "mlock",
                      "munlock", "membarrier", "get_mempolicy"});
  // Shared memory of nobody's file is not counted as the process's own, so no limit would hold it.
  calls.rule(allow, "mmap", {lacks(3, MAP_SHARED)});
  calls.rule(allow, "mmap", {lacks(3, MAP_ANONYMOUS)});

  // threads, of this process only
  calls.rule(allow, "clone", {has(0, CLONE_THREAD)});
  // clone3 hides its flags behind a pointer: "no such call" makes the C library use clone.
  calls.rule(SCMP_ACT_ERRNO(ENOSYS), "clone3");
  calls.rules(allow,
              {"futex", "futex_waitv", "set_robust_list", "get_robust_list", "rseq", "set_tid_address",
               "gettid", "exit", "exit_group", "sched_yield", "arch_prctl", "getcpu", "restart_syscall"});
  calls.rules(allow, {"sched_getaffinity", "sched_getparam", "sched_getscheduler", "sched_get_priority_max",
                      "sched_get_priority_min"});
  calls.rule(allow, "sched_setaffinity", {is(0, 0)});
  for (const int option : {PR_SET_NAME, PR_GET_NAME, PR_SET_VMA})
    calls.rule(allow, "prctl", {is(0, static_cast<std::uint64_t>(option))});

  // signals, to oneself
  calls.rules(allow, {"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigsuspend",
                      "rt_sigtimedwait", "sigaltstack"});
  calls.rule(allow, "kill", {is(0, self)});
  calls.rule(allow, "tgkill", {is(0, self)});

  // time
  calls.rules(allow, {"clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "time",
                      "times"});

  // reading files, and descriptors that are open
  const std::uint64_t changes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY);
  calls.rule(allow, "openat", {lacks(2, changes)});
  calls.rule(allow, "open", {lacks(1, changes)});
  calls.rules(
      allow,
      {"close",  "close_range", "read",       "readv",    "pread64",    "preadv", "write",    "writev",
       "lseek",  "stat",        "lstat",      "fstat",    "newfstatat", "statx",  "statfs",   "fstatfs",
       "access", "faccessat",   "faccessat2", "readlink", "readlinkat", "getcwd", "getdents", "getdents64",
       "dup",    "dup2",        "dup3",       "poll",     "ppoll",      "select", "pselect6"});
  // With the others a signal could be sent to whoever is named as a descriptor's owner.
  for (const int command : {F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD, F_DUPFD_CLOEXEC})
    calls.rule(allow, "fcntl", {is(1, static_cast<std::uint64_t>(command))});
  calls.rule(allow, "ioctl", {is(1, TCGETS)});  // stdio asks whether it writes to a terminal

  // questions about oneself and the machine
  calls.rules(allow, {"getpid", "getppid", "getpgrp", "getuid", "geteuid", "getgid", "getegid", "getrlimit",
                      "getrusage", "uname", "sysinfo", "getrandom"});
  calls.rule(allow, "prlimit64", {is(0, 0)});
}

}  // namespace course::sandbox
