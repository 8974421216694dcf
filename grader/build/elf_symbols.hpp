/// @file
/// The dynamic symbol table of a 64-bit ELF shared object: what it offers, what it needs, and from which
/// libraries. Read directly, so that grading needs no binutils on the machine that only runs a prepared build
/// folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace course {

/// Names in a shared object's dynamic symbol table, without versions.
struct elf_symbols {
  std::vector<std::string> defined;    ///< exported: global, weak or unique, with a definition
  std::vector<std::string> undefined;  ///< strong references that somebody else must define
  std::vector<std::string> weak;       ///< weak references: somebody else may define them
  std::vector<std::string> needed;     ///< DT_NEEDED: sonames of libraries it is linked to
};

/// Reads a shared object's dynamic symbols.
/// @return nullopt if the file is not a readable, well-formed 64-bit ELF file for this machine.
std::optional<elf_symbols> read_elf_symbols(const std::filesystem::path& file);

}  // namespace course
