/// @file
/// See system_calls.hpp. Calls are named as text, so that a name that this machine's architecture or
/// libseccomp does not know is skipped.
#include "worker/system_calls.hpp"

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <initializer_list>
#include <memory>

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41  // the C library names its memory; harmless
#endif

namespace course::worker {
namespace {

const std::uint32_t kDeny = SCMP_ACT_ERRNO(EPERM);

// The kernel reads an int argument's low half only. A rule that denies a value must do the same, or any bit
// above it would be a way around; a rule that allows one may look at all 64 bits, as callers extend.
constexpr std::uint64_t kLowHalf = 0xffffffff;

scmp_arg_cmp is(unsigned argument, std::uint64_t value) {
  return {argument, SCMP_CMP_EQ, value, 0};
}
scmp_arg_cmp is_not(unsigned argument, std::uint64_t value) {
  return {argument, SCMP_CMP_NE, value, 0};
}
scmp_arg_cmp low_half_is(unsigned argument, std::uint64_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, kLowHalf, value};
}
scmp_arg_cmp has(unsigned argument, std::uint64_t bits) {
  return {argument, SCMP_CMP_MASKED_EQ, bits, bits};
}
scmp_arg_cmp lacks(unsigned argument, std::uint64_t bits) {
  return {argument, SCMP_CMP_MASKED_EQ, bits, 0};
}

class filter {
 public:
  explicit filter(std::uint32_t otherwise) : rules_(::seccomp_init(otherwise), ::seccomp_release) {
    ok_ = rules_ != nullptr;
  }

  /// A rule for calls that meet @p condition.
  void rule(std::uint32_t what, const char* name, std::initializer_list<scmp_arg_cmp> condition = {}) {
    const int number = ::seccomp_syscall_resolve_name(name);
    if (number < 0) return;  // not on this architecture
    ok_ = ok_ && ::seccomp_rule_add_array(rules_.get(), what, number, static_cast<unsigned>(condition.size()),
                                          condition.begin()) == 0;
  }
  void rules(std::uint32_t what, std::initializer_list<const char*> names) {
    for (const char* name : names) rule(what, name);
  }
  /// For calls that are newer than libseccomp. Their numbers are the same on all architectures.
  void deny_number(int number) {
    ok_ = ok_ && ::seccomp_rule_add_array(rules_.get(), kDeny, number, 0, nullptr) == 0;
  }

  bool load() {
    if (!ok_) return false;
    // All threads obey, the driver's as well. A search tree instead of a chain: the simulated GPU's clock is
    // not concerned, but a student waits less. Without the last attribute older kernels slow down every
    // load and store of a filtered process, to guard against speculation.
    for (const auto& [attribute, value] :
         {std::pair{SCMP_FLTATR_CTL_TSYNC, 1u}, std::pair{SCMP_FLTATR_ACT_BADARCH, kDeny},
          std::pair{SCMP_FLTATR_CTL_OPTIMIZE, 2u}, std::pair{SCMP_FLTATR_CTL_SSB, 1u}}) {
      ::seccomp_attr_set(rules_.get(), attribute, value);  // an old kernel may lack one: fine
    }
    return ::seccomp_load(rules_.get()) == 0;
  }

 private:
  std::unique_ptr<void, decltype(&::seccomp_release)> rules_;
  bool ok_ = false;
};

/// What a program on the simulated GPU needs.
bool filter_for_simulated_device() {
  filter calls(kDeny);
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
  calls.rules(allow, {"recvfrom", "sendto"});   // the conversation with the judge

  // questions about oneself and the machine
  calls.rules(allow, {"getpid", "getppid", "getpgrp", "getuid", "geteuid", "getgid", "getegid", "getrlimit",
                      "getrusage", "uname", "sysinfo", "getrandom"});
  calls.rule(allow, "prlimit64", {is(0, 0)});
  return calls.load();
}

/// What may not be done beside a real driver.
bool filter_beside_driver() {
  filter calls(SCMP_ACT_ALLOW);
  const auto self = static_cast<std::uint64_t>(::getpid());

  // other processes: starting them, signals, tracing, their limits and priorities
  calls.rules(kDeny,
              {"fork", "vfork", "execve", "execveat", "tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
               "pidfd_open", "pidfd_getfd", "pidfd_send_signal", "ptrace", "process_vm_readv",
               "process_vm_writev", "process_madvise", "process_mrelease", "kcmp", "setpgid", "setsid"});
  calls.rule(kDeny, "clone", {lacks(0, CLONE_THREAD)});
  calls.rule(SCMP_ACT_ERRNO(ENOSYS), "clone3");  // see above
  for (const char* name : {"kill", "tgkill"}) calls.rule(kDeny, name, {is_not(0, self)});
  for (const char* name : {"prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setparam",
                           "sched_setattr", "move_pages", "migrate_pages"})
    calls.rule(kDeny, name, {is_not(0, 0)});
  calls.rules(kDeny, {"setpriority", "ioprio_set"});
  for (const int command : {F_SETOWN, F_SETOWN_EX, F_SETSIG})
    calls.rule(kDeny, "fcntl", {low_half_is(1, static_cast<std::uint64_t>(command))});
  for (const unsigned request : {0x8901u /* FIOSETOWN */, 0x8902u /* SIOCSPGRP */, unsigned{TIOCSTI}})
    calls.rule(kDeny, "ioctl", {low_half_is(1, request)});
  for (const int option : {PR_SET_PDEATHSIG, PR_SET_PTRACER, PR_SET_SECCOMP, PR_SET_MM})
    calls.rule(kDeny, "prctl", {low_half_is(0, static_cast<std::uint64_t>(option))});

  // files: making, renaming, removing, their rights, owners, times and attributes
  calls.rule(kDeny, "openat", {has(2, O_CREAT)});
  calls.rule(kDeny, "open", {has(1, O_CREAT)});
  calls.rule(kDeny, "openat", {has(2, O_TMPFILE)});
  calls.rule(kDeny, "open", {has(1, O_TMPFILE)});
  calls.rule(SCMP_ACT_ERRNO(ENOSYS), "openat2");  // its flags lie behind a pointer
  calls.rules(kDeny, {"creat",
                      "mkdir",
                      "mkdirat",
                      "mknod",
                      "mknodat",
                      "rename",
                      "renameat",
                      "renameat2",
                      "link",
                      "linkat",
                      "symlink",
                      "symlinkat",
                      "unlink",
                      "unlinkat",
                      "rmdir",
                      "truncate",
                      "chmod",
                      "fchmod",
                      "fchmodat",
                      "chown",
                      "fchown",
                      "lchown",
                      "fchownat",
                      "utime",
                      "utimes",
                      "futimesat",
                      "utimensat",
                      "setxattr",
                      "lsetxattr",
                      "fsetxattr",
                      "removexattr",
                      "lremovexattr",
                      "fremovexattr",
                      "name_to_handle_at",
                      "open_by_handle_at",
                      "fanotify_init"});
  for (const int number : {452 /* fchmodat2 */, 463 /* setxattrat */, 466 /* removexattrat */,
                           467 /* open_tree_attr */, 469 /* file_setattr */})
    calls.deny_number(number);

  // the network and the machine's services: the driver's own connections stand already
  calls.rules(kDeny, {"socket", "connect", "bind", "listen", "accept", "accept4"});
  calls.rules(kDeny,
              {"io_uring_setup", "io_uring_enter", "io_uring_register"});  // all of the above unfiltered

  // mounts, namespaces, identities, keys, the kernel
  calls.rules(kDeny, {"mount",
                      "umount2",
                      "move_mount",
                      "open_tree",
                      "fsopen",
                      "fsconfig",
                      "fsmount",
                      "fspick",
                      "mount_setattr",
                      "pivot_root",
                      "chroot",
                      "unshare",
                      "setns",
                      "setuid",
                      "setgid",
                      "setreuid",
                      "setregid",
                      "setresuid",
                      "setresgid",
                      "setgroups",
                      "setfsuid",
                      "setfsgid",
                      "capset",
                      "personality",
                      "add_key",
                      "request_key",
                      "keyctl",
                      "bpf",
                      "perf_event_open",
                      "userfaultfd",
                      "init_module",
                      "finit_module",
                      "delete_module",
                      "kexec_load",
                      "kexec_file_load",
                      "reboot",
                      "swapon",
                      "swapoff",
                      "quotactl",
                      "quotactl_fd",
                      "acct",
                      "syslog",
                      "settimeofday",
                      "clock_settime",
                      "clock_adjtime",
                      "adjtimex",
                      "sethostname",
                      "setdomainname",
                      "iopl",
                      "ioperm",
                      "vhangup",
                      "nfsservctl",
                      "lookup_dcookie",
                      "shmget",
                      "shmat",
                      "shmctl",
                      "msgget",
                      "msgsnd",
                      "semget",
                      "semop",
                      "mq_open",
                      "mq_unlink"});
  return calls.load();
}

}  // namespace

bool filter_system_calls(bool simulated) {
  return simulated ? filter_for_simulated_device() : filter_beside_driver();
}

}  // namespace course::worker
