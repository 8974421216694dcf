/// @file
/// The grader's own pages, by which bytes come to the device and go from it: a file without a name of which the grader alone says how long
/// it is. It grows as the grader needs it, so it is mapped anew when more of it is named.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simgpu::process {

class GraderPages {
 public:
  /// More than any grader has. [bytes]
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 40;

  /// @param descriptor of the file; below 0: there is none
  explicit GraderPages(int descriptor = -1) : descriptor_(descriptor) {}
  GraderPages(GraderPages&& other) noexcept;
  GraderPages& operator=(GraderPages&&) = delete;
  ~GraderPages();

  /// @return where these bytes lie, until the next call; nullptr if the file is shorter.
  std::byte* at(std::uint64_t offset, std::uint64_t bytes);

 private:
  int descriptor_;
  std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace simgpu::process
