/// @file
/// Writing the report at exit, and the exit code for what was found.
#include "simgpu/runtime/exit_report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <mutex>

#include "simgpu/runtime/environment.hpp"
#include "simgpu/runtime/state.hpp"

namespace simgpu::runtime {
namespace {

/// The report so far, written in all the forms that are wished for. @return its errors
std::size_t write_report(Runtime& runtime) {
  const char* const wish = std::getenv("SIMGPU_REPORT");
  const std::lock_guard lock(runtime.mutex);
  return runtime.connection.write_report(runtime.take_part(), wish != nullptr ? wish : "");
}

/// What was asked for when the runtime began, which is before the program could change its environment.
struct Wishes {
  int exit_code = 0;  // 0: the program's own
  pid_t process = 0;
};
Wishes wishes;

// on_exit and not atexit: only here is the program's own code told, and it is not to be lost.
void at_exit(int own_code, void*) {
  if (getpid() != wishes.process) return;  // a child of the program has the handler too, but no device
  const std::size_t errors = write_report(Runtime::get());
  if (wishes.exit_code == 0 || own_code != 0 || errors == 0) return;
  fmt::print(stderr, "simgpu: {} found, so the exit code is {} and not the program's 0.\n",
             errors == 1 ? "an error was" : fmt::format("{} errors were", errors), wishes.exit_code);
  // In glibc the handlers that are left go on with the new code, and files are flushed.
  std::exit(wishes.exit_code);
}

}  // namespace

void register_exit_report() {
  wishes = {.exit_code = whole_number_of("SIMGPU_ERROR_EXITCODE", 0, 255, 0), .process = getpid()};
  if (std::getenv("SIMGPU_REPORT") != nullptr || wishes.exit_code != 0) on_exit(at_exit, nullptr);
}

}  // namespace simgpu::runtime
