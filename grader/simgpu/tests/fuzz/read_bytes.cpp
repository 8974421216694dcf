/// @file
/// See read_bytes.hpp.
#include "simgpu/tests/fuzz/read_bytes.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "simgpu/container/fat_binary.hpp"

namespace simgpu::fuzz {
namespace {

/// Exactly one of a PTX text and a reason.
void pick(const container::FatBinary& binary) {
  const container::PickedPtx picked = container::pick_ptx(binary);
  if ((picked.entry == nullptr) != !picked.problem.empty()) std::abort();
}

}  // namespace

void read_bytes(std::string_view bytes) {
  pick(container::read_container(bytes));
  // Through the wrapper too: there the container's own size is trusted, so it has to be true here.
  std::uint16_t header_bytes = 0;
  std::uint64_t content_bytes = 0;
  if (bytes.size() < 16) return;
  std::memcpy(&header_bytes, bytes.data() + 6, 2);
  std::memcpy(&content_bytes, bytes.data() + 8, 8);
  if (header_bytes > bytes.size() || content_bytes > bytes.size() - header_bytes) return;
  struct {
    std::uint32_t magic = 0x466243B1, version = 1;
    const void* container = nullptr;
    const void* extra = nullptr;
  } wrapper;
  wrapper.container = bytes.data();
  pick(container::read_fat_binary(&wrapper));
}

}  // namespace simgpu::fuzz
