/// @file
/// See arena.hpp.
#include "protocol/arena.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace course::protocol {

arena::arena(arena&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

arena& arena::operator=(arena&& other) noexcept {
  if (this != &other) {
    release();
    descriptor_ = std::exchange(other.descriptor_, -1);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

arena::~arena() {
  release();
}

void arena::release() {
  if (data_) ::munmap(std::exchange(data_, nullptr), std::exchange(size_, 0));
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

bool arena::create() {
  release();
  descriptor_ = ::memfd_create("course-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  return descriptor_ >= 0 && ::fcntl(descriptor_, F_ADD_SEALS, F_SEAL_SHRINK) == 0;
}

bool arena::grow(std::size_t bytes) {
  if (bytes <= size_) return true;
  constexpr std::size_t kStep = std::size_t{1} << 20;
  const std::size_t rounded = (bytes + kStep - 1) / kStep * kStep;
  // The file may already be longer: a worker may grow it too, which harms nobody.
  struct stat info {};
  if (::fstat(descriptor_, &info) != 0) return false;
  if (static_cast<std::size_t>(info.st_size) < rounded &&
      ::ftruncate(descriptor_, static_cast<off_t>(rounded)) != 0) {
    return false;
  }
  return remap(rounded);
}

bool arena::map(std::size_t bytes) {
  if (bytes <= size_) return true;
  struct stat info {};
  if (::fstat(descriptor_, &info) != 0 || static_cast<std::size_t>(info.st_size) < bytes) return false;
  return remap(static_cast<std::size_t>(info.st_size));
}

bool arena::remap(std::size_t bytes) {
  if (data_) ::munmap(std::exchange(data_, nullptr), std::exchange(size_, 0));
  void* const place = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (place == MAP_FAILED) return false;
  data_ = static_cast<std::byte*>(place);
  size_ = bytes;
  return true;
}

}  // namespace course::protocol
