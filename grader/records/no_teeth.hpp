/// @file
/// Pass gates that separate nothing on a card: every program that was made slow clears them there. Such a gate does not count in a
/// grading on that card, and the grading says so. `course check-margins --write` lists them from recorded runs, in
/// exercises/no_teeth.json (schema course.no_teeth/1).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace course {

struct toothless_gate {
  std::string card;       ///< as the driver names it, e.g. "NVIDIA H200"
  std::string exercise;   ///< its name
  std::string benchmark;  ///< empty: each one
  double at_least =
      0;  ///< the gate, as a share of the baseline's speed: a gate that has changed since has teeth until it is measured
  friend bool operator==(const toothless_gate&, const toothless_gate&) = default;
};

/// Where the list lies.
std::filesystem::path no_teeth_file(const std::filesystem::path& source_dir);

/// @return none if there is no such file.
/// @throws environment_error if it is damaged.
std::vector<toothless_gate> read_no_teeth(const std::filesystem::path& source_dir);

/// The file's text, in the order of @p gates.
std::string no_teeth_text(const std::vector<toothless_gate>& gates);

}  // namespace course
