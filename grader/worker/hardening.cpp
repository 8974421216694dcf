/// @file
/// See hardening.hpp.
#include "worker/hardening.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>

#include "protocol/names.hpp"

namespace course::worker {
namespace {

void set_limit(int which, unsigned long value) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(which), &limit) != 0) return;
  if (limit.rlim_max != RLIM_INFINITY && value > limit.rlim_max) value = limit.rlim_max;
  limit.rlim_cur = limit.rlim_max = value;
  ::setrlimit(static_cast<__rlimit_resource>(which), &limit);
}

// The kernel's structure as of Landlock's sixth version; older headers lack the last fields, older kernels
// ignore them by size.
struct landlock_rules {
  std::uint64_t handled_access_fs = 0;
  std::uint64_t handled_access_net = 0;
  std::uint64_t scoped = 0;
};

bool allow_beneath(int rules, const char* path, std::uint64_t access) {
  const int folder = ::open(path, O_PATH | O_CLOEXEC);
  if (folder < 0) return false;
  landlock_path_beneath_attr rule{};
  rule.allowed_access = access;
  rule.parent_fd = folder;
  const auto status = ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  ::close(folder);
  return status == 0;
}

bool enter_landlock(const std::string& private_folder) {
  const auto version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return false;
  constexpr std::uint64_t kRefer = 1u << 13, kTruncate = 1u << 14, kScopeSignal = 1u << 1,
                          kScopeAbstractSocket = 1u << 0;
  std::uint64_t writes = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                         LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                         LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                         LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                         LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
  if (version >= 2) writes |= kRefer;
  if (version >= 3) writes |= kTruncate;
  landlock_rules wanted;
  wanted.handled_access_fs = writes;
  std::size_t size = sizeof wanted.handled_access_fs;
  if (version >= 6) {
    wanted.scoped = kScopeSignal | kScopeAbstractSocket;
    size = sizeof wanted;
  }
  const int rules = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &wanted, size, 0));
  if (rules < 0) return false;
  const std::uint64_t files = LANDLOCK_ACCESS_FS_WRITE_FILE | (version >= 3 ? kTruncate : 0);
  allow_beneath(rules, "/dev", files);        // the driver's devices, /dev/null
  allow_beneath(rules, "/proc/self", files);  // names of the driver's threads
  if (!private_folder.empty()) allow_beneath(rules, private_folder.c_str(), writes);
  const bool entered = ::syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  ::close(rules);
  return entered;
}

#if defined(__x86_64__) || defined(__aarch64__)
#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

constexpr std::uint32_t argument(int index) {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) +
                                    8 * static_cast<std::size_t>(index));  // low half
}

bool enter_seccomp() {
  const auto self = static_cast<std::uint32_t>(::getpid());
  const std::uint32_t deny = SECCOMP_RET_ERRNO | EPERM;
  std::vector<sock_filter> program;
  const auto load = [&](std::uint32_t offset) {
    program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
  };
  const auto answer = [&](std::uint32_t value) { program.push_back(BPF_STMT(BPF_RET | BPF_K, value)); };
  const auto deny_call = [&](long number, std::uint32_t with) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 1));
    answer(with);
  };
  // Denied unless the first argument, a process id, is our own.
  const auto own_only = [&](long number) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 4));
    load(argument(0));
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, self, 0, 1));
    answer(SECCOMP_RET_ALLOW);
    answer(deny);
  };

  load(offsetof(seccomp_data, arch));
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0));
  answer(deny);
  load(offsetof(seccomp_data, nr));
  own_only(SYS_kill);
  own_only(SYS_tgkill);
  deny_call(SYS_tkill, deny);
  deny_call(SYS_ptrace, deny);
  deny_call(SYS_process_vm_writev, deny);
  deny_call(SYS_process_vm_readv, deny);
  deny_call(SYS_pidfd_send_signal, deny);
  deny_call(SYS_pidfd_open, deny);
  deny_call(SYS_rt_sigqueueinfo, deny);
  deny_call(SYS_rt_tgsigqueueinfo, deny);
  deny_call(SYS_setpgid, deny);
  deny_call(SYS_setsid, deny);
  deny_call(SYS_execve, deny);
  deny_call(SYS_execveat, deny);
#ifdef SYS_fork
  deny_call(SYS_fork, deny);
  deny_call(SYS_vfork, deny);
#endif
  // clone3 hides its flags behind a pointer; saying "no such call" makes the C library use clone, whose flags
  // we can see.
  deny_call(SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(SYS_clone), 0, 4));
  load(argument(0));
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0));
  answer(deny);
  answer(SECCOMP_RET_ALLOW);
  answer(SECCOMP_RET_ALLOW);

  sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  // TSYNC: the driver's threads obey as well.
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0) return true;
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}
#else
bool enter_seccomp() {
  return false;
}
#endif

}  // namespace

void detach_from_parent() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpgid(0, 0);
#ifdef SYS_close_range
  if (::syscall(SYS_close_range, protocol::kArenaDescriptor + 1, ~0u, 0) == 0) return;
#endif
  for (int descriptor = protocol::kArenaDescriptor + 1; descriptor < 1024; ++descriptor) ::close(descriptor);
}

std::vector<std::string> harden(const limits& ceilings, const std::string& private_folder) {
  std::vector<std::string> measures;
  set_limit(RLIMIT_CORE, 0);
  if (ceilings.cpu_seconds) set_limit(RLIMIT_CPU, ceilings.cpu_seconds);
  if (ceilings.file_bytes) set_limit(RLIMIT_FSIZE, ceilings.file_bytes);
  if (ceilings.open_files) set_limit(RLIMIT_NOFILE, ceilings.open_files);
  measures.emplace_back("limits");
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
    measures.emplace_back("no_new_privileges");
    if (enter_landlock(private_folder)) measures.emplace_back("landlock");
    if (enter_seccomp()) measures.emplace_back("seccomp");
  }
  return measures;
}

}  // namespace course::worker
