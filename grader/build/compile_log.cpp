/// @file
/// Implementation of compile_log.hpp.
#include "build/compile_log.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <regex>
#include <sstream>
#include <vector>

namespace course {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(text)};
  // A line longer than this is no message for people, and std::regex recurses per character.
  for (std::string line; std::getline(in, line);) lines.push_back(line.substr(0, 2000));
  return lines;
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = 0; !what.empty() && (at = text.find(what, at)) != std::string::npos;
       at += with.size()) {
    text.replace(at, what.size(), with);
  }
}

/// A kernel's name as it was written, of the symbol's.
std::string written_name(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  int status = 0;
  char* const text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  const std::string name = status == 0 && text ? text : symbol;
  std::free(text);
  return name.substr(0, name.find('('));
}

/// What a tool says that helps nobody, in words that say what to do.
std::string with_advice(const std::string& message) {
  static const std::regex kShared(
      R"(Entry function '(\w+)' uses too much shared data \(0x([0-9a-f]{1,9}) bytes, 0x([0-9a-f]{1,9}) max\).*)");
  std::smatch match;
  if (std::regex_match(message, match, kShared))
    return fmt::format(
        "{} declares {} bytes of shared memory, and {} are the most that can be declared: declare it extern "
        "__shared__, raise the limit by cudaFuncSetAttribute and name the size at the launch (lesson 2)",
        written_name(match[1]), std::stoull(match[2], nullptr, 16), std::stoull(match[3], nullptr, 16));
  if (message.starts_with("a host function call cannot be configured"))
    return "a host function call cannot be configured: a function that is launched by <<< >>> must be "
           "__global__";
  // As calls for managed memory were written before CUDA 13.
  if (message.find("to \"cudaMemLocation\"") != std::string::npos)
    return message +
           ": with CUDA 13 a place is no number. It is cudaMemLocation{cudaMemLocationTypeDevice, device} or "
           "{cudaMemLocationTypeHost, 0}, and cudaMemPrefetchAsync takes flags, 0, between it and the stream";
  return message;
}

/// Whether a place is a file of the compiler's own (cc4rAB58.s), which nobody can look at.
bool is_temporary(const std::string& file) {
  static const std::regex kName(R"((?:.*/)?cc\w{6}\.s)");
  return std::regex_match(file, kName);
}

}  // namespace

std::string readable_log(std::string_view output, const log_names& names, std::size_t limit_bytes) {
  // nvcc's own `x.cu(7): error: ...`, and gcc's and the assembler's `x.cu:9:10: error: ...`
  static const std::regex kPlace(
      R"(^([^\s(:][^(:]*)(\((\d+)\)|:(\d+)(:\d+)?): *((?:[a-z]+ )*[Ee]rror|[Ww]arning)?)");
  // "/etc/secret: In function 'name':"
  static const std::regex kContext(R"(^([^\s:]+): (In|At) )");
  const auto is_foreign = [&](const std::string& file) {
    return !file.starts_with('<') && names.may_quote && !names.may_quote(file);
  };
  std::string result;
  bool foreign = false;  // the lines that follow belong to a message about a foreign file
  for (std::string line : lines_of(output)) {
    if (line.starts_with("ptxas info") || line.starts_with("Remark: The warnings can be suppressed"))
      continue;
    if (line.find("bytes stack frame,") != std::string::npos && line.starts_with("    ")) continue;
    replace_all(line, names.staging + "/", "");
    std::smatch place;
    if (std::regex_search(line, place, kPlace)) {
      const std::string file = place[1];
      const std::string number = place[3].matched ? place[3] : place[4];
      foreign = is_foreign(file);
      if (foreign) {
        line = fmt::format("{}:{}: {}: in a file that is not the hand-in", file, number,
                           place[6].matched ? place[6].str() : "note");
      } else if (place[3].matched) {
        line =
            file + ":" + number + line.substr(static_cast<std::size_t>(place.position(2) + place.length(2)));
      }
    } else if (std::regex_search(line, place, kContext) && is_foreign(place[1])) {
      foreign = true;
      continue;
    } else if (foreign && (line.empty() || line.starts_with(' ') || line.starts_with('\t'))) {
      continue;
    } else {
      foreign = false;
    }
    if (line.starts_with(names.staged_name)) {
      line = names.shown_name + line.substr(names.staged_name.size());
    } else {
      replace_all(line, " " + names.staged_name + ":", " " + names.shown_name + ":");
    }
    if (result.size() + line.size() > limit_bytes) {
      result += "... (the compiler said more)\n";
      break;
    }
    result += line + "\n";
  }
  while (result.starts_with('\n')) result.erase(0, 1);
  return result;
}

std::optional<compile_problem> first_error(std::string_view readable) {
  static const std::regex kPlaced(
      R"(^(.*?):(\d+):(?:\d+:)? (?:fatal |catastrophic )?[Ee]rror(?: [#0-9A-Za-z-]+)?: (.*)$)");
  static const std::regex kPlain(
      R"(^(?:ptxas|nvlink|nvcc|cicc|.*ld|collect2:?)\s*(?:fatal|error)\s*:\s*(.*)$)");
  static const std::regex kLinker(R"(undefined reference to (.*)$)");
  for (const std::string& line : lines_of(readable)) {
    std::smatch match;
    if (std::regex_match(line, match, kPlaced) && is_temporary(match[1]))
      return compile_problem{"", 0, with_advice(match[3])};
    if (std::regex_match(line, match, kPlaced))
      return compile_problem{match[1], std::stoi(match[2].str().substr(0, 9)), with_advice(match[3])};
    if (std::regex_match(line, match, kPlain)) return compile_problem{"", 0, with_advice(match[1])};
    if (std::regex_search(line, match, kLinker))
      return compile_problem{"", 0, "undefined reference to " + match[1].str()};
  }
  return std::nullopt;
}

std::string resource_lines(std::string_view output, const std::string& architecture) {
  std::string result;
  bool ours = true;  // lines before the first kernel ("0 bytes gmem") belong to whichever kernel comes next
  for (const std::string& line : lines_of(output)) {
    const bool about_resources =
        line.starts_with("ptxas info") ||
        (line.starts_with("    ") && line.find("bytes stack frame") != std::string::npos);
    if (!about_resources) continue;
    if (line.find("Compiling entry function") != std::string::npos)
      ours = line.find("'" + architecture + "'") != std::string::npos;
    if (ours) result += line + "\n";
  }
  return result;
}

}  // namespace course
