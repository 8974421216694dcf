/// @file
/// The surroundings of one judge: what is graded, on what, and where its files are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "records/no_teeth.hpp"

namespace course {

/// On what to grade. `automatic`: on a GPU if there is one.
enum class device_choice { automatic, gpu, sim };

/// What an exercise's registration says that a device must have.
struct requirements {
  int compute_capability = 0;  ///< 10 x major + minor; 0: any
  int devices = 1;
  std::vector<std::string>
      attributes;  ///< by the names of facts::attributes: cudaDevAttr's, without that; each must not be 0
};

/// The surroundings of one judge. Tests of the judge fill it in themselves.
struct environment {
  std::filesystem::path plugins, results;  ///< folders, see build_folder
  std::filesystem::path worker_gpu, worker_sim;
  std::filesystem::path
      sim_device;  ///< the simulated device's own program; empty: a worker has its device itself
  std::string tree_id;
  std::filesystem::path tree_folder;  ///< absolute
  device_choice device = device_choice::automatic;
  std::uint64_t seed = 0;  ///< COURSE_SEED; 0: draw one
  std::string course_version, cuda_version;
  requirements needs;                    ///< of the exercise that is graded
  std::vector<toothless_gate> no_teeth;  ///< on any card

  /// Reads COURSE_TREE, COURSE_DEVICE, COURSE_SEED and course.json.
  /// @throws environment_error if this program lies in no build folder, there is no such tree, or no such device.
  static environment from_process(const std::string& chapter, const std::string& exercise);
};

}  // namespace course
