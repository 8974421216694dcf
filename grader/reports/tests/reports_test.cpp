/// @file
/// Reports from result files as a judge writes them, from damaged ones, and from runs that overlap.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "records/files.hpp"
#include "reports/gate_text.hpp"
#include "reports/outcome.hpp"
#include "reports/report_text.hpp"
#include "reports/text.hpp"

namespace course::reports {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const exercise_id kExercise = {"chapter2_shared_memory", "chapter2", "block_reduction", 0};

json sample(const std::string& kind, const std::string& verdict, const std::string& run,
            const std::string& started) {
  return {
      {"schema", "course.result/2"},
      {"chapter", kExercise.chapter},
      {"label", kExercise.label},
      {"exercise", kExercise.name},
      {"kind", kind},
      {"verdict", verdict},
      {"cause", verdict == "wasteful" ? "uncoalesced" : ""},
      {"headline", verdict == "pass"
                       ? ""
                       : "store at block_reduction.cu:41 touches 32 sectors per request where 4 would do"},
      {"device", "sim"},
      {"modelled", true},
      {"run", run},
      {"started_at", started},
      {"location", {{"file", "block_reduction.cu"}, {"line", 41}}},
      {"gates",
       {{{"name", "sectors_per_request"},
         {"kind", "idea"},
         {"value", 32},
         {"threshold", 4},
         {"relation", "<="},
         {"unit", "sectors"},
         {"met", verdict == "pass"}},
        {{"name", "bandwidth_of_reference"},
         {"kind", "pass"},
         {"value", 0.571},
         {"threshold", 0.45},
         {"relation", ">="},
         {"unit", "ratio"},
         {"met", true}},
        {{"name", "limit"},
         {"kind", "limit"},
         {"value", 0.571},
         {"threshold", 0.85},
         {"relation", ">="},
         {"unit", "ratio"},
         {"met", false}}}},
      {"measurement",
       {{"ratio", 0.571},
        {"student_bytes_per_second", 2.54e12 / 12},
        {"student_seconds", 4e-4},
        {"bytes_moved", 24e6},
        {"slice", 12},
        {"reference_seconds", 2e-4}}}};
}

class result_files : public testing::Test {
 protected:
  void SetUp() override { folder_ = fs::temp_directory_path() / ("course reports " + unique_suffix()); }
  void TearDown() override { fs::remove_all(folder_); }
  void put(const std::string& name, const std::string& text) {
    write_file_atomically(folder_ / kExercise.chapter / name, text);
  }

  fs::path folder_;
};

// A gate that is met because nobody can judge it here must not read as a sum that does not add up.
// A finding with its cure has several sentences, and is told by a line for each; numbers and names with dots stay whole.
TEST(Text, LongHeadlinesAreToldSentenceBySentence) {
  const std::string first =
      "kernel.cu:7: n=1: cudaMemcpy (on the default stream) writes byte 0 of an allocation of 4 bytes, and "
      "kernel "
      "apply writes it, in 12.5 us, with nothing that orders the two.";
  EXPECT_EQ(in_sentences(first + " Wait between them.", 4), first + "\n    Wait between them.");
  EXPECT_EQ(in_sentences("Wait. Then go on.", 4), "Wait. Then go on.");
  EXPECT_EQ(in_sentences(first + " or else", 4), first + " or else");
}

TEST(Text, AReasonIsOneLineAndNamesThePlaceOnce) {
  outcome o;
  o.verdict = "race";
  o.location = {"kernel.cu", 30};
  o.headline = "n=1009: Thread (32,0,0) reads float 32 of tile that thread (29,0,0) wrote";
  EXPECT_EQ(reason_line(o, 200), "kernel.cu:30: " + o.headline);
  EXPECT_EQ(reason_line(o, 50), "kernel.cu:30: n=1009: Thread (32,0,0) reads ...");
  o.headline = "kernel.cu:30: expected a ;\x1b[31m";
  EXPECT_TRUE(reason_line(o, 200).starts_with("kernel.cu:30: expected a ;")) << reason_line(o, 200);
  EXPECT_EQ(reason_line(o, 200).find('\x1b'), std::string::npos);
  o.verdict = "pass";
  EXPECT_EQ(reason_line(o, 200), "");
}

TEST(gate_in_words, says_when_a_modelled_speed_decides_nothing) {
  gate speed;
  speed.name = "speed";
  speed.kind = "pass";
  speed.value = 0.71;
  speed.threshold = 0.85;
  speed.relation = ">=";
  EXPECT_EQ(gate_text(speed), "speed 0.71, not >= 0.85");
  speed.met = speed.modelled = true;
  EXPECT_EQ(gate_text(speed), "speed 0.71, wanted >= 0.85: confirm on a GPU");
  speed.value = 0.9;
  EXPECT_EQ(gate_text(speed), "speed 0.9 >= 0.85");
}

TEST_F(result_files, correctness_comes_first) {
  put("block_reduction.correctness.json", sample("correctness", "race", "7-1", "2026-01-01T00:00:02").dump());
  put("block_reduction.bandwidth.json", sample("bandwidth", "pass", "7-1", "2026-01-01T00:00:03").dump());
  EXPECT_EQ(join_results(kExercise, read_results(folder_), "7-1").verdict, "race");
}

TEST_F(result_files, of_other_runs_do_not_count) {
  put("block_reduction.correctness.json", sample("correctness", "pass", "8-1", "2026-01-01T00:00:05").dump());
  put("block_reduction.bandwidth.json", sample("bandwidth", "wasteful", "7-1", "2026-01-01T00:00:03").dump());
  const auto results = read_results(folder_);
  EXPECT_EQ(join_results(kExercise, results, "9-9").verdict, "");
  const outcome now = join_results(kExercise, results, "8-1");
  EXPECT_EQ(now.verdict, "pass");
  EXPECT_FALSE(now.complete);
  // By hand, without a run: the old measurement is of an older file than the new correctness result.
  EXPECT_FALSE(join_results(kExercise, results, "").complete);
}

// Two benchmarks, two speeds: the row and the line below it have one number, that of the gate beside it.
TEST_F(result_files, of_two_benchmarks_show_one_speed) {
  put("block_reduction.correctness.json", sample("correctness", "pass", "7-1", "2026-01-01T00:00:02").dump());
  for (const bool slow : {true, false}) {
    json timed = sample("bandwidth", slow ? "too_slow" : "pass", "7-1", "2026-01-01T00:00:03");
    timed["gates"] = json::array();
    timed["measurements"] = json::array();
    // The second one is nearer to its gate, and has the smaller ratio.
    for (const auto& [name, ratio, threshold] : {std::tuple{"uniform", 0.61, slow ? 0.7 : 0.4},
                                                 std::tuple{"whole tiles", 0.44, slow ? 0.45 : 0.2}}) {
      timed["gates"].push_back({{"name", "speed"},
                                {"benchmark", name},
                                {"kind", "pass"},
                                {"value", ratio},
                                {"counted", true},
                                {"threshold", threshold},
                                {"relation", ">="},
                                {"unit", "of the reference"},
                                {"met", !slow}});
      timed["measurements"].push_back(
          {{"benchmark", name}, {"ratio", ratio}, {"student_per_second", 1e12}, {"student_seconds", 1e-4}});
    }
    timed["measurement"] = timed["measurements"][1];
    put("block_reduction.bandwidth.json", timed.dump());
    const std::vector<outcome> outcomes = {join_results(kExercise, read_results(folder_), "7-1")};
    for (const std::string& text :
         {outcome_table(outcomes, terminal::plain(200)), outcome_lines(outcomes[0], terminal::plain(200))}) {
      EXPECT_NE(text.find("0.61 of reference (uniform)"), std::string::npos) << text;
      EXPECT_EQ(text.find("0.44"), std::string::npos) << text;
    }
  }
}

TEST_F(result_files, that_are_damaged_are_passed_over) {
  put("a.json", "");
  put("b.json", "[1, 2");
  put("c.json", R"({"schema": "course.result/1"})");  // of an older course
  put("d.json",
      R"({"schema": "course.result/2", "verdict": 7, "location": [], "gates": [3], "cases": "x", "measurement": null, "details": {}})");
  const auto results = read_results(folder_);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].verdict, "");
}

TEST_F(result_files, are_shown_with_verdict_cause_gate_and_place) {
  put("block_reduction.correctness.json", sample("correctness", "pass", "7-1", "2026-01-01T00:00:02").dump());
  put("block_reduction.bandwidth.json", sample("bandwidth", "wasteful", "7-1", "2026-01-01T00:00:03").dump());
  const std::vector<outcome> outcomes = {join_results(kExercise, read_results(folder_), "7-1")};
  const std::string table = outcome_table(outcomes, terminal::plain(200));
  for (const char* words : {"wasteful (uncoalesced)", "0.57 of reference, 2.54 TB/s modelled",
                            "sectors_per_request 32, not <= 4", "block_reduction.cu:41"}) {
    EXPECT_NE(table.find(words), std::string::npos) << words << "\n" << table;
  }
  EXPECT_EQ(table.find('\033'), std::string::npos);
  // Narrower, and nothing lost.
  const std::string narrow = outcome_table(outcomes, terminal::plain());
  std::istringstream lines(narrow), words(table);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  for (std::string word; words >> word;) {
    if (word[0] == '-') continue;
    EXPECT_NE(narrow.find(word), std::string::npos) << word << "\n" << narrow;
  }
  const json summary = grade_summary(outcomes, {"/tmp/x", "x"});
  EXPECT_EQ(summary["counts"]["wasteful"], 1);
  EXPECT_EQ(summary["exercises"][0]["location"]["line"], 41);
  std::string full = report_text({.graded = outcomes[0]}, terminal::plain());
  std::istringstream of_full(full);
  for (std::string line; std::getline(of_full, line);) EXPECT_LE(line.size(), 80u) << line;
  std::replace(full.begin(), full.end(), '\n', ' ');
  EXPECT_NE(full.find("times are modelled"), std::string::npos);
  // Times are of a slice of a card and speeds of a whole one: that stands beside them.
  EXPECT_NE(full.find("1/12 of a card: the times are those of 24.0 MB on it"), std::string::npos) << full;
  EXPECT_NE(full.find("moves 288 MB"), std::string::npos) << full;
}

TEST_F(result_files, say_in_the_summary_why_there_is_no_bandwidth) {
  put("block_reduction.correctness.json", sample("correctness", "race", "7-1", "2026-01-01T00:00:02").dump());
  const outcome o = join_results(kExercise, read_results(folder_), "7-1");
  const json results = grade_summary({o}, {"/tmp/x", "x"})["exercises"][0]["results"];
  EXPECT_EQ(results["correctness"]["verdict"], "race");
  ASSERT_TRUE(results.contains("bandwidth"));
  EXPECT_TRUE(results["bandwidth"]["verdict"].is_null());
  EXPECT_NE(results["bandwidth"]["reason"].get<std::string>().find("race"), std::string::npos);
  // A drill has no such thing.
  exercise_id drill = kExercise;
  drill.drill = "sectors";
  put("block_reduction.correctness.json", sample("correctness", "pass", "7-1", "2026-01-01T00:00:02").dump());
  const outcome marked = join_results(drill, read_results(folder_), "7-1");
  EXPECT_TRUE(marked.complete);
  EXPECT_FALSE(grade_summary({marked}, {"/tmp/x", "x"})["exercises"][0]["results"].contains("bandwidth"));
}

TEST(numbers, are_written_for_people) {
  EXPECT_EQ(number_text(31), "31");
  EXPECT_EQ(number_text(0.571), "0.57");
  EXPECT_EQ(number_text(0.0156), "0.0156");
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(6000005), "6,000,005");
  EXPECT_EQ(number_text(31.58), "31.6");
  EXPECT_EQ(count_text(3.97), "4");
  EXPECT_EQ(count_text(31.58), "31.6");
  EXPECT_EQ(number_text(-1234.5), "-1,234");
  EXPECT_EQ(number_text(999.6), "1,000");
  EXPECT_EQ(number_text(1e-3), "0.001");
  // What misses a threshold never looks as if it met it.
  EXPECT_EQ(number_text_beside(0.4496, 0.45), "0.4496");
  EXPECT_EQ(number_text_beside(0.45, 0.45), "0.45");
  EXPECT_EQ(whole_percent_text(0), "0 %");
  EXPECT_EQ(whole_percent_text(0.0005), "less than 1 %");
  EXPECT_EQ(whole_percent_text(0.0099), "less than 1 %");
  EXPECT_EQ(whole_percent_text(0.54), "54 %");
  EXPECT_EQ(whole_percent_text_beside(0.54, 0.8), "54 %");
  EXPECT_EQ(whole_percent_text_beside(0.797, 0.8), "79.7 %");
  EXPECT_EQ(whole_percent_text_beside(0.8, 0.8), "80 %");
  EXPECT_EQ(rate_text(874e9), "874 GB/s");
  EXPECT_EQ(rate_text(2.54e12), "2.54 TB/s");
  EXPECT_EQ(rate_text(999.7e9), "1.00 TB/s");
  EXPECT_EQ(rate_text(8.6e12, "FLOP"), "8.60 TFLOP/s");
  EXPECT_EQ(size_text(96), "96 B");
  EXPECT_EQ(size_text(24e6), "24.0 MB");
  EXPECT_EQ(seconds_text(1.5e-5), "15.0 us");
  EXPECT_EQ(seconds_text(0), "0 s");
}

}  // namespace
}  // namespace course::reports
