/// @file
/// See threads.hpp.
#include "simgpu/link/threads.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace simgpu::link {

int threads_of_program(int process) {
  namespace fs = std::filesystem;
  const std::string folder = "/proc/" + (process == 0 ? "self" : std::to_string(process)) + "/task";
  std::error_code error;
  int count = 0;
  for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
    std::string name;
    std::getline(std::ifstream(each->path() / "comm"), name);
    count += name != kOwnThread;
  }
  return error || count == 0 ? 1 : count;
}

}  // namespace simgpu::link
