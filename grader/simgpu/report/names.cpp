/// @file
/// Words of enums, and readable names of kernels.
#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "simgpu/report/report.hpp"

namespace simgpu::report {

const char* name_of(observe::Memory memory) noexcept {
  switch (memory) {
    case observe::Memory::global:
      return "global";
    case observe::Memory::shared:
      return "shared";
    case observe::Memory::local:
      return "local";
    case observe::Memory::constant:
      return "constant";
    case observe::Memory::param:
      return "param";
    case observe::Memory::texture:
      return "texture";
  }
  return "unknown";
}

const char* name_of(observe::AccessKind kind) noexcept {
  switch (kind) {
    case observe::AccessKind::load:
      return "load";
    case observe::AccessKind::store:
      return "store";
    case observe::AccessKind::atomic:
      return "atomic";
    case observe::AccessKind::reduction:
      return "reduction";
  }
  return "unknown";
}

const char* name_of(observe::CacheHint hint) noexcept {
  switch (hint) {
    case observe::CacheHint::l2_only:
      return "cg";
    case observe::CacheHint::streaming:
      return "cs";
    case observe::CacheHint::last_use:
      return "lu";
    case observe::CacheHint::uncached:
      return "cv";
    case observe::CacheHint::normal:
      break;
  }
  return "";
}

std::string demangle(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || plain == nullptr) return mangled;
  std::string name = plain.get();
  // Templates carry their result type; a kernel's is always void.
  if (name.starts_with("void ")) name.erase(0, 5);
  return name;
}

}  // namespace simgpu::report
