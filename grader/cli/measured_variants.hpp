/// @file
/// Programs of known worth, measured by the judges: what `course calibrate` and `course bench` have in common. There is one ruler, the
/// judge's; this only chooses what lies beneath it.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "records/build_folder.hpp"

namespace course::cli {

/// One program to measure.
struct measured_variant {
  std::string name;  ///< starter, plain, reference, slow_one_block, library.cub_device_reduce, ...
  std::filesystem::path source;  ///< a .cu file, or a .patch of plain.cu
};

/// Starter, plain solution, reference and the wrong variants that are right but slow or wasteful: the ladder of an exercise. Those that
/// are wrong have no speed.
std::vector<measured_variant> ladder_of(const build_folder& build, const exercise_id& exercise);
/// The reference, and solutions/<chapter>/<exercise>/library/*.cu: the same work by a library's kernels.
std::vector<measured_variant> references_of(const build_folder& build, const exercise_id& exercise);

/// Measures one program against the reference, as the exercise's bandwidth test does, whatever its correctness.
/// @param device auto, gpu or sim.
/// @return the result file (schema course.result/2); null with a sentence printed when the judge left none.
nlohmann::json measure_variant(const build_folder& build, const exercise_id& exercise,
                               const measured_variant& variant, const std::string& device);

/// What a record says of the machine: date, driver, toolkit, and where nvidia-smi is at hand clocks, temperature and reasons for throttling.
nlohmann::json machine_record(const build_folder& build, const nlohmann::json& a_result);

/// A card's name as part of a file name: "nvidia-h200".
std::string card_slug(const std::string& device_name);

/// Today, UTC: 2026-11-22.
std::string today();

}  // namespace course::cli
