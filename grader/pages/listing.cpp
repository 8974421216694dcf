/// @file
/// See listing.hpp.
#include "pages/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "records/files.hpp"

namespace course::pages {
namespace {

/// Whether a line is the marker `// [name]` and nothing else.
bool is_marker(const std::string& line, const std::string& name) {
  const std::size_t from = line.find_first_not_of(" \t");
  const std::size_t to = line.find_last_not_of(" \t\r");
  return from != std::string::npos && line.substr(from, to - from + 1) == "// [" + name + "]";
}

bool is_any_marker(const std::string& line) {
  const std::size_t from = line.find_first_not_of(" \t");
  return from != std::string::npos && line.compare(from, 4, "// [") == 0 &&
         line.find(']') == line.find_last_not_of(" \t\r");
}

}  // namespace

std::string listing_block(const std::filesystem::path& path, const std::string& file,
                          const std::string& region) {
  const auto text = read_file(path);
  if (!text) throw environment_error(fmt::format("the file {} cannot be read.", file));
  std::vector<std::string> lines;
  std::istringstream in(*text);
  int markers = 0;
  for (std::string line; std::getline(in, line);) {
    if (is_marker(line, region)) {
      ++markers;
    } else if (markers == 1 && !is_any_marker(line)) {  // regions may lie in one another
      while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
      lines.push_back(line);
    }
  }
  if (markers != 2)
    throw environment_error(fmt::format(
        "{} has {} lines `// [{}]`, and two are wanted, around the lines to show.", file, markers, region));
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  while (!lines.empty() && lines.front().empty()) lines.erase(lines.begin());
  if (lines.empty()) throw environment_error(fmt::format("the region {} of {} is empty.", region, file));
  std::size_t indent = std::string::npos;
  for (const auto& line : lines)
    if (!line.empty()) indent = std::min(indent, line.find_first_not_of(' '));
  std::string block = path.extension() == ".sh" ? "```bash\n" : "```cpp\n";
  for (const auto& line : lines) block += (line.empty() ? line : line.substr(indent)) + "\n";
  return block + "```\n";
}

}  // namespace course::pages
