/// @file
/// See pages.hpp.
#include "simgpu/link/pages.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

namespace simgpu::link {
namespace {

constexpr std::size_t kHeads = 4096;  // one page for both
constexpr std::size_t kAnswerHead = 2048;
constexpr std::size_t kAll = kHeads + 2 * kRingBytes + kStagingBytes;
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
static_assert(sizeof(RingHead) <= kAnswerHead);

std::string because(const char* what) {
  return std::string(what) + ": " + std::strerror(errno) + ".";
}

}  // namespace

std::optional<Pages> Pages::make(std::string& problem) {
  const int descriptor = memfd_create("simgpu queue", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) {
    problem = because("The system gives no memory to share (memfd_create)");
    return std::nullopt;
  }
  if (ftruncate(descriptor, kAll) != 0 || fcntl(descriptor, F_ADD_SEALS, kSeals) != 0) {
    problem = because("The system gives no memory to share");
    ::close(descriptor);
    return std::nullopt;
  }
  std::optional<Pages> made = map(descriptor, problem);
  if (!made) return made;
  new (&made->head(Way::commands)) RingHead;
  new (&made->head(Way::answers)) RingHead;
  return made;
}

std::optional<Pages> Pages::open(int descriptor, std::string& problem) {
  struct stat about {};
  if (fstat(descriptor, &about) != 0 || static_cast<std::size_t>(about.st_size) != kAll ||
      (fcntl(descriptor, F_GET_SEALS) & F_SEAL_SHRINK) == 0) {
    problem = "What was handed over are not the queue's pages.";
    ::close(descriptor);
    return std::nullopt;
  }
  return map(descriptor, problem);
}

std::optional<Pages> Pages::map(int descriptor, std::string& problem) {
  void* const at = mmap(nullptr, kAll, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (at == MAP_FAILED) {
    problem = because("The queue's pages cannot be mapped");
    ::close(descriptor);
    return std::nullopt;
  }
  return Pages(descriptor, static_cast<std::byte*>(at));
}

Pages::~Pages() {
  if (start_ != nullptr) munmap(start_, kAll);
  if (descriptor_ >= 0) ::close(descriptor_);
}

Pages::Pages(Pages&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), start_(std::exchange(other.start_, nullptr)) {}

RingHead& Pages::head(Way way) const {
  return *reinterpret_cast<RingHead*>(start_ + (way == Way::commands ? 0 : kAnswerHead));
}

std::span<std::byte> Pages::ring(Way way) const {
  return {start_ + kHeads + (way == Way::commands ? 0 : kRingBytes), kRingBytes};
}

std::span<std::byte> Pages::staging() const {
  return {start_ + kHeads + 2 * kRingBytes, kStagingBytes};
}

}  // namespace simgpu::link
