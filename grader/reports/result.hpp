/// @file
/// Reads result files, schema course.result/2, which judges write: one per exercise, kind and tree. The words
/// in them (verdict, cause, names of gates) are kept as text, so that a report can show what a newer judge
/// wrote.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reports/counts.hpp"

namespace course::reports {

/// A place in a student's file.
struct place {
  std::string file;  ///< as the judge wrote it, e.g. block_reduction.cu
  int line = 0;      ///< 1-based; 0 = no place

  /// "block_reduction.cu:41", or empty.
  std::string text() const;
};

/// One case of a correctness test.
struct case_row {
  std::string name;     ///< e.g. n=33
  std::string device;   ///< gpu or sim
  std::string status;   ///< pass, or a verdict
  std::string message;  ///< empty if passed
};

/// One threshold and what was found.
struct gate {
  std::string name;            ///< of the metric, e.g. speed
  std::string benchmark = {};  ///< empty where there is only one
  std::string kind;            ///< pass, idea or limit
  double value = 0;            ///< in `unit`
  bool counted = true;         ///< false: nothing could be counted, so `value` says nothing
  double threshold = 0;        ///< in `unit`
  std::string relation;        ///< >= or <=
  std::string wanted = {};     ///< the range in words
  std::string unit;            ///< e.g. ratio
  bool met = false;
  bool modelled = false;  ///< computed by the simulated GPU, not measured
  std::string note;
};

/// Times of the student's and the reference's kernel.
struct measurement {
  std::string benchmark, size;
  std::string baseline = "reference";  ///< or plain
  std::string unit = "B";
  double student_per_second = 0, reference_per_second = 0;  ///< in `unit`
  double student_seconds = 0;
  double reference_seconds = 0;
  double bytes_moved = 0;
  double student_bytes_per_second = 0;
  double reference_bytes_per_second = 0;
  double ratio = 0;  ///< student's speed / reference's speed
  double ratio_low = 0;
  double ratio_high = 0;
  int pairs = 0;             ///< interleaved pairs measured; 0 or 1 where modelled
  double share_of_peak = 0;  ///< of the device's memory roof, 0..1; 0 = unknown
  double slice =
      1;  ///< the simulated GPU is one slice-th of a card; times `slice` gives a whole card's speed
};

/// Something wrong that the simulated GPU saw.
struct finding {
  std::string kind, severity, message;
  std::string file;    ///< without folders
  int line = 0;        ///< 1-based; 0: unknown
  int other_line = 0;  ///< of the other access, where there are two
};

/// What the program printed in one case.
struct printed_output {
  std::string where;  ///< name of the case; empty: nothing was printed
  std::vector<std::string> first_lines;
  std::size_t lines = 0, bytes = 0;  ///< of all
};

/// One result file.
struct result {
  std::filesystem::path path;  ///< where it was read
  std::string chapter;         ///< folder
  std::string label;           ///< e.g. chapter2
  std::string exercise;
  std::string kind;  ///< correctness or bandwidth, or answers (of a drill)
  std::string verdict;
  std::string cause;
  std::string headline;
  bool at_the_limit = false;
  std::string tree;
  std::string tree_id;
  std::string source;
  std::string source_sha256;
  std::string device;  ///< gpu or sim; empty where none was asked
  std::string device_name;
  bool modelled = false;
  std::string seed;
  std::string started_at;
  double duration_seconds = 0;
  place location;
  std::vector<std::string> details;
  std::vector<case_row> cases;
  std::vector<gate> gates;
  std::optional<measurement> measured;    ///< the slowest against its baseline
  std::vector<measurement> measurements;  ///< all of them
  std::vector<finding> findings;
  printed_output printed;
  std::vector<run_counts> counts;
  std::string version_course, version_cuda, version_driver;
  std::string run;  ///< which ctest it belongs to, see run_id.hpp
};

/// Reads one file.
/// @return nullopt if it is missing, not JSON, or of another schema.
std::optional<result> read_result(const std::filesystem::path& file);

/// Reads all results of one tree.
/// @param[in] results_of_tree <build>/results/<tree id>. It need not exist.
std::vector<result> read_results(const std::filesystem::path& results_of_tree);

}  // namespace course::reports
