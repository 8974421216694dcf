/// @file
/// Implementation of run_id.hpp, after proc(5).
#include "records/run_id.hpp"

#include <unistd.h>

#include <fstream>
#include <optional>
#include <sstream>

namespace course {
namespace {

struct process_status {
  std::string name;
  pid_t parent = 0;
  std::string start_ticks;
};

std::optional<process_status> status_of(pid_t process) {
  std::ifstream in("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  if (!std::getline(in, line)) return std::nullopt;
  // "pid (name) state parent ...": the name may hold spaces and parentheses, so look for the last one.
  const std::size_t open = line.find('(');
  const std::size_t close = line.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  process_status status;
  status.name = line.substr(open + 1, close - open - 1);
  std::istringstream fields(line.substr(close + 1));
  std::string field;
  for (int number = 3; fields >> field; ++number) {
    if (number == 4) status.parent = static_cast<pid_t>(std::stol(field));
    if (number == 22) {
      status.start_ticks = field;
      return status;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string run_id_of(pid_t process) {
  const auto status = status_of(process);
  return status ? std::to_string(process) + "-" + status->start_ticks : std::string();
}

std::string run_id_of_ctest() {
  for (pid_t process = ::getppid(); process > 1;) {
    const auto status = status_of(process);
    if (!status) break;
    if (status->name == "ctest") return std::to_string(process) + "-" + status->start_ticks;
    process = status->parent;
  }
  return {};
}

}  // namespace course
