/// @file
/// What a compiled plugin must and must not be: it offers the contract's functions, brings no stand-ins for
/// CUDA's or our own, needs nothing that a worker cannot give, and was made from the hand-in and the contract
/// alone.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "records/tree.hpp"

namespace course {

/// Why a plugin is refused.
struct refusal {
  std::string_view cause;  ///< forbidden_include, forbidden_symbol, missing_function or undefined_symbol
  std::string message;     ///< one sentence for a student
};

/// Functions that a contract asks for: names starting with the exercise's, followed by a parenthesis, outside
/// comments.
/// @param[in] contract text of the header.
/// @param[in] exercise name, e.g. block_reduction.
std::vector<std::string> contract_functions(std::string_view contract, const std::string& exercise);

/// A function's declaration as a contract has it, in one line and without comments; empty if it has none.
std::string contract_declaration(std::string_view contract, const std::string& function);

/// Whether a symbol that a plugin exports could stand in for one of CUDA's, the simulated GPU's or the
/// worker's.
bool is_forbidden_symbol(std::string_view name);

/// Why a plugin may not use a symbol that somebody else defines; empty if it may.
///
/// | symbols | because |
/// |---|---|
/// | `simgpu_*`, `course_*` | they are the grader's instruments |
/// | `dl*` of the dynamic loader, its `_dl_*`, `_rtld_*`, `__libc_dl*`, `_r_debug` | any other name can be had through them, and other plugins loaded |
/// | `fork`, `vfork`, `clone`, `exec*`, `posix_spawn*`, `system`, `popen`, ... | a kernel file starts no programs |
/// | `ptrace`, `process_vm_*`, `pidfd_*` | nor does it look into others |
/// | `syscall` | it does all of this without a name |
///
/// Everything else of the C and C++ libraries is welcome, threads included. What harms others is refused by
/// the worker's system-call filter as well: this check is there to say it in a sentence, and for what never
/// reaches the kernel.
/// @return the end of the sentence "The file uses NAME, ..."
std::string_view why_unusable(std::string_view name);

/// Checks a plugin's dynamic symbols.
/// @param[in] plugin the shared object that nvcc made.
/// @param[in] functions what contract_functions said.
/// @param[in] contract_name file name of the contract, for messages.
/// @param[in] runtimes shared objects that bring the CUDA runtime; a name in any of them counts as given.
/// @return nullopt if all is well.
std::optional<refusal> check_symbols(const std::filesystem::path& plugin,
                                     const std::vector<std::string>& functions,
                                     const std::string& contract_name,
                                     const std::vector<std::filesystem::path>& runtimes);

/// The prerequisites in a dependency file as nvcc -MD writes it.
/// @param[in] text content; backslash-newline and backslash-space are understood.
std::vector<std::string> parse_dependencies(std::string_view text);

/// The folders in which a compiler looks for included files by itself.
/// @param[in] verbose what it says with -v; lines between "search starts here" and "End of search list".
std::vector<std::filesystem::path> parse_search_folders(std::string_view verbose);

/// Where included files may lie. Canonical paths.
struct allowed_includes {
  std::filesystem::path staging;                ///< the folder that holds nothing but the hand-in
  std::vector<std::filesystem::path> contract;  ///< its headers
  std::vector<std::filesystem::path> toolkits;  ///< system and toolkit folders
};

/// Whether a hand-in may use, and a compiler's message quote, a file.
/// @param[in] name path; a relative one is seen from the staging folder.
bool may_include(const std::string& name, const allowed_includes& allowed);

/// The refusal of a file that a hand-in may not use.
refusal forbidden_include(const std::string& name);

}  // namespace course
