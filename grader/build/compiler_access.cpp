/// @file
/// Implementation of compiler_access.hpp.
#include "build/compiler_access.hpp"

#include <string_view>

#include "build/process.hpp"

namespace course {
namespace fs = std::filesystem;
namespace {

using sandbox::access;

/// The folder above the bin/ of a program, as named and as its links lead.
void allow_prefix(sandbox::file_rules& rules, const fs::path& program) {
  std::error_code error;
  for (const fs::path& file : {program, fs::weakly_canonical(program, error)}) {
    const fs::path prefix = file.parent_path().parent_path();
    if (prefix.has_relative_path()) rules.allow(prefix, access::execute);
  }
}

}  // namespace

void allow_compilation(sandbox::file_rules& rules, const compilation_files& files) {
  for (const char* place : {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store"})
    rules.allow(place, access::execute);
  allow_prefix(rules, files.nvcc);
  std::string host_compiler = "g++";
  static constexpr std::string_view kFlag = "-ccbin=";
  for (const std::string& flag : files.flags)
    if (flag.starts_with(kFlag)) host_compiler = flag.substr(kFlag.size());
  if (const fs::path found = find_program(host_compiler); !found.empty()) allow_prefix(rules, found);

  for (const char* place :
       {"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload", "/etc/alternatives",
        "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/sys", "/sys/devices/system"}) {
    rules.allow(place, access::read);
  }
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"})
    rules.allow(device, access::write);

  // The headers alone: starters and tests lie beside them.
  for (const fs::path& header : files.contract) rules.allow(header, access::read);
  rules.allow(files.work, access::everything);
}

}  // namespace course
