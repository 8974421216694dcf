/// @file
/// Idea gates and explanations, from reports as the simulated GPU writes them.
#include "judge/gates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "judge/bandwidth.hpp"
#include "judge/diagnose.hpp"
#include "judge/explain.hpp"
#include "judge/gate_check.hpp"
#include "records/quantities.hpp"

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
                        const json& findings = json::array(), const char* kernel = "k") {
  return device_report(json{
      {"schema", "simgpu.report/2"},
      {"launches",
       {{{"kernel", kernel},
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
            "load at x.cu:30: 32-way bank conflict: 31 wavefronts per request beyond the 1 that would do");
}

// A walk through chunks brought 330 MB over the bus for 24: true, and no line that a student could change.
TEST(gates, a_line_that_wastes_comes_before_the_traffic_that_it_causes) {
  const auto asked = copy_of(32'000);
  const json traffic = {{"dram__bytes_read.sum", 2'000'000}};
  const auto walk = json::array({site("global", "load", 41, 1000, 32'000, 4000, 0, 0)});
  EXPECT_EQ(explain(report_of(walk, traffic), asked).cause, cause::uncoalesced);
  const auto clean = json::array({site("global", "load", 41, 1000, 4000, 4000, 0, 0)});
  EXPECT_EQ(explain(report_of(clean, traffic), asked).cause, cause::extra_traffic);
}

TEST(gates, a_program_that_only_copies_is_told_about_its_copies) {
  const auto said = [](const json& groups) {
    return explain(
               device_report(json{{"schema", "simgpu.report/2"}, {"copies", {{"groups", groups}}}}.dump()),
               copy_of(10))
        .sentence;
  };
  const auto group = [](const char* from, int copies, double bytes) {
    return json{{"from", from}, {"to", "device"}, {"copies", copies}, {"bytes", bytes}};
  };
  EXPECT_EQ(said(json::array()), "no kernel was launched");
  EXPECT_NE(said({group("pageable", 1, 4e6), group("pinned", 1, 4096)}).find("not page-locked"),
            std::string::npos);
  EXPECT_NE(said(json::array({group("pinned", 1000, 4.096e6)})).find("1000 copies of 4.10 kB each"),
            std::string::npos)
      << said(json::array({group("pinned", 1000, 4.096e6)}));
  EXPECT_NE(said(json::array({group("pinned", 1, 4e6)})).find("one copy, 4.00 MB in all"), std::string::npos);
  EXPECT_EQ(said({1, json{{"from", 2}, {"copies", "many"}}}),
            "no kernel was launched");  // of no schema: must not throw
}

// A gather of a few numbers after a copy of all: its scattered loads are true, and cost nothing beside the copy.
TEST(gates, copies_that_take_all_the_time_come_before_what_a_kernel_wastes) {
  const auto explained = [](double copy_seconds, double kernel_seconds) {
    const json group = {{"from", "pinned"}, {"to", "device"}, {"copies", 1}, {"bytes", 16e6}};
    const json launch = {{"kernel", "k"},
                         {"counters", json::object()},
                         {"timing", {{"seconds", kernel_seconds}}},
                         {"sites", json::array({site("global", "load", 41, 1000, 32'000, 4000, 0, 0)})}};
    return explain(device_report(json{{"schema", "simgpu.report/2"},
                                      {"elapsed_seconds", 1e-3},
                                      {"launches", json::array({launch})},
                                      {"copies", {{"groups", json::array({group})}}},
                                      {"overlap", {{"copy_seconds", copy_seconds}}}}
                                     .dump()),
                   copy_of(1000));
  };
  EXPECT_EQ(explained(9e-4, 1e-4).sentence, "copies take 90 % of the time: one copy, 16.0 MB in all");
  EXPECT_EQ(explained(5e-4, 1e-4).cause, cause::uncoalesced);
  EXPECT_EQ(explained(9e-4, 5e-4).cause, cause::uncoalesced)
      << "side by side with a kernel that takes long too";
}

double value_of(const metric& which, const device_report& report, const problem& asked) {
  return which.evaluate({report, {}, asked, "x"}).value;
}

TEST(gates, metrics_count_what_their_names_say) {
  const auto asked = copy_of(32'000);
  const auto report = report_of({site("shared", "load", 1, 1000, 0, 0, 32'000, 1000),
                                 site("shared", "store", 2, 1000, 0, 0, 1000, 1000),
                                 site("global", "load", 3, 1000, 34'000, 4000, 0, 0)},
                                {{"simgpu__global_atomic_lanes.sum", 25'600},
                                 {"simgpu__blocks_touching_global.sum", 100},
                                 {"simgpu__warps_touching_global.sum", 800},
                                 {"simgpu__shared_atomic_lanes.sum", 64'000},
                                 {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 34'000}});
  EXPECT_DOUBLE_EQ(value_of(metrics::excess_wavefronts, report, asked), 31);
  EXPECT_DOUBLE_EQ(value_of(metrics::global_atomics_per_block, report, asked), 256);
  EXPECT_DOUBLE_EQ(value_of(metrics::load_sectors, report, asked), 8.5);
  EXPECT_DOUBLE_EQ(value_of(metrics::sector_use_loads, report, asked), 4000.0 / 34'000);
  EXPECT_DOUBLE_EQ(value_of(metrics::shared_through, report, asked), 1);
  EXPECT_DOUBLE_EQ(value_of(metrics::shared_updates, report, asked), 1.5) << "atomics, and bytes loaded";
  EXPECT_DOUBLE_EQ(value_of(metrics::shared_writes_per_warp, report, asked), 1.25) << "no loads";
}

TEST(gates, what_reaches_shared_memory_is_held_against_what_was_asked_for) {
  const auto asked = copy_of(32'000);  // 128,000 bytes
  const json multicast = {{"simgpu__bulk_bytes_load.sum", 128'000},
                          {"simgpu__bulk_bytes_delivered.sum", 512'000}};
  const auto by_copies = report_of(json::array(), multicast);
  EXPECT_DOUBLE_EQ(value_of(metrics::delivered_to_shared, by_copies, asked), 4);
  EXPECT_DOUBLE_EQ(value_of(metrics::loads_of_delivered, by_copies, asked), 0.25);
  // A quarter by lanes into the own memory, the rest read in three neighbours'.
  const auto store = json::array({site("shared", "store", 2, 1000, 0, 0, 1000, 1000)});
  const json remote = {{"simgpu__global_bytes_requested_op_ld.sum", 128'000},
                       {"simgpu__remote_shared_bytes_op_ld.sum", 384'000}};
  EXPECT_DOUBLE_EQ(value_of(metrics::delivered_to_shared, report_of(store, remote), asked), 4);
  // Stores of what no lane has loaded deliver nothing.
  const auto dummy = json::array({site("shared", "store", 2, 9000, 0, 0, 9000, 9000)});
  const json one_block = {{"simgpu__bulk_bytes_load.sum", 128'000},
                          {"simgpu__bulk_bytes_delivered.sum", 128'000}};
  EXPECT_DOUBLE_EQ(value_of(metrics::delivered_to_shared, report_of(dummy, one_block), asked), 1);
  EXPECT_DOUBLE_EQ(value_of(metrics::loads_of_delivered, report_of(dummy, one_block), asked), 1);
}

// A stream of 320,000 bytes beside a table of 32,000.
problem stream_and_table() {
  problem p;
  p.input<float>("in", 80'000);
  p.input<float>("table", 8'000);
  p.output<float>("out", 1'000);
  return p;
}
json traffic(int allocation, double bytes, double loaded, double hinted) {
  return {{"allocation", allocation},
          {"bytes", bytes},
          {"memory", "device"},
          {"loaded_bytes", loaded},
          {"hinted_bytes", hinted}};
}
device_report kept_in_l2(const json& buffers, double limit, const json& windows) {
  return device_report(json{
      {"schema", "simgpu.report/2"},
      {"launches",
       {{{"kernel", "k"}, {"counters", json::object()}, {"sites", json::array()}, {"buffers", buffers}}}},
      {"l2_persistence", {{"limit_bytes", limit}, {"windows", windows}}}}
                           .dump());
}
json window(int allocation, double bytes, int launches) {
  return {{"allocation", allocation}, {"bytes", bytes}, {"hit", "persisting"}, {"launches", launches}};
}

TEST(gates, hints_on_the_stream_and_elsewhere_are_told_apart) {
  const auto asked = stream_and_table();
  const json out = {{"allocation", 3}, {"bytes", 4'000}, {"memory", "device"}, {"hinted_bytes", 4'000}};
  const auto sound = kept_in_l2({traffic(1, 320'000, 320'000, 320'000), traffic(2, 32'000, 20'000, 0), out},
                                0, json::array());
  EXPECT_DOUBLE_EQ(value_of(metrics::hinted_stream, sound, asked), 1);
  EXPECT_DOUBLE_EQ(value_of(metrics::hinted_elsewhere, sound, asked), 0)
      << "stores to the output do not count";
  const auto everything = kept_in_l2(
      {traffic(1, 320'000, 320'000, 320'000), traffic(2, 32'000, 20'000, 20'000)}, 0, json::array());
  EXPECT_DOUBLE_EQ(value_of(metrics::hinted_elsewhere, everything, asked), 1);
}

TEST(gates, what_is_loaded_beside_the_largest_input_is_told_apart) {
  const auto asked = stream_and_table();  // 352,000 bytes to be read
  const json stream = traffic(1, 320'000, 640'000, 0), table = traffic(2, 32'000, 35'200, 0);
  const auto found = [&](const json& buffers) {
    return value_of(metrics::loads_elsewhere, kept_in_l2(buffers, 0, json::array()), asked);
  };
  EXPECT_DOUBLE_EQ(found({stream, table}), 0.1);
  EXPECT_DOUBLE_EQ(found(json::array({stream})), 0) << "the stream may be read more than once";
}

TEST(gates, what_crosses_the_link_counts_by_kernels_and_by_copies) {
  const auto asked = copy_of(1000);
  const auto found = [&](const json& counters, const json& copies) {
    const json launch = {{"kernel", "k"}, {"counters", counters}, {"sites", json::array()}};
    const json managed = {{"prefetched_to_device_bytes", 100}, {"prefetched_to_host_bytes", 200}};
    return metrics::link_bytes_per_output.evaluate({device_report(json{{"schema", "simgpu.report/2"},
                                                                       {"launches", json::array({launch})},
                                                                       {"copies", copies},
                                                                       {"managed", managed}}
                                                                      .dump()),
                                                    {},
                                                    asked,
                                                    "x"});
  };
  const json gathered = {{"simgpu__host_link_bytes_read.sum", 32'000},
                         {"simgpu__host_link_bytes_write.sum", 4'000}};
  EXPECT_DOUBLE_EQ(found(gathered, json::object()).value, 36.3);
  EXPECT_DOUBLE_EQ(found(gathered, {{"host_to_device_bytes", 8'000}, {"device_to_host_bytes", 1'000}}).value,
                   45.3);
  EXPECT_DOUBLE_EQ(found(json::object(), {{"device_to_device_bytes", 8'000}}).value, 0.3)
      << "a copy within the device crosses nothing";
}

TEST(gates, words_of_constant_memory_count_by_the_lane_that_asks) {
  const auto asked = copy_of(32'000);
  const auto of = [](const json& one) {
    return report_of(json::array({one}), {{"simgpu__warps_touching_global.sum", 10}});
  };
  auto broadcast = site("constant", "load", 1, 250, 0, 0, 250 * 32 * 4, 250);
  broadcast["lanes"] = 250 * 32;
  EXPECT_DOUBLE_EQ(value_of(metrics::constant_words_per_warp, of(broadcast), asked), 25);
  auto wide = site("constant", "load", 1, 130, 0, 0, 130 * 16 * 8, 130);  // half of the lanes, 8 bytes each
  wide["lanes"] = 130 * 16;
  EXPECT_DOUBLE_EQ(value_of(metrics::constant_words_per_warp, of(wide), asked), 26);
}

TEST(gates, a_window_counts_where_it_keeps_the_table) {
  const auto asked = stream_and_table();
  const json buffers = {traffic(1, 320'000, 320'000, 0), traffic(2, 32'000, 20'000, 0)};
  const auto found = [&](double limit, const json& of) {
    return metrics::persisting_window.evaluate(
        {kept_in_l2(buffers, limit, json::array({of})), {}, asked, "x"});
  };
  EXPECT_DOUBLE_EQ(found(40'000, window(2, 32'000, 1)).value, 1.25);
  EXPECT_DOUBLE_EQ(found(0, window(2, 32'000, 1)).value, 0) << "nothing was set aside for it";
  EXPECT_FALSE(found(32'000, window(1, 32'000, 1)).counted) << "over the stream";
  EXPECT_FALSE(found(32'000, window(2, 320'000, 1)).counted) << "over more than the table";
  EXPECT_FALSE(found(32'000, window(2, 32'000, 0)).counted) << "of a stream that launched nothing";
  EXPECT_FALSE(found(32'000, window(7, 32'000, 1)).counted) << "over memory that is not looked up";
}

// What a tile saves is counted against the multiply-adds that are asked for, and against the loads that are made.
TEST(gates, a_tile_is_held_against_the_multiply_adds_and_against_the_loads) {
  auto asked = copy_of(32'000);
  asked.amount(64'000, "FLOP");
  const auto report = report_of(
      {site("shared", "load", 1, 4000, 0, 0, 4000, 4000), site("shared", "store", 2, 500, 0, 0, 500, 500),
       site("global", "load", 3, 1000, 8000, 4000, 0, 0)},
      {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 8000},
       {"simgpu__global_bytes_requested_op_ld.sum", 128'000}});
  EXPECT_DOUBLE_EQ(value_of(metrics::load_sectors_per_fma, report, asked), 0.25);
  EXPECT_DOUBLE_EQ(value_of(metrics::load_bytes_per_fma, report, asked), 4);
  EXPECT_DOUBLE_EQ(value_of(metrics::shared_of_loads, report, asked), 0.5);
  // Bytes are no multiply-adds: without an amount in FLOP there is nothing to count against.
  EXPECT_FALSE(metrics::load_sectors_per_fma.evaluate({report, report, copy_of(32'000), "x"}).counted);
}

// An average over the requests made was walked around with clean dummy loads.
TEST(gates, clean_dummy_work_dilutes_no_waste) {
  const auto asked = copy_of(32'000);
  const auto honest = site("shared", "load", 1, 1000, 0, 0, 32'000, 1000),
             dummy = site("shared", "load", 2, 50'000, 0, 0, 50'000, 50'000);
  EXPECT_DOUBLE_EQ(value_of(metrics::excess_wavefronts, report_of({honest, dummy}), asked), 31);
  const auto walk = site("global", "load", 3, 1000, 32'000, 4000, 0, 0),
             clean = site("global", "load", 4, 90'000, 360'000, 360'000, 0, 0);
  EXPECT_DOUBLE_EQ(value_of(metrics::sector_use_loads, report_of({walk, clean}), asked), 4000.0 / 32'000);
}

// A library can bring its data by the copy engine, which has no lines, or load on the lines of a functor that it was given.
TEST(gates, a_library_kernel_owns_no_line_of_the_hand_in) {
  const auto asked = copy_of(32'000);
  const auto loads = json::array({site("global", "load", 1, 1000, 4000, 4000, 0, 0)});
  const json bulk = {{"simgpu__bulk_bytes_load.sum", 128'000}};
  const char* const library = "cub::CUB_300001_SM_900::detail::transform::transform_kernel<int>(int)";
  EXPECT_DOUBLE_EQ(value_of(metrics::own_lines, report_of(loads), asked), 1);
  EXPECT_DOUBLE_EQ(value_of(metrics::own_lines, report_of(json::array(), bulk), asked), 1);
  EXPECT_DOUBLE_EQ(value_of(metrics::own_lines, report_of(loads, {}, json::array(), library), asked), 0);
  EXPECT_DOUBLE_EQ(
      value_of(metrics::own_lines, report_of(json::array(), bulk, json::array(), library), asked), 0);
}

// A ragged edge makes more requests than are needed: the sentence and the table of gates still say the same.
TEST(gates, sentence_and_table_name_one_number) {
  const auto asked = copy_of(32'000);
  const auto report = report_of(json::array({site("shared", "load", 30, 1020, 0, 0, 32'000, 1020)}));
  EXPECT_EQ(count_text(value_of(metrics::excess_wavefronts, report, asked)), "31");
  EXPECT_EQ(explain(report, asked).sentence,
            "load at x.cu:30: 32-way bank conflict: 31 wavefronts per request beyond the 1 that would do");
}

// "Wider loads" is no advice where a loop over shared memory, or long arithmetic, takes the time.
TEST(gates, a_kernel_of_many_instructions_is_told_what_they_are_for) {
  const auto said = [](double instructions, double shared_requests) {
    json sites = json::array({site("global", "load", 20, 1000, 4000, 4000, 1000, 1000)});
    if (shared_requests > 0)
      sites.push_back(site("shared", "load", 30, shared_requests, 0, 0, shared_requests, shared_requests));
    return explain(device_report(json{{"schema", "simgpu.report/2"},
                                      {"launches",
                                       {{{"kernel", "k"},
                                         {"grid", {100, 1, 1}},
                                         {"block", {256, 1, 1}},
                                         {"warp_instructions", instructions},
                                         {"timing", {{"seconds", 1e-3}, {"bound_by", "issue"}}},
                                         {"sites", sites}}}}}
                                     .dump()),
                   copy_of(32'000))
        .sentence;
  };
  EXPECT_EQ(
      said(12'000, 0),
      "k is bound by its instructions, not by memory: 4 bytes a load; wider loads need fewer instructions");
  EXPECT_EQ(
      said(145'000, 17'000),
      "k is bound by its instructions, not by memory: a warp executes 145 for each load from memory, 17 of "
      "them loads and stores of shared memory. What is used again can stay in registers");
  EXPECT_EQ(
      said(65'000, 3000),
      "k is bound by its instructions, not by memory: a warp executes 65 for each load from memory. Fewer "
      "steps for each value, or branches that keep a warp together, make it faster");
}

TEST(gates, one_sector_too_many_in_each_request_has_a_line) {
  const auto asked = copy_of(32'000);
  const auto shifted = metrics::sector_use.evaluate(
      {report_of(json::array({site("global", "load", 12, 1000, 5000, 4000, 0, 0)})), {}, asked, "x"});
  EXPECT_DOUBLE_EQ(shifted.value, 0.8);
  EXPECT_EQ(shifted.sentence, "load at x.cu:12 touches 5 sectors per request where 4 would do");
  EXPECT_EQ(shifted.at.line, 12u);
}

TEST(gates, a_pitch_says_how_many_rows_begin_at_a_sector) {
  problem p;
  const auto pitch = p.before(contract_function<std::size_t(std::size_t)>{"choose"}, std::size_t{1025});
  const auto in = p.input<float>("in", 3 * 1025, {.row_length = 1025});
  p.laid_out_by(in, pitch);
  const auto with_pitch = [&](std::uint64_t bytes) {
    return metrics::rows_at_sectors.evaluate({report_of(json::array()), {}, p, "x", {bytes}});
  };
  EXPECT_DOUBLE_EQ(with_pitch(4100).value, 0.125);
  EXPECT_EQ(with_pitch(4100).sentence,
            "with a pitch of 4100 bytes, only one row of 8 begins at a sector's start");
  EXPECT_DOUBLE_EQ(with_pitch(4112).value, 0.5);
  EXPECT_DOUBLE_EQ(with_pitch(4128).value, 1);
  EXPECT_FALSE(
      metrics::rows_at_sectors.evaluate({report_of(json::array()), {}, copy_of(1), "x", {}}).counted);
}

TEST(gates, every_metric_has_a_name_of_its_own_and_says_what_it_counts) {
  std::vector<std::string_view> names;
  for (const auto* one : all_metrics()) {
    names.push_back(one->name);
    EXPECT_FALSE(one->explains.empty()) << one->name;
    EXPECT_FALSE(one->unit.empty()) << one->name;
    if (one != &metrics::speed)
      one->evaluate({device_report(), device_report(), copy_of(10), "x"});  // of nothing: must not crash
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

std::optional<judgement> judged(const gate& which, benchmark_run run) {
  exercise what;
  what.benchmarks.emplace_back();
  result into;
  run.asked = copy_of(32'000);
  std::vector<benchmark_run> runs;
  runs.push_back(std::move(run));
  return check_gates(what, {which}, runs, "x", into);
}

benchmark_run timed_at(double ratio, bool modelled, double reach = 0) {
  benchmark_run run;
  run.measured.emplace();
  run.measured->modelled = modelled;
  run.measured->ratio = {ratio, ratio - reach, ratio + reach, 75, 5};
  return run;
}

verdict outcome_of(const std::optional<judgement>& found) {
  return found ? found->outcome : verdict::pass;
}

TEST(gates, modelled_time_refuses_only_below_the_error_band) {
  const auto half_as_fast = pass(at_least(0.5));
  EXPECT_EQ(outcome_of(judged(half_as_fast, timed_at(0.51, true))), verdict::pass);
  EXPECT_EQ(outcome_of(judged(half_as_fast, timed_at(0.45, true))), verdict::pass);
  EXPECT_EQ(outcome_of(judged(half_as_fast, timed_at(0.43, true))), verdict::too_slow);
}

TEST(gates, a_hopeless_speed_is_less_than_one_per_cent_and_not_none) {
  const auto found = judged(pass(at_least(0.5)), timed_at(0.0005, true));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->headline.starts_with("less than 1 % of the ")) << found->headline;
}

TEST(gates, of_two_slow_benchmarks_the_worse_is_told) {
  exercise what;
  what.benchmarks.emplace_back();
  what.benchmarks.emplace_back();
  what.benchmarks.back().name = "whole tiles";
  for (const auto& [first, second] : {std::pair{0.4, 0.2}, std::pair{0.2, 0.4}}) {
    std::vector<benchmark_run> runs;
    for (const double ratio : {first, second}) {
      runs.push_back(timed_at(ratio, true));
      runs.back().asked = copy_of(32'000);
    }
    result into;
    const auto found = check_gates(what, {pass(at_least(0.5))}, runs, "x", into);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->headline.starts_with("whole tiles: 20 %"), second < first) << found->headline;
    EXPECT_EQ(found->headline.starts_with("20 %"), first < second) << found->headline;
  }
}

TEST(gates, measured_time_that_straddles_the_gate_is_inconclusive) {
  EXPECT_EQ(outcome_of(judged(pass(at_least(0.5)), timed_at(0.5, false, 0.01))), verdict::inconclusive);
}

TEST(gates, without_teeth_on_the_card_at_hand_does_not_count_there) {
  exercise what;
  what.benchmarks.emplace_back();
  const std::vector<toothless_gate> listed{{"NVIDIA H200", "x", "", 0.5}};
  const auto at = [&](double ratio, bool modelled, double threshold, const char* name) {
    result into;
    std::vector<benchmark_run> runs;
    runs.push_back(timed_at(ratio, modelled));
    runs.back().asked = copy_of(32'000);
    const auto found = check_gates(what, {pass(at_least(threshold))}, runs, name, into, listed);
    EXPECT_EQ(into.gates.at(0).toothless, !found && ratio < threshold);
    return outcome_of(found);
  };
  EXPECT_EQ(at(0.1, false, 0.5, "x"), verdict::pass);
  EXPECT_EQ(at(0.1, true, 0.5, "x"), verdict::too_slow);   // modelled: another card
  EXPECT_EQ(at(0.1, false, 0.6, "x"), verdict::too_slow);  // the gate has changed since
  EXPECT_EQ(at(0.1, false, 0.5, "y"), verdict::too_slow);
}

benchmark_run counted_as(const device_report& report) {
  benchmark_run run;
  run.report = report;
  run.counted = true;
  return run;
}

TEST(gates, what_could_not_be_counted_is_inconclusive_and_never_a_pass) {
  const auto gate = idea(metrics::load_sectors, at_most(4));
  EXPECT_EQ(outcome_of(judged(gate, benchmark_run{})), verdict::inconclusive);
  // ptxas was not asked: its figure is unknown, and not zero.
  EXPECT_EQ(outcome_of(judged(idea(metrics::spills, exactly(0)), counted_as(report_of(json::array())))),
            verdict::inconclusive);
}

TEST(gates, absence_satisfies_no_gate_that_asks_for_the_resource) {
  const auto no_tile =
      counted_as(report_of(json::array({site("global", "load", 1, 1000, 4000, 4000, 0, 0)})));
  EXPECT_EQ(outcome_of(judged(idea(metrics::excess_wavefronts, at_most(1)), no_tile)), verdict::pass);
  EXPECT_EQ(outcome_of(judged(idea(metrics::shared_through, at_least(0.9)), no_tile)), verdict::wasteful);
}

TEST(gates, one_of_several_is_enough) {
  const auto run = counted_as(report_of(json::array({site("shared", "load", 1, 1000, 0, 0, 32'000, 1000)})));
  const auto missed = idea(metrics::excess_wavefronts, at_most(1)),
             met = idea(metrics::local_bytes, exactly(0));
  EXPECT_EQ(outcome_of(judged(any_of(missed, met), run)), verdict::pass);
  EXPECT_EQ(outcome_of(judged(any_of(missed, missed), run)), verdict::wasteful);
}

TEST(gates, a_limit_mark_may_look_at_a_count_and_refuses_nothing) {
  exercise what;
  what.benchmarks.emplace_back();
  for (const double wavefronts : {1000.0, 32'000.0}) {
    std::vector<benchmark_run> runs;
    runs.push_back(
        counted_as(report_of(json::array({site("shared", "load", 1, 1000, 0, 0, wavefronts, 1000)}))));
    runs.back().asked = copy_of(32'000);
    result into;
    EXPECT_FALSE(check_gates(what, {limit(metrics::excess_wavefronts, at_most(0.5))}, runs, "x", into));
    EXPECT_EQ(into.at_the_limit, wavefronts == 1000);
    EXPECT_EQ(into.gates.at(0).kind, "limit");
  }
}

TEST(gates, tensor_copies_are_told_apart_with_the_least_of_their_maps) {
  const auto asked = copy_of(32'000);
  const auto report = report_of(json::array(), {{"simgpu__bulk_bytes_load.sum", 192'000},
                                                {"simgpu__tensor_bytes_load.sum", 64'000},
                                                {"simgpu__tensor_swizzle_bytes_load.min", 128},
                                                {"simgpu__tensor_row_bytes_load.min", 32}});
  EXPECT_DOUBLE_EQ(value_of(metrics::tensor_loads, report, asked), 0.5);
  EXPECT_DOUBLE_EQ(value_of(metrics::bulk_loads, report, asked), 1.5);
  EXPECT_DOUBLE_EQ(value_of(metrics::tensor_swizzle, report, asked), 128);
  EXPECT_DOUBLE_EQ(value_of(metrics::tensor_row, report, asked), 32);

  // A launch without any says nothing about maps; but no such launch at all is a miss.
  const json tensor_copies = {{"simgpu__tensor_bytes_load.sum", 64'000},
                              {"simgpu__tensor_swizzle_bytes_load.min", 128}};
  const json plain_loads = {{"simgpu__blocks_touching_global.sum", 100}};
  const json both = {
      {"schema", "simgpu.report/2"},
      {"launches", json::array({{{"kernel", "k"}, {"counters", tensor_copies}, {"sites", json::array()}},
                                {{"kernel", "tail"}, {"counters", plain_loads}, {"sites", json::array()}}})}};
  EXPECT_DOUBLE_EQ(value_of(metrics::tensor_swizzle, device_report(both.dump()), asked), 128);
  const auto none = counted_as(report_of(json::array({site("global", "load", 1, 1000, 4000, 4000, 0, 0)})));
  EXPECT_EQ(outcome_of(judged(idea(metrics::tensor_row, exactly(128)), none)), verdict::wasteful);
}

TEST(gates, a_warning_follows_a_sentence) {
  const auto report = report_of(
      json::array(), json::object(),
      json::array({{{"kind", "bad_call"}, {"severity", "warning"}, {"message", "A stride is 4 bytes."}}}));
  for (const char* headline : {"nothing was written", "nothing was written."}) {
    judgement found;
    found.headline = headline;
    add_warnings(found, report);
    EXPECT_EQ(found.headline, "nothing was written. The simulated GPU warns: A stride is 4 bytes.");
  }
}

TEST(gates, a_rate_above_the_roof_is_not_believed) {
  const auto asked = copy_of(1'000'000);  // 8 MB
  EXPECT_FALSE(beyond_roof({}, asked, 8e-3, 1e9, 0));
  const auto found = beyond_roof({}, asked, 4e-3, 1e9, 0);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->cause, cause::faster_than_roof);
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
  lazy["simgpu__global_bytes_requested_op_ld.sum"] = 3700;
  ASSERT_TRUE(diagnose_work(report_of(json::array(), lazy), asked));
  EXPECT_EQ(diagnose_work(report_of(json::array(), lazy), asked)->cause, cause::work_off_device);
}

TEST(gates, reports_full_of_nonsense_are_survived) {
  for (
      const char* text :
      {"", "nonsense", "[]", "{}", R"({"schema": "simgpu.report/2", "launches": 3, "findings": {"a": 1}})",
       R"({"schema": "simgpu.report/2", "launches": [1, {"sites": [7, {"line": "x"}], "grid": ["a"]}], "findings": [null]})"}) {
    const device_report report(text);
    EXPECT_EQ(report.counter("anything"), 0);
    EXPECT_FALSE(diagnose_findings(report));
  }
}

}  // namespace
