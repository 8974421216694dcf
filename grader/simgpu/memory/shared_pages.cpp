/// @file
/// See shared_pages.hpp.
#include "simgpu/memory/shared_pages.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace simgpu::memory {

std::optional<SharedPages> SharedPages::make(For what) noexcept {
  // A limit on the length of files would end the program by a signal, not by an error.
  rlimit longest{};
  if (::getrlimit(RLIMIT_FSIZE, &longest) == 0 && longest.rlim_cur < kBytes) {
    errno = EFBIG;
    return std::nullopt;
  }
  SharedPages made(::memfd_create("simgpu-pages", MFD_CLOEXEC | MFD_ALLOW_SEALING), what);
  if (made.descriptor_ < 0 || ::ftruncate(made.descriptor_, static_cast<off_t>(kBytes)) != 0 ||
      ::fcntl(made.descriptor_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return std::nullopt;
  }
  return made;
}

std::optional<SharedPages> SharedPages::of(int descriptor) noexcept {
  SharedPages taken(descriptor);
  constexpr int kSealed = F_SEAL_SHRINK | F_SEAL_GROW;
  struct stat what {};
  const int seals = ::fcntl(descriptor, F_GET_SEALS);
  if (seals < 0 || (seals & kSealed) != kSealed || ::fstat(descriptor, &what) != 0 ||
      what.st_size != static_cast<off_t>(kBytes)) {
    return std::nullopt;
  }
  return taken;
}

SharedPages::~SharedPages() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::byte* SharedPages::map(std::uint64_t begin, std::uint64_t bytes, int access, void* at) const noexcept {
  if (begin >= kBytes || bytes > kBytes - begin) return nullptr;
  const int flags = MAP_SHARED | MAP_NORESERVE | (at != nullptr ? MAP_FIXED_NOREPLACE : 0);
  void* const got = ::mmap(at, bytes, access, flags, descriptor_, static_cast<off_t>(begin));
  if (got == MAP_FAILED) return nullptr;
  if (at != nullptr && got != at) {  // an old kernel takes the flag for a wish
    ::munmap(got, bytes);
    return nullptr;
  }
  return static_cast<std::byte*>(got);
}

void SharedPages::give_back(std::uint64_t begin, std::uint64_t bytes) const noexcept {
  ::fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin),
              static_cast<off_t>(bytes));
}

}  // namespace simgpu::memory
