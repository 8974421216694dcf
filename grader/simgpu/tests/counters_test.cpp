/// @file
/// The simulator's counters are Nsight Compute's: 504 launches of one warp, each with a known pattern of addresses, against what
/// the profiler read on an H200 (fixtures/h200_micro.csv). Nothing is allowed to differ but what kNotCounted names. And what of stores in parts of
/// sectors merges on its way to the L2, which depends on the order of warps, is as it was there, about (ladders/stores.cu, fixtures/h200_stores.csv).
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace {

// SASS instructions, all wavefronts of the pipe with those of other units, and the tag stage: the simulator runs PTX and does
// not claim these numbers.
constexpr std::array kNotCounted = {"smsp__inst_executed.sum", "l1tex__data_pipe_lsu_wavefronts.sum",
                                    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum"};

using Row = std::map<std::string, std::string>;

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> all;
  std::stringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) all.push_back(cell);
  return all;
}

std::vector<Row> read_fixture(const char* path) {
  std::ifstream in(path);
  std::vector<Row> rows;
  std::vector<std::string> head;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto row = cells(line);
    if (head.empty()) {
      head = row;
      continue;
    }
    Row named;
    for (std::size_t i = 0; i < head.size() && i < row.size(); ++i) named[head[i]] = row[i];
    rows.push_back(named);
  }
  return rows;
}

bool counted(const std::string& name) {
  if (name.find("__") == std::string::npos) return false;
  for (const char* left_out : kNotCounted) {
    if (name == left_out) return false;
  }
  return true;
}

/// What is reported of a program's launches.
nlohmann::json launches_of(const std::string& program, const std::string& name) {
  const std::string report = std::string(SCRATCH) + "/" + name + "_report.json";
  const std::string command = "LD_LIBRARY_PATH='" DROPIN_FOLDER "' SIMGPU_REPORT='json:" + report + "' '" +
                              program + "' > '" SCRATCH "/" + name + "_launches.csv'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream in(report);
  return nlohmann::json::parse(in).at("launches");
}

TEST(Counters, EqualTheProfilersOnAnH200) {
  const auto launches = launches_of(MICRO, "micro");
  const auto fixture = read_fixture(FIXTURE);
  ASSERT_EQ(fixture.size(), 504u);
  ASSERT_EQ(launches.size(), fixture.size());

  std::size_t compared = 0;
  for (std::size_t i = 0; i < fixture.size(); ++i) {
    const Row& row = fixture[i];
    const auto& counters = launches[i].at("counters");
    for (const auto& [name, value] : row) {
      if (!counted(name)) continue;
      ASSERT_TRUE(counters.contains(name)) << name;
      EXPECT_EQ(counters.at(name).get<std::uint64_t>(), std::stoull(value))
          << name << " of launch " << i << ": " << row.at("kernel") << ", " << row.at("bytes") << " bytes, "
          << row.at("pattern");
      ++compared;
    }
  }
  EXPECT_EQ(compared, 504u * 17);
}

// Catches a queue that merges whatever one warp stores: "turned in tiles of 64 x 64, four floats a thread" wrote twice the sectors on the card and took
// 1.32 times as long as here.
TEST(Counters, StoresInPartsMergeAsOnAnH200) {
  const auto launches = launches_of(STORES, "stores");
  const auto fixture = read_fixture(STORES_FIXTURE);
  ASSERT_EQ(fixture.size(), 31u);
  ASSERT_EQ(launches.size(), fixture.size());
  for (std::size_t i = 0; i < fixture.size(); ++i) {
    const Row& row = fixture[i];
    if (row.at("behind") == "nothing") continue;  // see store_queue.hpp
    const auto& counters = launches[i].at("counters");
    const double here = counters.at("lts__t_sectors_op_write.sum").get<double>() /
                        counters.at("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum").get<double>();
    EXPECT_NEAR(here, std::stod(row.at("sectors_to_l2")) / std::stod(row.at("sectors")), 0.1)
        << row.at("stored") << " of " << row.at("words") << " words behind " << row.at("behind");
  }
}

}  // namespace
