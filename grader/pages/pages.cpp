/// @file
/// See pages.hpp.
#include "pages/pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pages/claims.hpp"
#include "pages/contract.hpp"
#include "pages/gains.hpp"
#include "pages/kills.hpp"
#include "pages/listing.hpp"
#include "pages/records.hpp"
#include "pages/task_tables.hpp"
#include "records/files.hpp"

namespace course::pages {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> markdown_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".md") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

const std::vector<std::string>& block_kinds() {
  static const std::vector<std::string> kKinds = {"listing", "gates",     "contract", "cases",    "run",
                                                  "starter", "questions", "hints",    "measured", "ladder",
                                                  "kills",   "margins",   "claims",   "gains"};
  return kKinds;
}

std::vector<fs::path> all_pages(const build_folder& build) {
  std::vector<fs::path> pages;
  const auto add = [&](const fs::path& page) {
    std::error_code error;
    if (fs::exists(build.source_dir() / page, error)) pages.push_back(page);
  };
  for (const auto& exercise : build.config().exercises) {
    add(fs::path("exercises") / exercise.chapter / exercise.name / "README.md");
    add(fs::path("solutions") / exercise.chapter / exercise.name / "EXPLANATION.md");
  }
  std::error_code error;
  std::vector<fs::path> chapters;
  for (const auto& entry : fs::directory_iterator(build.source_dir() / "chapters", error))
    chapters.push_back(entry.path().filename());
  std::sort(chapters.begin(), chapters.end());
  for (const auto& chapter : chapters) add(fs::path("chapters") / chapter / "lesson.md");
  for (const auto& page : markdown_in(build.source_dir() / "docs/pages"))
    pages.push_back(fs::path("docs/pages") / page.filename());
  return pages;
}

struct page_writer::state {
  const build_folder& build;
  starter_text grade_starter;
  std::map<std::string, nlohmann::json> descriptions;

  const nlohmann::json& description(const exercise_id& exercise) {
    auto [at, fresh] = descriptions.try_emplace(exercise.judge());
    if (fresh) {
      descriptions.erase(at);
      at = descriptions.emplace(exercise.judge(), description_of(build, exercise)).first;
    }
    return at->second;
  }

  /// exercises/<chapter>/<exercise>/README.md and solutions/<chapter>/<exercise>/EXPLANATION.md are an exercise's.
  const exercise_id* exercise_of(const fs::path& page) const {
    std::vector<std::string> parts;
    for (const auto& part : page) parts.push_back(part.string());
    return parts.size() == 4 ? build.find(parts[1], parts[2]) : nullptr;
  }

  std::string content(const fs::path& page, const block& asked) {
    const std::string& kind = asked.opens.kind;
    const std::vector<std::string>& words = asked.opens.words;
    const fs::path folder = build.source_dir() / page.parent_path();
    const auto wants = [&](std::size_t count, const char* how) {
      if (words.size() != count) throw environment_error(fmt::format("write `<!-- {} -->`.", how));
    };
    if (kind == "listing") {
      wants(2, "listing listings/halo.cu kernel");
      return listing_block(folder / words[0], words[0], words[1]);
    }
    if (kind == "measured") {
      wants(1, "measured NAME");
      const auto chapter = std::next(page.begin())->string();
      std::vector<fs::path> files{folder / "measured.json",
                                  build.source_dir() / "chapters" / chapter / "measured.json"};
      for (const fs::path& file : measured_records(build)) files.push_back(file);
      return measured_block(files, words[0]);
    }
    wants(0, kind.c_str());
    if (kind == "claims") return claims_block(claims_records(build));
    if (kind == "gains") return gains_block(build);
    if (kind == "kills") return kills_block(build);
    if (kind == "margins") return margins_block(build);
    const exercise_id* exercise = exercise_of(page);
    if (!exercise)
      throw environment_error(fmt::format("`{}` belongs to a page of an exercise, and this is none.", kind));
    if (kind == "run") {
      std::error_code error;
      return run_block(*exercise, fs::exists(build.exercise_folder(*exercise) / "predict.json", error));
    }
    const auto beside = [&](const char* file) {
      return read_file(build.exercise_folder(*exercise) / file).value_or("");
    };
    if (kind == "questions") return questions_block(*exercise, beside("predict.json"));
    if (kind == "hints") return hints_block(beside("hints.md"));
    if (exercise->is_drill()) throw environment_error(fmt::format("a drill has no {}.", kind));
    if (kind == "ladder") return ladder_block(build, *exercise);
    if (kind == "starter") {
      if (grade_starter) return starter_block(grade_starter(*exercise));
      if (asked.content.empty())
        throw environment_error(
            fmt::format("the starter's block is empty: run ./course pages --write {}.", exercise->name));
      return asked.content;
    }
    if (kind == "gates") return gates_block(description(*exercise));
    if (kind == "cases") return cases_block(description(*exercise));
    const auto header = read_file(build.exercise_folder(*exercise) / (exercise->name + ".cuh"));
    return contract_block(description(*exercise), header.value_or(""), exercise->name + ".cuh");
  }
};

page_writer::page_writer(const build_folder& build, starter_text grade_starter)
    : state_(new state{build, std::move(grade_starter), {}}) {}
page_writer::~page_writer() = default;

written_page page_writer::write(const fs::path& page) {
  const auto text = read_file(state_->build.source_dir() / page);
  if (!text) throw environment_error(fmt::format("The page {} cannot be read.", page.string()));
  return write_blocks(*text, block_kinds(), [&](const block& asked) { return state_->content(page, asked); });
}

std::string starter_block(const std::string& text) {
  return "```text\n" + text + (text.ends_with('\n') ? "" : "\n") + "```\n";
}

bool shows_starter(const std::string& page, const std::string& text) {
  const auto written = write_blocks(page, {"starter"}, [&](const block&) { return starter_block(text); });
  return written.stale.empty();
}

}  // namespace course::pages
