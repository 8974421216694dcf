/// @file
/// The framing of nvcc's fat binaries, see fat_binary.hpp. All numbers are little endian, as the machine's
/// own.
#include "simgpu/container/fat_binary.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "simgpu/container/unpack.hpp"

namespace simgpu::container {
namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243B1;
constexpr std::uint32_t kContainerMagic = 0xBA55ED50;
constexpr std::uint64_t kFlagLz4 = 0x2000;
constexpr std::uint64_t kFlagZstd = 0x8000;
/// No PTX text is larger; a size beyond it comes from a broken header.
constexpr std::uint64_t kMostText = std::uint64_t{1} << 30;

struct Wrapper {
  std::uint32_t magic, version;
  const char* data;
  const void* extra;
};
struct ContainerHeader {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;  // after this header
};
struct EntryHeader {
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t payload_bytes;
  std::uint32_t compressed_bytes, options_offset;
  std::uint16_t minor, major;
  std::uint32_t arch, name_offset, name_bytes;
  std::uint64_t flags, zero, uncompressed_bytes;
};
static_assert(sizeof(ContainerHeader) == 16 && sizeof(EntryHeader) == 64);

template <class T>
std::optional<T> read_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

bool starts_container(const void* bytes) {
  return std::memcmp(bytes, &kContainerMagic, sizeof(kContainerMagic)) == 0;
}

void read_payload(Entry& entry, const EntryHeader& header, std::string_view payload) {
  // The compressed size is 0 for plain text; padding follows the payload either way.
  const bool compressed = header.compressed_bytes != 0 || (header.flags & (kFlagLz4 | kFlagZstd)) != 0;
  if (!compressed) {
    entry.bytes.assign(payload.substr(0, payload.find('\0')));
    return;
  }
  if (header.compressed_bytes == 0 || header.compressed_bytes > payload.size()) {
    entry.problem = "The embedded PTX is cut short; the object file is damaged. Rebuild it.";
    return;
  }
  if (header.uncompressed_bytes > kMostText) {
    entry.problem = "The embedded PTX claims an impossible size; the object file is damaged. Rebuild it.";
    return;
  }
  const Packing packing = (header.flags & kFlagZstd) != 0 ? Packing::zstd : Packing::lz4;
  Unpacked unpacked = unpack(packing, payload.substr(0, header.compressed_bytes), header.uncompressed_bytes);
  entry.bytes = std::move(unpacked.bytes);
  entry.problem = std::move(unpacked.problem);
  if (const std::size_t end = entry.bytes.find('\0'); end != std::string::npos) entry.bytes.resize(end);
}

}  // namespace

FatBinary read_container(std::string_view bytes) {
  FatBinary binary;
  const auto header = read_at<ContainerHeader>(bytes, 0);
  if (!header || header->magic != kContainerMagic) {
    binary.problem =
        "The object's device code is not in a container that this version knows. Build it with nvcc 12.4 to "
        "13.x.";
    return binary;
  }
  if (header->version != 1 || header->header_bytes < sizeof(ContainerHeader)) {
    binary.problem = "The device code's container has version " + std::to_string(header->version) +
                     ", which is not known. Build it with nvcc 12.4 to 13.x.";
    return binary;
  }
  if (header->header_bytes > bytes.size() || header->bytes > bytes.size() - header->header_bytes) {
    binary.problem = "The device code's container is cut short; the object file is damaged. Rebuild it.";
    return binary;
  }
  const std::string_view content = bytes.substr(header->header_bytes, header->bytes);
  std::uint64_t at = 0;
  while (at < content.size()) {
    const auto entry_header = read_at<EntryHeader>(content, at);
    if (!entry_header || entry_header->header_bytes < sizeof(EntryHeader) ||
        entry_header->header_bytes > content.size() - at ||
        entry_header->payload_bytes > content.size() - at - entry_header->header_bytes) {
      binary.problem =
          "The device code's container holds an entry that runs past its end; the object file is damaged. "
          "Rebuild it.";
      return binary;
    }
    Entry entry;
    entry.kind = entry_header->kind == 1   ? EntryKind::ptx
                 : entry_header->kind == 2 ? EntryKind::elf
                                           : EntryKind::other;
    entry.arch = entry_header->arch;
    entry.flags = entry_header->flags;
    if (entry_header->name_bytes != 0 && entry_header->name_offset <= content.size() - at &&
        entry_header->name_bytes <= content.size() - at - entry_header->name_offset) {
      const std::string_view name = content.substr(at + entry_header->name_offset, entry_header->name_bytes);
      entry.name.assign(name.substr(0, name.find('\0')));
    }
    at += entry_header->header_bytes;
    if (entry.kind == EntryKind::ptx) {
      read_payload(entry, *entry_header, content.substr(at, entry_header->payload_bytes));
    }
    at += entry_header->payload_bytes;
    binary.entries.push_back(std::move(entry));
  }
  return binary;
}

FatBinary read_fat_binary(const void* wrapper) {
  FatBinary binary;
  Wrapper head;
  std::memcpy(&head, wrapper, sizeof(head));
  if (head.magic != kWrapperMagic) {
    binary.problem =
        "The object registers device code in a form that is not known. Build it with nvcc 12.4 to 13.x.";
    return binary;
  }
  if (head.version == 2) {
    for (auto part = static_cast<const void* const*>(head.extra); part != nullptr && *part != nullptr;
         ++part) {
      const std::size_t bytes = container_size(*part);
      if (bytes != 0) binary.parts.push_back(read_container({static_cast<const char*>(*part), bytes}));
    }
    if (binary.parts.empty())
      binary.problem =
          "It was built with relocatable device code (-rdc=true), and does not say of which files: build it "
          "under "
          "simgpu, or without -rdc, -dc and CUDA_SEPARABLE_COMPILATION.";
    return binary;
  }
  if (head.version != 1) {
    binary.problem = "The object registers device code in form " + std::to_string(head.version) +
                     ", which is not known. Build it with nvcc 12.4 to 13.x.";
    return binary;
  }
  if (head.data == nullptr) {
    binary.problem = "The object registers no device code.";
    return binary;
  }
  // The container is linked into the process: its own size is all that is known of its extent.
  if (const std::size_t bytes = container_size(head.data)) return read_container({head.data, bytes});
  binary = read_container({head.data, sizeof(ContainerHeader)});
  if (binary.problem.empty() || starts_container(head.data))
    binary.problem =
        "The device code's container claims an impossible size; the object file is damaged. Rebuild it.";
  return binary;
}

std::size_t container_size(const void* bytes) {
  if (!starts_container(bytes)) return 0;
  ContainerHeader header;
  std::memcpy(&header, bytes, sizeof(header));
  return header.bytes > kMostText * 4 ? 0 : header.header_bytes + header.bytes;
}

PickedPtx pick_ptx(const FatBinary& binary, std::uint32_t highest_arch) {
  PickedPtx picked;
  if (!binary.problem.empty()) {
    picked.problem = binary.problem;
    return picked;
  }
  std::uint32_t lowest_above = UINT32_MAX;
  for (const Entry& entry : binary.entries) {
    if (entry.kind != EntryKind::ptx) continue;
    if (entry.arch > highest_arch) {
      lowest_above = std::min(lowest_above, entry.arch);
    } else if (picked.entry == nullptr || entry.arch > picked.entry->arch) {
      picked.entry = &entry;
    }
  }
  const std::string wanted = "-gencode arch=compute_" + std::to_string(highest_arch) + ",code=compute_" +
                             std::to_string(highest_arch);
  if (picked.entry != nullptr && !picked.entry->problem.empty()) {
    picked.problem = picked.entry->problem;
    picked.entry = nullptr;
  } else if (picked.entry == nullptr && lowest_above != UINT32_MAX) {
    picked.problem = "It holds PTX for compute capability " + std::to_string(lowest_above / 10) + "." +
                     std::to_string(lowest_above % 10) + " and newer only, and the simulated GPU has " +
                     std::to_string(highest_arch / 10) + "." + std::to_string(highest_arch % 10) +
                     ": build it under simgpu, or with " + wanted + ".";
  } else if (picked.entry == nullptr) {
    picked.only_machine_code = true;
    picked.problem =
        "It holds machine code and no PTX, which is what the simulated GPU reads: build it under simgpu, or "
        "with " +
        wanted + ".";
  }
  return picked;
}

LinkedPtx link_parts(const FatBinary& binary, std::uint32_t highest_arch) {
  std::vector<std::string> texts;
  LinkedPtx linked;
  for (const FatBinary& part : binary.parts) {
    const PickedPtx picked = pick_ptx(part, highest_arch);
    if (picked.entry != nullptr)
      texts.push_back(picked.entry->bytes);
    else if (!picked.only_machine_code || linked.problem.empty())
      linked.problem = picked.problem;
  }
  // A file whose PTX is missing may be one that nobody needs: if somebody does, the linker says so.
  if (texts.empty()) return linked;
  return link_ptx(texts);
}

}  // namespace simgpu::container
