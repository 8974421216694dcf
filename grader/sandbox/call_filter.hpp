/// @file
/// Which system calls a process keeps (the kernel's name is seccomp): rules by name, built with libseccomp and loaded once. The worker
/// and the simulated device write their lists with it; what is the same for every list stands here, so that no list can forget it.
#pragma once

#include <seccomp.h>

#include <cerrno>
#include <cstdint>
#include <initializer_list>
#include <memory>

namespace course::sandbox {

/// A denied call fails, and whoever made it goes on.
inline const std::uint32_t kDenied = SCMP_ACT_ERRNO(EPERM);

// Conditions on a call's arguments, counted from 0. The kernel reads an int argument's low half only. A rule that denies a value must do
// the same, or any bit above it would be a way around; a rule that allows one may look at all 64 bits, as callers extend.
inline scmp_arg_cmp is(unsigned argument, std::uint64_t value) {
  return {argument, SCMP_CMP_EQ, value, 0};
}
inline scmp_arg_cmp is_not(unsigned argument, std::uint64_t value) {
  return {argument, SCMP_CMP_NE, value, 0};
}
inline scmp_arg_cmp low_half_is(unsigned argument, std::uint64_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, 0xffffffff, value};
}
inline scmp_arg_cmp has(unsigned argument, std::uint64_t bits) {
  return {argument, SCMP_CMP_MASKED_EQ, bits, bits};
}
inline scmp_arg_cmp lacks(unsigned argument, std::uint64_t bits) {
  return {argument, SCMP_CMP_MASKED_EQ, bits, 0};
}

/// A list of rules. Calls are named as text, so that a name that this machine's architecture or libseccomp does not know is skipped.
class call_filter {
 public:
  /// @param otherwise for calls that no rule is about: kDenied or SCMP_ACT_ALLOW
  explicit call_filter(std::uint32_t otherwise);

  /// A rule for calls that meet @p condition.
  void rule(std::uint32_t what, const char* name, std::initializer_list<scmp_arg_cmp> condition = {});
  void rules(std::uint32_t what, std::initializer_list<const char*> names);
  /// For calls that are newer than libseccomp. Their numbers are the same on all architectures.
  void deny_number(int number);

  /// From now on, for all threads of this process and for good.
  /// @return false where the kernel has no seccomp; then nothing has changed.
  bool load();

 private:
  std::unique_ptr<void, decltype(&::seccomp_release)> rules_;
  bool ok_ = false;
};

/// Allows what every process of ours does that is denied the rest: memory of its own, threads of its own, signals to itself, time, reading
/// files, descriptors that are open. Files are opened for reading only; which ones, Landlock says.
void allow_ordinary_work(call_filter& calls);

}  // namespace course::sandbox
