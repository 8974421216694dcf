/// @file
/// See machine_memory.hpp.
#include "judge/machine_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace course {

std::size_t memory_of_machine() {
  auto bytes =
      static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  // A container's own group is the root of what it sees, in the kernel's second or first layout. "max", or a number beyond all memory: no limit.
  for (const char* file : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::size_t most = 0;
    if (std::ifstream(file) >> most && most > 0) bytes = std::min(bytes, most);
  }
  return bytes;
}

}  // namespace course
