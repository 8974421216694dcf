/// @file
/// See simulator.hpp.
#include "worker/simulator.hpp"

#include <dlfcn.h>

#include <cstdlib>

namespace course::worker {
namespace {

int (*configure_call)(const char*) = nullptr;
const char* (*report_call)() = nullptr;

}  // namespace

void find_simulator() {
  configure_call = reinterpret_cast<int (*)(const char*)>(::dlsym(RTLD_DEFAULT, "simgpu_configure"));
  report_call = reinterpret_cast<const char* (*)()>(::dlsym(RTLD_DEFAULT, "simgpu_take_report"));
}

bool simulated() {
  return report_call != nullptr;
}

bool device_is_judges() {
  return simulated() && std::getenv("SIMGPU_DOOR") != nullptr;
}

bool configure_simulator(const std::string& text) {
  return !configure_call || configure_call(text.c_str()) == 0;
}

std::string take_report() {
  return report_call ? report_call() : std::string();
}

}  // namespace course::worker
