/// @file
/// The build folder, found from the running executable, so that it can be moved, and what configure wrote
/// into its course.json.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace course {

/// One line of course.json's list of exercises.
struct exercise_id {
  std::string chapter;   ///< folder, e.g. chapter2_shared_memory
  std::string label;     ///< ctest label, e.g. chapter2
  std::string name;      ///< e.g. block_reduction
  int minimum_arch = 0;  ///< smallest compute capability it can be compiled for, 0 = any
  int devices = 1;       ///< how many devices its kernels use
  std::vector<std::string> device_attributes = {};  ///< what a device must have, e.g. ConcurrentManagedAccess
  bool broken = false;          ///< the starter is wrong and is to be repaired: there is no pass gate
  bool plain_baseline = false;  ///< a benchmark compares with plain.cu, so that is made into a plugin as well
  std::string folder =
      {};  ///< of contract and starter, relative to the source folder; empty: exercises/<chapter>/<name>
  std::string drill = {};  ///< the word of `course drill`, e.g. sectors; empty: kernels are written

  /// Whether the hand-in is a file of answers, with nothing to compile and nothing to time.
  bool is_drill() const { return !drill.empty(); }
  /// Prefix of its ctest names, e.g. chapter2.block_reduction.
  std::string test_prefix() const { return label + "." + name; }
  /// Name of its judge, e.g. chapter2_shared_memory.block_reduction.
  std::string judge() const { return chapter + "." + name; }
};

/// What configure wrote down (schema course.config/1).
struct configuration {
  std::string version;       ///< of the course
  std::string nvcc;          ///< absolute path at configure time
  std::string nvcc_version;  ///< e.g. 13.0.88
  std::string cuda_version;  ///< e.g. 13.0
  std::string cudart;        ///< soname of the real runtime beside us in bin/, e.g. libcudart.so.13
  std::string ctest;         ///< absolute path at configure time
  std::vector<std::string> flags;
  std::vector<std::string> architectures;  ///< compute capabilities to make machine code for, e.g. 90
  std::vector<exercise_id> exercises;
  std::vector<exercise_id> fixtures;  ///< exercises that only test the frame: found by name, in no list
};

/// A build folder, e.g. build/default.
class build_folder {
 public:
  /// Finds the folder of the running executable: <build>/bin/course or <build>/bin/judges/x.
  /// @throws environment_error if there is no readable course.json.
  static build_folder of_this_program();
  /// Opens a given build folder.
  /// @throws environment_error if there is no readable course.json.
  explicit build_folder(std::filesystem::path root);

  const std::filesystem::path& root() const { return root_; }
  const std::filesystem::path& source_dir() const { return source_dir_; }
  const configuration& config() const { return config_; }

  std::filesystem::path bin() const { return root_ / "bin"; }
  std::filesystem::path plugins() const { return root_ / "plugins"; }
  std::filesystem::path results() const { return root_ / "results"; }
  std::filesystem::path variants() const { return root_ / "variants"; }
  /// The students' tests alone, which ctest reads in a moment (cmake/CourseTests.cmake).
  std::filesystem::path grading_tests() const { return root_ / "grading"; }
  /// Folder of the contract and the starter.
  std::filesystem::path exercise_folder(const exercise_id& exercise) const;
  /// Where its contract's headers lie: its own folder, then the chapter's, whose headers are for all its exercises.
  std::vector<std::filesystem::path> contract_folders(const exercise_id& exercise) const;
  /// The headers there (*.cuh), sorted within each folder.
  std::vector<std::filesystem::path> contract_headers(const exercise_id& exercise) const;
  /// Folder of its plain.cu, its reference, wrong/ and library/.
  std::filesystem::path solution_folder(const exercise_id& exercise) const;

  /// The exercise or fixture of that chapter (folder or label) and name; nullptr if there is none.
  const exercise_id* find(std::string_view chapter, std::string_view name) const;

 private:
  std::filesystem::path root_;
  std::filesystem::path source_dir_;
  configuration config_;
};

}  // namespace course
