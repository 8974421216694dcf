/// @file
/// See task_tables.hpp.
#include "pages/task_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "build/process.hpp"
#include "pages/markdown.hpp"
#include "records/files.hpp"

namespace course::pages {
namespace {

using nlohmann::json;

constexpr double kDescribeTimeoutSeconds = 60;
constexpr const char* kEach = "";

/// @param baseline "reference" or "plain": whose speed a share is of.
std::string share_words(const std::string& unit, const std::string& text, const std::string& baseline) {
  if (unit == "of the baseline")
    return text + (baseline == "plain" ? " of the plain solution's speed" : " of the reference's speed");
  return unit.empty() || unit == "share" ? text : text + " " + unit;
}

/// What the benchmark that a gate looks at is compared with; the first one where it looks at each.
std::string baseline_of(const json& description, const std::string& benchmark) {
  for (const auto& one : description.at("benchmarks")) {
    if (benchmark.empty() || one.value("name", "") == benchmark) return one.value("baseline", "reference");
  }
  return "reference";
}

/// A gate and those that would do in its place.
std::string wanted(const json& gate, const std::string& baseline) {
  std::string text = share_words(gate.value("unit", ""), range_text(gate), baseline);
  for (const auto& other : gate.value("or_else", json::array()))
    text += fmt::format("; or `{}` {}", other.value("metric", ""),
                        share_words(other.value("unit", ""), range_text(other), baseline));
  return text;
}

std::string meaning(const json& gate) {
  if (gate.value("kind", "") == "pass") return "else the verdict is `too_slow`";
  if (gate.value("kind", "") == "limit") return "shown, never required";
  // Its lesson is kept for who misses it: it would say how the exercise is solved.
  return gate.value("explains", "");
}

std::string name_of(const json& gate) {
  const auto kind = gate.value("kind", "");
  if (gate.value("metric", "") == "speed") return kind == "limit" ? "limit mark" : kind;
  return fmt::format("{} `{}`", kind, gate.value("metric", ""));
}

double magnitude(const json& sizes) {
  double product = 1;
  for (const auto& one : sizes) product *= one.get<double>();
  return product;
}

/// "`n` 0 to 65,537" or "`rows` 0 to 40, `cols` 1 to 33".
std::string range_of(const json& sizes, const json& names) {
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < names.size(); ++k) {
    double least = INFINITY, most = -INFINITY;
    for (const auto& one : sizes) {
      if (k >= one.size()) continue;
      least = std::min(least, one[k].get<double>());
      most = std::max(most, one[k].get<double>());
    }
    if (least > most) continue;
    texts.push_back(least == most ? fmt::format("`{}` = {}", names[k].get<std::string>(), number(least))
                                  : fmt::format("`{}` from {} to {}", names[k].get<std::string>(),
                                                number(least), number(most)));
  }
  return fmt::format("{}", in_words(texts));
}

bool any_zero(const json& sizes) {
  return std::any_of(sizes.begin(), sizes.end(), [](const json& one) { return magnitude(one) == 0; });
}

}  // namespace

json description_of(const build_folder& build, const exercise_id& exercise) {
  process_request request;
  request.command = {(build.bin() / "judges" / exercise.judge()).string(), "--gtest_filter=*.description",
                     "--gtest_brief=1"};
  request.timeout_seconds = kDescribeTimeoutSeconds;
  const process_result judge = run_process(request);
  if (!judge.started)
    throw environment_error(fmt::format(
        "The judge of {0} is not built: run `./course pages {0}`, which builds it.", exercise.name));
  // Between GoogleTest's own lines.
  const auto from = judge.output.find("{\n"), to = judge.output.rfind("\n}\n");
  auto described = from == std::string::npos || to == std::string::npos || to < from
                       ? json(nullptr)
                       : json::parse(judge.output.substr(from, to + 3 - from), nullptr, false);
  if (!described.is_object() || described.value("schema", "") != "course.exercise/1")
    throw environment_error(fmt::format(
        "The judge of {} does not describe its exercise: `{} --gtest_filter=*.description` shows why.",
        exercise.name, request.command.front()));
  return described;
}

std::string range_text(const json& gate) {
  const json least = gate.value("at_least", json()), most = gate.value("at_most", json());
  const auto number = [&](const json& bound) {
    return gate.value("unit", "") == "of the baseline" ? fixed(bound.get<double>(), 2)
                                                       : pages::number(bound.get<double>());
  };
  if (least.is_number() && most.is_number()) {
    return least == most ? "exactly " + number(least) : number(least) + " to " + number(most);
  }
  return least.is_number() ? "at least " + number(least) : "at most " + number(most);
}

std::string gates_block(const json& description) {
  // One row for gates that differ in their benchmark alone.
  std::vector<std::pair<json, std::vector<std::string>>> rows;
  for (const auto& gate : description.at("gates")) {
    const auto alike = std::find_if(rows.begin(), rows.end(), [&](const auto& row) {
      auto a = row.first, b = gate;
      a.erase("benchmark"), b.erase("benchmark");
      return a == b;
    });
    const auto benchmark = gate.value("benchmark", kEach);
    if (alike == rows.end()) {
      rows.push_back({gate, {}});
      if (!benchmark.empty()) rows.back().second.push_back("`" + benchmark + "`");
    } else if (!benchmark.empty()) {
      alike->second.push_back("`" + benchmark + "`");
    }
  }
  if (rows.empty()) return "No gate: right is enough.\n";
  std::vector<std::string> benchmarks;
  for (const auto& one : description.at("benchmarks"))
    if (const auto name = one.value("name", ""); !name.empty()) benchmarks.push_back("`" + name + "`");
  table gates({"gate", "wanted", "what it means"});
  bool by_clock = false;
  for (const auto& [gate, on] : rows) {
    std::string where = wanted(gate, baseline_of(description, gate.value("benchmark", kEach)));
    if (!on.empty()) where += ", for " + in_words(on);
    by_clock |= gate.value("kind", "") == "pass";
    gates.add({name_of(gate), where, meaning(gate)});
  }
  std::string text = gates.text();
  if (benchmarks.size() > 1)
    text += "\nEach is looked at for " + in_words(benchmarks) + ", unless its row names one.\n";
  const auto& all = description.at("benchmarks");
  if (by_clock && std::any_of(all.begin(), all.end(),
                              [](const json& one) { return !one.value("modelled_time_decides", true); }))
    text +=
        "\nOn the simulated GPU the counters decide: its clock is too coarse for this one, and refuses only "
        "what is far too slow. Confirm the speed on a GPU.\n";
  return text;
}

std::string cases_block(const json& description) {
  const auto& names = description.at("size_names");
  table sizes({"sizes", "how many>", "which"});
  const auto& parts = description.at("parts");
  for (const auto& part : parts) {
    const auto& listed = part.at("sizes");
    const auto name = part.value("name", "");
    if (!listed.empty())
      sizes.add({name.empty() ? "listed" : "listed, " + name, number(static_cast<double>(listed.size())),
                 range_of(listed, names) + (any_zero(listed) ? "; an empty one is among them" : "")});
  }
  double drawn = 0, hidden = 0;
  for (const auto& part : parts) {
    drawn += part.value("drawn", false) ? 3 : 0;
    hidden += part.value("hidden", false) ? 1 : 0;
  }
  if (drawn > 0) sizes.add({"drawn", number(drawn), "anew for each run"});
  if (hidden > 0)
    sizes.add({"hidden", number(hidden), "large, drawn anew for each run, with every check on"});
  std::vector<std::string> counted;
  for (const auto& one : description.at("benchmarks")) {
    const auto name = one.value("name", "");
    counted.push_back((name.empty() ? "" : name + ": ") + one.value("on_sim", ""));
  }
  std::string which;
  for (const auto& one : counted) which += (which.empty() ? "" : "; ") + one;
  if (!counted.empty())
    sizes.add({"timed and counted", number(static_cast<double>(counted.size())),
               which + " on the simulated GPU; larger on a card"});
  return sizes.text() +
         "\nEach runs twice, with new data. On the simulated GPU it runs once more with blocks and warps in "
         "reverse order.\n";
}

std::string run_block(const exercise_id& exercise, bool asks_predictions) {
  const auto& name = exercise.name;
  std::vector<std::pair<std::string, std::string>> commands;
  if (asks_predictions) commands.emplace_back("./course predict " + name, "your guess, before you measure");
  if (exercise.is_drill())
    commands.emplace_back("./course drill " + exercise.drill, "ten questions, each answer explained at once");
  commands.emplace_back("./course grade " + name, exercise.is_drill() ? "marks answers.txt" : "the verdict");
  commands.emplace_back("./course hint " + name, "the next of the hints");
  if (!exercise.is_drill())
    commands.emplace_back("./course report " + name, "what was counted, line by line");
  std::size_t width = 0;
  for (const auto& [command, what] : commands) width = std::max(width, command.size());
  std::string text = "```\n";
  for (const auto& [command, what] : commands) text += fmt::format("{:<{}}   # {}\n", command, width, what);
  text += "```\n";
  if (exercise.minimum_arch > 0)
    text += fmt::format(
        "\nIt needs a GPU of compute capability {}.{} or newer; `--device sim` works everywhere.\n",
        exercise.minimum_arch / 10, exercise.minimum_arch % 10);
  if (exercise.devices > 1)
    text += fmt::format("\nIt needs {} GPUs; `--device sim` works everywhere.\n", exercise.devices);
  return text;
}

std::string questions_block(const exercise_id& exercise, const std::string& predict_json) {
  const auto all = json::parse(predict_json, nullptr, false);
  const auto questions = all.is_object() ? all.value("questions", json::array()) : json::array();
  if (questions.empty())
    throw environment_error(
        fmt::format("exercises/{}/{}/predict.json asks nothing: write its questions, or leave the block out.",
                    exercise.chapter, exercise.name));
  std::string text = fmt::format(
      "`./course predict {}` asks you, keeps your answers, and the report then shows them beside what was "
      "counted.\n\n",
      exercise.name);
  int number = 0;
  for (const auto& one : questions) text += fmt::format("{}. {}\n", ++number, one.value("text", ""));
  return text;
}

std::string hints_block(const std::string& hints) {
  std::string text;
  const auto close = [&] {
    while (text.ends_with("\n\n")) text.pop_back();
    if (!text.empty()) text += "</details>\n";
  };
  std::istringstream in(hints);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## if ")) break;  // for one verdict alone: `course hint` shows it when it fits
    if (line.starts_with("## ")) {
      close();
      text += fmt::format("<details><summary>Hint {}</summary>\n", line.substr(3));
    } else if (!text.empty()) {
      text += line + "\n";
    }
  }
  if (text.empty()) throw environment_error("hints.md has no heading `## 1 nudge`.");
  close();
  return text;
}

}  // namespace course::pages
