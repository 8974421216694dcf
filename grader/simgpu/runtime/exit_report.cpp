/// @file
/// Writing the report at exit.
#include "simgpu/runtime/exit_report.hpp"

#include <cstdlib>
#include <mutex>

#include "simgpu/runtime/state.hpp"

namespace simgpu::runtime {
namespace {

void write_report() {
  const char* wish = std::getenv("SIMGPU_REPORT");
  if (wish == nullptr) return;
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.connection.write_report(runtime.take_part(), wish);
}

}  // namespace

void register_exit_report() {
  if (std::getenv("SIMGPU_REPORT") != nullptr) std::atexit(write_report);
}

}  // namespace simgpu::runtime
