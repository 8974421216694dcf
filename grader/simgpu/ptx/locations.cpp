/// @file
/// Source locations, see locations.hpp.
#include "simgpu/ptx/locations.hpp"

#include <array>
#include <unordered_map>

namespace simgpu::ptx {

bool is_system_header(std::string_view path) noexcept {
  constexpr std::array kRoots = {std::string_view("/usr/include/"),       std::string_view("/usr/lib/"),
                                 std::string_view("/usr/local/include/"), std::string_view("/usr/local/cuda"),
                                 std::string_view("/opt/nvidia/"),        std::string_view("/opt/cuda")};
  // A toolkit may be installed anywhere; inside it the layout is its own.
  constexpr std::array kParts = {std::string_view("/targets/x86_64-linux/include/"),
                                 std::string_view("/targets/sbsa-linux/include/"),
                                 std::string_view("/include/cccl/"),
                                 std::string_view("/include/crt/"),
                                 std::string_view("/include/cooperative_groups"),
                                 std::string_view("/include/cub/"),
                                 std::string_view("/include/thrust/"),
                                 std::string_view("/include/cuda/"),
                                 std::string_view("/include/cuda_"),
                                 std::string_view("/include/sm_"),
                                 std::string_view("/include/device_atomic_functions"),
                                 std::string_view("/include/texture_"),
                                 std::string_view("/include/surface_"),
                                 std::string_view("/lib/clang/")};
  for (const std::string_view root : kRoots) {
    if (path.starts_with(root)) return true;
  }
  for (const std::string_view part : kParts) {
    if (path.find(part) != std::string_view::npos) return true;
  }
  return false;
}

std::uint32_t Locations::add(Position position, Position inlined_at) {
  Entry entry{position, inlined_at, 0};
  if (inlined_at.file != 0) {
    if (const auto caller = latest_.find(inlined_at); caller != latest_.end()) entry.parent = caller->second;
  }
  entries_.push_back(entry);
  const auto number = static_cast<std::uint32_t>(entries_.size());
  latest_[position] = number;
  return number;
}

std::vector<SourceLocation> Locations::settle(const Module& module) const {
  std::unordered_map<std::uint32_t, bool> system;
  for (const File& file : module.files) system.emplace(file.number, is_system_header(file.path));
  const auto is_system = [&](std::uint32_t file) {
    const auto found = system.find(file);
    return found != system.end() && found->second;
  };
  std::vector<SourceLocation> settled(entries_.size() + 1);
  // Whether the chain from an entry ends in code that is not a system header; parents come before their
  // children.
  std::vector<bool> is_users(entries_.size() + 1, false);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    const std::size_t number = i + 1;
    settled[number] = {entry.position.file, entry.position.line};
    if (!is_system(entry.position.file)) {
      is_users[number] = true;
    } else if (entry.parent != 0) {
      if (is_users[entry.parent]) {
        settled[number] = settled[entry.parent];
        is_users[number] = true;
      }
    } else if (entry.inlined_at.file != 0 && !is_system(entry.inlined_at.file)) {
      settled[number] = {entry.inlined_at.file, entry.inlined_at.line};
      is_users[number] = true;
    }
  }
  return settled;
}

}  // namespace simgpu::ptx
