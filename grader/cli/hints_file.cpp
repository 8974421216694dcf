/// @file
/// See hints_file.hpp.
#include "cli/hints_file.hpp"

#include <algorithm>
#include <sstream>

#include "records/files.hpp"

namespace course::cli {
namespace {

/// "## 1 nudge", "## if race, deadlock".
hint_section section_of(const std::string& heading) {
  hint_section found;
  std::istringstream words(heading.substr(3));
  std::string word;
  if (words >> word && word == "if") {
    while (words >> word) {
      std::erase(word, ',');
      if (!word.empty()) found.words.push_back(word);
    }
    return found;
  }
  // The number is shown as "hint 1 of 3" already.
  const std::size_t title = heading.find_first_not_of("0123456789. ", 3);
  found.title = heading.substr(title == std::string::npos ? 3 : title);
  return found;
}

}  // namespace

hints_file hints_file::read(const std::filesystem::path& file) {
  std::vector<hint_section> sections;
  std::istringstream in(read_file(file).value_or(""));
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) {
      sections.push_back(section_of(line));
    } else if (!sections.empty()) {
      sections.back().text += line + "\n";
    }
  }
  hints_file found;
  for (hint_section& section : sections) {
    section.text.erase(0, section.text.find_first_not_of('\n'));
    section.text.erase(section.text.find_last_not_of(" \n") + 1);
    (section.is_step() ? found.steps : found.on_verdicts).push_back(std::move(section));
  }
  return found;
}

const hint_section* hints_file::fitting(const std::string& verdict, const std::string& cause) const {
  for (const std::string& word : {cause, verdict}) {
    const auto names_it = [&](const hint_section& one) {
      return !word.empty() && std::find(one.words.begin(), one.words.end(), word) != one.words.end();
    };
    const auto found = std::find_if(on_verdicts.begin(), on_verdicts.end(), names_it);
    if (found != on_verdicts.end()) return &*found;
  }
  return nullptr;
}

}  // namespace course::cli
