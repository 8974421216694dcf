#include "site/doxygen_words.hpp"

#include <fmt/format.h>

#include <regex>
#include <sstream>

#include "records/files.hpp"
#include "site/html.hpp"

namespace course::site {
namespace {

const std::regex& named_heading() {
  static const std::regex kHeading(R"(^(#+) (.*?)\s*\{#(\w+)\}\s*$)");
  return kHeading;
}

/// The lines of a listing between `// [region]` and `// [region]`.
std::string region_of(const std::filesystem::path& file, const std::string& region) {
  std::istringstream lines(read_file(file).value_or(""));
  std::string out;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("[" + region + "]") != std::string::npos) {
      if (inside) break;
      inside = true;
    } else if (inside) {
      out += line + "\n";
    }
  }
  return out;
}

}  // namespace

void collect_places(const std::string& text, const std::filesystem::path& page, named_places& places) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_match(line, found, named_heading()))
      places[found[3]] = {page, found.length(1) == 1 ? "" : slug(found.str(2)), found[2]};
  }
}

std::string without_doxygen_words(const std::string& text, const std::filesystem::path& page,
                                  const std::filesystem::path& source, const named_places& places) {
  static const std::regex kReference(R"([\\@]ref (\w+))"), kSnippet(R"(^[\\@]snippet (\S+) (\w+)\s*$)");
  std::istringstream lines(text);
  std::string out;
  bool in_fence = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) in_fence = !in_fence;
    std::smatch found;
    if (in_fence) {
      out += line + "\n";
    } else if (std::regex_match(line, found, named_heading())) {
      out += found.str(1) + " " + found.str(2) + "\n";
    } else if (std::regex_match(line, found, kSnippet)) {
      out += "```cpp\n" + region_of(source / "chapters" / found.str(1), found[2]) + "```\n";
    } else {
      for (; std::regex_search(line, found, kReference); line = found.suffix()) {
        out += found.prefix();
        const auto place = places.find(found[1]);
        if (place == places.end()) {
          out += found[1];
          continue;
        }
        const std::string way =
            std::filesystem::path(place->second.page).lexically_relative(page.parent_path()).string();
        out += fmt::format("[{}]({}{}{})", place->second.title, way, place->second.id.empty() ? "" : "#",
                           place->second.id);
      }
      out += line + "\n";
    }
  }
  return out;
}

}  // namespace course::site
