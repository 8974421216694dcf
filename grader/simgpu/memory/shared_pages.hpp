/// @file
/// Memory that client and device both have, in two processes or in one that rehearses that: pages of a file without a name.
///
/// The byte of the program's address a lies at offset a of the file, which is as long as there are addresses and takes no memory but
/// for pages that somebody has touched. So a side needs the descriptor alone to map what it wants, where it wants, and nobody keeps a table of offsets. The
/// program maps pinned and managed memory at its addresses (runtime/host_view.hpp), and exchanges pages of its own that it registers for such;
/// the device maps what it uses elsewhere (DeviceMemory).
///
/// Within one process managed memory alone lies there: its pages tell then what the host has touched (runtime/visited_pages.hpp).
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace simgpu::memory {

/// Pages of the host: what is mapped, protected and exchanged is whole ones. [bytes]
inline constexpr std::uint64_t kHostPage = 4096;

class SharedPages {
 public:
  /// What lies in the file.
  enum class For : std::uint8_t {
    all,      ///< pinned, managed and registered memory
    managed,  ///< that alone: for a client and a device in one process, which have one mapping of all the rest
  };

  /// The length of the file: all addresses that a program can have. [bytes]
  static constexpr std::uint64_t kBytes = 1ull << 47;

  /// A new file. Its length is sealed: neither side can make the other fault by cutting it.
  /// @return nothing, and errno says why, if the system gives none.
  static std::optional<SharedPages> make(For what = For::all) noexcept;
  /// The other side's, which came as @p descriptor; it is closed with this. @return nothing if it is no such file.
  static std::optional<SharedPages> of(int descriptor) noexcept;

  SharedPages(SharedPages&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), all_(other.all_) {}
  SharedPages(const SharedPages&) = delete;
  SharedPages& operator=(const SharedPages&) = delete;
  SharedPages& operator=(SharedPages&&) = delete;
  ~SharedPages();

  /// To be passed to the other side. Closed by exec() unless that is undone.
  int descriptor() const noexcept { return descriptor_; }
  /// Whether pinned and registered memory lies there, too.
  bool hold_all() const noexcept { return all_; }

  /// Maps the pages of addresses [@p begin, @p begin + @p bytes), whole ones.
  /// @param access PROT_READ and so on
  /// @param at where, if nothing else is mapped there; nullptr: anywhere
  /// @return nullptr if that cannot be.
  std::byte* map(std::uint64_t begin, std::uint64_t bytes, int access, void* at = nullptr) const noexcept;

  /// Their memory goes back to the system: whoever still maps them reads zero, on either side.
  void give_back(std::uint64_t begin, std::uint64_t bytes) const noexcept;

 private:
  explicit SharedPages(int descriptor, For what = For::all) noexcept
      : descriptor_(descriptor), all_(what == For::all) {}
  int descriptor_;
  bool all_;
};

}  // namespace simgpu::memory
