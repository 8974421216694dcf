/// @file
/// See host_memory.hpp.
#include "simgpu/exec/host_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>

#include "simgpu/memory/device_memory.hpp"

namespace simgpu::exec {
namespace {

int program = 0;            // 0: this process
std::FILE* maps = nullptr;  // of the program: kept open, since a device in a cage may not open it any more

bool is_mapped_there(std::uint64_t address) {
  if (maps == nullptr) return false;
  std::rewind(maps);
  bool found = false;
  char line[512];
  while (!found && std::fgets(line, sizeof line, maps) != nullptr) {
    std::uint64_t begin = 0, end = 0;
    found = std::sscanf(line, "%" SCNx64 "-%" SCNx64, &begin, &end) == 2 && address >= begin && address < end;
  }
  return found;
}

}  // namespace

void program_is(int id) {
  if (program == id) return;
  program = id;
  if (maps != nullptr) std::fclose(maps);
  maps = id == 0 ? nullptr : std::fopen(fmt::format("/proc/{}/maps", id).c_str(), "re");
}

bool is_of_host(std::uint64_t address) {
  if (memory::is_device_address(address)) return false;  // reserved there, so that host code cannot touch it
  if (program != 0) return is_mapped_there(address);
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  unsigned char resident;
  return mincore(reinterpret_cast<void*>(address / page * page), page, &resident) == 0;
}

}  // namespace simgpu::exec
