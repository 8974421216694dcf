/// @file
/// See file_access.hpp.
#include "worker/file_access.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <sstream>
#include <string>

#include "sandbox/landlock.hpp"

namespace course::worker {
namespace {

namespace fs = std::filesystem;
using sandbox::access;

/// Folders of NVIDIA's libraries in this process: the driver loads more from there when it needs them.
int allow_folder_of(dl_phdr_info* library, std::size_t, void* rules) {
  const fs::path file = library->dlpi_name;
  const std::string name = file.filename().string();
  if (name.starts_with("libcuda.") || name.starts_with("libnvidia-")) {
    std::error_code error;
    static_cast<sandbox::file_rules*>(rules)->allow(fs::canonical(file, error).parent_path(), access::read);
    static_cast<sandbox::file_rules*>(rules)->allow(file.parent_path(), access::read);
  }
  return 0;
}

void allow_driver(sandbox::file_rules& rules) {
  for (const char* place :
       {"/proc/driver", "/proc/devices", "/proc/modules", "/proc/version", "/proc/sys", "/sys", "/etc/nvidia",
        "/usr/share/nvidia", "/usr/local/nvidia", "/usr/local/cuda", "/run/nvidia-persistenced"}) {
    rules.allow(place, access::read);
  }
  std::error_code error;
  for (const auto& node : fs::directory_iterator("/dev", error)) {
    const std::string name = node.path().filename().string();
    if (name.starts_with("nvidia") || name == "dxg") rules.allow(node.path(), access::write);
  }
  rules.allow("/proc/self", access::write);  // names of the driver's threads
  ::dl_iterate_phdr(allow_folder_of, &rules);
  const char* const listed = std::getenv("LD_LIBRARY_PATH");
  std::istringstream folders(listed ? listed : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (folder.starts_with('/') && fs::path(folder).has_relative_path()) rules.allow(folder, access::read);
  }
}

}  // namespace

bool keep_needed_files(const fs::path& plugin, bool simulated) {
  // What nvcc links plugins to, loaded now: it may lie where a compiler keeps its own libraries.
  for (const char* library : {"libstdc++.so.6", "libgcc_s.so.1", "libm.so.6"})
    ::dlopen(library, RTLD_NOW | RTLD_LOCAL);

  // Lives as long as the process: it holds the inode of /proc/self, see file_rules::allow.
  static sandbox::file_rules rules;
  rules.allow(plugin.parent_path(), access::read);  // the plugin and ptxas's report beside it
  for (const char* place : {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache",
                            "/etc/localtime", "/usr/share/zoneinfo", "/proc/self", "/proc/cpuinfo",
                            "/proc/meminfo", "/proc/stat", "/sys/devices/system"}) {
    rules.allow(place, access::read);
  }
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"})
    rules.allow(device, access::write);
  if (!simulated) allow_driver(rules);
  return rules.enter();
}

}  // namespace course::worker
