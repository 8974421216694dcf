/// @file
/// See grader_pages.hpp.
#include "simgpu/process/grader_pages.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace simgpu::process {

GraderPages::GraderPages(GraderPages&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

GraderPages::~GraderPages() {
  if (data_ != nullptr) ::munmap(data_, size_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::byte* GraderPages::at(std::uint64_t offset, std::uint64_t bytes) {
  if (bytes > kMost || offset > kMost) return nullptr;
  if (offset + bytes > size_) {
    struct stat info {};
    if (::fstat(descriptor_, &info) != 0 || static_cast<std::uint64_t>(info.st_size) < offset + bytes)
      return nullptr;
    const auto size = static_cast<std::uint64_t>(info.st_size);
    void* const mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (mapped == MAP_FAILED) return nullptr;
    if (data_ != nullptr) ::munmap(data_, size_);
    data_ = static_cast<std::byte*>(mapped);
    size_ = size;
  }
  return data_ + offset;
}

}  // namespace simgpu::process
