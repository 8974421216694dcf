/// @file
/// Recorded figures in pages: tables of measured.json (schema course.measured/1), and the ladder of an exercise from results/*/*.json.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "records/build_folder.hpp"

namespace course::pages {

/// A table of a measured.json with its conditions.
/// @param files looked into in this order; the first that has the table gives it
/// @throws environment_error if none has it, or if it is not as the schema says.
std::string measured_block(const std::vector<std::filesystem::path>& files, const std::string& name);

/// Files of that schema in results/*/, the latest first.
std::vector<std::filesystem::path> measured_records(const build_folder& build);

/// One speed that a record holds.
struct recorded_speed {
  std::string card, date, driver, toolkit;  ///< of the record
  std::string file;                         ///< relative to the source folder
  std::string variant;    ///< starter, plain, reference, slow_one_block, library.cub_device_reduce, ...
  std::string benchmark;  ///< empty where there is only one
  std::string verdict;
  std::string unit;          ///< B or flop, ...
  double ratio = 0;          ///< of the baseline in the same run
  double per_second = 0;     ///< in `unit`
  double share_of_copy = 0;  ///< 0 = not recorded
  bool misses_idea = false;  ///< an idea gate, whatever the verdict says first
};

/// Which records are asked for.
enum class recorded_on { card, simulator };

/// All speeds that results/*/*.json hold of an exercise, measured on a real card (or modelled, if that is asked for), of files that are what
/// they were then (by their sha256, where the record has one).
/// @param[out] changed how many rows were left out because their file has changed since; may be null
std::vector<recorded_speed> recorded_speeds(const build_folder& build, const exercise_id& exercise,
                                            int* changed = nullptr, recorded_on where = recorded_on::card);

/// The ladder of an exercise: slow, plain, limit, one table a card and day.
std::string ladder_block(const build_folder& build, const exercise_id& exercise);

}  // namespace course::pages
