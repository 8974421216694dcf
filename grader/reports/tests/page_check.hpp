/// @file
/// A strict reader of pages for tests: what a browser would forgive, it reports.
#pragma once

#include <cctype>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace course::reports {

/// What is wrong with a page, one sentence each: tags that do not match, unquoted or unfinished attributes, raw < or & in text, anything that
/// runs or is loaded, ids that appear twice, links in the page that lead nowhere, pictures without title or description.
inline std::vector<std::string> problems_of(const std::string& html) {
  static const std::set<std::string> kVoid = {"meta", "br", "hr", "img", "link", "input"};
  static const std::set<std::string> kNever = {"script", "link",  "img",  "iframe",
                                               "object", "embed", "base", "form"};
  static const std::set<std::string> kLoads = {"src", "srcset", "action", "data", "xlink:href"};
  std::vector<std::string> problems, open;
  std::set<std::string> ids;
  std::vector<std::string> links;
  const auto near = [&](std::size_t at) { return " near: " + html.substr(at, 60); };
  for (std::size_t at = 0; at < html.size();) {
    if (html[at] == '&') {
      const std::size_t end = html.find(';', at);
      if (end == std::string::npos || end > at + 8) problems.push_back("a raw &" + near(at));
    }
    if (html[at] == '>') problems.push_back("a raw >" + near(at));
    if (html[at] != '<') {
      ++at;
      continue;
    }
    if (html.compare(at, 9, "<!DOCTYPE") == 0) {
      at = html.find('>', at) + 1;
      continue;
    }
    const std::size_t begin = at++;
    const bool closing = html[at] == '/';
    if (closing) ++at;
    std::string name;
    while (at < html.size() && (std::isalnum(static_cast<unsigned char>(html[at])) || html[at] == '-'))
      name += html[at++];
    if (name.empty()) {
      problems.push_back("a raw <" + near(begin));
      continue;
    }
    if (closing) {
      if (open.empty() || open.back() != name)
        problems.push_back("</" + name + "> closes nothing" + near(begin));
      if (!open.empty()) open.pop_back();
      at = html.find('>', at) + 1;
      continue;
    }
    if (kNever.contains(name)) problems.push_back("<" + name + "> has no place in a page" + near(begin));
    bool empty = kVoid.contains(name);
    while (at < html.size() && html[at] != '>') {
      if (std::isspace(static_cast<unsigned char>(html[at]))) {
        ++at;
        continue;
      }
      if (html[at] == '/') {
        empty = true;
        ++at;
        continue;
      }
      std::string key, value;
      while (at < html.size() && html[at] != '=' && html[at] != '>' &&
             !std::isspace(static_cast<unsigned char>(html[at])))
        key += html[at++];
      if (html.compare(at, 2, "=\"") != 0) {
        problems.push_back("attribute " + key + " has no quoted value" + near(begin));
        break;
      }
      const std::size_t end = html.find('"', at + 2);
      if (end == std::string::npos) return {"an attribute that does not end" + near(begin)};
      value = html.substr(at + 2, end - at - 2);
      at = end + 1;
      if (key.starts_with("on")) problems.push_back("an attribute that runs something: " + key);
      if (kLoads.contains(key)) problems.push_back("an attribute that loads something: " + key);
      if (value.find('<') != std::string::npos) problems.push_back("a raw < in an attribute: " + value);
      if (key == "id" && !ids.insert(value).second) problems.push_back("two elements have the id " + value);
      if (key == "href") links.push_back(value);
      if (key == "aria-labelledby") {
        std::istringstream words(value);
        for (std::string word; words >> word;) links.push_back("#" + word);
      }
    }
    if (at >= html.size()) return {"a tag that does not end" + near(begin)};
    ++at;
    if (name == "svg") {
      const std::string inside = html.substr(at, html.find("</svg>", at) - at);
      if (inside.find("<title") == std::string::npos || inside.find("<desc") == std::string::npos)
        problems.push_back("a picture without title or description" + near(begin));
    }
    if (name == "style") at = html.find("</style>", at);
    if (!empty) open.push_back(name);
  }
  for (const std::string& name : open) problems.push_back("<" + name + "> stays open");
  for (const std::string& link : links) {
    if (!link.starts_with("#")) {
      problems.push_back("a link that leaves the page: " + link);
    } else if (!ids.contains(link.substr(1))) {
      problems.push_back("a link that leads nowhere: " + link);
    }
  }
  return problems;
}

}  // namespace course::reports
