/// @file
/// The container in which nvcc embeds device code, as far as it is needed to find the PTX text.
///
/// Only the framing is read. The machine code beside the PTX is kept as an opaque entry and never looked
/// into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "simgpu/container/link_ptx.hpp"

namespace simgpu::container {

/// Compute capability that the simulated device has, times ten. PTX for newer ones is not run.
inline constexpr std::uint32_t kDeviceArch = 90;

enum class EntryKind : std::uint8_t { ptx, elf, other };

/// One entry of a container.
struct Entry {
  EntryKind kind = EntryKind::other;
  std::uint32_t arch = 0;   ///< compute capability times ten: 90
  std::uint64_t flags = 0;  ///< as written
  std::string name;         ///< of the source file, usually empty
  std::string bytes;        ///< of a PTX entry: its text, unpacked; of others: empty
  std::string problem;      ///< why `bytes` could not be had; empty if all is well
};

/// What a wrapper holds.
struct FatBinary {
  std::vector<Entry> entries;
  std::vector<FatBinary>
      parts;            ///< of files with relocatable device code, which are linked; `entries` is empty then
  std::string problem;  ///< a sentence that says what to do; empty if the container could be read
};

/// Reads the container that @p wrapper (the argument of `__cudaRegisterFatBinary`) points to.
/// @param wrapper 24 readable bytes; the container that it names is trusted to be as long as its own header
/// says, and every entry is checked against that length.
FatBinary read_fat_binary(const void* wrapper);

/// Reads a container.
/// @param bytes from the container's header on; what its header promises beyond them is a problem, not an
/// access.
FatBinary read_container(std::string_view bytes);

/// How long the container that starts at @p bytes says that it is, as a file of nvcc -fatbin does.
/// @param bytes at least 4 readable ones; 16 if they are a container's.
/// @return [bytes]; 0 if this is no container, or one that claims an impossible size.
std::size_t container_size(const void* bytes);

/// A PTX text, or why there is none.
struct PickedPtx {
  const Entry* entry = nullptr;    ///< points into the FatBinary
  std::string problem;             ///< a sentence for the user where `entry` is null
  bool only_machine_code = false;  ///< that is the problem: there is no PTX, for whatever device
};

/// Picks the PTX of the highest compute capability that the simulated device has.
PickedPtx pick_ptx(const FatBinary& binary, std::uint32_t highest_arch = kDeviceArch);

/// Picks the PTX of each part, and links them. @pre there are parts
LinkedPtx link_parts(const FatBinary& binary, std::uint32_t highest_arch = kDeviceArch);

}  // namespace simgpu::container
