/// @file
/// The memory that judge and worker share: an anonymous file of which the judge alone decides the size and
/// the layout. Buffer images travel through it, since JSON is no place for a gigabyte. The worker may write
/// anything into it at any time, so the judge keeps nothing there that it later relies on.
#pragma once

#include <cstddef>
#include <string>

namespace course::protocol {

/// A mapped memfd.
class arena {
 public:
  arena() = default;
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;
  arena(arena&& other) noexcept;
  arena& operator=(arena&& other) noexcept;
  ~arena();

  /// The judge's side: a new, empty arena. Its file cannot shrink, so a worker cannot make the judge fault by
  /// truncating it.
  /// @return false with errno set when the system gives none.
  bool create();

  /// The worker's side: takes over @p descriptor.
  void adopt(int descriptor) { descriptor_ = descriptor; }

  /// Judge: makes the file at least @p bytes long and maps it.
  /// @return false when there is not that much memory.
  bool grow(std::size_t bytes);

  /// Worker: maps what the judge has made, at least @p bytes.
  /// @return false when the file is shorter than that.
  bool map(std::size_t bytes);

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  int descriptor() const { return descriptor_; }

 private:
  bool remap(std::size_t bytes);
  void release();

  int descriptor_ = -1;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Hands out consecutive places of an arena, each on a page-friendly 256-byte boundary.
class arena_layout {
 public:
  /// @return the offset of the next free @p bytes.
  std::size_t place(std::size_t bytes) {
    const auto at = next_;
    next_ += (bytes + 255) / 256 * 256;
    return at;
  }
  /// @return bytes used so far.
  std::size_t size() const { return next_; }

 private:
  std::size_t next_ = 0;
};

}  // namespace course::protocol
