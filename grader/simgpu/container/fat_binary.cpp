/// @file
/// The framing of nvcc's fat binaries, see fat_binary.hpp. All numbers are little endian, as the machine's
/// own.
#include "simgpu/container/fat_binary.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
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

/// Functions and variables that @p ptx needs from other files.
std::vector<std::string> needed_from_elsewhere(std::string_view ptx) {
  constexpr std::string_view kOfEveryDevice[] = {"vprintf", "malloc", "free", "__assertfail"};
  constexpr const char* kSpace = " \t\r\n";
  std::vector<std::string> names;
  for (std::size_t at = ptx.find(".extern "); at != ptx.npos; at = ptx.find(".extern ", at + 1)) {
    // ".extern .func (.param .b32 result) NAME (...);", ".extern .global .align 4 .b8 NAME[4];"
    std::string_view text = ptx.substr(at, ptx.find_first_of(";{", at) - at);
    if (text.find(".shared") != text.npos) continue;  // dynamic shared memory
    if (const std::size_t function = text.find(".func"); function != text.npos) {
      text.remove_prefix(function + 5);
      const std::size_t first = text.find_first_not_of(kSpace);
      if (first != text.npos && text[first] == '(')
        text.remove_prefix(std::min(text.size(), text.find(')')) + 1);
    }
    text = text.substr(0, text.find_first_of("(["));
    const std::size_t last = text.find_last_not_of(kSpace);
    if (last == text.npos) continue;
    const std::size_t begin = text.find_last_of(kSpace, last) + 1;
    const std::string_view name = text.substr(begin, last + 1 - begin);
    if (std::find(std::begin(kOfEveryDevice), std::end(kOfEveryDevice), name) == std::end(kOfEveryDevice))
      names.emplace_back(name);
  }
  return names;
}

/// A symbol as the source has it: "twice(int)".
std::string as_written(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : symbol;
}

/// Why relocatable device code cannot run, with the cure that fits. @param parts the containers of the files that were linked, a null
/// pointer behind the last; nullptr if there is no such list.
std::string about_linked(const void* const* parts) {
  constexpr std::string_view kRuntime = "__cudaCDP2";  // how the names of the device's own runtime begin
  constexpr std::string_view kWithout = "build without -rdc, -dc and CUDA_SEPARABLE_COMPILATION";
  const std::string start = "It was built with relocatable device code (-rdc=true), and ";
  std::string needed;
  bool any_ptx = false;
  for (; parts != nullptr && *parts != nullptr; ++parts) {
    const std::size_t bytes = container_size(*parts);
    if (bytes == 0) break;
    for (const Entry& entry : read_container({static_cast<const char*>(*parts), bytes}).entries) {
      if (entry.kind != EntryKind::ptx) continue;
      const std::vector<std::string> names = needed_from_elsewhere(entry.bytes);
      if (std::any_of(names.begin(), names.end(),
                      [&](const auto& name) { return name.starts_with(kRuntime); }))
        return start +
               "its kernels launch kernels (dynamic parallelism), which the simulated GPU does not do, with "
               "no option "
               "of nvcc: launch them from the host.";
      if (entry.bytes.find(kRuntime) != std::string::npos)
        continue;  // that runtime, which is linked to every such program
      any_ptx = true;
      if (needed.empty() && !names.empty()) needed = as_written(names.front());
    }
  }
  if (!needed.empty())
    return start + "one file's device code needs " + needed +
           " of another's, but the simulated GPU does not link: bring what they share together (in a header, "
           "or in a .cu that "
           "includes the others), and " +
           std::string(kWithout) + ".";
  if (any_ptx)
    return start + "does not need it, since no file's device code uses another's: " + std::string(kWithout) +
           ".";
  return start + "the simulated GPU does not link: " + std::string(kWithout) +
         ", unless kernels launch kernels, which it does not do, or call functions of other files, which are "
         "then to be brought together.";
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
    binary.problem = about_linked(static_cast<const void* const*>(head.extra));
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

}  // namespace simgpu::container
