/// @file
/// Calls of the host, one mechanism a row, against what they took on an H200 (ladders/calls.cu, fixtures/h200_calls.csv). A bound says how far
/// the model is off today; timing/calibration.md says why. Rows of bytes that a slice moves twelve times slower are left out; those of
/// managed memory are held to the card's as a whole card.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

namespace {

constexpr int kRows = 49;                                      ///< that are compared by their mean
constexpr double kMean = 7.5, kWorst = 58, kWorstByHost = 51;  ///< error at most [per cent]

/// Seconds by name: "name",seconds, or several of those, which are added up.
std::map<std::string, double> read(const std::string& path) {
  std::map<std::string, double> rows;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    if (auto end = line.rfind("\","); line.starts_with('"') && end != std::string::npos) {
      double& seconds = rows[line.substr(1, end - 1)] = 0;
      for (++end; end != std::string::npos; end = line.find(',', end + 1))
        seconds += std::atof(line.c_str() + end + 1);
    }
  return rows;
}

/// Seconds by name, as the model has them. @param settings before the command. @param filter the rows whose names hold it
std::map<std::string, double> simulated(const std::string& ladder, const std::string& settings = "",
                                        const std::string& filter = "") {
  const std::string csv =
      std::string(SCRATCH) + "/" + ladder + "_model" + (filter.empty() ? "" : "_some") + ".csv";
  const std::string command = settings + " LD_LIBRARY_PATH='" DROPIN_FOLDER "' '" LADDERS "/" + ladder +
                              "' --csv '" + csv + "' '" + filter + "' > '" + csv + ".txt'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return read(csv);
}

bool shrinks_with_a_slice(const std::string& name) {
  return name.find("65536 bytes") != std::string::npos || name.find("managed memory") != std::string::npos;
}

/// Hosts of an H200 differ: this one launches in 3.3 us, those of the other sets in 4.5, as the model does; so do copies within the device.
bool differs_by_host(const std::string& name) {
  return name.starts_with("kernel")
             ? name.find("waited for") == std::string::npos && name.find("down") == std::string::npos
             : name.find("within the device") != std::string::npos ||
                   name.find("a kernel, given back") != std::string::npos;
}

TEST(Calls, TakeAsLongAsOnAnH200) {
  const auto card = read(FIXTURES "/h200_calls.csv"), model = simulated("calls");
  EXPECT_EQ(card.size(), model.size());
  double sum = 0;
  int count = 0;
  for (const auto& [name, seconds] : card) {
    const auto mine = model.find(name);
    ASSERT_NE(mine, model.end()) << name;
    if (shrinks_with_a_slice(name)) continue;
    const double error = 100 * std::abs(mine->second / seconds - 1);
    EXPECT_LE(error, differs_by_host(name) ? kWorstByHost : kWorst) << name;
    if (differs_by_host(name)) continue;
    sum += error, ++count;
  }
  EXPECT_EQ(count, kRows);
  EXPECT_LE(sum / count, kMean);
}

// 1, 4 and 16 MiB: fetched there and back, and touched by the host and then by a kernel, so that both wait for pages.
TEST(Calls, OnManagedMemoryTakeAsLongAsOnAnH200) {
  const auto card = read(FIXTURES "/h200_calls.csv"),
             model = simulated("calls", "SIMGPU_SLICE=1", "managed memory");
  ASSERT_EQ(model.size(), 9u);
  double sum = 0;
  for (const auto& [name, seconds] : model) {
    const double error = 100 * std::abs(seconds / card.at(name) - 1);
    sum += error;
    // The first touches of so little take twice as long there.
    EXPECT_LE(error, name == "1 MiB of managed memory touched by the host, then read by faults" ? 50 : 12)
        << name;
  }
  EXPECT_LE(sum / 9, 10);
}

// Copies by size, from and to pageable and page-locked memory, with kernels between; what stands between kernels in streams; graphs by their
// forms; loads from the host's memory (ladders/copies.cu; the means of two runs on one host). Before they were measured the model was 27 %
// off, and 192 % where it was worst.
TEST(Calls, CopiesAndGraphsTakeAsLongAsOnAnH200) {
  const auto card = read(FIXTURES "/h200_copies.csv"),
             model = simulated("copies", "SIMGPU_SLICE=1 SIMGPU_CHECKS=off");
  ASSERT_EQ(card.size(), 250u);
  double sum = 0;
  for (const auto& [name, seconds] : card) {
    ASSERT_TRUE(model.contains(name)) << name;
    const double error = 100 * std::abs(model.at(name) / seconds - 1);
    // The host puts pageable memory into the driver's buffers: 15.5 GB/s on this host, 8 to 14 on others.
    EXPECT_LE(error, 60) << name;
    sum += error;
  }
  EXPECT_LE(sum / 250, 11);
}

// The host touches managed memory between two kernels, here and there; both wait for pages (ladders/touches.cu; the medians of three runs
// on a card). Left out is a page's first turns to and fro, in which the driver makes each third kernel wait for half a millisecond.
TEST(Calls, TouchesOfManagedMemoryTakeAsLongAsOnAnH200) {
  const auto card = read(FIXTURES "/h200_touches.csv"),
             model = simulated("touches", "SIMGPU_SLICE=1 SIMGPU_CHECKS=off");
  ASSERT_EQ(card.size(), 38u);
  double sum = 0;
  int count = 0;
  for (const auto& [name, seconds] : card) {
    if (name == "a variable, its second and third turn") continue;
    ASSERT_TRUE(model.contains(name)) << name;
    const double error = 100 * std::abs(model.at(name) / seconds - 1);
    EXPECT_LE(error, 45) << name;
    sum += error, ++count;
  }
  EXPECT_LE(sum / count, 16);
}

}  // namespace
