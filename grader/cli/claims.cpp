/// @file
/// `course claims`: runs bin/course-claims (grader/claims) on the card at hand, holds what comes out against the texts and against the first
/// recorded run, and keeps it. What is counted is counted on the simulated GPU, with a card or without one.
#include "cli/claims.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "build/process.hpp"
#include "cli/device.hpp"
#include "cli/measured_variants.hpp"
#include "cli/selection.hpp"
#include "pages/claims.hpp"
#include "records/files.hpp"
#include "records/json_fields.hpp"
#include "records/quantities.hpp"

namespace course::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ordered = nlohmann::ordered_json;

constexpr double kTimeoutSeconds = 300;  ///< of all claims of one device together
constexpr double kSimulatedTimeoutSeconds = 600;

/// A run of bin/course-claims. @param on_line called with each line that is a JSON object
process_result run_program(const build_folder& build, std::vector<std::string> words, bool simulated,
                           const std::function<void(const ordered&)>& on_line) {
  process_request request;
  request.command = {(build.bin() / "course-claims").string()};
  request.command.insert(request.command.end(), words.begin(), words.end());
  if (simulated) request.set_variables = {{"LD_LIBRARY_PATH", (build.bin() / "simgpu-dropin").string()}};
  request.timeout_seconds = simulated ? kSimulatedTimeoutSeconds : kTimeoutSeconds;
  request.on_line = [&](std::string_view line) {
    const auto read = ordered::parse(line, nullptr, false);
    if (read.is_object()) on_line(read);
  };
  process_result result = run_process(request);
  if (!result.started)
    throw environment_error(fmt::format("There is no {}: run ./course claims once without COURSE_SKIP_BUILD.",
                                        request.command.front()));
  return result;
}

/// All claims, as the program describes them.
std::vector<ordered> described_claims(const build_folder& build) {
  std::vector<ordered> all;
  run_program(build, {"list"}, true, [&](const ordered& one) { all.push_back(one); });
  return all;
}

/// Those that are asked for, in the order of the lessons. @throws environment_error with the nearest name
std::vector<ordered> selected(const std::vector<ordered>& all, const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const auto& one : all) known.push_back(one.value("claim", ""));
  for (const auto& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto near = nearest_name(name, known);
    throw environment_error(fmt::format("There is no claim called {}{} The claims: {}.", name,
                                        near.empty() ? "." : "; did you mean " + near + "?",
                                        fmt::join(known, ", ")));
  }
  std::vector<ordered> chosen;
  for (const auto& one : all)
    if (names.empty() || std::find(names.begin(), names.end(), one.value("claim", "")) != names.end())
      chosen.push_back(one);
  return chosen;
}

std::string interval(double low, double high) {
  return fmt::format("{} to {}", number_text(low), number_text(high));
}

/// Puts what was recorded before, and what follows, beside what was measured.
void judge(const std::vector<fs::path>& records, ordered& row, const std::string& device_name) {
  const json plain = row;
  const double ratio = number_of(plain, "ratio");
  const auto expected = pages::expected_ratio(records, plain, device_name);
  row["expected"] = expected ? ordered{expected->low, expected->high} : ordered();
  row["as_expected"] = expected ? ordered(expected->low <= ratio && ratio <= expected->high) : ordered();
  row["reproduced"] = pages::reproduced_text(plain) == "yes";
  row["first_ratio"] = expected ? (expected->low + expected->high) / 2 : ratio;
}

void print_row(std::size_t index, std::size_t count, const json& row) {
  fmt::print("\n[{}/{}] {}\n", index, count, text_of(row, "claim"));
  fmt::print("  says         {} ({})\n", text_of(row, "says"), text_of(row, "source"));
  if (const auto error = text_of(row, "error"); !error.empty()) {
    fmt::print("  not measured: {}\n", error);
    std::fflush(stdout);
    return;
  }
  const auto line = [](const char* head, const json& quantity) {
    fmt::print("  {:<12} {:<46} {}\n", head, text_of(quantity, "what"),
               pages::claim_quantity(number_of(quantity, "value"), text_of(quantity, "unit")));
  };
  line("baseline", member_of(row, "baseline"));
  line("value", member_of(row, "value"));
  if (const json& also = member_of(row, "also"); also.is_array())
    for (const auto& one : also) line("also", one);
  const json& claimed = member_of(row, "claimed");
  const json& expected = member_of(row, "expected");
  fmt::print("  {:<12} {}; the text says {}; expected {}{}\n", "ratio",
             pages::claim_quantity(number_of(row, "ratio"), text_of(row, "unit")),
             interval(claimed[0].get<double>(), claimed[1].get<double>()),
             expected.is_array() ? interval(expected[0].get<double>(), expected[1].get<double>())
                                 : "not recorded yet",
             member_of(row, "as_expected") == false ? ": this run is outside" : "");
  fmt::print("  {:<12} {}\n  {:<12} {}\n", "reproduced", pages::reproduced_text(row), "why",
             text_of(row, "why"));
  std::fflush(stdout);
}

void print_table(const std::vector<ordered>& rows) {
  fmt::print("\n{:<24} {:<30} {:>14} {:>16} {:>16}  {}\n", "claim", "source", "ratio", "the text", "expected",
             "reproduced");
  int yes = 0, measured = 0;
  for (const json row : rows) {
    if (row.contains("error")) {
      fmt::print("{:<24} {:<30} {:>14}\n", text_of(row, "claim"), text_of(row, "source"), "not measured");
      continue;
    }
    const json& expected = row["expected"];
    fmt::print("{:<24} {:<30} {:>14} {:>16} {:>16}  {}\n", text_of(row, "claim"), text_of(row, "source"),
               pages::claim_quantity(number_of(row, "ratio"), text_of(row, "unit")),
               interval(row["claimed"][0].get<double>(), row["claimed"][1].get<double>()),
               expected.is_array() ? interval(expected[0].get<double>(), expected[1].get<double>())
                                   : "not recorded yet",
               pages::reproduced_text(row));
    ++measured;
    yes += row["reproduced"] == true;
  }
  fmt::print("\n{} of {} claims are reproduced.\n", yes, measured);
}

/// What was recorded in @p file before, with @p rows in place of those of the same claims.
ordered merged(const fs::path& file, const std::vector<ordered>& all, const std::vector<ordered>& rows) {
  std::map<std::string, ordered> known;
  const auto before = ordered::parse(read_file(file).value_or(""), nullptr, false);
  if (before.is_object() && before.contains("claims"))
    for (const auto& row : before["claims"]) known[row.value("claim", "")] = row;
  for (const auto& row : rows)
    if (!row.contains("error")) known[row.value("claim", "")] = row;
  ordered list = ordered::array();
  for (const auto& one : all)
    if (const auto found = known.find(one.value("claim", "")); found != known.end())
      list.push_back(found->second);
  return list;
}

}  // namespace

int claims(const build_folder& build, const claims_options& options) {
  const auto all = described_claims(build);
  const auto chosen = selected(all, options.names);
  const driver_answer driver = options.device == "sim" ? driver_answer{} : ask_driver();
  const bool modelled = options.device == "sim";
  if (options.device == "gpu" && !driver.has_gpu) {
    fmt::print(stderr, "Claims were asked to be measured on a GPU, but there is {}.\n", driver.reason);
    return 2;
  }

  // What is counted is counted on the simulated GPU; what is measured needs a card.
  std::vector<std::string> counted, measured, left_out;
  for (const auto& one : chosen) {
    const auto name = one.value("claim", "");
    (one.value("counted", false)  ? counted
     : driver.has_gpu || modelled ? measured
                                  : left_out)
        .push_back(name);
  }
  if (counted.empty() && measured.empty()) {
    fmt::print(
        stderr,
        "{} {} measured, and there is no GPU here ({}): run this on a machine with one, or read what was "
        "recorded in docs/pages/source_texts.md.\n",
        fmt::join(left_out, ", "), left_out.size() == 1 ? "is" : "are", driver.reason);
    return 2;
  }
  if (!options.json) {
    fmt::print("Claims: {} to measure, {} to count{}\n", measured.size(), counted.size(),
               modelled ? "; on the simulated GPU all times are modelled, and nothing is recorded" : "");
    if (!left_out.empty())
      fmt::print("  {} more are measured, and there is no GPU here ({}): they are left out.\n",
                 left_out.size(), driver.reason);
  }

  std::vector<fs::path> records = pages::claims_records(build);
  if (!options.folder.empty()) records.insert(records.begin(), fs::path(options.folder) / "claims.json");
  std::vector<ordered> rows;
  ordered device = {{"device_name", ""}, {"driver", ""}};
  std::string trouble;
  const std::size_t count = counted.size() + measured.size();
  const auto take = [&](const ordered& line, bool from_card) {
    if (!line.contains("claim")) {
      if (line.contains("error")) trouble = line.value("error", "");
      if (from_card && line.contains("device_name")) device = line;
      return;
    }
    ordered row = line;
    if (!row.contains("error")) judge(records, row, device.value("device_name", ""));
    if (!options.json) print_row(rows.size() + 1, count, row);
    rows.push_back(std::move(row));
  };
  const auto run = [&](std::vector<std::string> names, bool simulated, bool from_card) {
    if (names.empty()) return;
    names.insert(names.begin(), "measure");
    const process_result ended =
        run_program(build, names, simulated, [&](const ordered& line) { take(line, from_card); });
    if (ended.timed_out) trouble = "the measuring program was stopped after its time was up";
    if (ended.signal != 0)
      trouble = fmt::format("the measuring program was ended by signal {}", ended.signal);
    if (ended.exit_code > 1 && trouble.empty()) trouble = "the measuring program gave up: " + ended.output;
  };
  run(measured, modelled, !modelled);
  run(counted, true, false);
  if (!trouble.empty()) fmt::print(stderr, "Not all claims could be measured: {}.\n", trouble);
  if (rows.empty()) return 2;

  const ordered versions{{"course", build.config().version}, {"driver", device.value("driver", "")}};
  const json machine = machine_record(build, json{{"device", measured.empty() || modelled ? "sim" : "gpu"},
                                                  {"device_name", device.value("device_name", "")},
                                                  {"versions", versions}});
  const bool recorded = (!measured.empty() && !modelled) || !options.folder.empty();
  const fs::path folder =
      options.folder.empty()
          ? build.source_dir() / "results" / (card_slug(device.value("device_name", "")) + "-" + today())
          : fs::path(options.folder);
  const fs::path file = folder / "claims.json";
  ordered record{{"schema", "course.claims/1"},
                 {"machine", machine},
                 {"command", "course claims"},
                 {"claims", recorded ? merged(file, all, rows) : ordered(rows)}};
  if (options.json) {
    fmt::print("{}\n", record.dump(1));
  } else {
    print_table(rows);
  }
  if (recorded) {
    write_file_atomically(file, record.dump(1) + "\n");
    if (!options.json)
      fmt::print("-> {}\n   ./course pages --write docs/pages/source_texts.md shows it there.\n",
                 file.string());
  }
  const bool complete =
      trouble.empty() && rows.size() == count &&
      std::none_of(rows.begin(), rows.end(), [](const ordered& r) { return r.contains("error"); });
  return complete ? 0 : 1;
}

}  // namespace course::cli
