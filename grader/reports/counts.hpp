/// @file
/// What a timed run counted, as a result file holds it: one element of its `counts` (docs/pages/result_schema.md). Everything is the
/// simulated GPU's, of a slice of a card; only rates are ever scaled to a whole one.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace course::reports {

/// One quantity of the whole run.
struct total {
  std::string name;  ///< in a reader's words: "sectors loaded"
  std::string unit;  ///< B, sectors, wavefronts or requests
  double counted = 0;
  std::optional<double> fewest;  ///< the fewest possible; none where that is not known
};

/// What one source line asked of one memory.
struct line_counts {
  std::string file;  ///< without folders
  int line = 0;      ///< 1-based; 0: unknown
  std::string memory, kind;
  double requests = 0, lanes = 0, bytes = 0;
  double sectors = 0, fewest_sectors = 0;        ///< global and local memory
  double wavefronts = 0, fewest_wavefronts = 0;  ///< shared memory
};

/// Launches of one kernel with one shape.
struct kernel_counts {
  std::string kernel, bound_by, occupancy_limiter;
  double blocks = 0, threads = 0, launches = 0, seconds = 0, occupancy = 0;
};

/// Something that occupied an engine, on the modelled clock.
struct operation {
  std::string engine, name;
  double device = 0, stream = 0, bytes = 0, begin_seconds = 0, end_seconds = 0;
};

/// One of the judge's metrics.
struct metric_value {
  std::string name, unit;
  double value = 0;
};

/// One benchmark's counts.
struct run_counts {
  std::string benchmark;  ///< empty where there is only one
  std::string size;       ///< "n=6000005"
  double slice = 1;       ///< the device is one part in this many of a card
  std::string roof;       ///< memory, link or empty: what bounds the speed
  double memory_bytes_per_second = 0, copy_bytes_per_second = 0;  ///< of the slice
  std::vector<total> totals;
  std::vector<line_counts> lines;
  std::vector<kernel_counts> kernels;
  std::vector<operation> operations;
  double operations_omitted = 0;
  std::vector<metric_value> metrics;
};

/// Reads a result file's `counts`. What is missing or of another type keeps its default.
std::vector<run_counts> read_counts(const nlohmann::json& from);

/// A total over the fewest possible; none where there is no fewest, or it is nothing.
std::optional<double> times_the_fewest(const total& of);

}  // namespace course::reports
