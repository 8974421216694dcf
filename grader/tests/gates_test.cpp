/// @file
/// Idea gates and explanations, from reports as the simulated GPU writes them.
#include "judge/gates.hpp"

#include <gtest/gtest.h>

#include "judge/bandwidth.hpp"
#include "judge/diagnose.hpp"
#include "judge/explain.hpp"

namespace {

using namespace course;
using nlohmann::json;

json site(const char* memory, const char* kind, int line, double requests, double sectors,
          double ideal_sectors, double wavefronts, double ideal_wavefronts) {
  return {{"file", "/somewhere/x.cu"},
          {"line", line},
          {"instruction", "ld"},
          {"memory", memory},
          {"kind", kind},
          {"requests", requests},
          {"lanes", 32 * requests},
          {"bytes_requested", 128 * requests},
          {"sectors", sectors},
          {"ideal_sectors", ideal_sectors},
          {"wavefronts", wavefronts},
          {"ideal_wavefronts", ideal_wavefronts}};
}

device_report report_of(const json& sites, const json& counters = json::object(),
                        const json& findings = json::array()) {
  return device_report(json{
      {"schema", "simgpu.report/1"},
      {"launches",
       {{{"kernel", "k"},
         {"grid", {100, 1, 1}},
         {"block", {256, 1, 1}},
         {"counters", counters},
         {"sites", sites}}}},
      {"findings",
       findings}}.dump());
}

problem copy_of(std::size_t count) {
  problem p;
  p.input<float>("in", count);
  p.output<float>("out", count);
  return p;
}

TEST(gates, explanation_names_the_line_and_the_waste) {
  const auto asked = copy_of(32'000);
  const auto uncoalesced =
      explain(report_of(json::array({site("global", "store", 41, 1000, 32'000, 4000, 0, 0)})), asked);
  EXPECT_EQ(uncoalesced.cause, cause::uncoalesced);
  EXPECT_EQ(uncoalesced.sentence, "store at x.cu:41 touches 32 sectors per request where 4 would do");
  EXPECT_EQ(uncoalesced.at.line, 41u);
  const auto conflict =
      explain(report_of(json::array({site("shared", "load", 30, 1000, 0, 0, 32'000, 1000)})), asked);
  EXPECT_EQ(conflict.cause, cause::bank_conflicts);
  EXPECT_EQ(conflict.sentence,
            "load at x.cu:30: 32-way bank conflict: 32 wavefronts per request where 1 would do");
}

TEST(gates, metrics_count_what_their_names_say) {
  const auto asked = copy_of(32'000);
  const auto report = report_of({site("shared", "load", 1, 1000, 0, 0, 32'000, 1000),
                                 site("shared", "store", 2, 1000, 0, 0, 1000, 1000)},
                                {{"simgpu__global_atomic_lanes.sum", 25'600},
                                 {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 34'000}});
  EXPECT_DOUBLE_EQ(metrics::excess_wavefronts_per_request.evaluate(report, asked), 31);
  EXPECT_DOUBLE_EQ(metrics::global_atomics_per_block.evaluate(report, asked), 256);
  EXPECT_DOUBLE_EQ(metrics::load_sectors_over_ideal.evaluate(report, asked), 8.5);
}

TEST(gates, modelled_time_refuses_only_below_the_error_band) {
  exercise what{};
  what.gates.pass = {{0.5}};
  const auto asked = copy_of(1000);
  const auto judged = [&](double ratio) {
    result into;
    into.measured.modelled = true;
    into.measured.ratio.ratio = ratio;
    const auto found = judge_speed(what, asked, {}, into);
    return found ? found->outcome : verdict::pass;
  };
  EXPECT_EQ(judged(0.51), verdict::pass);
  EXPECT_EQ(judged(0.45), verdict::pass);
  EXPECT_EQ(judged(0.43), verdict::too_slow);
}

TEST(gates, measured_time_that_straddles_the_gate_is_inconclusive) {
  exercise what{};
  what.gates.pass = {{0.5}};
  result into;
  into.measured.ratio = {0.5, 0.49, 0.51, 93, 3};
  const auto found = judge_speed(what, copy_of(1000), {}, into);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->outcome, verdict::inconclusive);
}

TEST(gates, bounds_come_before_races_and_races_before_values) {
  const json race{
      {"kind", "race"}, {"severity", "error"}, {"file", "x.cu"}, {"line", 5}, {"message", "a race"}};
  const json bounds{
      {"kind", "out_of_bounds"}, {"severity", "error"}, {"file", "x.cu"}, {"line", 7}, {"message", "beyond"}};
  EXPECT_EQ(diagnose_findings(report_of(json::array(), {}, {race, bounds}))->outcome, verdict::out_of_bounds);
  EXPECT_EQ(diagnose_findings(report_of(json::array(), {}, json::array({race})))->at.line, 5u);
  json warning = race;
  warning["severity"] = "warning";
  EXPECT_FALSE(diagnose_findings(report_of(json::array(), {}, json::array({warning}))));
}

TEST(gates, work_done_elsewhere_is_refused) {
  const auto asked = copy_of(1000);
  const json honest{{"simgpu__global_bytes_requested_op_ld.sum", 4000},
                    {"simgpu__global_bytes_requested_op_st.sum", 4000}};
  EXPECT_FALSE(diagnose_work(report_of(json::array(), honest), asked));
  json lazy = honest;
  lazy["simgpu__global_bytes_requested_op_ld.sum"] = 3996;
  ASSERT_TRUE(diagnose_work(report_of(json::array(), lazy), asked));
  EXPECT_EQ(diagnose_work(report_of(json::array(), lazy), asked)->cause, cause::work_off_device);
}

TEST(gates, reports_full_of_nonsense_are_survived) {
  for (
      const char* text :
      {"", "nonsense", "[]", "{}", R"({"schema": "simgpu.report/1", "launches": 3, "findings": {"a": 1}})",
       R"({"schema": "simgpu.report/1", "launches": [1, {"sites": [7, {"line": "x"}], "grid": ["a"]}], "findings": [null]})"}) {
    const device_report report(text);
    EXPECT_EQ(report.counter("anything"), 0);
    EXPECT_FALSE(diagnose_findings(report));
  }
}

}  // namespace
