/// @file
/// Pages of results whose every text is hostile: nothing of it may run, break the page or get lost.
#include "reports/page.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "records/files.hpp"
#include "reports/html.hpp"
#include "reports/layout.hpp"
#include "reports/report_text.hpp"
#include "reports/tests/page_check.hpp"

namespace course::reports {
namespace {

using nlohmann::json;

const std::string kHostile = "</code></pre><script>alert(\"1\")</script> ' ]]> --> &amp; \x1b[31m";

/// A result in which every text is hostile.
result hostile_result(const std::string& verdict) {
  const json operations = json::array(
      {{{"engine", kHostile}, {"name", kHostile}, {"begin_seconds", 0}, {"end_seconds", 1e-6}},
       {{"engine", "kernel"}, {"name", kHostile}, {"stream", 7}, {"begin_seconds", 0}, {"end_seconds", 1e-6}},
       {{"engine", "copy to host"},
        {"name", "copy"},
        {"stream", 8},
        {"bytes", 96},
        {"begin_seconds", 0},
        {"end_seconds", 2e-6}}});
  const json file = {
      {"schema", "course.result/2"},
      {"chapter", "chapter1_x"},
      {"exercise", "alpha"},
      {"kind", "bandwidth"},
      {"verdict", verdict},
      {"cause", kHostile},
      {"headline", kHostile},
      {"details", {kHostile}},
      {"tree_id", kHostile},
      {"source", kHostile},
      {"seed", kHostile},
      {"device", "sim"},
      {"device_name", kHostile},
      {"modelled", true},
      {"started_at", kHostile},
      {"location", {{"file", "alpha.cu"}, {"line", 2}}},
      {"cases", {{{"name", kHostile}, {"status", kHostile}, {"message", kHostile}}}},
      {"findings",
       {{{"kind", "race"}, {"file", "/a/alpha.cu"}, {"line", 2}, {"other_line", 1}},
        {{"line", 2}, {"other_line", 999}, {"file", "alpha.cu"}}}},
      {"gates",
       {{{"name", kHostile},
         {"kind", "pass"},
         {"unit", kHostile},
         {"note", kHostile},
         {"wanted", kHostile},
         {"value", 1}}}},
      {"measurements",
       {{{"benchmark", kHostile},
         {"unit", "B"},
         {"baseline", kHostile},
         {"student_seconds", 1e-3},
         {"reference_seconds", 1e-3},
         {"student_per_second", 1e9},
         {"reference_per_second", 2e9},
         {"ratio", 0.5}}}},
      {"printed", {{"case", kHostile}, {"first_lines", {kHostile}}, {"lines", 7}, {"bytes", 700}}},
      {"counts",
       {{{"benchmark", kHostile},
         {"size", kHostile},
         {"roof", {{"kind", "memory"}, {"memory_bytes_per_second", 4e9}}},
         {"totals",
          {{{"name", kHostile}, {"unit", "B"}, {"counted", 20}, {"fewest", 10}},
           {{"name", "x"}, {"unit", "y"}, {"counted", 3}, {"fewest", nullptr}}}},
         {"lines",
          {{{"file", "alpha.cu"},
            {"line", 2},
            {"memory", kHostile},
            {"kind", kHostile},
            {"requests", 4},
            {"bytes", 128},
            {"sectors", 32},
            {"fewest_sectors", 4}},
           {{"file", "alpha.cu"}, {"line", -7}},
           {{"file", "alpha.cu"}, {"line", 4000000}}}},
         {"kernels", {{{"kernel", kHostile}, {"bound_by", kHostile}}}},
         {"timeline", {{"operations", operations}}}}}}};
  const auto place = std::filesystem::temp_directory_path() / ("course page " + unique_suffix() + ".json");
  write_file_atomically(place, file.dump(-1, ' ', false, json::error_handler_t::replace));
  const auto read = read_result(place);
  std::filesystem::remove(place);
  return read.value_or(result{});
}

report_parts hostile_parts(const std::string& verdict) {
  report_parts parts;
  const result r = hostile_result(verdict);
  parts.graded = join_results({"chapter1_x", "chapter1", "alpha", 0}, {r}, "");
  const std::string source = "int x = 1;\t// " + kHostile +
                             "\r\nfloat y;  // \xff\xfe \xc3\xa9 \xed\xa0\x80\n\nlast\x01line without an end";
  parts.source = mark_source(parts.graded, source, false);
  parts.predicted = {{kHostile, kHostile, kHostile, 7.0, kHostile, true}};
  attempt one;
  one.started_at = one.verdict = one.cause = one.device_name = one.file = kHostile;
  one.line = 3;
  one.device = "sim";
  one.speeds = {{kHostile, 1e9, kHostile, 0.5, 2.0}};
  parts.attempts = {one, one};
  parts.attempts[1].device_name = r.device_name;
  parts.attempts[1].speeds[0].unit = "B";
  parts.compiler_log = kHostile;
  return parts;
}

TEST(pages, hold_hostile_text_and_let_nothing_of_it_out) {
  for (const char* const verdict : {"race", "compile_error", "pass", "<b>"}) {
    const std::string html = page(hostile_parts(verdict));
    for (const std::string& problem : problems_of(html)) ADD_FAILURE() << verdict << ": " << problem;
    EXPECT_EQ(html.find("<script"), std::string::npos);
    EXPECT_EQ(html.find('\x1b'), std::string::npos);
    EXPECT_EQ(html.find('\xff'), std::string::npos);
    EXPECT_EQ(html.find("\xed\xa0\x80"), std::string::npos) << "a half of a surrogate pair is no UTF-8";
    // Nothing is lost either.
    for (const char* const kept : {"&lt;script&gt;alert(&quot;1&quot;)", "]]&gt;", "&amp;amp;", "\xc3\xa9",
                                   "last", "hatch", "copy to host"})
      EXPECT_NE(html.find(kept), std::string::npos) << verdict << ": " << kept;
  }
}

TEST(pages, mark_the_line_at_fault_and_the_other_one) {
  const std::string html = page(hostile_parts("race"));
  EXPECT_NE(html.find("<li id=\"line-2\" class=\"fault\">"), std::string::npos);
  EXPECT_NE(html.find("<li id=\"line-1\" class=\"other\">"), std::string::npos);
  EXPECT_NE(html.find("href=\"#line-2\""), std::string::npos);
  EXPECT_NE(html.find("The file has changed since"), std::string::npos);
}

// A phone is 390 pixels wide: there the words beside the lines were off the screen, beside one lonely bar.
TEST(pages, give_a_chart_of_few_attempts_the_width_of_a_phone) {
  report_parts parts = hostile_parts("race");
  const attempt drawn = parts.attempts[1];
  parts.attempts = {drawn};
  EXPECT_NE(page(parts).find("class=\"chart few\" viewBox=\"0 0 340 330\""), std::string::npos);
  parts.attempts = {drawn, drawn, drawn, drawn, drawn, drawn};
  EXPECT_NE(page(parts).find("class=\"chart\" viewBox=\"0 0 680 330\""), std::string::npos);
}

TEST(pages, tell_the_limit_mark_from_the_gate_of_the_same_metric) {
  report_parts parts = hostile_parts("race");
  gate& one = parts.graded.bandwidth.value().gates.front();
  one.name = "speed";
  one.kind = "limit";
  EXPECT_NE(page(parts).find(">speed, limit mark</th>"), std::string::npos);
}

TEST(reports_in_the_terminal, hold_hostile_text_in_80_columns) {
  const std::string text = report_text(hostile_parts("race"), terminal::plain());
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  EXPECT_NE(text.find(">    2 | float y;"), std::string::npos) << text;
  EXPECT_NE(text.find("o    1 | int x = 1;"), std::string::npos) << text;
  EXPECT_NE(text.find("8 sectors each, where 1 would do"), std::string::npos) << text;
}

TEST(page_check, finds_what_is_wrong) {
  for (const char* const wrong :
       {"<p>a < b</p>", "<p>a & b</p>", "<p><b></p></b>", "<p>", "<p onclick=\"x\"></p>",
        "<a href=\"#x\"></a>", "<a href=\"https://x\"></a>", "<script></script>", "<p class=x></p>",
        "<svg></svg>", "<p id=\"a\"></p><p id=\"a\"></p>"})
    EXPECT_FALSE(problems_of(wrong).empty()) << wrong;
  EXPECT_TRUE(problems_of("<p id=\"a\">&lt; <a href=\"#a\">x</a></p>").empty());
}

}  // namespace
}  // namespace course::reports
