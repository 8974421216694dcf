/// @file
/// Blocks of pages: what is a marker, what is stale, what is refused and with which sentence; where their contents come from.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "build/variant_source.hpp"
#include "pages/blocks.hpp"
#include "pages/claims.hpp"
#include "pages/contract.hpp"
#include "pages/figures.hpp"
#include "pages/listing.hpp"
#include "pages/margins.hpp"
#include "pages/pages.hpp"
#include "pages/records.hpp"
#include "pages/task_tables.hpp"
#include "records/files.hpp"

namespace course::pages {
namespace {

namespace fs = std::filesystem;

class PagesTest : public ::testing::Test {
 protected:
  void SetUp() override { folder_ = fs::path(::testing::TempDir()) / ("pages" + unique_suffix()); }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path file(const std::string& name, const std::string& content) {
    write_file_atomically(folder_ / name, content);
    return folder_ / name;
  }
  static std::string sentence_of(const std::function<void()>& work) {
    try {
      work();
    } catch (const environment_error& problem) {
      return problem.what();
    }
    return "";
  }
  fs::path folder_;
};

written_page with_x(const std::string& page) {
  return write_blocks(page, block_kinds(), [](const block&) { return std::string("x\n"); });
}

TEST_F(PagesTest, writes_what_stands_between_markers_and_nothing_else) {
  const std::string page =
      "# A\n\n<!-- gates -->\nold\n<!-- end gates -->\ntext\n<!-- run -->\nx\n<!-- end run -->\nend";
  const auto written = with_x(page);
  EXPECT_EQ(written.text,
            "# A\n\n<!-- gates -->\nx\n<!-- end gates -->\ntext\n<!-- run -->\nx\n<!-- end run -->\nend");
  EXPECT_EQ(written.stale, std::vector<int>{3});
  EXPECT_EQ(written.blocks, 2);
  EXPECT_TRUE(written.complaints.empty());
}

nlohmann::json a_claim(double ratio, bool counted) {
  return {{"claim", counted ? "counted_one" : "strided_copy"},
          {"says", "strided access loses 5 to 10 times"},
          {"source", "a text"},
          {"claimed", {5, 10}},
          {"unit", "times"},
          {"counted", counted},
          {"baseline", {{"what", "stride 32"}, {"value", 1.7e11}, {"unit", "B/s"}}},
          {"value", {{"what", "stride 1"}, {"value", 2.73e12}, {"unit", "B/s"}}},
          {"ratio", ratio},
          {"first_ratio", ratio},
          {"why", "Its stride decides."}};
}

std::string claims_record(const char* card, const nlohmann::json& rows) {
  return nlohmann::json{{"schema", "course.claims/1"},
                        {"machine", {{"device_name", card}, {"nvcc", "13.0.88"}, {"date", "2026-11-22"}}},
                        {"claims", rows}}
      .dump();
}

TEST_F(PagesTest, claims_are_shown_from_records_and_expected_as_first_measured_on_a_card) {
  EXPECT_NE(claims_block({}).find("Not recorded yet"), std::string::npos);
  EXPECT_NE(claims_block({file("broken.json", "{")}).find("Not recorded yet"), std::string::npos);

  const auto first = file("1.json", claims_record("A card", {a_claim(16, false), a_claim(20, true)}));
  const auto second = file("2.json", claims_record("A card", nlohmann::json::array({a_claim(15, false)})));
  const auto text = claims_block({first, second});
  EXPECT_NE(
      text.find("| strided access loses 5 to 10 times | a text | stride 32: 170 GB/s | stride 1: 2.73 TB/s "
                "| 5 to 10 | 15 times | no, more | Its stride decides. |"),
      std::string::npos)
      << text;
  EXPECT_EQ(text.find("16 times"), std::string::npos) << "the latest row of a claim is shown: " << text;
  EXPECT_NE(text.find("20 times"), std::string::npos) << "claims that were not measured again stay: " << text;

  const auto expected = expected_ratio({first, second}, a_claim(1, false), "A card");
  ASSERT_TRUE(expected);
  EXPECT_DOUBLE_EQ(expected->low, 14.4);
  EXPECT_DOUBLE_EQ(expected->high, 17.6);
  EXPECT_FALSE(expected_ratio({first, second}, a_claim(1, false), "Another card"));
  EXPECT_TRUE(expected_ratio({first, second}, a_claim(1, true), "Another card"))
      << "counts hold for all cards";
  EXPECT_EQ(reproduced_text(a_claim(7, false)), "yes");
  EXPECT_EQ(reproduced_text(a_claim(4, false)), "no, less");
}

TEST_F(PagesTest, a_pass_gate_must_stand_in_a_gap) {
  const auto speed = [](const char* variant, double ratio, const char* verdict = "",
                        const char* benchmark = "") {
    recorded_speed one;
    one.card = "A card", one.variant = variant, one.ratio = ratio, one.verdict = verdict,
    one.benchmark = benchmark;
    return one;
  };
  const speed_gate gate{"", 0.5};
  auto gaps = gaps_of("x", gate,
                      {speed("plain", 0.6), speed("slow_one", 0.4, "too_slow"), speed("reference", 1)}, 0.08);
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_TRUE(gaps[0].has_teeth);
  EXPECT_TRUE(gaps[0].complaints.empty());

  gaps = gaps_of("x", gate, {speed("plain", 0.53), speed("slow_one", 0.47, "too_slow")}, 0.08);
  ASSERT_EQ(gaps[0].complaints.size(), 2U) << "plain is too near from above, the slow one from below";
  EXPECT_NE(gaps[0].complaints[0].find("plain reaches 0.53"), std::string::npos) << gaps[0].complaints[0];
  EXPECT_NE(gaps[0].complaints[1].find("slow_one reaches 0.47"), std::string::npos) << gaps[0].complaints[1];

  // An idea gate refuses it: it may be fast. But where every slow program is, the gate bites nobody.
  gaps = gaps_of("x", gate, {speed("plain", 1), speed("wasteful_one", 0.9, "wasteful")}, 0.08);
  EXPECT_TRUE(gaps[0].complaints.empty());
  EXPECT_FALSE(gaps[0].has_teeth);

  // The clock came first in its verdict, but near the gate; the idea that it misses is what refuses it.
  auto near = speed("wasteful_one", 0.49, "too_slow");
  near.misses_idea = true;
  gaps = gaps_of("x", gate, {speed("plain", 1), near}, 0.08);
  EXPECT_TRUE(gaps[0].complaints.empty());

  // A program must be fast in every benchmark: its slowest counts.
  gaps = gaps_of("x", gate, {speed("plain", 1, "", "a"), speed("plain", 0.51, "", "b")}, 0.08);
  EXPECT_EQ(gaps[0].complaints.size(), 1U);
  EXPECT_TRUE(gaps[0].has_teeth) << "nothing slow is recorded: nothing is known";
}

TEST_F(PagesTest, fences_and_other_comments_are_text) {
  const std::string page =
      "```\n<!-- gates -->\n```\n<!-- A note for authors. -->\n<!-- question 3 of number 7 -->\n<!-- "
      "tabulate.py: begin -->\n";
  const auto written = with_x(page);
  EXPECT_EQ(written.text, page);
  EXPECT_EQ(written.blocks, 0);
  EXPECT_TRUE(written.complaints.empty());
}

TEST_F(PagesTest, what_only_the_site_reads_is_left_alone_and_may_hold_blocks) {
  const auto written = with_x(
      "<!-- quiz -->\n<!-- figure banks stride=32 -->\n<!-- gates -->\nold\n<!-- end gates -->\n<!-- end "
      "figure -->\n"
      "<!-- steps -->\n<!-- end steps -->\n");
  EXPECT_EQ(written.blocks, 1);
  EXPECT_EQ(written.stale, std::vector<int>{3});
  EXPECT_TRUE(written.complaints.empty());
}

TEST_F(PagesTest, unknown_and_unclosed_markers_are_named_with_their_line) {
  const auto complaints = [](const std::string& page) {
    std::string all;
    for (const auto& one : with_x(page).complaints)
      all += std::to_string(one.line) + ": " + one.sentence + "\n";
    return all;
  };
  EXPECT_NE(complaints("\n<!-- gate -->\n").find("2: `gate` is no kind of block: pages know listing, gates"),
            std::string::npos);
  EXPECT_NE(complaints("<!-- picture a b -->\n<!-- end picture -->\n").find("1: `picture` is no kind"),
            std::string::npos);
  EXPECT_EQ(
      complaints("<!-- figure banks stride=8 -->\n<!-- end figure -->\n<!-- steps -->\n<!-- end steps -->\n"),
      "");
  EXPECT_NE(complaints("<!-- gates -->\ntext\n<!-- run -->\n<!-- end run -->\n")
                .find("1: the block `gates` is not closed"),
            std::string::npos);
  EXPECT_NE(complaints("<!-- end run -->\n").find("ends nothing"), std::string::npos);
}

TEST_F(PagesTest, listing_is_the_region_of_the_compiled_file) {
  const auto path =
      file("halo.cu",
           "int a;\n  // [kernel]\n  int b;\n\n  // [inner]\n    int c;\n  // [inner]\n  // [kernel]\n");
  EXPECT_EQ(listing_block(path, "halo.cu", "kernel"), "```cpp\nint b;\n\n  int c;\n```\n");
  EXPECT_NE(sentence_of([&] {
              listing_block(path, "halo.cu", "host");
            }).find("0 lines `// [host]`, and two are wanted"),
            std::string::npos);
  EXPECT_NE(
      sentence_of([&] { listing_block(folder_ / "none.cu", "none.cu", "a"); }).find("none.cu cannot be read"),
      std::string::npos);
}

TEST_F(PagesTest, measured_table_is_shown_in_its_units_with_its_conditions) {
  const auto path = file(
      "measured.json",
      R"({"schema": "course.measured/1", "tables": {"ladder": {"device": "NVIDIA H200", "driver": "580.1",
    "toolkit": "13.0.88", "date": "2026-11-22", "command": "bench", "columns": [{"key": "version", "head": "version"},
    {"key": "speed", "head": "speed", "unit": "B/s", "shown_as": "GB/s", "digits": 0}],
    "rows": [{"version": "naive", "speed": 9.18e11}, {"version": "tiled", "speed": 4.1844e12}]}}})");
  const auto text = measured_block({folder_ / "none.json", path}, "ladder");
  EXPECT_EQ(text,
            "| version | speed, GB/s |\n|---|---:|\n| naive | 918 |\n| tiled | 4184 |\n"
            "\n*NVIDIA H200, driver 580.1, CUDA 13.0.88, 2026-11-22. bench.*\n");
  EXPECT_NE(sentence_of([&] { measured_block({path}, "stairs"); }).find("no table stairs; it has ladder"),
            std::string::npos);
}

TEST_F(PagesTest, contract_joins_the_headers_words_with_the_judges_layout) {
  const std::string header =
      "extern \"C\" {\n/// @brief Copies.\n///\n/// Predicted traffic: 8 @p n bytes.\n/// @param[in]  src "
      "Where @p n floats\n///                 "
      "come from.\n/// @param[out] dst Where to.\n/// @return Nothing much.\nvoid f_run(float* dst,\n        "
      "   const float* src);\n}\n";
  const auto description =
      nlohmann::json::parse(R"({"parts": [{"problem": {"calls": [{"function": "f_run", "phase": "timed"}],
    "buffers": [{"name": "src", "element": "float", "place": "device", "alignment_bytes": 16},
                {"name": "dst", "element": "float", "place": "pageable", "student_owns": true, "alignment_bytes": 4}]}}]})");
  EXPECT_EQ(contract_block(description, header, "f.cuh"),
            "`void f_run(float* dst, const float* src)`, timed\n\n| parameter | where, what, alignment | "
            "meaning |\n|---|---|---|\n"
            "| `src`, read | device, `float`, 16 bytes | Where `n` floats come from. |\n"
            "| `dst`, written | memory of your own, `float`, 4 bytes | Where to. |\n"
            "| returns | | Nothing much. |\n");
  EXPECT_NE(sentence_of([&] {
              contract_block(description, "void f_run();", "f.cuh");
            }).find("f.cuh says nothing of f_run"),
            std::string::npos);
}

TEST_F(PagesTest, gates_that_differ_in_their_benchmark_share_a_row) {
  const auto description = nlohmann::json::parse(R"({"benchmarks": [{"name": "a"}, {"name": "b"}], "gates": [
    {"metric": "speed", "kind": "pass", "benchmark": "", "at_least": 0.8, "at_most": null, "unit": "of the baseline"},
    {"metric": "m", "kind": "idea", "benchmark": "a", "at_least": null, "at_most": 1, "unit": "B", "explains": "bytes", "lesson": "go"},
    {"metric": "m", "kind": "idea", "benchmark": "b", "at_least": null, "at_most": 1, "unit": "B", "explains": "bytes", "lesson": "go"}]})");
  const auto text = gates_block(description);
  EXPECT_NE(text.find("| pass | at least 0.80 of the reference's speed | else the verdict is `too_slow` |"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| idea `m` | at most 1 B, for `a` and `b` | bytes |"), std::string::npos) << text;
}

TEST_F(PagesTest, a_gate_says_whose_speed_it_is_a_share_of) {
  const auto description =
      nlohmann::json::parse(R"({"benchmarks": [{"name": "", "baseline": "plain"}], "gates": [
    {"metric": "speed", "kind": "pass", "benchmark": "", "at_least": 0.8, "at_most": null, "unit": "of the baseline"}]})");
  EXPECT_NE(gates_block(description).find("at least 0.80 of the plain solution's speed"), std::string::npos);
}

TEST_F(PagesTest, hints_are_folded_and_questions_numbered) {
  EXPECT_EQ(hints_block("# Hints\n\n## 1 nudge\n\nWhere?\n\n## 2 method\n\nSo.\n\n## if race\n\nNo.\n"),
            "<details><summary>Hint 1 nudge</summary>\n\nWhere?\n</details>\n<details><summary>Hint 2 "
            "method</summary>\n\nSo.\n</details>\n");
  exercise_id exercise;
  exercise.name = "f";
  const auto text =
      questions_block(exercise, R"({"questions": [{"text": "How many?"}, {"text": "And now?"}]})");
  EXPECT_TRUE(text.ends_with("\n\n1. How many?\n2. And now?\n")) << text;
  EXPECT_NE(sentence_of([&] { questions_block(exercise, "{}"); }).find("asks nothing"), std::string::npos);
}

TEST_F(PagesTest, starter_block_is_compared_with_what_the_grading_said) {
  EXPECT_TRUE(shows_starter("no block\n", "race\n"));
  EXPECT_TRUE(shows_starter("<!-- starter -->\n```text\nrace\n```\n<!-- end starter -->\n", "race\n"));
  EXPECT_FALSE(shows_starter("<!-- starter -->\n```text\nrace\n```\n<!-- end starter -->\n", "pass\n"));
}

TEST_F(PagesTest, a_patch_is_plain_with_its_change_or_a_sentence) {
  const auto plain = file("plain.cu", "one\ntwo\nthree\n");
  const auto good =
      file("wrong/b.patch",
           "// expect: race\n// why\n--- plain.cu\n+++ b.cu\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n");
  EXPECT_EQ(variant_source(good, plain), "// expect: race\n// why\none\nTWO\nthree\n");
  const auto stale =
      file("wrong/c.patch",
           "// expect: race\n--- plain.cu\n+++ c.cu\n@@ -1,3 +1,3 @@\n one\n-deux\n+TWO\n three\n");
  EXPECT_NE(sentence_of([&] { variant_source(stale, plain); }).find("does not apply to"), std::string::npos);
  const auto empty = file("wrong/d.patch", "// expect: race\n");
  EXPECT_NE(sentence_of([&] { variant_source(empty, plain); }).find("holds no change"), std::string::npos);
}

TEST_F(PagesTest, typed_figures_are_found_and_held_against_records) {
  const std::string page =
      "A copy runs at 4184 GB/s, links at 8.1 and 14.2 GB/s.\n<!-- run -->\n7 us\n<!-- end run -->\n```\n9 "
      "us\n```\n"
      "| program | speed, GB/s | share |\n|---|---:|---:|\n| plain | 874 | 0.2 |\n"
      "Latency: 29 to 33 cycles; 128 bytes a cycle.\n";
  std::string found;
  for (const auto& one : typed_figures(page))
    found += std::to_string(one.line) + ":" + one.printed + " " + one.unit + "\n";
  EXPECT_EQ(found, "1:4184 GB/s\n1:8.1 GB/s\n1:14.2 GB/s\n10:874 GB/s\n11:29 cycles\n11:33 cycles\n");
  const auto typed = typed_figures("4.18 TB/s").front();
  EXPECT_TRUE(is_recorded(typed, {{"B/s", 4.1844e12}}));
  EXPECT_FALSE(is_recorded(typed, {{"B/s", 4.19e12}}));
  EXPECT_FALSE(is_recorded(typed, {{"cycles", 4.18e12}}));
}

}  // namespace
}  // namespace course::pages
