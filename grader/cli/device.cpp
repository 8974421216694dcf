/// @file
/// Implementation of device.hpp. The driver library is loaded at run time: the course must start where there
/// is none.
#include "cli/device.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

namespace course::cli {

driver_answer ask_driver() {
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return {false, "", "no NVIDIA driver"};
  const auto function = [&]<class F>(const char* name, F*& pointer) {
    pointer = reinterpret_cast<F*>(::dlsym(library, name));
    return pointer != nullptr;
  };
  int (*init)(unsigned) = nullptr;
  int (*count)(int*) = nullptr;
  int (*get)(int*, int) = nullptr;
  int (*name_of)(char*, int, int) = nullptr;
  if (!function("cuInit", init) || !function("cuDeviceGetCount", count) || !function("cuDeviceGet", get) ||
      !function("cuDeviceGetName", name_of)) {
    return {false, "", "the NVIDIA driver is not usable"};
  }
  int devices = 0;
  if (init(0) != 0 || count(&devices) != 0 || devices < 1) return {false, "", "no NVIDIA GPU found"};
  int device = 0;
  std::array<char, 200> name{};
  get(&device, 0);
  name_of(name.data(), static_cast<int>(name.size()) - 1, device);
  return {true, name.data(), ""};
}

std::string device_sentence(const std::string& wanted) {
  if (wanted == "sim") return "simulated GPU, as asked; times are modelled, not measured";
  const driver_answer answer = ask_driver();
  if (answer.has_gpu) return fmt::format("GPU ({}); small cases also on the simulated one", answer.name);
  if (wanted == "gpu") return fmt::format("GPU, as asked, but {}", answer.reason);
  return fmt::format("simulated GPU ({}); times are modelled, not measured", answer.reason);
}

}  // namespace course::cli
