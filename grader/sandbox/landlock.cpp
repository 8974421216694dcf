/// @file
/// Implementation of landlock.hpp. The C library has no functions for it, and the kernel's header may be
/// older than the kernel, so the newer rights are written out.
#include "sandbox/landlock.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace course::sandbox {
namespace {

constexpr std::uint64_t kRefer = 1u << 13;     // version 2: renaming from folder to folder
constexpr std::uint64_t kTruncate = 1u << 14;  // version 3
constexpr std::uint64_t kScopeAbstractSocket = 1u << 0, kScopeSignal = 1u << 1;  // version 6

constexpr std::uint64_t kReading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kWriting = LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;
constexpr std::uint64_t kMaking =
    LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM | kRefer;
constexpr std::uint64_t kAll = kReading | LANDLOCK_ACCESS_FS_EXECUTE | kWriting | kMaking;
constexpr std::uint64_t kOfFiles = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE | kWriting;

std::uint64_t rights(access what) {
  switch (what) {
    case access::read:
      return kReading;
    case access::execute:
      return kReading | LANDLOCK_ACCESS_FS_EXECUTE;
    case access::write:
      return kReading | kWriting;
    case access::everything:
      return kAll;
  }
  return 0;
}

// The kernel's structure as of Landlock's sixth version. A kernel takes a longer one than it knows as long as
// the rest is zero.
struct ruleset {
  std::uint64_t handled_access_fs = 0;
  std::uint64_t handled_access_net = 0;
  std::uint64_t scoped = 0;
};

}  // namespace

int file_rules::version() {
  const auto found = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return static_cast<int>(std::max(0l, found));
}

file_rules::file_rules() {
  const int known = version();
  if (known < 1) return;
  handled_ = kAll;
  if (known < 2) handled_ &= ~kRefer;
  if (known < 3) handled_ &= ~kTruncate;
  ruleset wanted;
  wanted.handled_access_fs = handled_;
  if (known >= 6) wanted.scoped = kScopeSignal | kScopeAbstractSocket;
  rules_ = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &wanted, sizeof wanted, 0));
}

file_rules::~file_rules() {
  for (const int descriptor : held_) ::close(descriptor);
  if (rules_ >= 0) ::close(rules_);
}

void file_rules::allow(const std::filesystem::path& place, access what) {
  if (rules_ < 0) return;
  const int descriptor = ::open(place.c_str(), O_PATH | O_CLOEXEC);
  if (descriptor < 0) return;
  struct stat info {};
  ::fstat(descriptor, &info);
  landlock_path_beneath_attr rule{};
  rule.allowed_access = rights(what) & handled_ & (S_ISDIR(info.st_mode) ? kAll : kOfFiles);
  rule.parent_fd = descriptor;
  ::syscall(SYS_landlock_add_rule, rules_, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  // Kept open: a rule is about an inode, and /proc makes new ones of the same names as soon as nobody holds
  // the old ones.
  held_.push_back(descriptor);
}

bool file_rules::enter() const {
  return rules_ >= 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_landlock_restrict_self, rules_, 0) == 0;
}

}  // namespace course::sandbox
