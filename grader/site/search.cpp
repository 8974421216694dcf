#include "site/search.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

namespace course::site {
namespace {

constexpr std::size_t kShortest = 3;  // letters; what is shorter is found in headings only

/// Each word of a text once, in lower case, with blanks between: enough to say whether a page has it.
std::string words_of(const std::string& text) {
  std::set<std::string> words;
  std::string word;
  for (const char c : text + " ") {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '_') {
      word += static_cast<char>(std::tolower(byte));
      continue;
    }
    const bool number =
        std::all_of(word.begin(), word.end(), [](unsigned char one) { return std::isdigit(one) != 0; });
    if (word.size() >= kShortest && !number) words.insert(word);
    word.clear();
  }
  std::string joined;
  for (const std::string& one : words) joined += (joined.empty() ? "" : " ") + one;
  return joined;
}

}  // namespace

std::string search_script(const std::vector<searched_page>& pages) {
  nlohmann::json list = nlohmann::json::array();
  for (const searched_page& page : pages) {
    nlohmann::json sections = nlohmann::json::array();
    for (const heading& one : page.headings) {
      if (one.level > 1) sections.push_back({one.text, one.id});
    }
    list.push_back({{"title", page.title},
                    {"at", page.address},
                    {"sections", sections},
                    {"words", words_of(page.text)}});
  }
  return "\"use strict\";\nconst course_pages = " + list.dump() + ";\n";
}

}  // namespace course::site
