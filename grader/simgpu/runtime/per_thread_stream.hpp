/// @file
/// While one of these lives, stream 0 means the calling thread's own default stream.
#pragma once

namespace simgpu::runtime {

class PerThreadScope {
 public:
  PerThreadScope();
  ~PerThreadScope();
  PerThreadScope(const PerThreadScope&) = delete;
  PerThreadScope& operator=(const PerThreadScope&) = delete;

  /// @return whether one lives on this thread.
  static bool active();

 private:
  bool before_;
};

}  // namespace simgpu::runtime
