/// @file
/// Words of enums, and readable names of kernels.
#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "simgpu/report/names.hpp"
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

namespace {

/// Characters of a kernel's name before template arguments are left out.
constexpr std::size_t kLongName = 90;

/// What -rdc puts before the names of a file's own kernels and variables: "__nv_static_24_" and so many characters that tell the file.
std::string without_file(const std::string& symbol) {
  constexpr std::string_view kStatic = "__nv_static_";
  if (!symbol.starts_with(kStatic)) return symbol;
  char* end = nullptr;
  const unsigned long length = std::strtoul(symbol.c_str() + kStatic.size(), &end, 10);
  const std::size_t at = static_cast<std::size_t>(end - symbol.c_str());
  // "_" before those characters, "_" behind them
  return length < symbol.size() && at + length + 2 < symbol.size() ? symbol.substr(at + length + 2) : symbol;
}

}  // namespace

std::string demangle(const std::string& symbol) {
  const std::string mangled = without_file(symbol);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || plain == nullptr) return mangled;
  std::string name = plain.get();
  // Templates carry their result type; a kernel's is always void.
  if (name.starts_with("void ")) name.erase(0, 5);
  return name;
}

std::string shortened_name(const std::string& mangled) {
  std::string name = demangle(mangled);
  if (name.size() <= kLongName) return name;
  std::string result;
  int angle = 0, round = 0;
  for (const char c : name) {
    if (c == '<' && round == 0 && angle++ == 0) result += "<...>";
    if (c == '(' && angle == 0 && round++ == 0) result += "(...)";
    if (angle == 0 && round == 0) result += c;
    if (c == '>' && round == 0 && angle > 0) --angle;
    if (c == ')' && angle == 0 && round > 0) --round;
  }
  return result.size() < name.size() ? result : name.substr(0, kLongName) + "...";
}

}  // namespace simgpu::report
