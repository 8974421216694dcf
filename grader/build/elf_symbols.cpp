/// @file
/// Implementation of elf_symbols.hpp. Every offset is checked against the file's size: the file was made by a
/// compiler that read student code.
#include "build/elf_symbols.hpp"

#include <elf.h>

#include <cstring>
#include <string_view>

#include "records/files.hpp"

namespace course {
namespace {

/// Bounds-checked view of a file's bytes.
class image {
 public:
  explicit image(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  std::optional<T> at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  /// Zero-terminated text; empty where it would leave the file.
  std::string text(std::uint64_t offset) const {
    if (offset >= bytes_.size()) return {};
    const std::size_t end = bytes_.find('\0', offset);
    if (end == std::string_view::npos) return {};
    return std::string(bytes_.substr(offset, end - offset));
  }

 private:
  std::string_view bytes_;
};

}  // namespace

std::optional<elf_symbols> read_elf_symbols(const std::filesystem::path& file) {
  const auto bytes = read_file(file);
  if (!bytes) return std::nullopt;
  const image elf(*bytes);
  const auto header = elf.at<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_shentsize != sizeof(Elf64_Shdr)) {
    return std::nullopt;
  }
  const auto section = [&](std::uint64_t index) {
    return elf.at<Elf64_Shdr>(header->e_shoff + index * sizeof(Elf64_Shdr));
  };

  elf_symbols result;
  bool found = false;
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto table = section(i);
    if (!table) return std::nullopt;
    if (table->sh_type != SHT_DYNSYM && table->sh_type != SHT_DYNAMIC) continue;
    const auto strings = section(table->sh_link);
    if (!strings) return std::nullopt;
    if (table->sh_type == SHT_DYNSYM) {
      found = true;
      for (std::uint64_t offset = sizeof(Elf64_Sym); offset + sizeof(Elf64_Sym) <= table->sh_size;
           offset += sizeof(Elf64_Sym)) {
        const auto symbol = elf.at<Elf64_Sym>(table->sh_offset + offset);
        if (!symbol) return std::nullopt;
        const unsigned binding = ELF64_ST_BIND(symbol->st_info);
        std::string name = elf.text(strings->sh_offset + symbol->st_name);
        if (name.empty() || binding == STB_LOCAL) continue;
        if (symbol->st_shndx != SHN_UNDEF) {
          result.defined.push_back(std::move(name));
        } else {
          (binding == STB_WEAK ? result.weak : result.undefined).push_back(std::move(name));
        }
      }
    } else {
      for (std::uint64_t offset = 0; offset + sizeof(Elf64_Dyn) <= table->sh_size;
           offset += sizeof(Elf64_Dyn)) {
        const auto entry = elf.at<Elf64_Dyn>(table->sh_offset + offset);
        if (!entry || entry->d_tag == DT_NULL) break;
        if (entry->d_tag == DT_NEEDED)
          result.needed.push_back(elf.text(strings->sh_offset + entry->d_un.d_val));
      }
    }
  }
  if (!found) return std::nullopt;
  return result;
}

}  // namespace course
