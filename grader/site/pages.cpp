#include "site/pages.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "records/files.hpp"

namespace course::site {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const auto& item : fs::directory_iterator(folder, none)) {
    if (item.is_directory()) found.push_back(item.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// "chapter2_shared_memory" is "Chapter 2: shared memory".
std::string label_of(const std::string& folder) {
  const std::size_t dash = folder.find('_');
  if (!folder.starts_with("chapter") || dash == std::string::npos) return folder;
  std::string name = folder.substr(dash + 1);
  std::replace(name.begin(), name.end(), '_', ' ');
  return "Chapter " + folder.substr(7, dash - 7) + ": " + name;
}

/// Tasks in the order in which the lesson names them; others after them, by name.
std::vector<std::string> tasks_of(const fs::path& source, const std::string& chapter) {
  const std::string lesson = read_file(source / "chapters" / chapter / "lesson.md").value_or("");
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const fs::path& folder : folders_in(source / "exercises" / chapter)) {
    const std::string name = folder.filename().string();
    if (fs::exists(folder / "README.md")) found.emplace_back(lesson.find(name), name);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (auto& [place, name] : found) names.push_back(std::move(name));
  return names;
}

group chapter_of(const fs::path& source, const std::string& chapter) {
  group result{label_of(chapter), {}};
  const auto add = [&](const std::string& label, const fs::path& page, bool spoiler) {
    if (fs::exists(source / page)) result.entries.push_back({label, page, spoiler});
  };
  add("Lesson", fs::path("chapters") / chapter / "lesson.md", false);
  for (const std::string& task : tasks_of(source, chapter)) {
    add(task, fs::path("exercises") / chapter / task / "README.md", false);
    add(task + ", explained", fs::path("solutions") / chapter / task / "EXPLANATION.md", true);
  }
  return result;
}

}  // namespace

std::vector<group> find_pages(const fs::path& source) {
  std::vector<group> groups = {{"Course", {{"Start here", "README.md", false}}}};
  std::set<std::string> chapters;
  for (const char* folder : {"chapters", "exercises"}) {
    for (const fs::path& chapter : folders_in(source / folder)) chapters.insert(chapter.filename().string());
  }
  for (const std::string& chapter : chapters) {
    group found = chapter_of(source, chapter);
    if (!found.entries.empty()) groups.push_back(std::move(found));
  }

  group students{"Look it up", {}}, authors{"For instructors and authors", {}};
  const std::vector<std::string> for_students = {"figures", "glossary", "verdicts", "reports", "trees"};
  for (const std::string& name : for_students) {
    const fs::path page = fs::path("docs/pages") / (name + ".md");
    if (fs::exists(source / page)) students.entries.push_back({"", page, false});
  }
  if (fs::exists(source / "CONTRIBUTING.md")) authors.entries.push_back({"", "CONTRIBUTING.md", false});
  std::error_code none;
  std::set<fs::path> rest;
  for (const auto& item : fs::directory_iterator(source / "docs/pages", none)) {
    const std::string name = item.path().stem().string();
    if (item.path().extension() == ".md" &&
        std::find(for_students.begin(), for_students.end(), name) == for_students.end())
      rest.insert(fs::path("docs/pages") / item.path().filename());
  }
  for (const fs::path& page : rest) authors.entries.push_back({"", page, false});
  if (const fs::path page = "grader/simgpu/report/schema.md"; fs::exists(source / page))
    authors.entries.push_back({"", page, false});
  for (group* more : {&students, &authors}) {
    if (!more->entries.empty()) groups.push_back(std::move(*more));
  }
  return groups;
}

fs::path address_of(const fs::path& source) {
  if (source == "README.md") return "index.html";
  return fs::path(source).replace_extension(".html");
}

}  // namespace course::site
