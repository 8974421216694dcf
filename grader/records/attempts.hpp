/// @file
/// The history of an exercise: one line for each judging, kept beside its result files, which only know the last one. Judges append, reports
/// read (schema course.attempt/1, docs/pages/result_schema.md).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "records/build_folder.hpp"

namespace course {

/// Speed of one benchmark in one attempt. Rates are a whole card's.
struct attempt_speed {
  std::string benchmark;  ///< empty where there is only one
  double per_second = 0;  ///< in `unit` per second
  std::string unit = "B";
  double ratio = 0;  ///< over the baseline's speed
  double bus_per_needed =
      0;  ///< bytes over the memory bus for each byte that the contract needs; 0: not counted
};

/// One judging.
struct attempt {
  std::string started_at;  ///< ISO 8601, UTC
  std::string kind;        ///< correctness or bandwidth
  std::string verdict, cause;
  bool at_the_limit = false;
  std::string file;  ///< of the place at fault; empty: none
  int line = 0;
  std::string device;  ///< gpu or sim
  std::string device_name;
  bool modelled = false;
  std::string source_sha256;
  std::vector<attempt_speed> speeds;
};

/// Judgings that a history keeps: the last ones.
inline constexpr std::size_t kMostAttempts = 200;

/// Where an exercise's history lies.
std::filesystem::path attempts_file(const std::filesystem::path& results, const std::string& tree_id,
                                    const std::string& chapter, const std::string& exercise);

/// Adds a line, and drops the oldest beyond kMostAttempts. What is no line of a history is dropped, too.
/// @return false if it cannot be written; a history is never worth failing for.
bool append_attempt(const std::filesystem::path& file, const attempt& what);

/// All judgings, the oldest first. Damaged lines are passed over; a missing file has none.
std::vector<attempt> read_attempts(const std::filesystem::path& file);

}  // namespace course
