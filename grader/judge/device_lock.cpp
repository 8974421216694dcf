/// @file
/// See device_lock.hpp.
#include "judge/device_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace course {

device_lock::device_lock(const std::filesystem::path& folder, const std::string& uuid, mode how) {
  const auto file = folder / ("course-device-" + (uuid.empty() ? "0" : uuid) + ".lock");
  descriptor_ = ::open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor_ >= 0) ::flock(descriptor_, how == mode::exclusive ? LOCK_EX : LOCK_SH);
}

device_lock::~device_lock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace course
