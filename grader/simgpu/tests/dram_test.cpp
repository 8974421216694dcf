/// @file
/// L2 and DRAM traffic of kernels that do not fit the L2, on a slice with a slice of the data, against what the profiler read of
/// the same sources on a whole H200 (fixtures/h200_dram_l2.csv): within 5 % for the same number of sectors asked for. Only
/// some kernels are run here; timing/calibration.md has all, and names those that are further off.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace {

constexpr double kTolerance = 0.05;
constexpr double kSizeTolerance =
    0.005;  // of what L1 counts: a twelfth of the data is rounded to whole blocks

// The card's name of a metric and the simulator's. On the card, `lts__t_sectors_op_*` also count what its two halves of the L2 send
// each other.
struct Metric {
  const char *card, *simulator;
};
constexpr Metric kLoads = {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                           "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"};
constexpr Metric kStores = {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                            "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"};
constexpr std::array kFar = {Metric{"lts__t_sectors_srcunit_tex_op_read.sum", "lts__t_sectors_op_read.sum"},
                             Metric{"lts__t_sectors_srcunit_tex_op_write.sum", "lts__t_sectors_op_write.sum"},
                             Metric{"dram__bytes_read.sum", "dram__bytes_read.sum"},
                             Metric{"dram__bytes_write.sum", "dram__bytes_write.sum"}};

using Values = std::map<std::string, double>;

bool near(double value, double expected, double tolerance) {
  return std::abs(value - expected) <= tolerance * expected;
}

// Values by "ladder/case".
std::map<std::string, Values> read_fixture() {
  std::map<std::string, Values> all;
  std::ifstream in(FIXTURE);
  std::vector<std::string> head;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"')
        quoted = !quoted;
      else if (c == ',' && !quoted)
        cells.emplace_back();
      else
        cells.back() += c;
    }
    if (head.empty()) {
      head = cells;
      continue;
    }
    Values& values = all[cells[0] + "/" + cells[1]];
    for (std::size_t i = 2; i < cells.size(); ++i) values[head[i]] = std::stod(cells[i]);
  }
  return all;
}

// Runs the cases of a ladder whose names hold `filter`: their names, and what the second launch of each counted.
std::vector<std::pair<std::string, Values>> simulate(const std::string& ladder, const std::string& filter) {
  // Tests may run side by side.
  std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  std::replace(test.begin(), test.end(), '/', '_');
  const std::string report = std::string(SCRATCH) + "/" + test + ".json",
                    output = std::string(SCRATCH) + "/" + test + ".txt";
  const std::string command = "LD_LIBRARY_PATH='" DROPIN_FOLDER "' SIMGPU_REPORT='json:" + report +
                              "' '" LADDERS "/" + ladder + "' '" + filter + "' > '" + output + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::vector<std::string> names;
  std::ifstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(" GB/s") != std::string::npos)
      names.push_back(line.substr(0, line.find_last_not_of(' ', 43) + 1));
  }
  std::ifstream in(report);
  std::vector<nlohmann::json> launches;
  const auto parsed = nlohmann::json::parse(in);
  for (const auto& launch : parsed.at("launches")) {
    if (launch.at("kernel").get<std::string>().find("fill_") == std::string::npos) launches.push_back(launch);
  }
  EXPECT_EQ(launches.size(), 2 * names.size());
  std::vector<std::pair<std::string, Values>> cases;
  for (std::size_t i = 0; i < names.size() && 2 * i + 1 < launches.size(); ++i) {
    cases.emplace_back(ladder + "/" + names[i], launches[2 * i + 1].at("counters").get<Values>());
  }
  return cases;
}

struct Selection {
  const char *ladder, *filter;
  std::size_t cases;
};
void PrintTo(const Selection& s, std::ostream* out) {
  *out << s.ladder << ", " << s.filter;
}

class FarTraffic : public testing::TestWithParam<Selection> {};

TEST_P(FarTraffic, IsWhatAnH200Moves) {
  const auto fixture = read_fixture();
  const auto cases = simulate(GetParam().ladder, GetParam().filter);
  ASSERT_EQ(cases.size(), GetParam().cases);
  for (const auto& [name, mine] : cases) {
    ASSERT_TRUE(fixture.contains(name)) << name;
    const Values& card = fixture.at(name);
    const auto asked = [](const Values& v, const char* loads, const char* stores) {
      return v.at(loads) + v.at(stores);
    };
    const double scale =
        asked(card, kLoads.card, kStores.card) / asked(mine, kLoads.simulator, kStores.simulator);
    EXPECT_TRUE(near(mine.at(kLoads.simulator) * scale, card.at(kLoads.card), kSizeTolerance)) << name;
    for (const Metric& metric : kFar) {
      const double simulated = mine.at(metric.simulator) * scale, measured = card.at(metric.card);
      EXPECT_TRUE(near(simulated, measured, kTolerance)) << name << ": " << metric.card << " is " << measured
                                                         << " on the card, and " << simulated << " here";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ladders, FarTraffic,
                         testing::Values(Selection{"copy", "misaligned source", 1},
                                         Selection{"stencil", "window global r=3", 1},
                                         Selection{"stencil", "textbook, blocks of 64", 1},
                                         Selection{"transpose", "32x8 padded", 1},
                                         Selection{"walk", "stride", 5}, Selection{"held_out", "random", 2},
                                         Selection{"held_out", "daxpy", 1}));

// What the comparison is there to find: a read that is fetched twice, a store that is not written back, a granule of 32 bytes.
TEST(FarTrafficComparison, FindsWrongRules) {
  EXPECT_TRUE(near(1.04, 1, kTolerance));
  for (const double wrong : {2.0, 0.0, 0.5, 1.06}) EXPECT_FALSE(near(wrong, 1, kTolerance)) << wrong;
}

}  // namespace
