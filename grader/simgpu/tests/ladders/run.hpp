/// @file
/// For tests: runs a ladder on the simulated GPU, and reads what an H200 showed of the same cases.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "compare.hpp"

namespace ladder {

using Values = std::map<std::string, double>;

/// A fixture's columns by "ladder/case".
inline std::map<std::string, Values> read_fixture(const std::string& path) {
  std::map<std::string, Values> all;
  std::ifstream in(path);
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

/// The kernels of unseen.cu or fresh.cu, whose fixtures have columns of their own.
inline std::map<std::string, Values> read_kernels(const std::string& ladder, const std::string& path) {
  std::map<std::string, Values> all;
  for (const auto& [kernel, rate] : read_rates(path)) all[ladder + "/" + kernel]["gbytes_per_second"] = rate;
  return all;
}

/// What the simulator said of one case.
struct Case {
  std::string name;              ///< "ladder/case"
  double gbytes_per_second = 0;  ///< modelled, of a whole card
  Values counters;               ///< of its second run, summed over its launches
};

/// "NAME    1234.5 GB/s" lines, as a ladder prints them.
inline std::vector<Case> read_times(const std::string& ladder, const std::string& path) {
  std::vector<Case> cases;
  std::ifstream lines(path);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t unit = line.find(" GB/s");
    if (unit == std::string::npos) continue;
    const std::size_t number = line.find_last_of(' ', unit - 1) + 1;
    Case c;
    c.name = ladder + "/" + line.substr(0, line.find_last_not_of(' ', number - 1) + 1);
    c.gbytes_per_second = std::stod(line.substr(number));
    if (c.name != "copy/memcpy") cases.push_back(c);  // no kernel, and no fixture
  }
  return cases;
}

/// Before each command: the runtime, and no checks, which double the time and change neither clock nor counters.
inline const std::string kSimulated = "SIMGPU_CHECKS=off LD_LIBRARY_PATH='" DROPIN_FOLDER "' ";

/// The cases of one class of fresh.cu, without counters: some of them are no kernels.
inline std::vector<Case> simulate_class(const std::string& of) {
  const std::string path = std::string(SCRATCH) + "/fresh_class_" + of + ".txt";
  const std::string command =
      "LADDER_CLASS=" + of + " " + kSimulated + "'" LADDERS "/fresh' > '" + path + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return read_times("fresh", path);
}

/// @param filter runs the cases whose names hold it; empty: all.
inline std::vector<Case> simulate(const std::string& ladder, const std::string& filter) {
  // Tests may run side by side.
  std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  std::replace(test.begin(), test.end(), '/', '_');
  const std::string base = std::string(SCRATCH) + "/" + ladder + "_" + test;
  const std::string command = kSimulated + "SIMGPU_REPORT='json:" + base + ".json' '" LADDERS "/" + ladder +
                              "' " + (filter.empty() ? std::string() : "'" + filter + "' ") + "> '" + base +
                              ".txt'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::vector<Case> cases = read_times(ladder, base + ".txt");
  std::ifstream in(base + ".json");
  std::vector<nlohmann::json> launches;
  const auto parsed = nlohmann::json::parse(in);
  for (const auto& launch : parsed.at("launches"))
    if (launch.at("kernel").get<std::string>().find("fill_") == std::string::npos) launches.push_back(launch);
  // A case runs twice: as many launches as it takes until they repeat.
  const auto alike = [&](std::size_t a, std::size_t b) {
    return launches[a].at("kernel") == launches[b].at("kernel") &&
           launches[a].at("grid") == launches[b].at("grid");
  };
  std::size_t at = 0;
  for (Case& c : cases) {
    std::size_t count = 1;
    for (; at + 2 * count <= launches.size(); ++count) {
      bool repeats = true;
      for (std::size_t i = at; i < at + count; ++i) repeats = repeats && alike(i, i + count);
      if (repeats) break;
    }
    if (at + 2 * count > launches.size()) {
      ADD_FAILURE() << c.name << ": its launches are not in the report";
      return cases;
    }
    for (std::size_t i = at + count; i < at + 2 * count; ++i)
      for (const auto& [name, value] : launches[i].at("counters").get<Values>()) c.counters[name] += value;
    at += 2 * count;
  }
  EXPECT_EQ(at, launches.size());
  return cases;
}

}  // namespace ladder
