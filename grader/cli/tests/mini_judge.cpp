/// @file
/// Stands in for a judge in the tests of the course command: it writes the result that the graded file asks
/// for in its first line,
/// `// correctness=race bandwidth=pass`, so that every verdict can be had at will and at once. `none` leaves
/// no result, and `unwritten` says why not; `half_written` has left what a judge leaves when it begins.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "records/files.hpp"
#include "records/plugin_record.hpp"
#include "records/run_id.hpp"
#include "records/tree.hpp"

int main(int argc, char** argv) {
  using namespace course;
  const std::string kind =
      argc > 1 && std::string(argv[1]).ends_with("bandwidth") ? "bandwidth" : "correctness";
  const build_folder build = build_folder::of_this_program();
  const std::string name = std::filesystem::path(argv[0]).filename().string();
  const exercise_id& exercise = *build.find(name.substr(0, name.find('.')), name.substr(name.find('.') + 1));
  const tree graded = tree_of_environment(build);

  std::string verdict = "harness_error";
  const auto record = read_record(build.plugins(), graded.id, exercise);
  if (record && record->status != "ok") verdict = record->status;
  if (record && record->status == "ok") {
    std::istringstream first(read_file(graded.source(exercise)).value_or(""));
    for (std::string word; first >> word && word != "\n";) {
      if (word.starts_with(kind + "=")) {
        verdict = word.substr(kind.size() + 1);
        break;
      }
    }
  }
  if (verdict == "none") std::abort();
  if (verdict == "half_written") {
    const nlohmann::json begun = {{"schema", "course.result/2"},
                                  {"chapter", exercise.chapter},
                                  {"label", exercise.label},
                                  {"exercise", exercise.name},
                                  {"kind", kind},
                                  {"verdict", "harness_error"},
                                  {"cause", "no_result"},
                                  {"headline", "the judge ended before it had a verdict"},
                                  {"tree", graded.path.string()},
                                  {"tree_id", graded.id},
                                  {"started_at", "2026-01-01T00:00:00Z"},
                                  {"run", run_id_of_ctest()}};
    write_file_atomically(
        build.results() / graded.id / exercise.chapter / (exercise.name + "." + kind + ".json"),
        begun.dump());
  }
  if (verdict == "unwritten" || verdict == "half_written") {
    std::cout << "[ RUN      ] mini\nmini_judge.cpp:1: Failure\nFailed\n"
                 "Cannot write it: the disk is full: free some space and try again.\n"
                 "[  FAILED  ] mini (1 ms)\n\n 1 FAILED TEST\n";
    return 1;
  }
  nlohmann::json result = {
      {"schema", "course.result/2"},
      {"chapter", exercise.chapter},
      {"label", exercise.label},
      {"exercise", exercise.name},
      {"kind", kind},
      {"verdict", verdict},
      {"headline", verdict == "pass" ? "" : "something is " + verdict + " here"},
      {"location", {{"file", exercise.name + ".cu"}, {"line", verdict == "pass" ? 0 : 3}}},
      {"gates",
       {{{"name", "mark"},
         {"kind", "limit"},
         {"value", 0.5},
         {"threshold", 0.95},
         {"relation", ">="},
         {"unit", "ratio"},
         {"met", false}}}},
      {"measurement", kind == "bandwidth" ? nlohmann::json{{"ratio", 0.5}} : nlohmann::json()},
      {"tree", graded.path.string()},
      {"tree_id", graded.id},
      {"device", "sim"},
      {"modelled", true},
      {"started_at", kind == "correctness" ? "2026-01-01T00:00:00Z" : "2026-01-01T00:00:01Z"},
      {"run", run_id_of_ctest()}};
  if (kind == "bandwidth")
    result["gates"].push_back({{"name", "speed"},
                               {"kind", "pass"},
                               {"value", 0.5},
                               {"threshold", 0.4},
                               {"relation", ">="},
                               {"met", true},
                               {"modelled", true}});
  write_file_atomically(
      build.results() / graded.id / exercise.chapter / (exercise.name + "." + kind + ".json"), result.dump());
  if (verdict == "missing" || verdict == "unsupported_device" || verdict == "inconclusive") {
    std::cout << "[  SKIPPED ] " << verdict << "\n";
    return 0;
  }
  return verdict == "pass" ? 0 : 1;
}
