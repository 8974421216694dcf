/// @file
/// See system_calls.hpp.
#include "worker/system_calls.hpp"

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdint>

#include "sandbox/call_filter.hpp"

namespace course::worker {
namespace {

using sandbox::call_filter;
using sandbox::has;
using sandbox::is;
using sandbox::is_not;
using sandbox::lacks;
using sandbox::low_half_is;

const std::uint32_t kDeny = sandbox::kDenied;

/// What a program on the simulated GPU needs.
bool filter_for_simulated_device() {
  call_filter calls(kDeny);
  sandbox::allow_ordinary_work(calls);
  calls.rules(SCMP_ACT_ALLOW, {"recvfrom", "sendto"});  // the conversation with the judge
  return calls.load();
}

/// What may not be done beside a real driver.
bool filter_beside_driver() {
  call_filter calls(SCMP_ACT_ALLOW);
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
