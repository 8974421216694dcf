/// @file
/// See blocks.hpp.
#include "pages/blocks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <sstream>

#include "records/files.hpp"

namespace course::pages {
namespace {

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.remove_suffix(1);
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front()))) line.remove_prefix(1);
  return line;
}

/// Words of a line that is one HTML comment and nothing else; empty for any other line.
std::vector<std::string> comment_words(std::string_view line) {
  static constexpr std::string_view kOpen = "<!--", kClose = "-->";
  line = trimmed(line);
  if (!line.starts_with(kOpen) || !line.ends_with(kClose) || line.size() < kOpen.size() + kClose.size())
    return {};
  std::istringstream in(std::string(line.substr(kOpen.size(), line.size() - kOpen.size() - kClose.size())));
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

bool is_lower_word(const std::string& word) {
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::islower(c) || c == '_'; });
}

bool is_fence(std::string_view line) {
  return trimmed(line).starts_with("```");
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Markers that only the site reads (docs/pages/site.md): nothing is generated between them.
bool is_the_sites(const std::vector<std::string>& words) {
  const std::string& kind = words.size() == 2 && words[0] == "end" ? words[1] : words[0];
  return kind == "figure" || kind == "steps" || kind == "quiz" || kind == "predict";
}

}  // namespace

written_page write_blocks(std::string_view page, const std::vector<std::string>& kinds,
                          const block_writer& writer) {
  const auto lines = lines_of(page);
  const auto end_of = [&](const std::string& kind, std::size_t from) -> std::optional<std::size_t> {
    for (std::size_t i = from; i < lines.size(); ++i) {
      const auto words = comment_words(lines[i]);
      if (words.size() == 2 && words[0] == "end" && words[1] == kind) return i;
      // A second block begins: the first one's end was forgotten.
      if (!words.empty() && contains(kinds, words[0])) return std::nullopt;
    }
    return std::nullopt;
  };
  written_page result;
  const auto complain = [&](std::size_t index, const std::string& sentence) {
    result.complaints.push_back({static_cast<int>(index) + 1, sentence});
  };
  bool in_fence = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    result.text += lines[i];
    if (is_fence(lines[i])) in_fence = !in_fence;
    if (in_fence) continue;
    const auto words = comment_words(lines[i]);
    if (words.empty() || words[0] == "question" || words[0] == "solved" || is_the_sites(words)) continue;
    const std::string& kind = words[0];
    if (kind == "end") {
      if (words.size() == 2)
        complain(i, fmt::format("`<!-- end {} -->` ends nothing: no such block is open here.", words[1]));
      continue;
    }
    const auto end = end_of(kind, i + 1);
    if (!contains(kinds, kind)) {
      if (end || (words.size() == 1 && is_lower_word(kind)))
        complain(i, fmt::format("`{}` is no kind of block: pages know {}.", kind, fmt::join(kinds, ", ")));
      continue;
    }
    if (!end) {
      complain(i, fmt::format("the block `{0}` is not closed: write `<!-- end {0} -->` below it.", kind));
      continue;
    }
    ++result.blocks;
    block found{{kind, {words.begin() + 1, words.end()}, static_cast<int>(i) + 1}, {}};
    for (std::size_t k = i + 1; k < *end; ++k) found.content += lines[k];
    std::string fresh = found.content;
    try {
      fresh = writer(found);
      if (fresh != found.content) result.stale.push_back(found.opens.line);
    } catch (const environment_error& problem) {
      complain(i, problem.what());
    }
    result.text += fresh + lines[*end];
    i = *end;
  }
  return result;
}

std::string typed_text(std::string_view page, const std::vector<std::string>& kinds) {
  std::string text;
  std::string open;
  bool in_fence = false;
  for (const auto& line : lines_of(page)) {
    const auto words = comment_words(line);
    const bool fence = is_fence(line);
    if (open.empty() && !in_fence && !words.empty() && contains(kinds, words[0])) open = words[0];
    text += open.empty() && !in_fence && !fence ? line : "\n";
    if (open.empty() && fence) in_fence = !in_fence;
    if (words.size() == 2 && words[0] == "end" && words[1] == open) open.clear();
  }
  return text;
}

}  // namespace course::pages
