/// @file
/// The JSON form against the page that promises it.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "simgpu/report/report.hpp"
#include "simgpu/report/tests/sample.hpp"

namespace simgpu::report {
namespace {

using Ordered = nlohmann::ordered_json;

std::vector<std::string> keys(const Ordered& object) {
  std::vector<std::string> result;
  for (const auto& [key, value] : object.items()) result.push_back(key);
  return result;
}

// The example in schema.md and what is written have the same keys in the same order, and values of the same
// type.
void expect_same_form(const Ordered& promised, const Ordered& written, const std::string& path) {
  if (promised.is_number() && written.is_number()) return;
  ASSERT_EQ(promised.type_name(), std::string(written.type_name())) << path;
  if (promised.is_object() && path != "/launches/counters") {
    ASSERT_EQ(keys(promised), keys(written)) << path;
    for (const auto& [key, value] : promised.items()) expect_same_form(value, written[key], path + "/" + key);
  }
  if (promised.is_array() && !promised.empty()) {
    ASSERT_FALSE(written.empty()) << path;
    expect_same_form(promised[0], written[0], path);
  }
}

TEST(Ordered, HasTheFormThatTheSchemaShows) {
  std::ifstream file(SIMGPU_REPORT_TESTS "/../schema.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::size_t begin = page.find("```json") + 7;
  const Ordered promised = Ordered::parse(page.substr(begin, page.find("```", begin) - begin));
  const Ordered written = Ordered::parse(to_json(testing::sample()));
  expect_same_form(promised, written, "");
  EXPECT_EQ(written["schema"], promised["schema"]);
}

TEST(Ordered, SaysWhatTheReportHolds) {
  const Ordered written = Ordered::parse(to_json(testing::sample()));
  const Ordered& launch = written["launches"][0];
  EXPECT_EQ(launch["kernel"], "transpose(float const*, float*, int)");
  EXPECT_EQ(launch["grid"], Ordered::array({128, 128, 1}));
  EXPECT_EQ(launch["counters"]["dram__bytes_read.sum"], 1500000);
  std::vector<int> lines;
  for (const Ordered& site : launch["sites"]) lines.push_back(site["line"]);
  EXPECT_EQ(lines, (std::vector<int>{9, 12, 14, 20}));
  EXPECT_EQ(written["findings"][0]["address"], "0x104");
  EXPECT_EQ(written["findings"][0]["severity"], "error");
}

TEST(Ordered, AddsUpLoadsByAnyRoad) {
  const Ordered buffer = Ordered::parse(to_json(testing::sample()))["launches"][0]["buffers"][0];
  EXPECT_EQ(buffer["loaded_bytes"], 4096 + 128 + 512);
  EXPECT_EQ(buffer["loaded_sectors"], 128 + 4);
  EXPECT_EQ(buffer["stored_bytes"], 0);
}

TEST(Ordered, CountsTheTimeInWhichCopiesAreNotAlone) {
  const auto overlap = [](std::vector<OperationReport> operations) {
    TimelineReport timeline;
    timeline.operations = std::move(operations);
    return overlap_of(timeline);
  };
  const OperationReport up{0, 1, "copy to device", "copy", 1, 0, 10},
      down{0, 2, "copy to host", "copy", 1, 8, 20}, kernel{0, 3, "kernel", "k", 0, 18, 30};
  EXPECT_EQ(overlap({up}).copy_seconds, 10);
  EXPECT_EQ(overlap({up}).overlapped_seconds, 0);
  EXPECT_EQ(overlap({up, down}).copy_seconds, 20);
  EXPECT_EQ(overlap({up, down}).overlapped_seconds, 2);
  EXPECT_EQ(overlap({down, kernel, up}).overlapped_seconds, 4);
  OperationReport elsewhere = kernel;
  elsewhere.device = 1;
  EXPECT_EQ(overlap({down, elsewhere, up}).overlapped_seconds, 2) << "another device hides nothing";
}

TEST(Ordered, SaysNullForUnknownResources) {
  Report report = testing::sample();
  report.launches[0].registers.reset();
  report.launches[0].spill_bytes.reset();
  report.launches[0].stack_frame_bytes.reset();
  const Ordered launch = Ordered::parse(to_json(report))["launches"][0];
  EXPECT_TRUE(launch["registers"].is_null());
  EXPECT_TRUE(launch["spill_bytes"].is_null());
  EXPECT_TRUE(launch["stack_frame_bytes"].is_null());
}

TEST(Ordered, IsTheSameToTheByteAndAlwaysValid) {
  Report report = testing::sample();
  EXPECT_EQ(to_json(report), to_json(testing::sample()));
  EXPECT_EQ(to_json(report, -1).find('\n'), std::string::npos);
  report.findings[0].message = "bad \xff\xfe bytes \"quoted\"\n";
  EXPECT_NO_THROW(Ordered::parse(to_json(report)));
  EXPECT_NO_THROW(Ordered::parse(to_json(Report{})));
}

TEST(Trace, IsWhatATraceViewerReads) {
  const Ordered events = Ordered::parse(to_trace(testing::sample()))["traceEvents"];
  std::vector<std::string> phases;
  for (const Ordered& event : events) phases.push_back(event["ph"]);
  EXPECT_EQ(phases,
            (std::vector<std::string>{"M", "M", "M", "X", "X", "X", "X"}));  // one device, two streams
  EXPECT_EQ(events[5]["name"], "transpose(float const*, float*, int)");
  EXPECT_DOUBLE_EQ(events[5]["ts"], 10.0);
  EXPECT_DOUBLE_EQ(events[5]["dur"], 20.0);
  EXPECT_EQ(events[3]["args"]["bytes"], 524288);
}

}  // namespace
}  // namespace simgpu::report
