/// @file
/// See limits.hpp.
#include "sandbox/limits.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace course::sandbox {

void set_limit(int which, unsigned long value) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource>(which), &limit) != 0) return;
  if (limit.rlim_max != RLIM_INFINITY && value > limit.rlim_max) value = limit.rlim_max;
  limit.rlim_cur = limit.rlim_max = value;
  ::setrlimit(static_cast<__rlimit_resource>(which), &limit);
}

unsigned long data_bytes() {
  unsigned long size = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
  std::ifstream("/proc/self/statm") >> size >> resident >> shared >> text >> library >> data;
  return data * static_cast<unsigned long>(::sysconf(_SC_PAGESIZE));
}

}  // namespace course::sandbox
