/// @file
/// The device is ours while we measure: one lock for each device, shared by correctness cases, alone for measurements. Released when the
/// process ends, whatever happens.
#pragma once

#include <filesystem>
#include <string>

namespace course {

/// See the file's head. Waits until it has the lock; without a place for the lock file it locks nothing.
class device_lock {
 public:
  enum class mode { shared, exclusive };
  /// @param uuid of the device; empty: the first one.
  device_lock(const std::filesystem::path& folder, const std::string& uuid, mode how);
  device_lock(const device_lock&) = delete;
  device_lock& operator=(const device_lock&) = delete;
  ~device_lock();

 private:
  int descriptor_ = -1;
};

}  // namespace course
