/// @file
/// Implementation of plugin_checks.hpp.
#include "build/plugin_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <sstream>

#include "build/elf_symbols.hpp"
#include "records/verdict.hpp"

namespace course {
namespace fs = std::filesystem;
namespace {

std::string without_comments(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (text.substr(i, 2) == "/*") {
      const std::size_t end = text.find("*/", i + 2);
      if (end == std::string_view::npos) break;
      i = end + 1;
      result += ' ';
    } else {
      result += text[i];
    }
  }
  return result;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

bool starts_with_then_capital(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) && name.size() > prefix.size() &&
         std::isupper(static_cast<unsigned char>(name[prefix.size()]));
}

/// Folders in which the dynamic linker finds the C and C++ libraries of this machine.
constexpr std::array<const char*, 8> kLibraryFolders = {
    "/lib/x86_64-linux-gnu",  "/usr/lib/x86_64-linux-gnu",  "/lib64", "/usr/lib64",
    "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib",   "/usr/lib"};

bool within(const fs::path& file, const fs::path& folder) {
  const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return end == folder.end() || (end->empty() && std::next(end) == folder.end());
}

}  // namespace

std::vector<std::string> contract_functions(std::string_view contract, const std::string& exercise) {
  const std::string text = without_comments(contract);
  const std::string prefix = exercise + "_";
  std::set<std::string> names;
  for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at + 1)) {
    if (at > 0 && is_word(text[at - 1])) continue;
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    std::size_t next = end;
    while (next < text.size() && std::isspace(static_cast<unsigned char>(text[next]))) ++next;
    if (next < text.size() && text[next] == '(') names.insert(text.substr(at, end - at));
  }
  if (names.empty()) names.insert(exercise + "_run");
  return {names.begin(), names.end()};
}

std::string contract_declaration(std::string_view contract, const std::string& function) {
  const std::string text = without_comments(contract);
  const auto is_name = [&](std::size_t at) {
    return (at == 0 || !is_word(text[at - 1])) &&
           text.find_first_not_of(" \t\r\n", at + function.size()) == text.find('(', at);
  };
  std::size_t at = text.find(function);
  while (at != std::string::npos && !is_name(at)) at = text.find(function, at + 1);
  const std::size_t end = at == std::string::npos ? at : text.find(';', at);
  if (end == std::string::npos) return {};
  const std::size_t before = text.find_last_of(";{}", at);
  std::istringstream lines(text.substr(before + 1, end - before));  // npos + 1 is the beginning
  std::string declaration;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) declaration += (declaration.empty() ? "" : " ") + word;
  }
  return declaration;
}

bool is_forbidden_symbol(std::string_view name) {
  // What a worker itself calls while it times and reports. A plugin is loaded RTLD_LOCAL, so that its
  // definitions should not reach the worker anyway; nobody needs these names in a kernel file.
  static const std::set<std::string_view> kWorkerCalls = {
      "main",    "exit",   "_exit",         "_Exit",        "abort",     "dlopen",        "dlsym",
      "dlclose", "dlvsym", "clock_gettime", "gettimeofday", "time",      "write",         "read",
      "send",    "recv",   "sendto",        "sendmsg",      "recvmsg",   "ioctl",         "poll",
      "mmap",    "munmap", "malloc",        "calloc",       "realloc",   "free",          "memcpy",
      "memset",  "memcmp", "strcmp",        "syscall",      "ptrace",    "kill",          "waitpid",
      "fork",    "execve", "prctl",         "signal",       "sigaction", "pthread_create"};
  return starts_with_then_capital(name, "cuda") || starts_with_then_capital(name, "__cuda") ||
         starts_with_then_capital(name, "cu") || name.starts_with("simgpu_") || name.starts_with("ffi_") ||
         name.starts_with("course_") || kWorkerCalls.contains(name);
}

std::string_view why_unusable(std::string_view name) {
  static const std::set<std::string_view> kLoader = {"dlopen",  "dlmopen",  "dlsym",          "dlvsym",
                                                     "dlclose", "dladdr",   "dladdr1",        "dlinfo",
                                                     "dlerror", "_r_debug", "dl_iterate_phdr"};
  static const std::set<std::string_view> kPrograms = {"fork",    "vfork",  "_Fork",   "__fork",  "clone",
                                                       "__clone", "execl",  "execle",  "execlp",  "execv",
                                                       "execve",  "execvp", "execvpe", "fexecve", "execveat",
                                                       "system",  "popen",  "daemon",  "forkpty", "wordexp"};
  const auto any = [&](std::initializer_list<std::string_view> prefixes) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](std::string_view prefix) { return name.starts_with(prefix); });
  };
  if (any({"simgpu_", "course_"})) return "which belongs to the grader";
  if (kLoader.contains(name) || any({"_dl_", "_rtld_", "__libc_dl"}))
    return "which looks up functions or loads libraries at run time (as NVTX does)";
  if (kPrograms.contains(name) || any({"posix_spawn"})) return "which starts other programs";
  if (name == "ptrace" || any({"process_vm_", "pidfd_"})) return "which looks into other programs";
  if (name == "syscall") return "which calls the operating system past its library";
  return {};
}

std::optional<refusal> check_symbols(const fs::path& plugin, const std::vector<std::string>& functions,
                                     const std::string& contract_name,
                                     const std::vector<fs::path>& runtimes) {
  const auto symbols = read_elf_symbols(plugin);
  if (!symbols)
    return refusal{cause::undefined_symbol,
                   "The compiler made a file that is no shared object: please report this."};
  const std::set<std::string_view> defined(symbols->defined.begin(), symbols->defined.end());

  for (const std::string& name : symbols->defined) {
    if (std::find(functions.begin(), functions.end(), name) == functions.end() && is_forbidden_symbol(name)) {
      return refusal{cause::forbidden_symbol,
                     fmt::format("The file defines {}, a function of CUDA, of the C library or of the "
                                 "grader: give yours another name, or make it "
                                 "static.",
                                 name)};
    }
  }
  for (const auto* names : {&symbols->undefined, &symbols->weak}) {
    for (const std::string& name : *names) {
      const std::string_view why = why_unusable(name);
      if (why.empty()) continue;
      return refusal{
          cause::forbidden_symbol,
          fmt::format("The file uses {}, {}: a hand-in needs the CUDA runtime and the standard library, "
                      "so remove the call.",
                      name, why)};
    }
  }
  for (const std::string& name : functions) {
    if (defined.contains(name)) continue;
    const bool other_linkage = std::any_of(defined.begin(), defined.end(), [&](std::string_view symbol) {
      return symbol.starts_with("_Z") &&
             symbol.find(std::to_string(name.size()) + name) != std::string_view::npos;
    });
    return refusal{
        cause::missing_function,
        other_linkage
            ? fmt::format("There is a {0}, but not the one of the contract: include \"{1}\" and keep {0}'s "
                          "parameters as they stand there.",
                          name, contract_name)
            : fmt::format(
                  "The function {} is missing: the contract {} asks for it, and it must not be static.", name,
                  contract_name)};
  }

  std::set<std::string> given;
  const auto add = [&](const fs::path& library) {
    const auto offered = read_elf_symbols(library);
    if (offered) given.insert(offered->defined.begin(), offered->defined.end());
    return offered.has_value();
  };
  std::vector<std::string> missing = symbols->undefined;
  const auto drop_given = [&] {
    std::erase_if(missing, [&](const std::string& name) { return given.contains(name); });
  };
  bool all_libraries_read = true;
  for (const fs::path& runtime : runtimes) add(runtime);
  drop_given();
  std::vector<std::string> libraries = symbols->needed;
  libraries.insert(libraries.end(), {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"});
  for (std::size_t i = 0; i < libraries.size() && !missing.empty(); ++i) {
    const bool wanted = i < symbols->needed.size();
    const bool read = std::any_of(kLibraryFolders.begin(), kLibraryFolders.end(),
                                  [&](const char* folder) { return add(fs::path(folder) / libraries[i]); });
    if (wanted && !read) all_libraries_read = false;
    drop_given();
  }
  // A library in an unusual place: better let the worker's dynamic linker find out than refuse a sound
  // hand-in.
  if (missing.empty() || !all_libraries_read) return std::nullopt;
  const std::string& name = missing.front();
  std::string advice = "define it in this file, or remove the call";
  if (starts_with_then_capital(name, "cu"))
    advice = "it is a driver function; get it with cudaGetDriverEntryPoint, or use the runtime's own";
  if (name.starts_with("cublas") || name.starts_with("cudnn") || name.starts_with("cufft") ||
      name.starts_with("curand")) {
    advice = "the exercise is to write the kernel, so CUDA's libraries are not linked";
  }
  return refusal{
      cause::undefined_symbol,
      fmt::format("The file uses {}, which neither it nor the CUDA runtime defines: {}.", name, advice)};
}

std::vector<std::string> parse_dependencies(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto flush = [&] {
    if (!word.empty()) words.push_back(word);
    word.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      const char next = text[++i];
      if (next == '\n') {
        flush();
      } else if (next == ' ' || next == '\\' || next == '#') {
        word += next;
      } else {
        word += c;
        word += next;
      }
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      flush();
    } else {
      word += c;
    }
  }
  flush();
  // Everything up to the colon is the target: "plugin.so :" or "plugin.so:".
  const auto colon =
      std::find_if(words.begin(), words.end(), [](const std::string& w) { return w.ends_with(':'); });
  if (colon != words.end()) words.erase(words.begin(), std::next(colon));
  return words;
}

std::vector<fs::path> parse_search_folders(std::string_view verbose) {
  std::vector<fs::path> folders;
  std::istringstream lines{std::string(verbose)};
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("search starts here:") != std::string::npos) {
      inside = true;
    } else if (line.starts_with("End of search list")) {
      inside = false;
    } else if (inside && line.starts_with(" /")) {
      folders.emplace_back(line.substr(1));
    }
  }
  return folders;
}

bool may_include(const std::string& name, const allowed_includes& allowed) {
  std::error_code error;
  const fs::path file = fs::weakly_canonical(allowed.staging / name, error);  // an absolute name stays itself
  return within(file, allowed.staging) ||
         std::find(allowed.contract.begin(), allowed.contract.end(), file) != allowed.contract.end() ||
         std::any_of(allowed.toolkits.begin(), allowed.toolkits.end(),
                     [&](const fs::path& folder) { return within(file, folder); });
}

refusal forbidden_include(const std::string& name) {
  return {cause::forbidden_include,
          fmt::format("The file includes {}, which lies outside the hand-in, the contract and the toolkit: a "
                      "hand-in is one .cu file, so put what you need into it.",
                      name)};
}

}  // namespace course
