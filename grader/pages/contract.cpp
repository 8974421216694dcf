/// @file
/// See contract.hpp.
#include "pages/contract.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "pages/markdown.hpp"
#include "records/files.hpp"

namespace course::pages {
namespace {

using nlohmann::json;

/// Lines joined by single spaces.
std::string joined(const std::string& text) {
  std::istringstream in(text);
  std::string line, result;
  for (std::string word; in >> word;) result += (result.empty() ? "" : " ") + word;
  return result;
}

/// Doxygen's words as Markdown: "@p n" is `n`, "[elements]" after a full stop is the unit.
std::string as_markdown(const std::string& text) {
  static const std::regex kParameter(R"(@[pc] ([A-Za-z_][A-Za-z0-9_]*))");
  return std::regex_replace(joined(text), kParameter, "`$1`");
}

/// "@param[in,out] host The numbers ..." without its first word.
parameter parameter_of(const std::string& text) {
  static const std::regex kForm(R"(^@param(?:\[([a-z, ]+)\])?\s+([A-Za-z_][A-Za-z0-9_]*)\s*([\s\S]*)$)");
  std::smatch found;
  if (!std::regex_match(text, found, kForm)) return {};
  std::string direction = found[1];
  std::erase(direction, ' ');
  return {found[2], direction, as_markdown(found[3])};
}

documented_function function_of(const std::string& comment, const std::string& declaration) {
  documented_function one;
  one.signature = joined(declaration);
  if (one.signature.starts_with("extern \"C\" ")) one.signature.erase(0, 11);
  static const std::regex kName(R"(([A-Za-z_][A-Za-z0-9_]*)\s*\()");
  std::smatch found;
  if (std::regex_search(one.signature, found, kName)) one.name = found[1];
  // Pieces that begin with a command.
  static const std::regex kCommand(R"(@(brief|param|return|note)\b)");
  std::vector<std::size_t> starts;
  for (auto at = std::sregex_iterator(comment.begin(), comment.end(), kCommand); at != std::sregex_iterator();
       ++at)
    starts.push_back(static_cast<std::size_t>(at->position()));
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const auto piece =
        comment.substr(starts[k], (k + 1 < starts.size() ? starts[k + 1] : comment.size()) - starts[k]);
    const auto rest = piece.find_first_of(" \n");
    if (piece.starts_with("@param")) {
      one.parameters.push_back(parameter_of(piece));
    } else if (rest != std::string::npos) {
      // The brief ends with its paragraph.
      auto prose = piece.substr(rest);
      if (piece.starts_with("@brief")) prose = prose.substr(0, prose.find("\n\n"));
      (piece.starts_with("@brief")  ? one.brief
       : piece.starts_with("@note") ? one.note
                                    : one.returns) = as_markdown(prose);
    }
  }
  return one;
}

/// "device memory, float, aligned to 128 bytes"
std::string layout(const json& buffer) {
  const auto place = buffer.value("place", "device");
  const auto where = buffer.value("student_owns", false) ? "memory of your own"
                     : place == "device"                 ? place
                                                         : place + " host";
  return fmt::format("{}, `{}`, {} bytes{}", where, buffer.value("element", ""),
                     buffer.value("alignment_bytes", 1),
                     buffer.value("common", false) ? ", one for all" : "");
}

}  // namespace

std::vector<documented_function> functions_of_header(std::string_view header) {
  std::vector<documented_function> all;
  std::istringstream in{std::string(header)};
  std::string comment, declaration;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("///")) {
      if (declaration.empty()) comment += (line.size() > 4 ? line.substr(4) : "") + "\n";
      continue;
    }
    if (comment.empty()) continue;
    declaration += line + "\n";
    const auto end = declaration.find_first_of(";{");
    if (end == std::string::npos && !line.empty()) continue;
    if (end != std::string::npos && declaration[end] == ';' && comment.find("@brief") != std::string::npos &&
        declaration.find('(') < end)
      all.push_back(function_of(comment, declaration.substr(0, end)));
    comment.clear(), declaration.clear();
  }
  return all;
}

std::string contract_block(const json& description, std::string_view header, const std::string& header_name) {
  const auto documented = functions_of_header(header);
  std::vector<std::string> done;
  std::string text;
  for (const auto& part : description.at("parts")) {
    if (!part.contains("problem")) continue;
    const auto& asked = part.at("problem");
    for (const auto& call : asked.at("calls")) {
      const auto name = call.value("function", "");
      if (std::find(done.begin(), done.end(), name) != done.end()) continue;
      done.push_back(name);
      const auto found = std::find_if(documented.begin(), documented.end(),
                                      [&](const auto& one) { return one.name == name; });
      if (found == documented.end())
        throw environment_error(fmt::format(
            "{} says nothing of {}: write a comment with @brief and @param above it.", header_name, name));
      text += fmt::format("{}`{}`{}\n\n", text.empty() ? "" : "\n", found->signature,
                          call.value("phase", "") == "timed" ? ", timed" : ", not timed");
      table rows({"parameter", "where, what, alignment", "meaning"});
      for (const auto& one : found->parameters) {
        std::string where;
        for (const auto& buffer : asked.at("buffers"))
          if (buffer.value("name", "") == one.name) where = layout(buffer);
        rows.add({fmt::format("`{}`{}", one.name,
                              one.direction == "out"      ? ", written"
                              : one.direction == "in,out" ? ", read and written"
                              : where.empty()             ? ""
                                                          : ", read"),
                  where, one.prose});
      }
      if (!found->returns.empty()) rows.add({"returns", "", found->returns});
      if (!found->note.empty()) rows.add({"note", "", found->note});
      text += rows.empty() ? found->brief + "\n" : rows.text();
    }
  }
  if (text.empty()) throw environment_error("the exercise has no case whose contract could be shown.");
  return text;
}

}  // namespace course::pages
