/// @file
/// The modelled cost of single mechanisms against what an H200 took (ladders/probes.cu, fixtures/h200_probes_more.csv), by class of probe. A
/// bound says how far the model is off today: lower it when the model gets better, and say in timing/calibration.md why if one has to be raised.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <ostream>
#include <sstream>
#include <string>

namespace {

/// The probes whose names hold a word.
struct Class {
  const char *name, *filter;
  std::size_t figures;
  double mean, worst;  ///< error at most [per cent]
};
void PrintTo(const Class& c, std::ostream* out) {
  *out << c.filter;
}

class Probes : public testing::TestWithParam<Class> {};

/// Figures by name and threads, of as few blocks as the probe has: those of all SMs are not as many here.
std::map<std::string, double> read(const std::string& path) {
  std::map<std::string, double> all;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] != '"') continue;
    const std::size_t end = line.find('"', 1);
    std::istringstream cells(line.substr(end + 2));
    std::string blocks, threads, value;
    std::getline(cells, blocks, ','), std::getline(cells, threads, ','), std::getline(cells, value, ',');
    all.emplace(line.substr(1, end - 1) + ", " + threads, std::stod(value));
  }
  return all;
}

TEST_P(Probes, TakeAsLongAsOnAnH200) {
  const Class& kind = GetParam();
  const std::string base = std::string(SCRATCH) + "/probes_" + kind.name;
  const std::string command = "LD_LIBRARY_PATH='" DROPIN_FOLDER "' '" LADDERS "/probes' '" +
                              std::string(kind.filter) + "' --csv '" + base + ".csv' > '" + base + ".txt'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  const auto card = read(FIXTURES "/h200_probes_more.csv"), model = read(base + ".csv");
  EXPECT_EQ(model.size(), kind.figures);
  double sum = 0;
  for (const auto& [name, value] : model) {
    const auto measured = card.find(name);
    ASSERT_NE(measured, card.end()) << name << " was never measured";
    const double error = 100 * std::abs(value / measured->second - 1);
    std::printf("%-64s %10.2f %10.2f %6.2f\n", name.c_str(), measured->second, value,
                value / measured->second);
    EXPECT_LE(error, kind.worst) << name;
    sum += error;
  }
  EXPECT_LE(sum / static_cast<double>(model.size()), kind.mean) << "mean of " << model.size();
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, Probes,
                         testing::Values(Class{"loads_of_other_blocks", "cluster of 4, loads", 14, 8, 14},
                                         Class{"chains_of_other_blocks", "cluster of 4, chain", 14, 4, 11},
                                         Class{"stores_of_other_blocks", "cluster of 4, stores", 14, 7, 15},
                                         Class{"barriers_of_clusters", "cluster of 4, barrier", 2, 4, 8},
                                         Class{"divisions", "u32 division", 4, 5, 9}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
